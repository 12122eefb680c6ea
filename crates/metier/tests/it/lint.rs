use std::os::unix::fs::PermissionsExt as _;

use metier_testing::World;
use serde_json::{Value, json};

use crate::{metier, metier_bound, transcript};

const FAULTY: &str =
    "---\nname: Faulty\ndescription: Use for: things\n---\n\nSee [x](missing.md).\n";

fn codes(document: &Value, file: usize) -> Vec<&str> {
    let diagnostics = document["files"][file]["diagnostics"].as_array().unwrap();
    diagnostics.iter().map(|d| d["code"].as_str().unwrap()).collect()
}

#[test]
fn findings_are_shown_with_the_line_marked_and_the_help() {
    // F3, F5, U1
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    world.skill(
        "project",
        "fine",
        "Sorts ledgers by date and account. Use when a ledger comes unsorted.",
    );
    insta::assert_snapshot!(transcript(&world, &metier(&world, &["lint"])));
}

#[test]
fn json_has_the_fields_of_the_contract() {
    // F3, U1
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    world.skill(
        "project",
        "fine",
        "Sorts ledgers by date and account. Use when a ledger comes unsorted.",
    );
    for args in [&["lint", "--json"][..], &["lint", "--format", "json", "."]] {
        let run = metier(&world, args);
        assert_eq!((run.code, run.stderr.as_str()), (4, ""));
        let document = run.json();
        assert_eq!(document["files"][0]["path"], "faulty/SKILL.md");
        assert_eq!(document["files"][1], json!({"path": "fine/SKILL.md", "diagnostics": []}));
        assert_eq!(codes(&document, 0), ["SK104", "SK108", "SK029", "SK203", "SK205"]);
        let first = &document["files"][0]["diagnostics"][0];
        assert_eq!((&first["line"], &first["column"]), (&json!(2), &json!(7)));
        assert_eq!(first["severity"], "error");
        assert!(first["help"].is_string() && first["message"].is_string(), "{first}");
        assert_eq!((&document["errors"], &document["warnings"]), (&json!(3), &json!(1)));
    }
}

#[test]
fn sarif_is_one_document_with_the_same_findings() {
    // F3
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    let run = metier(&world, &["lint", "--format", "sarif"]);
    assert_eq!(run.code, 4);
    // `--json` asks for one JSON document, and this is one.
    assert_eq!(metier(&world, &["lint", "--format", "sarif", "--json"]).stdout, run.stdout);
    let human = metier(&world, &["lint", "--format", "human", "--json"]);
    assert_eq!(human.stdout, metier(&world, &["lint", "--json"]).stdout);
    let document = run.json();
    assert_eq!(document["version"], "2.1.0");
    assert_eq!(document["runs"][0]["results"][0]["ruleId"], "SK104");
}

#[test]
fn lenient_calls_only_that_an_error_which_keeps_a_skill_from_loading() {
    // F5
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    assert_eq!(metier(&world, &["lint", "--strict"]).code, 4);
    let lenient = metier(&world, &["lint", "--lenient", "--json"]);
    assert_eq!((lenient.code, &lenient.json()["errors"]), (0, &json!(0)));
    world.write("project/faulty/SKILL.md", "no frontmatter\n");
    assert_eq!(metier(&world, &["lint", "--lenient"]).code, 4);
    assert_eq!(metier(&world, &["lint", "--strict", "--lenient"]).code, 2);
}

#[test]
fn fix_repairs_what_is_safe_and_leaves_every_other_byte() {
    // F5
    let world = World::new();
    let file = world.write("project/faulty/SKILL.md", FAULTY);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let run = metier(&world, &["lint", "--fix"]);
    assert_eq!(run.code, 4, "what only a person can decide stays");
    let expect = "fixed faulty/SKILL.md: SK029 ";
    assert!(run.stdout.starts_with(expect), "{}", run.stdout);
    let fixed = std::fs::read_to_string(&file).unwrap();
    assert_eq!(fixed, FAULTY.replace("Use for: things", "'Use for: things'"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let again = metier(&world, &["lint", "--fix", "--json"]);
    assert_eq!(again.json().get("fixed"), None, "a second run has nothing to do");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), fixed);
}

#[test]
fn fix_says_in_json_what_it_repaired() {
    // F5, U1
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    let document = metier(&world, &["lint", "--fix", "--json"]).json();
    assert_eq!(document["fixed"][0]["path"], "faulty/SKILL.md");
    assert_eq!(document["fixed"][0]["code"], "SK029");
    assert_eq!(document["errors"], 2);
}

