use metier_testing::World;
use serde_json::json;

use crate::{METIER, frames, hermetic, workshop};

fn code(world: &World, name: &str, path: &str) -> (i32, String) {
    let run = hermetic(world, &["read", name, path, "--json"]);
    (run.code, run.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn the_bytes_are_printed_as_they_are() {
    // R1, U1
    let world = workshop();
    let text = hermetic(&world, &["read", "files", "references/a.md"]);
    assert_eq!((text.code, text.stdout.as_str(), text.stderr.as_str()), (0, "# A\n", ""));
    let root = format!("personal={}", world.path().join("roots/personal").display());
    let args = ["read", "files", "logo.bin", "--no-default-roots", "--root", &root];
    let output = world.command(METIER).args(args).output().unwrap();
    assert_eq!(output.stdout, [0, 159, 146, 150, 255]);
}

#[test]
fn json_says_what_it_is() {
    // R1, U1
    let world = workshop();
    let text = hermetic(&world, &["read", "Files", "./references/a.md", "--json"]).json();
    assert_eq!(
        text,
        json!({"path": "references/a.md", "size": 4, "binary": false, "encoding": "utf-8",
               "text": "# A\n"})
    );
    let bytes = hermetic(&world, &["read", "files", "logo.bin", "--json"]).json();
    assert_eq!(
        bytes,
        json!({"path": "logo.bin", "size": 5, "binary": true, "encoding": "base64",
               "base64": "AJ+Slv8="})
    );
}

#[test]
fn nothing_outside_the_skill_is_reached() {
    // R1
    let world = workshop();
    world.write("secret.txt", "secret");
    let skill = world.path().join("roots/personal/files");
    std::os::unix::fs::symlink("../../../secret.txt", skill.join("link")).unwrap();
    std::os::unix::fs::symlink(world.path(), skill.join("up")).unwrap();
    let outside = world.path().join("secret.txt").display().to_string();
    for path in
        ["../../../secret.txt", "references/../../x", &outside, "", "a\\b", "link", "up/secret.txt"]
    {
        let run = hermetic(&world, &["read", "files", path]);
        assert_eq!(run.code, 3, "{path}");
        assert!(!run.stdout.contains("secret"), "{path}");
        assert_eq!(code(&world, "files", path).1, "invalid_path", "{path}");
    }
}

#[test]
fn each_failure_has_its_code_and_a_hint() {
    // R1, D4, D8, U1
    let world = workshop();
    let check = |name: &str, path: &str, exit: i32, expect: &str, hint: &str| {
        let run = hermetic(&world, &["read", name, path, "--json"]);
        let error = run.json()["error"].clone();
        let code = error["code"].as_str().unwrap_or_default();
        assert_eq!((run.code, code), (exit, expect), "{name} {path}: {error}");
        assert!(error["hints"].to_string().contains(hint), "{error}");
    };
    check("filse", "x", 1, "skill_not_found", "did you mean `files`?");
    check("files", "references/b.md", 1, "file_not_found", "did you mean `references/a.md`?");
    check("files", "nothing-like-it", 1, "file_not_found", "metier show files");
    check("files", "references", 1, "not_a_file", "");
    check("stranger", "SKILL.md", 3, "skill_not_trusted", "metier trust");
    let run = hermetic(&world, &["read", "files", "SKILL.md", "--skills", "notes", "--json"]);
    assert_eq!((run.code, run.json()["error"]["code"].as_str()), (3, Some("skill_hidden")));
    let run = hermetic(&world, &["read", "files", "logo.bin", "--max-bytes", "4", "--json"]);
    assert_eq!((run.code, run.json()["error"]["code"].as_str()), (1, Some("file_too_large")));
    assert_eq!(hermetic(&world, &["read", "files", "x", "--max-bytes", "many"]).code, 2);
    assert_eq!(hermetic(&world, &["read", "files"]).code, 2);
}

#[test]
fn files_are_two_hundred_thousand_bytes_at_most_unless_told_otherwise() {
    // R1
    let world = workshop();
    world.write("roots/personal/files/fits", vec![b'x'; 200_000]);
    world.write("roots/personal/files/more", vec![b'x'; 200_001]);
    assert_eq!(hermetic(&world, &["read", "files", "fits"]).stdout.len(), 200_000);
    assert_eq!(code(&world, "files", "more"), (1, "file_too_large".to_owned()));
    let run = hermetic(&world, &["read", "files", "more", "--max-bytes", "300000"]);
    assert_eq!(run.stdout.len(), 200_001);
    let part = ["read", "files", "more", "--offset", "199999", "--limit", "9"];
    assert_eq!(hermetic(&world, &part).stdout, "xx", "whoever says how much gets a part");
}

#[test]
fn asking_and_answer_are_recorded() {
    // J1, J2
    let world = workshop();
    hermetic(&world, &["read", "files", "references/a.md"]);
    hermetic(&world, &["read", "files", "gone"]);
    let frames = frames(&world);
    let read: Vec<_> = frames.iter().filter(|f| f["type"] == "resource_read").collect();
    assert_eq!(read.len(), 2);
    assert_eq!(read[0]["payload"]["digest"].as_str().unwrap().len(), 64);
    assert_eq!(read[1]["payload"]["refused"], "file_not_found");
    let asked = frames.iter().filter(|f| f["type"] == "resource_requested").count();
    assert_eq!(asked, 2);
}

#[test]
fn a_part_of_a_file_is_printed_and_ends_between_characters() {
    // R1, U7
    let world = workshop();
    world.write("roots/personal/files/long.txt", "0123456789äöü");
    let part = |args: &[&str]| {
        let run = hermetic(&world, &[&["read", "files", "long.txt"], args].concat());
        (run.code, run.stdout)
    };
    assert_eq!(part(&["--offset", "8"]), (0, "89äöü".to_owned()));
    assert_eq!(part(&["--offset", "2", "--limit", "3"]), (0, "234".to_owned()));
    assert_eq!(part(&["--offset", "9", "--limit", "2"]), (0, "9".to_owned()));
    assert_eq!(part(&["--offset", "99"]), (0, String::new()));
}
