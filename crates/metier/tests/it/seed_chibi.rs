//! chibi's own checklist, in both eras of its protocol.

use metier_testing::{GitServer, World};
use serde_json::json;

use crate::chibi_host::{Chibi, ERAS, Era};

const SKILLS: &str = "home/.agents/skills";

pub(crate) fn world() -> World {
    let world = World::new();
    let skill = |name: &str, more: &str, body: &str| {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name}. Use when {name} is due.\n{more}---\n\n{body}\n"
        );
        world.write(format!("{SKILLS}/{name}/SKILL.md"), text);
    };
    skill("code-review", "allowed-tools: Read, Grep, Bash(git:*)\n", "Review $ARGUMENTS.");
    skill("pdf-processing", "", "Process it.");
    world.write(format!("{SKILLS}/pdf-processing/references/forms.md"), "# Forms\n");
    let script =
        "import os, sys\nprint(os.getcwd())\nprint(sys.argv[1:])\nprint(sys.stdin.read())\n";
    world.write(format!("{SKILLS}/pdf-processing/scripts/extract.py"), script);
    let fails = "echo out; echo err >&2; exit 7\n";
    world.write(format!("{SKILLS}/pdf-processing/scripts/fails.sh"), fails);
    world.write(format!("{SKILLS}/pdf-processing/scripts/quiet.sh"), "true\n");
    world
}

#[test]
fn schema_is_an_array_of_tools_and_one_of_them_has_the_hooks() {
    // U4
    let world = world();
    let host = Chibi::start(&world, Era::Stdin);
    let names: Vec<&str> = host.tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in [
        "skill_marketplace",
        "read_skill_file",
        "run_skill_script",
        "skill_code-review",
        "skill_pdf-processing",
        "agent-skills",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    let with_hooks: Vec<_> = host.tools.iter().filter(|tool| tool["hooks"].is_array()).collect();
    assert_eq!(with_hooks.len(), 1);
    for hook in ["post_system_prompt", "pre_tool", "on_start", "pre_cache_output"] {
        assert!(with_hooks[0]["hooks"].as_array().unwrap().contains(&json!(hook)), "{hook}");
    }
    // A model is shown names, types and descriptions only.
    let action = &with_hooks[0]["parameters"]["properties"]["action"];
    for word in action["enum"].as_array().unwrap() {
        assert!(action["description"].as_str().unwrap().contains(word.as_str().unwrap()));
    }
    for tool in &host.tools {
        assert!(tool["name"].as_str().unwrap().len() <= 64);
        assert!(!tool["description"].as_str().unwrap().is_empty());
        assert_eq!(tool["parameters"]["type"], "object");
    }
}

#[test]
fn the_system_prompt_gets_the_index_of_skills() {
    // U4, D5
    let world = world();
    for era in ERAS {
        let text = Chibi::start(&world, era).injected();
        assert!(text.starts_with("## Available Agent Skills\n\n- **"), "{text}");
        assert!(text.contains("\n- **pdf-processing**: Does pdf-processing."), "{text}");
        assert!(text.contains("\n\nUse skill_[name] tools"), "{text}");
    }
}

#[test]
fn calling_a_skill_gives_its_body_arguments_and_supporting_files() {
    // U4, S2
    let world = world();
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let text = host.call("skill_code-review", &json!({"arguments": "it's #7"}));
        assert_eq!(
            text, "# Skill: code-review\n\nReview it's #7.\n\n## Arguments\nit's #7",
            "{era:?}"
        );
        let text = host.call("skill_pdf-processing", &json!({}));
        assert!(
            text.starts_with("# Skill: pdf-processing\n\nProcess it.\n\n## Supporting Files\n")
        );
        assert!(text.contains("in: references, scripts\n- Use `read_skill_file`"), "{text}");
    }
}