#[test]
fn fix_leaves_a_file_that_needs_nothing_untouched() {
    // F5
    let world = World::new();
    let skill = world.skill("project", "fine", "Does one thing well. Use when it is wanted.");
    let before = std::fs::metadata(skill.join("SKILL.md")).unwrap().modified().unwrap();
    assert_eq!(metier(&world, &["lint", "--fix"]).code, 0);
    assert_eq!(std::fs::metadata(skill.join("SKILL.md")).unwrap().modified().unwrap(), before);
}

#[test]
fn a_read_only_file_is_reported_and_not_replaced() {
    // F5, U1
    let world = World::new();
    let file = world.write("project/faulty/SKILL.md", FAULTY);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).unwrap();
    let run = metier(&world, &["lint", "--fix"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("SKILL.md` is read-only"), "{}", run.stderr);
    assert!(run.stdout.contains("error[SK029]"), "the findings are shown all the same");
    let document = metier(&world, &["lint", "--fix", "--json", "--quiet"]).json();
    assert_eq!((&document["fixed"], document["errors"].as_u64()), (&json!([]), Some(3)));
    assert_eq!(document["not_fixed"][0]["path"], "faulty/SKILL.md");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), FAULTY);
}

#[test]
fn a_repair_that_fails_does_not_hide_those_that_were_made() {
    // F5, U1
    let world = World::new();
    world.write("project/first/SKILL.md", FAULTY);
    let file = world.write("project/second/SKILL.md", FAULTY);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).unwrap();
    let run = metier(&world, &["lint", "--fix"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("fixed first/SKILL.md"), "{}", run.stdout);
    assert!(run.stdout.contains("second/SKILL.md:3"), "{}", run.stdout);
    assert!(run.stderr.ends_with("second/SKILL.md` is read-only\n"), "{}", run.stderr);
}

