//! Which skills count, as the source designs ask for it: the enabled set, scopes, versions, layers
//! and the ways a name can be won.

use metier_testing::World;

use crate::{hermetic, metier};

/// Writes a skill with more frontmatter than a name and a description.
fn skill(world: &World, path: &str, more: &str) {
    let name = path.rsplit('/').next().unwrap();
    let head = format!("---\nname: {name}\ndescription: Does {name} things. Use it for {path}.\n");
    world.write(format!("roots/{path}/SKILL.md"), format!("{head}{more}---\n\n# {name}\n"));
}

fn names(world: &World, args: &[&str]) -> String {
    let run = hermetic(world, &[&["list", "--json"], args].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    let document = run.json();
    let skills = document["skills"].as_array().unwrap();
    let active = skills.iter().filter(|skill| skill["active"] == true);
    active.map(|skill| skill["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

fn winner(world: &World, name: &str, args: &[&str]) -> String {
    let document = hermetic(world, &[&["list", "--json"], args].concat()).json();
    let skills = document["skills"].as_array().unwrap();
    let skill = skills.iter().find(|skill| skill["name"] == name).unwrap();
    world.redact(skill["path"].as_str().unwrap()).replace("[WORLD]/roots/", "")
}

#[test]
fn the_enabled_set_is_read_as_agent_base_reads_it() {
    // D4
    let mut world = World::new();
    skill(&world, "bundled/kalshi-markets", "");
    skill(&world, "bundled/hello-extended", "");
    skill(&world, "project/theirs", "");
    let both = "hello-extended kalshi-markets";
    for (value, expect) in [
        ("kalshi-markets", "kalshi-markets"),
        ("Kalshi-Markets,Hello_Extended", both),
        (" kalshi-markets , hello-extended ", both),
        ("kalshi-markets,,", "kalshi-markets"),
        ("all", both),
        ("ALL", both),
        ("all-untrusted", "hello-extended kalshi-markets theirs"),
        ("none", ""),
        ("", ""),
        ("theirs", ""),
        ("no-such-skill", ""),
    ] {
        world.env("AGENT_SKILLS", value);
        assert_eq!(names(&world, &[]), expect, "AGENT_SKILLS={value}");
        assert_eq!(names(&world, &["--skills", value]), expect, "--skills {value}");
    }
}

#[test]
fn nothing_said_means_everything_that_is_trusted() {
    // D4
    let world = World::new();
    for path in ["enterprise/a", "personal/b", "project/c", "plugin/d", "bundled/e"] {
        skill(&world, path, "");
    }
    assert_eq!(names(&world, &[]), "a b d e");
}

#[test]
fn a_skill_is_offered_where_its_scope_says() {
    // D4
    let world = World::new();
    skill(&world, "personal/everywhere", "");
    skill(&world, "personal/agents", "scope:\n  agents: [claude-code, codex]\n");
    skill(&world, "personal/tenants", "scope:\n  tenants: [acme]\n");
    skill(&world, "personal/stages", "scope:\n  environments: [production]\n");
    let with = |config: &str| {
        world.write("scope.toml", config);
        names(&world, &["--config", "../scope.toml"])
    };
    assert_eq!(with(""), "agents everywhere stages tenants");
    assert_eq!(with("agent = \"codex\""), "agents everywhere stages tenants");
    assert_eq!(with("agent = \"gemini-cli\""), "everywhere stages tenants");
    assert_eq!(with("tenant = \"other\""), "agents everywhere stages");
    assert_eq!(with("environment = \"test\""), "agents everywhere tenants");
    assert_eq!(with("agent = \"x\"\ntenant = \"x\"\nenvironment = \"x\""), "everywhere");
}

#[test]
fn a_skill_is_offered_to_hosts_of_its_version_range() {
    // D4
    let world = World::new();
    skill(&world, "personal/any", "");
    skill(&world, "personal/newer", "min-host-version: 2.0\n");
    skill(&world, "personal/older", "max-host-version: 1.10\n");
    let with = |version: &str| {
        world.write("host.toml", format!("host-version = \"{version}\""));
        names(&world, &["--config", "../host.toml"])
    };
    assert_eq!(names(&world, &[]), "any newer older");
    assert_eq!(with("1.9"), "any older");
    assert_eq!(with("1.10"), "any older");
    assert_eq!(with("1.11"), "any");
    assert_eq!(with("2.0.0"), "any newer");
}

#[test]
fn a_disabled_skill_stays_off_whoever_enables_it() {
    // D4
    let world = World::new();
    skill(&world, "personal/on", "");
    skill(&world, "personal/off", "");
    world.write("off.toml", "disabled = [\"OFF\"]");
    assert_eq!(names(&world, &["--config", "../off.toml"]), "on");
    assert_eq!(names(&world, &["--config", "../off.toml", "--skills", "on,off"]), "on");
    assert_eq!(names(&world, &["--config", "../off.toml", "--skills", "all-untrusted"]), "on");
}

#[test]
fn the_layers_win_in_their_order() {
    // D1, D3
    let world = World::new();
    world.write(
        "trust.toml",
        format!("trusted-folders = [\"{}\"]", world.path().join("roots").display()),
    );
    let trusted = ["--config", "../trust.toml"];
    for layer in ["bundled", "plugin", "project", "personal", "enterprise"] {
        skill(&world, &format!("{layer}/pdf"), "");
        assert_eq!(winner(&world, "pdf", &trusted), format!("{layer}/pdf"));
    }
}

#[test]
fn the_order_of_layers_is_one_setting() {
    // D3
    let world = World::new();
    for layer in ["plugin", "project", "personal", "enterprise"] {
        skill(&world, &format!("{layer}/pdf"), "");
    }
    let with = |precedence: &str| {
        let folder = world.path().join("roots");
        let config =
            format!("precedence = {precedence}\ntrusted-folders = [\"{}\"]", folder.display());
        world.write("order.toml", config);
        winner(&world, "pdf", &["--config", "../order.toml"])
    };
    assert_eq!(with("\"default\""), "enterprise/pdf");
    assert_eq!(with("\"project-first\""), "enterprise/pdf");
    let upside_down = r#"["bundled", "plugin", "project", "personal", "enterprise"]"#;
    assert_eq!(with(upside_down), "plugin/pdf");
}

#[test]
fn an_untrusted_project_never_replaces_a_trusted_skill() {
    // D3, D4
    let world = World::new();
    skill(&world, "personal/pdf", "");
    skill(&world, "project/pdf", "priority: 1000\n");
    world.write("first.toml", "precedence = \"project-first\"");
    assert_eq!(winner(&world, "pdf", &["--config", "../first.toml"]), "personal/pdf");
    let asked = ["--config", "../first.toml", "--skills", "all-untrusted"];
    assert_eq!(winner(&world, "pdf", &asked), "project/pdf");
}

#[test]
fn priority_decides_within_a_layer_and_never_across() {
    // D3
    let world = World::new();
    skill(&world, "personal/a/pdf", "");
    skill(&world, "personal/b/pdf", "priority: 5\n");
    skill(&world, "plugin/pdf", "priority: 1000\n");
    assert_eq!(winner(&world, "pdf", &[]), "personal/b/pdf");
    let why = hermetic(&world, &["why", "pdf"]).stdout;
    assert!(why.contains("priority 5 beats 0"), "{why}");
    assert!(why.contains("personal beats plugin"), "{why}");
}

#[test]
fn when_nothing_else_differs_the_path_decides() {
    // D3
    let world = World::new();
    skill(&world, "personal/b/pdf", "");
    skill(&world, "personal/a/pdf", "");
    assert_eq!(winner(&world, "pdf", &[]), "personal/a/pdf");
}

#[test]
fn a_directory_reached_by_two_ways_is_one_skill() {
    // D1, D3
    let world = World::new();
    skill(&world, "personal/pdf", "");
    std::fs::create_dir_all(world.path().join("roots/plugin")).unwrap();
    let link = world.path().join("roots/plugin/pdf");
    std::os::unix::fs::symlink(world.path().join("roots/personal/pdf"), link).unwrap();
    let cycle = world.path().join("roots/personal/loop");
    std::os::unix::fs::symlink(world.path().join("roots"), cycle).unwrap();
    let document = hermetic(&world, &["list", "--json"]).json();
    assert_eq!(document["skills"].as_array().unwrap().len(), 1, "{document}");
}

#[test]
fn a_skill_for_users_only_is_listed_and_kept_from_models() {
    // D4, D5
    let world = World::new();
    skill(&world, "personal/by-hand", "disable-model-invocation: true\n");
    assert_eq!(names(&world, &[]), "by-hand");
    assert_eq!(hermetic(&world, &["prompt"]).stdout, "");
    let shown = hermetic(&world, &["show", "by-hand"]).stdout;
    assert!(shown.contains("active, for users only"), "{shown}");
}

#[test]
fn a_limit_of_the_search_is_said() {
    // D1
    let world = World::new();
    for number in 0..20 {
        skill(&world, &format!("personal/skill-{number:02}"), "");
    }
    world.write("limits.toml", "scan.max-directories = 10");
    let run = hermetic(&world, &["list", "--config", "../limits.toml"]);
    assert!(run.stderr.contains("warning: "), "{}", run.stderr);
    let document = hermetic(&world, &["list", "--json", "--config", "../limits.toml"]).json();
    assert_eq!(document["notes"][0]["diagnostics"][0]["code"], "SK312");
    world.write("roots/personal/a/b/c/d/e/f/g/h/deep/SKILL.md", "---\nname: deep\n---\n");
    let deep = hermetic(&world, &["list"]);
    assert!(deep.stderr.contains("warning: `a/b/c/d/e/f/g` lies"), "{}", deep.stderr);
}

#[test]
fn the_working_directory_decides_the_project() {
    // D1
    let world = World::new();
    world.write("project/.git/HEAD", "");
    world.skill("project/.agents/skills", "theirs", "Of the project. Use it here.");
    world.write("project/src/deep/file", "");
    let listed = |directory: &str, args: &[&str]| {
        let mut command = world.command(crate::METIER);
        command.current_dir(world.path().join(directory)).args(["list", "--json"]).args(args);
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains("\"theirs\"")
    };
    assert!(listed("project", &[]));
    assert!(listed("project/src/deep", &[]));
    assert!(!listed("home", &[]));
    assert!(listed("home", &["--project", "../project"]));
}

#[test]
fn metiers_own_directory_holds_personal_skills() {
    // D1
    let mut world = World::new();
    world.skill("state/skills", "kept", "Kept by metier. Use it.");
    world.skill("home/.local/share/metier/skills", "default", "In the default place. Use it.");
    let listed = |world: &World, args: &[&str]| {
        let document = metier(world, &[&["list", "--json"], args].concat()).json();
        let skills = document["skills"].as_array().unwrap().clone();
        let own = skills.iter().filter(|skill| skill["layer"] == "personal");
        own.map(|skill| skill["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&world, &[]), ["default"]);
    assert_eq!(listed(&world, &["--home", "../state"]), ["kept"]);
    let state = world.path().join("state").display().to_string();
    world.env("METIER_HOME", &state);
    assert_eq!(listed(&world, &[]), ["kept"]);
}