#[test]
fn files_of_a_skill_are_read_and_nothing_else_is() {
    // U4, R1
    let world = world();
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let mut read = |skill: &str, path: &str| {
            host.call("read_skill_file", &json!({"skill": skill, "path": path}))
        };
        assert_eq!(read("pdf-processing", "references/forms.md"), "# Forms");
        assert_eq!(read("pdf-processing", "../x"), "Error: Path traversal not allowed");
        assert_eq!(read("pdf-processing", "/etc/passwd"), "Error: Path traversal not allowed");
        assert_eq!(read("pdf-processing", "no.md"), "Error: File not found: no.md");
        assert_eq!(read("nope", "no.md"), "Error: Skill 'nope' not found");
    }
}

#[test]
fn scripts_start_in_their_skill_with_arguments_and_input() {
    // U4, R3
    let world = world();
    let skill = world.path().canonicalize().unwrap().join(SKILLS).join("pdf-processing");
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let mut run = |script: &str, more: serde_json::Value| {
            let mut call = json!({"skill": "pdf-processing", "script": script});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            host.call("run_skill_script", &call)
        };
        let text = run("scripts/extract.py", json!({"args": ["a", "b c"], "stdin": "typed"}));
        assert_eq!(text, format!("{}\n['a', 'b c']\ntyped", skill.display()), "{era:?}");
        assert_eq!(run("scripts/fails.sh", json!({})), "out\n[stderr]\nerr\n[exit code: 7]");
        assert_eq!(run("scripts/quiet.sh", json!({})), "(no output)");
        assert_eq!(run("scripts/no.sh", json!({})), "Error: Script not found: scripts/no.sh");
        assert_eq!(run("../../x.sh", json!({})), "Error: Path traversal not allowed");
        assert_eq!(run("x", json!({"args": 7})), "Error: `args` has to be a list of texts");
    }
}

#[test]
fn skills_are_installed_from_git_and_removed() {
    // U4, P1
    let server = GitServer::start();
    let _ = server.repo("anthropics/skills").skill("skills/pdf", "pdf").commit("one");
    for era in ERAS {
        let world = world();
        let settings = format!("[packages]\nrepositories = \"{}\"\n", server.base());
        world.write("home/.config/metier/config.toml", settings);
        let mut host = Chibi::start(&world, era);
        let market = |action: &str, what: &str| json!({"action": action, "skill_ref": what});
        let text = host.call("skill_marketplace", &market("install", "anthropics/pdf"));
        assert!(text.starts_with("Successfully installed skill 'pdf'."), "{text}");
        let text = host.call("skill_marketplace", &market("install", "anthropics/pdf"));
        assert!(text.contains("is already installed"), "{text}");
        let text = host.call("skill_marketplace", &json!({"action": "list_installed"}));
        assert!(text.contains("\"name\": \"pdf\""), "{text}");
        let mut next = Chibi::start(&world, era);
        assert!(next.call("skill_pdf", &json!({})).starts_with("# Skill: pdf\n"));
        // Nobody approved it.
        let listed = crate::metier(&world, &["list", "--json"]).json();
        let skills = listed["skills"].as_array().unwrap();
        let pdf = skills.iter().find(|skill| skill["name"] == "pdf").unwrap();
        assert_eq!(pdf["trust"], "present");
        let text = host.call("skill_marketplace", &market("remove", "anthropics/pdf"));
        assert_eq!(text, "Successfully removed skill 'pdf'.");
        assert!(!world.home().join(".local/share/metier/skills/pdf").exists());
        let text = host.call("skill_marketplace", &market("remove", "pdf"));
        assert!(text.starts_with("Error: "), "{text}");
    }
}