#[test]
fn fix_writes_nothing_outside_the_directory_that_was_named() {
    // F5, F4
    let world = World::new();
    let file = world.write("home/mine/faulty/SKILL.md", FAULTY);
    std::os::unix::fs::symlink("../home/mine", world.project().join("theirs")).unwrap();
    let run = metier(&world, &["lint", "--fix"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("by a link that leaves"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), FAULTY);
    let run = metier(&world, &["lint", "--fix", "theirs"]);
    assert!(run.stdout.contains("fixed theirs/faulty/SKILL.md"), "named by hand: {}", run.stdout);
    assert_ne!(std::fs::read_to_string(&file).unwrap(), FAULTY);
}

#[test]
fn fix_cleans_up_when_a_file_may_not_grow_so_large() {
    // F5
    let world = World::new();
    let file = world.write("project/faulty/SKILL.md", FAULTY);
    let script = format!("ulimit -f 0; exec {} lint --fix", crate::METIER);
    let run = world.run("/bin/sh", &["-c", &script]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), FAULTY);
    assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_path_may_be_a_file_a_skill_or_a_tree() {
    // F5
    let world = World::new();
    world.skill("project/tree/deep", "one", "Does one thing well. Use when it is wanted.");
    world.skill("project/tree", "two", "Does two things well. Use when both are wanted.");
    let paths = |args: &[&str]| {
        let mut all = vec!["lint", "--json"];
        all.extend(args);
        let document = metier(&world, &all).json();
        let files = document["files"].as_array().unwrap().clone();
        files.iter().map(|f| f["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&["tree"]), ["tree/deep/one/SKILL.md", "tree/two/SKILL.md"]);
    assert_eq!(paths(&["tree/two"]), ["tree/two/SKILL.md"]);
    assert_eq!(paths(&["tree/two/SKILL.md"]), ["tree/two/SKILL.md"]);
    assert_eq!(paths(&["./tree/two/"]), ["./tree/two/SKILL.md"]);
    assert_eq!(paths(&["tree/two", "tree"]).len(), 2, "each file once");
}

#[test]
fn a_file_that_is_named_is_linted_as_the_skill_it_belongs_to() {
    // F5
    let world = World::new();
    world.write("project/faulty/SKILL.md", FAULTY);
    let whole = metier(&world, &["lint", "--json", "faulty"]).json();
    let file = metier(&world, &["lint", "--json", "faulty/SKILL.md"]).json();
    assert_eq!(file, whole);
    assert!(codes(&file, 0).contains(&"SK205"), "its neighbours are known: {file}");
}

#[test]
fn the_skills_agents_keep_in_a_project_are_linted_with_it() {
    // F5, D1
    let world = World::new();
    world.skill("project/.claude/skills", "one", "Does one thing well. Use when it is wanted.");
    world.skill("project/.agents/skills", "two", "Does two things well. Use when both are wanted.");
    let link = world.project().join(".claude/skills/two");
    std::os::unix::fs::symlink("../../.agents/skills/two", link).unwrap();
    let paths = |args: &[&str]| {
        let document = metier(&world, args).json();
        let files = document["files"].as_array().unwrap().clone();
        files.iter().map(|f| f["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expect = [".agents/skills/two/SKILL.md", ".claude/skills/one/SKILL.md"];
    assert_eq!(paths(&["lint", "--json"]), expect, "each once, and none is called missing");
    let named = paths(&["lint", "--json", "../project"]);
    assert_eq!(named, expect.map(|path| format!("../project/{path}")));
}

#[test]
fn a_skill_in_the_working_directory_knows_its_directory() {
    // F5
    let world = World::new();
    world.write(
        "project/SKILL.md",
        "---\nname: project\ndescription: A project. Use here.\n---\n\nX\n",
    );
    let document = metier(&world, &["lint", "--json"]).json();
    assert_eq!(document["files"][0]["path"], "SKILL.md");
    assert!(!codes(&document, 0).contains(&"SK108"), "{document}");
}

#[test]
fn a_file_of_another_name_is_linted_for_what_it_is() {
    // F5
    let world = World::new();
    world
        .write("project/pdf/draft.md", "---\nname: pdf\ndescription: A draft. Use it.\n---\n\nX\n");
    let document = metier(&world, &["lint", "--json", "pdf/draft.md"]).json();
    assert!(codes(&document, 0).contains(&"SK307"), "{document}");
    world.write("project/low/skill.md", "---\nname: low\ndescription: Is low. Use it.\n---\n\nX\n");
    let document = metier(&world, &["lint", "--json", "low"]).json();
    assert_eq!(document["files"][0]["path"], "low/skill.md");
    assert!(codes(&document, 0).contains(&"SK307"), "{document}");
}

#[test]
fn what_is_no_skill_is_said() {
    // F5, U1
    let world = World::new();
    let missing = metier(&world, &["lint", "gone"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
    assert!(
        missing.stderr.starts_with("error: `gone` does not exist\nhint: "),
        "{}",
        missing.stderr
    );
    let nothing = metier(&world, &["lint"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""));
    assert!(nothing.stderr.contains("no skills here"), "{}", nothing.stderr);
    std::fs::create_dir_all(world.project().join("empty")).unwrap();
    let empty = metier(&world, &["lint", "--json", "empty"]);
    assert_eq!((empty.code, codes(&empty.json(), 0)), (4, vec!["SK308"]));
}

#[test]
fn a_skill_file_that_is_no_file_is_refused_with_its_own_code() {
    // F4, F5
    let world = World::new();
    std::fs::create_dir_all(world.project().join("odd/SKILL.md")).unwrap();
    let run = metier(&world, &["lint", "--json", "odd"]);
    assert_eq!((run.code, codes(&run.json(), 0)), (4, vec!["SK301"]));
    world.write("outside.md", FAULTY);
    std::fs::create_dir_all(world.project().join("link")).unwrap();
    std::os::unix::fs::symlink("../../outside.md", world.project().join("link/SKILL.md")).unwrap();
    let run = metier(&world, &["lint", "--json", "link"]);
    assert_eq!((run.code, codes(&run.json(), 0)), (4, vec!["SK306"]));
}

#[test]
fn a_long_body_is_counted_exactly_only_near_the_limit() {
    // F5, D6
    let world = World::new();
    let body = |lines: usize| {
        let line = "Look at the ledger once more before you sort it, and then again.\n";
        let head = "---\nname: long\ndescription: Is long. Use it when length matters.\n---\n\n";
        format!("{head}{}", line.repeat(lines))
    };
    let message = |lines: usize| {
        world.write("project/long/SKILL.md", body(lines));
        let document = metier(&world, &["lint", "--json", "long"]).json();
        let findings = document["files"][0]["diagnostics"].as_array().unwrap().clone();
        let found = findings.iter().find(|d| d["code"] == "SK202");
        found.map(|d| d["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(message(100), None);
    let near = message(360).unwrap();
    assert!(!near.contains("about"), "{near}");
    let far = message(900).unwrap();
    assert!(far.contains("about"), "{far}");
}

#[test]
fn fix_keeps_line_endings_comments_and_order() {
    // F5
    let world = World::new();
    let before =
        "---\r\n# keep me\r\ndescription: Use for: things\r\nname: crlf\r\n---\r\n\r\nBody  \r\n";
    let file = world.write("project/crlf/SKILL.md", before);
    metier(&world, &["lint", "--fix"]);
    let after = std::fs::read_to_string(&file).unwrap();
    assert_eq!(after, before.replace("Use for: things", "'Use for: things'"));
}

#[test]
fn fix_writes_through_a_link_inside_the_skill_and_no_other() {
    // F5, R1
    let world = World::new();
    let real = world.write("project/linked/docs/real.md", FAULTY.replace("Faulty", "linked"));
    let link = world.project().join("linked/SKILL.md");
    std::os::unix::fs::symlink("docs/real.md", &link).unwrap();
    let run = metier(&world, &["lint", "--fix", "linked"]);
    assert!(run.stdout.starts_with("fixed linked/SKILL.md"), "{}", run.stdout);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("'Use for: things'"));
    let outside = world.write("outside.md", FAULTY);
    std::fs::create_dir_all(world.project().join("leaving")).unwrap();
    let leaving = world.project().join("leaving/SKILL.md");
    std::os::unix::fs::symlink(&outside, leaving).unwrap();
    metier(&world, &["lint", "--fix", "leaving"]);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), FAULTY);
}

#[test]
fn fix_repairs_every_file_that_needs_it_and_no_other() {
    // F5
    let world = World::new();
    for number in 0..100 {
        let name = format!("skill-{number:03}");
        let value = if number % 3 == 0 { "Use for: things" } else { "Sorts things by date" };
        let text = format!("---\nname: {name}\ndescription: {value}\n---\n\nBody\n");
        world.write(format!("project/{name}/SKILL.md"), text);
    }
    let document = metier(&world, &["lint", "--fix", "--json"]).json();
    let fixed = document["fixed"].as_array().unwrap();
    assert_eq!(fixed.len(), 34);
    assert_eq!(fixed[1]["path"], "skill-003/SKILL.md");
    assert_eq!(document["errors"], 0);
    assert_eq!(document["files"].as_array().unwrap().len(), 100);
}

#[test]
fn files_around_a_skill_are_known_to_lint() {
    // F5
    let world = World::new();
    let head =
        "---\nname: around\ndescription: Sorts ledgers by date. Use when one is unsorted.\n---\n";
    world.write("project/around/SKILL.md", format!("{head}\nSee [a](references/a.md).\n"));
    world.write("project/around/references/a.md", "here");
    let found = |world: &World| {
        let document = metier(world, &["lint", "--json", "around"]).json();
        codes(&document, 0).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&world), Vec::<String>::new());
    world.write("project/around/scripts/forgotten.py", "print()");
    assert_eq!(found(&world), ["SK207"]);
    std::fs::remove_file(world.project().join("around/references/a.md")).unwrap();
    assert_eq!(found(&world), ["SK205", "SK207"]);
}

#[test]
fn every_bundled_skill_is_clean() {
    // B1, F5
    let world = World::new();
    let skills = metier_testing::project_root().join("skills");
    let run = metier(&world, &["lint", "--json", skills.to_str().unwrap()]);
    let document = run.json();
    assert_eq!(run.code, 0, "{document}");
    assert_eq!((&document["errors"], &document["warnings"]), (&json!(0), &json!(0)), "{document}");
}

#[test]
fn what_cannot_be_looked_into_is_a_failure_with_its_reason() {
    // F3, U1
    let world = World::new();
    let described = "Sorts ledgers by date and account. Use when a ledger comes unsorted.";
    world.skill("project", "fine", described);
    let set = |mode| {
        let directory = world.project().join("closed");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o000);
    let run = metier_bound(&world, &["lint"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("error: `closed` cannot be read: Permission"), "{}", run.stderr);
    let run = metier_bound(&world, &["lint", "--json", "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let unread = run.json()["not_read"][0].as_str().unwrap().to_owned();
    assert!(unread.starts_with("`closed` cannot be read: Permission denied"), "{unread}");
    assert_eq!(run.json()["files"].as_array().unwrap().len(), 1, "the others are looked at");
    let run = metier_bound(&world, &["lint", "--format", "sarif"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    world.write("project/faulty/SKILL.md", FAULTY);
    let run = metier_bound(&world, &["lint"]);
    assert_eq!(run.code, 4, "errors that were found are what is wrong: {}", run.stderr);
    set(0o755);
}
