use metier_testing::World;

use crate::metier;

#[test]
fn the_manual_page_has_flags_variables_and_exit_codes() {
    // U1
    let world = World::new();
    let run = metier(&world, &["man"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains(".TH metier 1"), "{}", run.stdout);
    for word in [".SH NAME", "METIER_SKILLS", "no\\-default\\-roots"] {
        assert!(run.stdout.contains(word), "{word} is missing");
    }
    assert_eq!(run.stdout, metier(&world, &["man"]).stdout);
    let sections: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    for section in ["EXAMPLES", "ENVIRONMENT", "FILES", "\"EXIT STATUS\"", "OPTIONS"] {
        let quoted = format!("\"{section}\"");
        assert!(sections.contains(&section) || sections.contains(&&*quoted), "{sections:?}");
    }
    assert!(!sections.contains(&"EXTRA"));
    assert_eq!(run.stdout.matches(".nf\n").count(), run.stdout.matches(".fi\n").count());
}

#[test]
fn each_command_has_a_page_of_its_own() {
    // U1
    let world = World::new();
    let run = metier(&world, &["man", "lint"]);
    assert!(
        run.stdout.contains("metier\\-lint") || run.stdout.contains("metier lint"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("sarif"), "{}", run.stdout);
    let unknown = metier(&world, &["man", "dance"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("the commands are list, check"), "{}", unknown.stderr);
}

#[test]
fn a_broken_settings_file_keeps_neither_pages_nor_completions_away() {
    // U1
    let world = World::new();
    world.write("home/.config/metier/config.toml", "nonsense");
    assert_eq!(metier(&world, &["man"]).code, 0);
    assert_eq!(metier(&world, &["completions", "fish"]).code, 0);
    assert_eq!(metier(&world, &["list"]).code, 2);
}
