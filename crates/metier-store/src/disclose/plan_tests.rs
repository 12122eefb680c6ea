use super::*;

#[test]
fn a_description_is_cut_after_a_word() {
    // D6
    let check =
        |text: &str, cap, expect: &str| assert_eq!(shorten(text, cap), expect, "{text} {cap}");
    check("Fills in forms.", 40, "Fills in forms.");
    check("Fills in forms.", 15, "Fills in forms.");
    check("Fills in forms.", 14, "Fills in…");
    check("Fills in forms.", 9, "Fills in…");
    check("Fills, in forms", 8, "Fills…");
    check("Unbreakable", 6, "Unbre…");
    check("a Unbreakable", 9, "a Unbrea…");
    check("漢字仮名交じり文", 5, "漢字仮名…");
    check("two\nlines here", 10, "two lines…".replace(' ', "\n").as_str());
    check("", 5, "");
    check("x", 0, "…");
}

#[test]
fn a_cut_is_never_longer_than_its_cap() {
    // D6
    let text = "Looks at ledgers, sorts what it finds; then (with care) — writes it down.";
    for cap in 1..=text.chars().count() {
        let cut = shorten(text, cap);
        assert!(cut.chars().count() <= cap, "{cap} {cut}");
    }
}

#[test]
fn each_plan_gives_up_a_little_more() {
    // D6
    let row = Row { longest: 43, skills: 2 };
    let plans: Vec<_> = (0..row.len()).map(|index| row.plan(index)).collect();
    let plan = |cap, name_only, omitted, says_more| Plan { cap, name_only, omitted, says_more };
    let expect = [
        Plan::FULL,
        plan(42, 0, 0, true),
        plan(41, 0, 0, true),
        plan(40, 0, 0, true),
        plan(40, 1, 0, true),
        plan(40, 2, 0, true),
        plan(40, 2, 1, true),
        plan(40, 2, 2, true),
        plan(40, 2, 2, false),
    ];
    assert_eq!(plans, expect);
    assert_eq!(Row { longest: 0, skills: 0 }.len(), 2);
}

#[test]
fn the_level_of_a_skill_follows_from_its_rank() {
    // D6
    let plan = Plan { cap: 40, name_only: 3, omitted: 1, says_more: true };
    let levels: Vec<_> = (0..5).map(|rank| plan.level(rank, 5, 30 + rank * 11)).collect();
    let expect = [Level::Full, Level::Shortened, Level::NameOnly, Level::NameOnly, Level::Omitted];
    assert_eq!(levels, expect);
}

#[test]
fn the_first_fitting_plan_is_found_in_few_questions() {
    // D6
    let row = Row { longest: 1024, skills: 10_000 };
    for first in [0, 1, 500, 984, 985, 5000, 12_000, 20_983, row.len() - 2, row.len() - 1] {
        let mut asked = 0;
        let (plan, fits) = row.first_fitting(usize::MAX, |plan| {
            asked += 1;
            (0..row.len()).position(|index| row.plan(index) == *plan).unwrap() >= first
        });
        assert_eq!((plan, fits), (row.plan(first), true), "{first}");
        assert!(asked <= 17, "{asked} questions for {first}");
    }
    assert_eq!(row.first_fitting(usize::MAX, |_| false), (row.plan(row.len() - 1), false));
}

#[test]
fn more_skills_than_tokens_are_not_even_tried() {
    // D6
    let row = Row { longest: 1024, skills: 100_000 };
    let mut most = 0;
    row.first_fitting(500, |plan| {
        most = most.max(row.skills - plan.omitted);
        false
    });
    assert!(most <= 500, "{most}");
}

#[test]
fn a_text_that_surely_fits_is_not_counted() {
    // D6
    let mut meter = Meter::default();
    assert!(meter.fits("a word", 100));
    assert!(!meter.fits(&"word ".repeat(100), 50));
    assert!(!meter.counted);
    assert!(meter.fits(&"word ".repeat(100), 101));
    assert!(meter.counted);
}