#[test]
fn allowed_tools_hold_while_the_skill_is_active_and_mean_chibis_tools() {
    // U4, S3
    let world = world();
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let shell = |command: &str| json!({ "command": command });
        assert_eq!(host.call("shell_exec", &shell("rm -r x")), "ran shell_exec");
        host.call("skill_code-review", &json!({}));
        assert_eq!(host.call("shell_exec", &shell("git log")), "ran shell_exec");
        assert_eq!(host.call("file_head", &json!({"path": "a"})), "ran file_head");
        assert_eq!(host.call("grep_files", &json!({"path": "a"})), "ran grep_files");
        let text = host.call("shell_exec", &shell("git log; rm -r x"));
        let begin = "Tool 'shell_exec' is not allowed while skill 'code-review' is active. \
                     Allowed tools: Read, Grep, Bash(git:*)";
        assert!(text.starts_with(begin), "{text}");
        assert!(host.call("write_file", &json!({"path": "a"})).contains("is not allowed while"));
        // What keeps the conversation going is never blocked.
        for tool in ["call_user", "update_todos"] {
            assert_eq!(host.call(tool, &json!({})), format!("ran {tool}"));
        }
        assert_eq!(host.call("release_skill", &json!({})), "Released. No skill is active.");
        assert_eq!(host.call("write_file", &json!({"path": "a"})), "ran write_file");
    }
}

#[test]
fn the_command_line_of_chibi_reaches_the_plugin() {
    // U4
    let world = world();
    world.write("src/sheets/SKILL.md", "---\nname: sheets\ndescription: Sums rows.\n---\n\nSum.\n");
    let source = world.path().join("src/sheets").to_string_lossy().into_owned();
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let text = host.command_line("agent-skills", &["install", &source]);
        assert!(text.starts_with("Successfully installed skill 'sheets'."), "{text}");
        let text = host.command_line("agent-skills", &["list_installed"]);
        assert!(text.contains("\"name\": \"sheets\""), "{text}");
        let text = host.command_line("agent-skills", &["search", "sums", "rows"]);
        assert!(
            text.contains("\"name\": \"sheets\"") && text.contains("no remote index"),
            "{text}"
        );
        let text = host.command_line("skill_marketplace", &["remove", "sheets"]);
        assert_eq!(text, "Successfully removed skill 'sheets'.");
        let text = host.command_line("read_skill_file", &["pdf-processing", "references/forms.md"]);
        assert_eq!(text, "# Forms");
        let text = host.command_line("run_skill_script", &["pdf-processing", "scripts/fails.sh"]);
        assert!(text.ends_with("[exit code: 7]"), "{text}");
        let text = host.command_line("skill_code-review", &["main", "and", "more"]);
        assert!(text.contains("Review main and more."), "{text}");
        assert!(host.command_line("agent-skills", &["fly"]).starts_with("Error: Unknown action"));
        assert!(host.command_line("agent-skills", &[]).starts_with("Error: Unknown action"));
        // The model has another tool for it.
        let text = host.call("agent-skills", &json!({"args": ["remove", "code-review"]}));
        assert!(text.contains("is for people"), "{text}");
    }
}

