use super::{NEXT, Overview, RootLine, print, summary};
use crate::args::Cli;
use crate::ui::Ui;

fn overview(active: usize, untrusted: usize) -> Overview {
    Overview {
        version: "1.2.3",
        project: "/work".to_owned(),
        roots: Vec::new(),
        active,
        untrusted,
        hidden: 0,
        shadowed: 0,
        skipped: 0,
        session: None,
    }
}

#[test]
fn the_summary_names_only_states_that_somebody_is_in() {
    // U1
    let check = |overview: Overview, expect: &str| assert_eq!(summary(&overview), expect);
    check(overview(0, 0), "0 skills here: 0 active");
    check(overview(1, 0), "1 skill here: 1 active");
    check(overview(2, 3), "5 skills here: 2 active, 3 untrusted");
    let all = Overview { hidden: 4, shadowed: 5, skipped: 6, ..overview(1, 1) };
    let expect = "2 skills here: 1 active, 1 untrusted, 4 switched off, 5 shadowed, 6 not loadable";
    check(all, expect);
}

#[test]
fn roots_of_one_layer_share_a_line_and_live_characters_are_shown() {
    // U1, D5
    let root = |path: &str, skills: usize| RootLine {
        layer: "personal",
        path: path.to_owned(),
        skills,
        trusted: true,
    };
    let roots = vec![root("/a", 2), root("/b\u{1b}[31m", 3)];
    let mut ui = Ui::plain(None);
    print(&Overview { roots, ..overview(5, 0) }, &mut ui);
    let line = ui.output().lines().find(|line| line.contains("personal")).unwrap();
    assert_eq!(line, "  personal  5  /a, /b\\u{1b}[31m");
}

#[test]
fn everything_it_tells_to_type_can_be_typed() {
    // U1
    for (command, _) in NEXT {
        let words = command.split(' ').map(Into::into).collect();
        assert!(Cli::read(words).is_ok(), "{command}");
    }
}
