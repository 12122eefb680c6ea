use super::*;

/// Asks the server as a browser would; gives the status.
fn ask(server: &GitServer, path: &str, headers: &str) -> u16 {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn the_server_answers_counts_and_misbehaves_as_it_is_told() {
    // P1
    let server = GitServer::start();
    let commit = server.repo("owner/name").skill("a", "a").link("l", "a").commit("first");
    assert_eq!(commit.len(), 40);
    assert_eq!(server.repo_sha256("owner/long").file("x", "x").commit("first").len(), 64);
    let refs = "owner/name/info/refs?service=git-upload-pack";
    assert_eq!(ask(&server, refs, ""), 200);
    assert_eq!(ask(&server, "owner/nothing/info/refs?service=git-upload-pack", ""), 404);
    assert_eq!(server.requests().len(), 2);
    server.forget();
    server.misbehave([Fault::Nothing, Fault::Status(429), Fault::HangUp, Fault::Truncate(0)]);
    let got = [(); 5].map(|()| ask(&server, refs, ""));
    assert_eq!(got, [200, 429, 0, 200, 200]);
    assert_eq!(server.requests().len(), 5);
    server.serve("file", "content");
    assert_eq!(ask(&server, "file", ""), 200);
    server.point("elsewhere", "http://127.0.0.1:9/");
    assert_eq!(ask(&server, "elsewhere", ""), 302);
    server.require("me", "secret");
    assert_eq!(ask(&server, refs, ""), 401);
    assert_eq!(ask(&server, refs, "Authorization: Basic bWU6c2VjcmV0\r\n"), 200);
}

#[test]
fn a_commit_is_on_top_of_what_the_branch_has() {
    // P1
    let server = GitServer::start();
    let _ = server.repo("o/r").file("a b", "1").executable("\"é\"", "2").commit("first");
    let _ = server.repo("o/r").remove("a b").file("c", "3").commit("second");
    let repo = server.repo("o/r");
    let listed = repo.git(&["-c", "core.quotePath=false", "ls-tree", "--name-only", "main"], b"");
    assert_eq!(listed, "\"\\\"é\\\"\"\nc");
    assert_eq!(repo.git(&["rev-list", "--count", "main"], b""), "2");
}