#[test]
fn search_and_list_know_what_remote_indexes_list() {
    // U4, P6
    let world = world();
    let listed = |name: &str, what: &str| {
        let text = format!("---\nname: {name}\ndescription: {what}\n---\n\nDo it.\n");
        world.write(format!("team/skills/{name}/SKILL.md"), text);
    };
    listed("charts", "Draws charts. Use when numbers should be seen.");
    listed("forms", "Fills in forms\u{202e}. Use when somebody sends one.");
    let team = world.path().join("team").to_string_lossy().into_owned();
    let added = crate::metier(&world, &["index", "add", "team", &team]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let mut market = |arguments: serde_json::Value| {
            let text = host.call("skill_marketplace", &arguments);
            serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|_| json!(text))
        };
        let found = market(json!({"action": "search", "query": "charts"}));
        let hit = json!({
            "name": "charts", "description": "Draws charts. Use when numbers should be seen.",
            "skill_ref": "index:team/charts",
        });
        assert_eq!(found[0], hit, "{found}");
        let all = market(json!({"action": "list"}));
        let all = all.as_array().unwrap();
        let refs = all.iter().filter_map(|skill| skill["skill_ref"].as_str());
        assert_eq!(refs.collect::<Vec<_>>(), ["index:team/charts", "index:team/forms"]);
        assert!(!all[1]["description"].as_str().unwrap().contains('\u{202e}'));
        let here = all.iter().filter(|skill| skill["installed"] == true);
        assert!(here.clone().any(|skill| skill["name"] == "code-review"));
        let text = market(json!({"action": "install", "skill_ref": "index:team/charts"}));
        assert!(text.as_str().unwrap().starts_with("Successfully installed skill 'charts'."));
        for looks in [json!({"action": "list"}), json!({"action": "search", "query": "charts"})] {
            let told = market(looks);
            let charts = told.as_array().unwrap().iter().filter(|skill| skill["name"] == "charts");
            let charts: Vec<_> = charts.map(|s| (&s["skill_ref"], &s["installed"])).collect();
            let once = [(&json!("index:team/charts"), &json!(true))];
            assert_eq!(charts, once, "what is installed is told once");
        }
        let text = market(json!({"action": "remove", "skill_ref": "charts"}));
        assert_eq!(text, "Successfully removed skill 'charts'.");
        let text = market(json!({"action": "install", "skill_ref": "index:team/none"}));
        assert!(text.as_str().unwrap().starts_with("Error: "), "{text}");
        let text = market(json!({"action": "install", "skill_ref": "index:nope/charts"}));
        assert!(text.as_str().unwrap().starts_with("Error: there is no index `nope`"), "{text}");
    }
    // An index whose list was lost is named, and nobody goes online for it.
    std::fs::remove_dir_all(world.home().join(".local/share/metier/cache/indexes")).unwrap();
    let text =
        Chibi::start(&world, Era::Stdin).call("skill_marketplace", &json!({"action": "list"}));
    assert!(text.contains("What 'team' lists is not known"), "{text}");
}

#[test]
fn installing_through_chibi_is_recorded_like_installing_by_hand() {
    // U4, U7, J1
    let frames = |install: &dyn Fn(&World, &str)| -> Vec<(String, String, String)> {
        let world = world();
        let text = "---\nname: sheets\ndescription: Sums rows.\n---\n\nSum.\n";
        world.write("src/sheets/SKILL.md", text);
        install(&world, &world.path().join("src/sheets").to_string_lossy());
        let journal = world.home().join(".local/share/metier/sessions/packages.jsonl");
        let text = std::fs::read_to_string(journal).unwrap();
        let frame = |line: &str| {
            let frame: serde_json::Value = serde_json::from_str(line).unwrap();
            let member = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
            (member("type"), member("act"), member("name"))
        };
        text.lines().map(frame).collect()
    };
    let by_hand = frames(&|world, source| {
        assert_eq!(crate::metier(world, &["add", source, "--yes"]).code, 0);
        assert_eq!(crate::metier(world, &["remove", "sheets"]).code, 0);
    });
    let by_chibi = frames(&|world, source| {
        let mut host = Chibi::start(world, Era::Stdin);
        let install = json!({"action": "install", "skill_ref": source});
        assert!(host.call("skill_marketplace", &install).starts_with("Successfully"));
        let remove = json!({"action": "remove", "skill_ref": "sheets"});
        assert!(host.call("skill_marketplace", &remove).starts_with("Successfully"));
    });
    assert_eq!(by_chibi, by_hand);
    assert!(by_hand.iter().any(|(kind, ..)| kind == "skill_installed"), "{by_hand:?}");
    assert!(by_hand.iter().any(|(kind, ..)| kind == "skill_removed"), "{by_hand:?}");
}

#[test]
fn a_journal_that_refuses_stops_an_installation() {
    // U4, J1
    let world = world();
    world.write("src/sheets/SKILL.md", "---\nname: sheets\ndescription: Sums rows.\n---\n\nSum.\n");
    let source = world.path().join("src/sheets").to_string_lossy().into_owned();
    std::fs::create_dir_all(world.home().join(".local/share/metier/sessions/packages.jsonl"))
        .unwrap();
    let mut host = Chibi::start(&world, Era::Stdin);
    let text = host.call("skill_marketplace", &json!({"action": "install", "skill_ref": source}));
    assert!(text.starts_with("Error: "), "{text}");
    assert!(!world.home().join(".local/share/metier/skills/sheets").exists());
}
