//! Skills from other MCP servers, the whole way through the command: servers of our own, on the web
//! and as programs, and servers that lie.

use metier_store::digest::{Tree, TreeFile, TreeKind, hex};
use metier_testing::skill_server::{Answer, Skills, honestly, served_skill};
use metier_testing::{Run, SkillServer, World};
use serde_json::{Value, json};

use crate::serve::Server;
use crate::{METIER, metier};

/// A machine with two skills to give.
fn giver() -> World {
    let world = World::new();
    world.skill("roots/personal", "forms", "Fills in forms. Use when somebody sends a form.");
    world.skill("roots/personal", "charts", "Draws charts. Use when numbers should be seen.");
    world.write("roots/personal/charts/scripts/plot.sh", "#!/bin/sh\necho plot\n");
    world.write("roots/personal/charts/a b\u{fc}.bin", [0_u8, 159, 146, 150, 255]);
    world
}

/// The program that serves the giver's skills.
fn program(giver: &World) -> Vec<String> {
    let root = format!("--root=personal={}", giver.path().join("roots/personal").display());
    let home = format!("--home={}", giver.path().join("state").display());
    [METIER, "--no-default-roots", &root, &home, "mcp"].map(str::to_owned).to_vec()
}

fn add_program(taker: &World, giver: &World, name: &str) -> Run {
    let program = program(giver);
    let words = ["index", "add", "--json", "--name", name, "--"];
    let words: Vec<&str> = words.into_iter().chain(program.iter().map(String::as_str)).collect();
    metier(taker, &words)
}

fn file(world: &World, path: &str) -> Vec<u8> {
    let at = world.home().join(".local/share/metier/skills").join(path);
    std::fs::read(at).unwrap_or_default()
}

fn code(run: &Run) -> (i32, String) {
    let code = run.json()["error"]["code"].as_str().unwrap_or_default().to_owned();
    (run.code, code)
}

/// Takes a skill off the disk, its kept copy included.
fn lose(world: &World, name: &str) {
    let home = world.home().join(".local/share/metier");
    std::fs::remove_dir_all(home.join("store")).unwrap();
    std::fs::remove_dir_all(home.join("skills").join(name)).unwrap();
}

fn one(text: &str) -> Skills {
    vec![served_skill("pdf", &[("references/form.md", text)])]
}

