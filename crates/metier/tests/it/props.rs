use metier_testing::World;
use serde_json::json;

use crate::metier;

#[test]
fn the_frontmatter_comes_out_as_json_with_seven_keys() {
    // U1, F2
    let world = World::new();
    world.write(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fills forms.\nlicense: MIT\nallowed-tools: Read Bash(pdftk:*)\n\
         metadata:\n  author: someone\n  version: 1.10\nmodel: small\nx-odd: [a, b]\n---\nBody\n",
    );
    let expect = json!({
        "name": "pdf",
        "description": "Fills forms.",
        "license": "MIT",
        "compatibility": null,
        "allowed-tools": "Read Bash(pdftk:*)",
        "metadata": {"author": "someone", "version": "1.10"},
        "extra": {"model": "small", "x-odd": ["a", "b"]},
    });
    for path in ["pdf", "pdf/SKILL.md", "./pdf/"] {
        let run = metier(&world, &["props", path]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path}");
        assert_eq!(run.json(), expect, "{path}");
    }
    assert_eq!(metier(&world, &["props", "--json", "pdf"]).json(), expect);
    let file = world.project().join("pdf/SKILL.md");
    std::fs::rename(&file, file.with_file_name("skill.md")).unwrap();
    assert_eq!(metier(&world, &["props", "pdf"]).json(), expect, "any case of the file's name");
}

#[test]
fn a_file_that_cannot_be_loaded_is_named_with_line_and_code() {
    // U1, F3
    let world = World::new();
    world.write("project/odd/SKILL.md", "---\nname: odd\n---\n");
    for path in ["odd", "odd/SKILL.md"] {
        let run = metier(&world, &["props", path]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        assert!(run.stderr.starts_with("error: odd/SKILL.md:1:1: SK111 "), "{}", run.stderr);
        assert!(run.stderr.contains("hint: `metier lint odd/SKILL.md`"), "{}", run.stderr);
    }
}

#[test]
fn a_path_that_is_not_there_or_no_skill_is_said() {
    // U1
    let world = World::new();
    let missing = metier(&world, &["props", "gone"]);
    assert_eq!(missing.code, 1);
    assert_eq!(missing.stderr, "error: `gone` does not exist\n");
    let empty = metier(&world, &["props", "."]);
    assert_eq!(empty.code, 1);
    assert_eq!(empty.stderr, "error: `./SKILL.md` does not exist\n");
    std::fs::create_dir_all(world.project().join("dir/SKILL.md")).unwrap();
    let directory = metier(&world, &["props", "dir"]);
    assert_eq!(directory.code, 1);
    assert_eq!(directory.stderr, "error: `dir/SKILL.md` is not a file\n");
}
