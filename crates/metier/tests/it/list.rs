use metier_testing::{Layout, World, generate_skills};
use serde_json::{Value, json};

use crate::{hermetic, metier, sample, transcript};

fn names(document: &Value) -> Vec<&str> {
    document["skills"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect()
}

#[test]
fn every_winner_is_listed_with_its_layer_and_description() {
    // U1, D1
    let world = sample();
    insta::assert_snapshot!(transcript(&world, &hermetic(&world, &["list"])));
}

#[test]
fn all_adds_what_is_shadowed_and_what_is_switched_off() {
    // U1, D3, D4
    let world = sample();
    let run = hermetic(&world, &["list", "--all", "--skills", "pdf"]);
    insta::assert_snapshot!(transcript(&world, &run));
}

#[test]
fn json_has_the_fields_of_the_contract_sorted_by_name() {
    // U1, D1, D3
    let world = sample();
    let run = hermetic(&world, &["list", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document = run.json();
    assert_eq!(names(&document), ["charts", "deploy", "pdf", "sheets"]);
    let charts = &document["skills"][0];
    let path = |part: &str| json!(world.path().join(part).to_str().unwrap());
    assert_eq!(charts["description"], "Draws charts. Use when numbers should be seen.");
    assert_eq!(charts["layer"], "plugin");
    assert_eq!(charts["path"], path("roots/plugin/charts"));
    assert_eq!(charts["trust"], "present");
    assert_eq!(charts["active"], true);
    assert_eq!(charts["tags"], json!(["numbers", "drawing"]));
    assert_eq!(charts["version"], "1.10");
    assert_eq!(
        document["shadowed"],
        json!([{
            "name": "pdf",
            "winner": path("roots/personal/pdf"),
            "loser": path("roots/project/pdf"),
            "reason": document["shadowed"][0]["reason"],
        }])
    );
    assert_eq!(document["skipped"][0]["path"], path("roots/plugin/broken/SKILL.md"));
    assert_eq!(document["skipped"][0]["diagnostics"][0]["code"], "SK111");
    assert_eq!(document["digest"].as_str().unwrap().len(), 64);
}

#[test]
fn a_project_skill_is_listed_as_untrusted_until_its_folder_is_trusted() {
    // D4
    let world = sample();
    let deploy = |run: metier_testing::Run| {
        let skill = run.json()["skills"][1].clone();
        (skill["trust"].as_str().unwrap().to_owned(), skill["active"].as_bool().unwrap())
    };
    let untrusted = deploy(hermetic(&world, &["list", "--json"]));
    assert_eq!(untrusted, ("untrusted".to_owned(), false));
    let asked_for = deploy(hermetic(&world, &["list", "--json", "--skills", "all-untrusted"]));
    assert_eq!(asked_for, ("untrusted".to_owned(), true));
    let folder = world.path().join("roots/project");
    world.write("trust.toml", format!("trusted-folders = [\"{}\"]", folder.display()));
    let trusted = deploy(hermetic(&world, &["list", "--json", "--config", "../trust.toml"]));
    assert_eq!(trusted, ("present".to_owned(), true));
}

#[test]
fn the_enabled_set_hides_the_others() {
    // D4
    let mut world = sample();
    let listed = |world: &World, args: &[&str]| {
        let document = hermetic(world, args).json();
        names(&document).join(" ")
    };
    assert_eq!(listed(&world, &["list", "--json", "--skills", "PDF,sheets"]), "pdf sheets");
    assert_eq!(listed(&world, &["list", "--json", "--skills", ""]), "");
    assert_eq!(listed(&world, &["list", "--json", "--skills", "none"]), "");
    world.env("AGENT_SKILLS", "charts");
    assert_eq!(listed(&world, &["list", "--json"]), "charts");
    world.env("METIER_SKILLS", "sheets");
    assert_eq!(listed(&world, &["list", "--json"]), "sheets");
    assert_eq!(listed(&world, &["list", "--json", "--skills", "all"]), "charts deploy pdf sheets");
}

#[test]
fn skills_that_are_switched_off_are_counted_and_not_called_absent() {
    // D4, U1
    let world = sample();
    let run = hermetic(&world, &["list", "--skills", "none"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    let expect = "4 skills are switched off; `metier list --all` shows them\n";
    assert!(run.stderr.starts_with(expect), "{}", run.stderr);
    assert!(!run.stderr.contains("no skills here"), "{}", run.stderr);
    let all = hermetic(&world, &["list", "--skills", "none", "--all"]);
    assert!(!all.stderr.contains("switched off"), "{}", all.stderr);
    let verbose = hermetic(&world, &["list", "--verbose"]);
    assert!(verbose.stderr.contains("1 skill is shadowed; `metier list"), "{}", verbose.stderr);
}

#[test]
fn hidden_skills_come_with_their_reason() {
    // D4
    let world = sample();
    let document = hermetic(&world, &["list", "--json", "--all", "--skills", "pdf"]).json();
    let sheets = document["skills"].as_array().unwrap().iter().find(|s| s["name"] == "sheets");
    let sheets = sheets.unwrap();
    assert_eq!((&sheets["active"], &sheets["visibility"]), (&json!(false), &json!("hidden")));
    assert_eq!(sheets["reason"], "is not among the enabled skills");
}

#[test]
fn a_name_that_enables_nothing_is_said_aloud() {
    // D4
    let world = sample();
    let run = hermetic(&world, &["list", "--skills", "pdf,pfd"]);
    let expect = "warning: no skill is called `pfd`, which `--skills` names";
    assert!(run.stderr.contains(expect), "{}", run.stderr);
    assert_eq!(hermetic(&world, &["list", "--skills", "pfd", "--quiet"]).stderr, "");
}

#[test]
fn an_empty_directory_and_a_missing_root_end_well() {
    // U1, D1
    let world = World::new();
    std::fs::create_dir_all(world.path().join("roots/personal")).unwrap();
    let empty = hermetic(&world, &["list"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (0, ""));
    assert!(empty.stderr.contains("no skills here"), "{}", empty.stderr);
    let missing = metier(&world, &["list", "--no-default-roots", "--root", "personal=gone"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (0, ""));
    assert!(missing.stderr.contains("warning: "), "{}", missing.stderr);
    assert!(missing.stderr.contains("project/gone` cannot be read"), "{}", missing.stderr);
    let json = metier(&world, &["list", "--json", "--no-default-roots", "--root", "personal=gone"]);
    assert_eq!(json.json()["skills"], json!([]));
    assert_eq!(json.json()["notes"][0]["diagnostics"][0]["code"], "SK310");
}

#[test]
fn a_file_that_cannot_be_read_is_skipped_with_its_reason() {
    // U1, F4
    let world = World::new();
    std::fs::create_dir_all(world.path().join("roots/personal/odd/SKILL.md")).unwrap();
    world.skill("roots/personal", "good", "A good one. Use when one is wanted.");
    let run = hermetic(&world, &["list", "--json"]);
    let document = run.json();
    assert_eq!((run.code, names(&document)), (0, vec!["good"]));
    assert_eq!(document["skipped"][0]["diagnostics"][0]["code"], "SK301");
}

#[test]
fn the_same_files_give_the_same_bytes() {
    // D3
    let world = World::new();
    generate_skills(&world.path().join("roots/personal"), 200, Layout::Nested);
    let first = hermetic(&world, &["list", "--json"]).stdout;
    assert_eq!(first, hermetic(&world, &["list", "--json"]).stdout);
    world.write("one.toml", "scan.threads = 1");
    assert_eq!(first, hermetic(&world, &["list", "--json", "--config", "../one.toml"]).stdout);
}

#[test]
fn a_limit_that_is_reached_is_said_with_its_root_and_what_to_do() {
    // D1
    let world = World::new();
    world.skill("roots/personal/a/b/c/d/e/f/g", "deep", "Lies deep. Use when digging.");
    let run = hermetic(&world, &["list"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    let stderr = world.redact(&run.stderr);
    let expect = "warning: `a/b/c/d/e/f/g` lies more than 6 levels below the root, not looked into \
                  (in `[WORLD]/roots/personal`); raise `scan.max-depth`, or add a root deeper down\n";
    assert!(stderr.contains(expect), "{stderr}");
    world.write("deeper.toml", "scan.max-depth = 8");
    let deeper = hermetic(&world, &["list", "--json", "--config", "../deeper.toml"]).json();
    assert_eq!(names(&deeper), ["deep"]);
}

#[test]
fn a_list_is_given_in_pages_and_as_a_model_sees_it() {
    // U1, U7
    let world = crate::workshop();
    let first = hermetic(&world, &["list", "--limit", "2"]);
    assert_eq!(first.stdout.lines().count(), 2, "{}", first.stdout);
    assert!(first.stderr.contains("`--after by-model` goes on"), "{}", first.stderr);
    let rest = hermetic(&world, &["list", "--after", "by-model", "--json"]).json();
    assert_eq!(names(&rest)[0], "files");
    let model = hermetic(&world, &["list", "--auto", "--all"]);
    assert!(!model.stdout.contains("by-hand") && !model.stdout.contains("stranger"));
    assert_eq!((model.code, model.stderr.as_str()), (0, ""));
    let hits = hermetic(&world, &["search", "--auto", "by-hand", "stranger", "--json"]).json();
    assert!(!hits.to_string().contains("by-hand"), "{hits}");
    for (command, name, exit, code) in [
        ("show", "stranger", 3, "skill_not_trusted"),
        ("show", "by-hand", 1, "skill_not_found"),
        ("why", "stranger", 1, "skill_not_found"),
    ] {
        let run = hermetic(&world, &[command, name, "--auto", "--json"]);
        assert_eq!((run.code, &run.json()["error"]["code"]), (exit, &json!(code)), "{command}");
    }
    assert_eq!(hermetic(&world, &["why", "notes", "--auto"]).code, 0);
}