/// A taker that knows `server` as `team`.
fn taker(server: &SkillServer) -> World {
    let world = World::new();
    let url = format!("mcp+{}", server.url());
    let added = metier(&world, &["index", "add", "team", &url]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    world
}

#[test]
fn skills_of_a_program_are_found_installed_used_and_verified() {
    // U2, P6, P3
    let (giver, taker) = (giver(), World::new());
    let added = add_program(&taker, &giver, "team");
    assert_eq!(added.code, 0, "{}", added.stderr);
    let index = &added.json()["indexes"][0];
    assert_eq!((&index["source"], &index["skills"]), (&json!("mcp:team"), &json!(2)));
    let hits = metier(&taker, &["index", "search", "numbers", "--json"]).json();
    assert_eq!(hits["hits"][0]["reference"], "mcp:team//charts");
    let which = metier(&taker, &["add", "mcp:team", "--yes", "--json"]);
    assert_eq!(code(&which), (2, "which_skill".into()), "{}", which.stdout);
    let taken = metier(&taker, &["add", "mcp:team//charts", "--yes", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    let new = &taken.json()["installed"][0]["new"];
    assert_eq!((&new["source"], &new["path"]), (&json!("mcp:team"), &json!("charts")));
    assert_eq!(new["commit"], Value::Null);
    assert_eq!(file(&taker, "charts/scripts/plot.sh"), b"#!/bin/sh\necho plot\n");
    assert_eq!(file(&taker, "charts/a b\u{fc}.bin"), [0, 159, 146, 150, 255]);
    let by_name = metier(&taker, &["add", "mcp:team", "--skill", "forms", "--yes"]);
    assert_eq!(by_name.code, 0, "{}", by_name.stderr);
    let used = metier(&taker, &["use", "charts"]);
    let first = used.stdout.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first, "<skill_content name=\"charts\" origin=\"mcp:team\">", "{}", used.stderr);
    assert_eq!(metier(&taker, &["verify"]).code, 0);
    assert_eq!(metier(&taker, &["sync", "--frozen"]).code, 0);
    let outdated = metier(&taker, &["outdated", "--json"]).json();
    assert_eq!(outdated["outdated"], json!([]));
}

#[test]
fn skills_of_a_server_on_the_web_are_taken_by_name_and_by_address() {
    // U2, U3, P6
    let (giver, taker) = (giver(), World::new());
    let server = Server::start(&giver, &[]);
    let url = format!("mcp+{}/mcp", server.url());
    let added = metier(&taker, &["index", "add", &url, "--json"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert_eq!(added.json()["indexes"][0]["name"], "127-0-0-1", "named after its host");
    let taken = metier(&taker, &["add", "index:127-0-0-1/charts", "--yes", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert_eq!(taken.json()["installed"][0]["new"]["source"], "mcp:127-0-0-1");
    let by_address = metier(&taker, &["add", &format!("{url}//forms"), "--yes", "--json"]);
    assert_eq!(by_address.code, 0, "{}", by_address.stderr);
    assert_eq!(by_address.json()["installed"][0]["new"]["source"], url);
    assert_eq!(metier(&taker, &["verify"]).code, 0);
    // Lost on the disk, and fetched again as it is locked.
    lose(&taker, "forms");
    let synced = metier(&taker, &["sync"]);
    assert_eq!(synced.code, 0, "{}", synced.stderr);
    assert!(!file(&taker, "forms/SKILL.md").is_empty());
    assert_eq!(server.stop().0, 0);
    assert_eq!(metier(&taker, &["verify"]).code, 0, "what is installed needs nobody");
    let gone = metier(&taker, &["outdated", "--json"]);
    assert_eq!((gone.code, &gone.json()["failed"]), (1, &json!(2)), "{}", gone.stderr);
}

#[test]
fn a_server_that_changes_asks_again_and_reads_nothing_to_say_so() {
    // U2, P4
    let server = SkillServer::start(one("one"));
    let taker = taker(&server);
    assert_eq!(metier(&taker, &["add", "mcp:team//pdf", "--yes"]).code, 0);
    let _ = server.asked();
    server.change(one("two"));
    let outdated = metier(&taker, &["outdated", "--json"]).json();
    assert_eq!(outdated["outdated"][0]["name"], "pdf");
    assert_eq!(outdated["outdated"][0]["latest"], Value::Null);
    let asked = server.asked();
    assert!(asked.iter().all(|asked| !asked.starts_with("resources/read")), "{asked:?}");
    let asks = metier(&taker, &["update", "--json"]);
    assert_eq!(code(&asks), (3, "not_confirmed".into()), "{}", asks.stdout);
    assert_eq!(file(&taker, "pdf/references/form.md"), b"one", "nobody said yes to the other");
    assert_eq!(metier(&taker, &["use", "pdf"]).code, 0, "what was approved stays usable");
    let locked = metier(&taker, &["sync"]);
    assert_eq!(locked.code, 0, "{}", locked.stderr);
    assert_eq!(file(&taker, "pdf/references/form.md"), b"one");
    lose(&taker, "pdf");
    let gone = metier(&taker, &["sync"]);
    assert_ne!(gone.code, 0, "what is locked is not to be had any more: {}", gone.stdout);
    assert!(file(&taker, "pdf/SKILL.md").is_empty());
    let again = metier(&taker, &["update", "--yes"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(file(&taker, "pdf/references/form.md"), b"two");
    // Somebody changes it here: it is not what was approved, and is not used.
    let at = taker.home().join(".local/share/metier/skills/pdf/references/form.md");
    std::fs::write(at, "three").unwrap();
    let changed = metier(&taker, &["use", "pdf", "--json"]);
    assert_eq!(code(&changed), (3, "skill_changed".into()), "{}", changed.stdout);
    assert_eq!(metier(&taker, &["verify"]).code, 3);
}

#[test]
fn what_a_lying_server_sends_is_neither_installed_nor_left_behind() {
    // U2, P2, P4
    type Lie = fn(&str, Value) -> Answer;
    let lies: [(&str, &str, Lie); 5] = [
        ("claim_mismatch", "its SHA-256 is", |method, mut result| {
            if method == "resources/read" {
                let text = result["contents"][0]["text"].as_str().unwrap().replace("Do", "Go");
                result["contents"][0]["text"] = text.into();
            }
            Answer::Result(result)
        }),
        ("claim_mismatch", "`description` is not what", |method, mut result| {
            if method == "skills/get" {
                result["skill"]["frontmatter"]["description"] = "Harmless".into();
            }
            Answer::Result(result)
        }),
        ("package_refused", "goes up with `..`", |method, mut result| {
            if method == "skills/get" {
                result["skill"]["resources"][1]["uri"] = "skill://pdf/../../x".into();
            }
            Answer::Result(result)
        }),
        ("package_refused", "made as they are asked for", |method, mut result| {
            if method == "skills/get" {
                result["skill"]["resources"] = "dynamic".into();
            }
            Answer::Result(result)
        }),
        ("bad_answer", "answers for another skill", |method, mut result| {
            if method == "skills/get" {
                result["skill"]["uri"] = "skill://other/SKILL.md".into();
            }
            Answer::Result(result)
        }),
    ];
    let server = SkillServer::start(one("one"));
    let taker = taker(&server);
    for (expect, said, lie) in lies {
        server.behave(move |method, params, skills| match honestly(method, params, skills) {
            Answer::Result(result) => lie(method, result),
            other => other,
        });
        let run = metier(&taker, &["add", "mcp:team//pdf", "--yes", "--json"]);
        let (exit, code) = code(&run);
        assert_eq!(code, expect, "{}{}", run.stdout, run.stderr);
        assert_eq!(exit, if expect == "bad_answer" { 1 } else { 3 });
        assert!(format!("{}{}", run.stdout, run.stderr).contains(said), "{}", run.stdout);
        assert!(file(&taker, "pdf/SKILL.md").is_empty(), "{expect}");
        assert!(!taker.home().join(".local/share/metier/skills.lock").exists());
    }
}

#[test]
fn a_server_takes_nobodys_place_and_nobody_takes_its() {
    // U2, P4
    let server = SkillServer::start(one("one"));
    let taker = taker(&server);
    let own = taker.skill("own", "pdf", "My own. Use when I say so.");
    let own = own.parent().unwrap().to_str().unwrap().to_owned();
    assert_eq!(metier(&taker, &["add", &own, "--yes"]).code, 0);
    let theirs = metier(&taker, &["add", "mcp:team//pdf", "--yes", "--json"]);
    assert_eq!(code(&theirs), (3, "other_origin".into()), "{}", theirs.stdout);
    assert!(String::from_utf8_lossy(&file(&taker, "pdf/SKILL.md")).contains("My own"));
    assert_eq!(metier(&taker, &["remove", "pdf"]).code, 0);
    assert_eq!(metier(&taker, &["add", "mcp:team//pdf", "--yes"]).code, 0);
    let mine = metier(&taker, &["add", &own, "--yes", "--json"]);
    assert_eq!(code(&mine), (3, "other_origin".into()), "{}", mine.stdout);
    // The same server under another name is another origin.
    let url = format!("mcp+{}//pdf", server.url());
    let other = metier(&taker, &["add", &url, "--yes", "--json"]);
    assert_eq!(code(&other), (3, "other_origin".into()), "{}", other.stdout);
    assert_eq!(metier(&taker, &["add", "mcp:team//pdf", "--yes"]).code, 0, "again is no change");
}

#[test]
fn allowed_tools_of_a_server_grant_nothing() {
    // U2, S3, S4
    let mut skills = one("one");
    let manifest =
        "---\nname: pdf\ndescription: Does pdf. Use when due.\nallowed-tools: Bash\n---\n";
    skills[0].1[0].1 = manifest.into();
    let server = SkillServer::start(skills);
    let taker = taker(&server);
    assert_eq!(metier(&taker, &["add", "mcp:team//pdf", "--yes"]).code, 0);
    let own = taker.write("own/free/SKILL.md", manifest.replace("pdf", "free"));
    let own = own.parent().unwrap().to_str().unwrap().to_owned();
    assert_eq!(metier(&taker, &["add", &own, "--yes"]).code, 0);
    let policy = "default = 'ask'\nallowed-tools = 'pre-approve'\n";
    taker.write("home/.config/metier/policy.toml", policy);
    let verdict = |skill: &str, session: &str| {
        let used = metier(&taker, &["use", skill, "--session", session]);
        assert_eq!(used.code, 0, "{}", used.stderr);
        let call = r#"{"command": "ls"}"#;
        let ruled = metier(&taker, &["guard", "Bash", call, "--session", session, "--json"]);
        (ruled.json()["verdict"].as_str().unwrap_or_default().to_owned(), ruled)
    };
    let (mine, run) = verdict("free", "a");
    assert_eq!(mine, "allow", "the policy lets one's own approve: {}{}", run.stdout, run.stderr);
    let (theirs, run) = verdict("pdf", "b");
    assert_eq!(theirs, "ask", "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_lockfile_starts_no_program_and_names_only_servers_known_here() {
    // U2, P4
    let world = World::new();
    let lock = |source: &str| {
        let digest = "aa".repeat(32);
        let file = TreeFile {
            path: (*b"SKILL.md").into(),
            kind: TreeKind::File,
            size: 0,
            digest: [0xaa; 32],
        };
        let tree = hex(&Tree::new(vec![file]).digest());
        let text = format!(
            "version = 1\n\n[[skill]]\nname = \"pdf\"\nsource = \"{source}\"\npath = \"pdf\"\n\
             tree = \"sha256:{tree}\"\nfiles = [\n    {{ path = \"SKILL.md\", mode = \"100644\", \
             sha256 = \"{digest}\" }},\n]\n"
        );
        std::fs::write(world.project().join("skills.lock"), text).unwrap();
        let run = metier(&world, &["sync", "--json", "--yes"]);
        assert_ne!(run.code, 0, "{}", run.stdout);
        format!("{}{}", run.stdout, run.stderr)
    };
    let unknown = lock("mcp:team");
    assert!(unknown.contains("there is no MCP server called `team` here"), "{unknown}");
    let marker = world.path().join("started");
    for source in [
        format!("mcp+stdio://touch {}", marker.display()),
        format!("mcp:touch {}", marker.display()),
        format!("mcp+command:touch {}", marker.display()),
    ] {
        lock(&source);
        assert!(!marker.exists(), "{source}");
    }
}

#[test]
fn a_server_with_a_token_gives_to_those_who_have_it_in_netrc() {
    // U2, U3, P6
    let (mut giver, taker) = (giver(), World::new());
    giver.env("METIER_SERVE_TOKEN", "0123456789abcdef");
    let server = Server::start(&giver, &[]);
    let url = format!("mcp+{}/mcp", server.url());
    let refused = metier(&taker, &["index", "add", "team", &url, "--json"]);
    assert_eq!(code(&refused), (1, "authentication".into()), "{}", refused.stdout);
    assert!(refused.stdout.contains(".netrc"), "{}", refused.stdout);
    taker.write("home/.netrc", "machine 127.0.0.1 login metier password 0123456789abcdef\n");
    let added = metier(&taker, &["index", "add", "team", &url]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let taken = metier(&taker, &["add", "mcp:team//forms", "--yes"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
}

#[test]
fn what_cannot_be_an_index_is_not_added() {
    // U2, P6
    let world = World::new();
    let check = |words: &[&str], exit: i32, expect: &str| {
        let words: Vec<&str> = ["index", "add", "--json"].iter().chain(words).copied().collect();
        let run = metier(&world, &words);
        assert_eq!(code(&run), (exit, expect.to_owned()), "{words:?}: {}", run.stdout);
    };
    check(&["x", "mcp+http://skills.example/mcp"], 2, "bad_reference");
    check(&["x", "mcp+https://a:b@skills.example/mcp"], 2, "bad_reference");
    check(&["x", "mcp:other"], 1, "not_an_index");
    check(&["x", "mcp+https://skills.example/mcp//pdf"], 1, "not_an_index");
    check(&["x", "mcp+http://127.0.0.1:1/mcp"], 1, "unreachable");
    check(&["x", "--", "/no/such/program"], 1, "unreachable");
    check(&["x", "--", "sh", "-c", "exit 3"], 1, "unreachable");
    check(&["x", "--", ""], 2, "bad_command");
    check(&["-", "--", "true"], 2, "bad_index_name");
    check(&["x"], 2, "bad_index");
    check(&["x", "mcp+https://skills.example/mcp", "--", "true"], 2, "bad_index");
    let server = SkillServer::lying(Vec::new(), |method, params, skills| match method {
        "server/discover" => {
            Answer::Result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}))
        }
        _ => honestly(method, params, skills),
    });
    check(&["x", &format!("mcp+{}", server.url())], 1, "no_skills");
    assert_eq!(metier(&world, &["index", "list", "--json"]).json()["indexes"], json!([]));
}
