//! `metier index`: one machine serves its skills, another finds and installs them.

use std::os::unix::fs::PermissionsExt as _;

use metier_testing::{GitServer, World};
use serde_json::json;

use crate::metier;
use crate::serve::Server;

/// A machine with two skills to give, one with a script.
fn giver() -> World {
    let world = World::new();
    world.skill("roots/personal", "forms", "Fills in forms. Use when somebody sends a form.");
    world.skill("roots/personal", "charts", "Draws charts. Use when numbers should be seen.");
    let script = world.write("roots/personal/charts/scripts/plot.sh", "#!/bin/sh\necho plot\n");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    world
}

fn installed(world: &World, name: &str) -> bool {
    world.home().join(".local/share/metier/skills").join(name).exists()
}

#[test]
fn what_one_machine_serves_another_finds_and_installs() {
    // P6, U3
    let (giver, taker) = (giver(), World::new());
    let server = Server::start(&giver, &[]);
    let added = metier(&taker, &["index", "add", "team", &server.url(), "--json"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let index = &added.json()["indexes"][0];
    assert_eq!((&index["name"], &index["skills"]), (&json!("team"), &json!(2)));
    let found = metier(&taker, &["index", "search", "form", "--json"]).json();
    assert_eq!(
        (&found["hits"][0]["index"], &found["hits"][0]["name"]),
        (&json!("team"), &json!("forms"))
    );
    let taken = metier(&taker, &["add", "index:team/charts", "--yes", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    let source = format!("{}/.well-known/agent-skills/charts.tar.gz", server.url());
    assert_eq!(taken.json()["installed"][0]["new"]["source"], source);
    let script = taker.home().join(".local/share/metier/skills/charts/scripts/plot.sh");
    assert_eq!(std::fs::read_to_string(&script).unwrap(), "#!/bin/sh\necho plot\n");
    assert!(std::fs::metadata(&script).unwrap().permissions().mode() & 0o100 != 0);
    assert_eq!(metier(&taker, &["verify"]).code, 0);
    assert_eq!(server.stop().0, 0);
    // Nobody answers any more, and what was listed is still known.
    let found = metier(&taker, &["index", "search", "form", "--json"]).json();
    assert_eq!(found["hits"][0]["name"], "forms");
    let stale = metier(&taker, &["index", "refresh"]);
    assert_eq!(stale.code, 1);
    assert!(stale.stderr.contains("what `team` listed is used, asked"), "{}", stale.stderr);
    let unreachable = metier(&taker, &["add", "index:team/forms", "--yes", "--json"]);
    assert_eq!(unreachable.code, 1, "{}", unreachable.stderr);
    let gone = metier(&taker, &["index", "remove", "team", "--json"]);
    assert_eq!(gone.json()["removed"], "team");
    let listed = metier(&taker, &["index", "list", "--json"]).json();
    assert_eq!(listed["indexes"], json!([]));
}

#[test]
fn a_machine_with_a_token_gives_to_those_who_have_it_in_netrc() {
    // P6, U3
    let (mut giver, taker) = (giver(), World::new());
    giver.env("METIER_SERVE_TOKEN", "0123456789abcdef");
    let server = Server::start(&giver, &[]);
    let refused = metier(&taker, &["index", "add", "team", &server.url(), "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (1, &json!("authentication")));
    taker.write("home/.netrc", "machine 127.0.0.1 login metier password 0123456789abcdef\n");
    let added = metier(&taker, &["index", "add", "team", &server.url()]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let taken = metier(&taker, &["add", "index:team/forms", "--yes"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert!(installed(&taker, "forms"));
}

#[test]
fn a_skill_that_changed_is_not_installed_until_the_index_is_asked_again() {
    // P6
    let (giver, taker) = (giver(), World::new());
    let server = Server::start(&giver, &[]);
    assert_eq!(metier(&taker, &["index", "add", "team", &server.url()]).code, 0);
    giver.write("roots/personal/charts/scripts/plot.sh", "#!/bin/sh\necho evil\n");
    let refused = metier(&taker, &["add", "index:team/charts", "--yes", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (3, &json!("digest_mismatch")));
    assert!(refused.stderr.contains("metier index refresh"), "{}", refused.stderr);
    assert!(!installed(&taker, "charts"));
    assert_eq!(metier(&taker, &["index", "refresh", "team"]).code, 0);
}

#[test]
fn bytes_that_somebody_changed_on_the_way_are_refused() {
    // P6
    let taker = World::new();
    let web = GitServer::start();
    let text = "---\nname: lone\ndescription: Is alone. Use when nobody else is.\n---\n\nAlone.\n";
    let url = web.serve("lone/SKILL.md", text);
    let digest = metier_store::digest::hex(&metier_store::digest::sha256(text.as_bytes()));
    let entry = |name: &str, digest: &str| {
        json!({"name": name, "type": "skill-md", "description": "Is alone.",
               "url": "/lone/SKILL.md", "digest": format!("sha256:{digest}")})
    };
    let list = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [entry("lone", &digest), entry("other", &"0".repeat(64)),
                   {"name": "Bad Name", "type": "archive"}, {"type": "hologram"}],
    });
    let index = web.serve("list/index.json", list.to_string());
    let added = metier(&taker, &["index", "add", "web", &index, "--json"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let problems = added.json()["indexes"][0]["problems"].to_string();
    assert!(problems.contains("skill 2:"), "{problems}");
    assert!(problems.contains("skill 3: it is of the type `hologram`"), "{problems}");
    let refused = metier(&taker, &["add", "index:web/other", "--yes", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (3, &json!("digest_mismatch")));
    let taken = metier(&taker, &["add", "index:web/lone", "--yes", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert_eq!(taken.json()["installed"][0]["new"]["source"], url);
    assert!(installed(&taker, "lone") && !installed(&taker, "other"));
}

/// A list of skills as a web server has it.
fn discovery(skills: &[serde_json::Value]) -> String {
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    json!({"$schema": schema, "skills": skills}).to_string()
}

/// An entry of such a list for these bytes.
fn entry(name: &str, kind: &str, url: &str, bytes: &[u8]) -> serde_json::Value {
    let digest = metier_store::digest::hex(&metier_store::digest::sha256(bytes));
    json!({"name": name, "type": kind, "description": "Does it.", "url": url,
           "digest": format!("sha256:{digest}")})
}

fn skill_text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does it. Use when it is to be done.\n---\n\nDo it.\n")
}

fn packed(name: &str) -> Vec<u8> {
    packed_text(&skill_text(name))
}

fn packed_text(text: &str) -> Vec<u8> {
    let path = "SKILL.md".to_owned();
    let bytes = text.as_bytes().to_vec();
    metier_package::archive::pack(&[metier_package::archive::Packed {
        path,
        executable: false,
        bytes,
    }])
}

#[test]
fn what_an_index_lists_is_brought_as_what_it_says_and_never_by_git() {
    // P6
    let taker = World::new();
    let web = GitServer::start();
    let _ = web.repo("acme/evil").skill("", "evil").commit("one");
    let (text, bytes) = (skill_text("lone"), packed("whole"));
    let _ = web.serve("raw.txt", text.clone());
    let _ = web.serve("download/whole", bytes.clone());
    let list = discovery(&[
        entry("lone", "skill-md", "/raw.txt", text.as_bytes()),
        entry("whole", "archive", "/download/whole", &bytes),
        entry("evil", "archive", "/acme/evil.git", b"another"),
        entry("twisted", "archive", "/raw.txt", text.as_bytes()),
    ]);
    let index = web.serve("list/index.json", list);
    assert_eq!(metier(&taker, &["index", "add", "web", &index]).code, 0);
    web.forget();
    for name in ["lone", "whole"] {
        let taken = metier(&taker, &["add", &format!("index:web/{name}"), "--yes", "--json"]);
        assert_eq!(taken.code, 0, "{}", taken.stderr);
        let source = taken.json()["installed"][0]["new"]["source"].to_string();
        assert!(source.contains("archive+http://127.0.0.1"), "{source}");
        // What is written down means the same when it is read again.
        let directory = taker.home().join(".local/share/metier/skills").join(name);
        std::fs::remove_dir_all(directory).unwrap();
        let synced = metier(&taker, &["sync"]);
        assert_eq!((synced.code, installed(&taker, name)), (0, true), "{}", synced.stderr);
    }
    let evil = metier(&taker, &["add", "index:web/evil", "--yes", "--json"]);
    assert!(evil.code != 0 && !installed(&taker, "evil"), "{}", evil.stdout);
    let asked = web.requests();
    assert!(asked.iter().all(|request| !request.contains("info/refs")), "{asked:?}");
    let twisted = metier(&taker, &["add", "index:web/twisted", "--yes", "--json"]);
    assert_eq!((twisted.code, &twisted.json()["error"]["code"]), (3, &json!("package_refused")));
}

#[test]
fn a_skill_of_another_name_than_the_index_has_is_refused() {
    // P6, P4
    let taker = World::new();
    let web = GitServer::start();
    let (text, bytes) = (skill_text("one"), packed("two"));
    let _ = web.serve("one/SKILL.md", text.clone());
    let _ = web.serve("two.tar.gz", bytes.clone());
    let list = discovery(&[
        entry("four", "skill-md", "/one/SKILL.md", text.as_bytes()),
        entry("five", "archive", "/two.tar.gz", &bytes),
    ]);
    let index = web.serve("list/index.json", list);
    assert_eq!(metier(&taker, &["index", "add", "web", &index]).code, 0);
    for (listed, found) in [("four", "one"), ("five", "two")] {
        let refused = metier(&taker, &["add", &format!("index:web/{listed}"), "--yes", "--json"]);
        let error = &refused.json()["error"];
        assert_eq!((refused.code, &error["code"]), (3, &json!("name_mismatch")));
        let said = error["message"].as_str().unwrap();
        assert!(said.contains(&format!("`{listed}`")) && said.contains(&format!("`{found}`")));
        assert!(!installed(&taker, listed) && !installed(&taker, found));
    }
}

#[test]
fn what_an_index_lists_anew_is_outdated_here_and_what_cannot_be_asked_is_said() {
    // P3, P6
    let taker = World::new();
    let web = GitServer::start();
    let serve = |words: &str, names: &[&str]| {
        let lone = format!("{}{words}", skill_text("lone"));
        let whole = packed_text(&format!("{}{words}", skill_text("whole")));
        let _ = web.serve("lone/SKILL.md", lone.clone());
        let _ = web.serve("whole", whole.clone());
        let all = [
            entry("lone", "skill-md", "/lone/SKILL.md", lone.as_bytes()),
            entry("whole", "archive", "/whole", &whole),
        ];
        let listed = |entry: &&serde_json::Value| names.iter().any(|name| entry["name"] == *name);
        let listed: Vec<_> = all.iter().filter(listed).cloned().collect();
        web.serve("list/index.json", discovery(&listed))
    };
    let outdated = |code: i32| {
        let run = metier(&taker, &["outdated", "--json"]);
        assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
        let names = |list: &str, member: &str| -> Vec<String> {
            let list = run.json()[list].as_array().unwrap().clone();
            list.iter().map(|line| line[member].as_str().unwrap().to_owned()).collect()
        };
        (names("outdated", "name"), names("unknown", "name"), names("unknown", "code"))
    };
    let index = serve("", &["lone", "whole"]);
    assert_eq!(metier(&taker, &["index", "add", "web", &index]).code, 0);
    assert_eq!(metier(&taker, &["add", "index:web/lone", "index:web/whole", "--yes"]).code, 0);
    let none = Vec::<String>::new;
    assert_eq!(outdated(0), (none(), none(), none()));
    assert_eq!(metier(&taker, &["outdated"]).stdout, "everything is up to date\n");
    serve("More.\n", &["lone", "whole"]);
    web.forget();
    assert_eq!(outdated(0).0, ["lone", "whole"]);
    let asked = web.requests();
    assert!(!asked.iter().any(|line| line.contains("lone")), "its digest is listed: {asked:?}");
    let lists = asked.iter().filter(|line| line.contains("index.json"));
    assert_eq!(lists.count(), 1, "{asked:?}");
    let updated = metier(&taker, &["update", "--yes"]);
    assert_eq!(updated.code, 0, "{}", updated.stderr);
    assert_eq!(outdated(0), (none(), none(), none()));
    serve("More.\n", &["lone"]);
    let gone = outdated(1);
    assert_eq!(gone, (none(), vec!["whole".to_owned()], vec!["not_listed".to_owned()]));
    drop(web);
    let said = metier(&taker, &["outdated"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{}", said.stderr);
    assert!(said.stderr.contains("`lone`: the index `web` cannot be asked"), "{}", said.stderr);
    assert!(said.stderr.contains("`whole`: "), "{}", said.stderr);
}

#[test]
fn an_update_takes_nothing_that_the_index_does_not_vouch_for() {
    // P3, P6
    let taker = World::new();
    let web = GitServer::start();
    let bytes = packed("whole");
    let _ = web.serve("whole.tar.gz", bytes.clone());
    let list = discovery(&[entry("whole", "archive", "/whole.tar.gz", &bytes)]);
    let index = web.serve("list/index.json", list);
    assert_eq!(metier(&taker, &["index", "add", "web", &index]).code, 0);
    assert_eq!(metier(&taker, &["add", "index:web/whole", "--yes"]).code, 0);
    let _ = web.serve("whole.tar.gz", packed_text(&format!("{}Evil.\n", skill_text("whole"))));
    for act in [&["update", "--yes"][..], &["outdated"]] {
        let run = metier(&taker, act);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stderr.contains("`whole`: ") && run.stderr.contains("SHA-256"));
    }
    let file = taker.home().join(".local/share/metier/skills/whole/SKILL.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), skill_text("whole"));
}

#[test]
fn what_has_no_commits_is_compared_where_it_is() {
    // P3
    let world = World::new();
    world.skill("mine", "forms", "Fills in forms. Use when somebody sends a form.");
    let source = world.path().join("mine/forms");
    assert_eq!(metier(&world, &["add", source.to_str().unwrap(), "--yes"]).code, 0);
    assert_eq!(metier(&world, &["outdated"]).stdout, "everything is up to date\n");
    world.write("mine/forms/more.md", "More.\n");
    let outdated = metier(&world, &["outdated", "--json"]);
    assert_eq!((outdated.code, &outdated.json()["outdated"][0]["name"]), (0, &json!("forms")));
    std::fs::remove_dir_all(source).unwrap();
    let gone = metier(&world, &["outdated", "--json"]);
    assert_eq!((gone.code, &gone.json()["unknown"][0]["code"]), (1, &json!("not_found")));
    assert!(gone.stderr.contains("`forms`: there is nothing at"), "{}", gone.stderr);
}

#[test]
fn a_login_goes_only_to_the_sites_that_the_user_named() {
    // P2, P6
    let taker = World::new();
    let (own, other) = (GitServer::start(), GitServer::start());
    taker.write("home/.netrc", "machine 127.0.0.1 login me password secret\n");
    other.require("me", "secret");
    let bytes = packed("whole");
    let elsewhere = other.serve("whole.tar.gz", bytes.clone());
    let pointed = own.point("pointed.tar.gz", &elsewhere);
    let list = discovery(&[entry("whole", "archive", &elsewhere, &bytes)]);
    let index = own.serve("list/index.json", list);
    assert_eq!(metier(&taker, &["index", "add", "web", &index]).code, 0);
    let refused = |args: &[&str]| {
        let run = metier(&taker, &[args, &["--json"]].concat());
        let code = &run.json()["error"]["code"];
        assert_eq!((run.code, code), (1, &json!("authentication")), "{args:?}: {}", run.stdout);
        assert!(run.json()["error"]["hints"].to_string().contains(".netrc"), "{}", run.stdout);
    };
    // Not where a list points, nor where a server that was typed does.
    refused(&["add", "index:web/whole", "--yes"]);
    refused(&["add", &pointed, "--yes"]);
    // Whoever types the address means it.
    let typed = metier(&taker, &["add", &elsewhere, "--yes"]);
    assert_eq!(typed.code, 0, "{}", typed.stderr);
    // A lockfile is written by others, too.
    let locked = metier(&taker, &["outdated", "--json"]);
    assert_eq!(locked.code, 1, "{}", locked.stdout);
    assert_eq!(locked.json()["unknown"][0]["code"], "authentication");
    // One of the user's own indexes is there now.
    let empty = other.serve("list/index.json", discovery(&[]));
    assert_eq!(metier(&taker, &["index", "add", "other", &empty]).code, 0);
    let locked = metier(&taker, &["outdated"]);
    assert_eq!(locked.stdout, "everything is up to date\n", "{}", locked.stderr);
}

#[test]
fn where_a_server_points_is_followed_when_nobody_on_the_way_can_change_it() {
    // P2, P6
    let taker = World::new();
    let (own, other) = (GitServer::start(), GitServer::start());
    let there = other.serve("whole.tar.gz", packed("whole"));
    let pointed = own.point("pointed.tar.gz", &there);
    let twice = other.point("twice.tar.gz", &pointed);
    let taken = metier(&taker, &["add", &twice, "--yes", "--json"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert_eq!(taken.json()["installed"][0]["new"]["source"], json!(twice));
    let round = own.point("round.tar.gz", &own.url("round.tar.gz"));
    let targets = ["http://skills.example/x.zip", "file:///etc/passwd", "https://u:p@x.example/x"];
    let pointing = targets.map(|to| own.point(&format!("{}.zip", to.len()), to));
    for url in pointing.iter().chain([&round]) {
        let refused = metier(&taker, &["add", url, "--yes", "--json"]);
        let error = &refused.json()["error"];
        assert_eq!((refused.code, &error["code"]), (1, &json!("not_followed")), "{url}: {error}");
        assert!(!error.to_string().contains("git failed"), "{error}");
    }
}

#[test]
fn repositories_and_plugin_marketplaces_are_indexes() {
    // P6
    let taker = World::new();
    let server = GitServer::start();
    let _ = server.repo("acme/plain").skill("skills/alpha", "alpha").commit("one");
    let marketplace = json!({"name": "acme", "plugins": [
        {"name": "docs", "source": "./", "skills": ["./skills/beta"]},
        {"name": "rest", "source": "./plugins/rest"},
        {"name": "elsewhere", "source": {"source": "url", "url": server.url("acme/plain.git")}},
        {"name": "odd", "source": {"source": "carrier-pigeon"}},
    ]});
    let _ = server
        .repo("acme/market")
        .file(".claude-plugin/marketplace.json", marketplace.to_string())
        .skill("skills/beta", "beta")
        .skill("skills/hidden", "hidden")
        .skill("plugins/rest/skills/gamma", "gamma")
        .commit("one");
    let plain = metier(&taker, &["index", "add", "plain", &server.url("acme/plain.git")]);
    assert_eq!(plain.code, 0, "{}", plain.stderr);
    let market = metier(&taker, &["index", "add", "market", &server.url("acme/market.git")]);
    assert_eq!(market.code, 0, "{}", market.stderr);
    let listed = metier(&taker, &["index", "list", "market", "--json"]).json();
    let names: Vec<&str> =
        listed["skills"].as_array().unwrap().iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["beta", "elsewhere", "gamma"]);
    assert!(listed["index"]["problems"].to_string().contains("`odd`"), "{listed}");
    for skill in ["index:plain/alpha", "index:market/gamma"] {
        let taken = metier(&taker, &["add", skill, "--yes"]);
        assert_eq!(taken.code, 0, "{skill}: {}", taken.stderr);
    }
    assert!(installed(&taker, "alpha") && installed(&taker, "gamma") && !installed(&taker, "beta"));
}

#[test]
fn a_list_of_plugins_on_this_machine_is_an_index_by_its_file_too() {
    // P6
    let world = World::new();
    world.skill("market/skills", "alpha", "Does alpha. Use when alpha is asked for.");
    let plugins = json!({"plugins": [{"name": "all", "source": "./"}]});
    let list = world.write("market/.claude-plugin/marketplace.json", plugins.to_string());
    let added = metier(&world, &["index", "add", "market", list.to_str().unwrap(), "--json"]);
    assert_eq!(added.code, 0, "{}", added.stdout);
    assert_eq!(added.json()["indexes"][0]["skills"], 1);
    assert_eq!(metier(&world, &["add", "index:market/alpha", "--yes"]).code, 0);
    let other = world.write("market/list.json", plugins.to_string());
    let refused = metier(&world, &["index", "add", "other", other.to_str().unwrap(), "--json"]);
    let error = &refused.json()["error"];
    assert_eq!((refused.code, &error["code"]), (1, &json!("not_an_index")));
    assert!(error["message"].to_string().contains("give the directory"), "{error}");
}

#[test]
fn what_is_no_index_is_said_and_not_added() {
    // P6, F4
    let taker = World::new();
    let web = GitServer::start();
    let check = |name: &str, body: &[u8], code: &str| {
        let url = web.serve(&format!("{name}/index.json"), body);
        let run = metier(&taker, &["index", "add", "x", &url, "--json"]);
        assert_eq!((run.code, &run.json()["error"]["code"]), (1, &json!(code)), "{name}");
    };
    check("empty", b"", "not_an_index");
    check("page", b"<!doctype html>", "not_an_index");
    check("list", b"[]", "not_an_index");
    check("old", b"{\"skills\": []}", "index_unknown");
    check("new", b"{\"$schema\": \"https://example/9.9\", \"skills\": []}", "index_unknown");
    check("deep", "[".repeat(100_000).as_bytes(), "not_an_index");
    let usage = |args: &[&str], code: &str| {
        let run = metier(&taker, &[args, &["--json"]].concat());
        assert_eq!((run.code, &run.json()["error"]["code"]), (2, &json!(code)), "{args:?}");
    };
    usage(&["index", "add", "x", "http://skills.example"], "bad_reference");
    usage(&["index", "add", "x", "https://user:pw@skills.example"], "bad_reference");
    usage(&["index", "add", "../x", "https://skills.example"], "bad_index_name");
    usage(&["add", "index:team", "--yes"], "bad_reference");
    let missing = metier(&taker, &["index", "refresh", "nope", "--json"]);
    assert_eq!((missing.code, &missing.json()["error"]["code"]), (1, &json!("no_such_index")));
    let missing = metier(&taker, &["add", "index:nope/x", "--yes", "--json"]);
    assert_eq!(missing.json()["error"]["code"], "no_such_index");
    let none = metier(&taker, &["index", "search", "x"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""));
}

#[test]
fn twenty_who_add_an_index_at_once_add_twenty() {
    // P6, P5
    let world = World::new();
    world.skill("list", "forms", "Fills in forms. Use when somebody sends a form.");
    let source = world.path().join("list");
    let adding: Vec<_> = (0..20)
        .map(|number| {
            let mut command = world.command(crate::METIER);
            command.args(["index", "add", &format!("team-{number}")]).arg(&source);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in adding {
        assert!(child.wait().unwrap().success());
    }
    let listed = metier(&world, &["index", "list", "--json"]).json();
    assert_eq!(listed["indexes"].as_array().unwrap().len(), 20);
}
