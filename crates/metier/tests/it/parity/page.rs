//! `docs/surfaces.md`, written from the table of surfaces and the table of cases; and what the table
//! says about the command line, held against the command itself.

use std::fmt::Write as _;

use metier_runtime::Capability;
use metier_runtime::capability::Operation;
use metier_serve::surface::{self, Asks, Cell, Difference, Form, Surface, Takes, Way, cell};
use metier_testing::{World, project_root};

use super::{Case, cases, ways};
use crate::metier;

const PAGE: &str = "docs/surfaces.md";

const HEAD: &str = "\
# The same operations everywhere

metier has fifteen operations, and six surfaces on which programs and people ask for them. An operation
does the same on each: the same call in the same world means the same and leaves the same frames in the
journal. This page says what each is called where, what a surface says differently and why, and what it
does not have and why not.

It is written by `cargo xtask surfaces` from the table in `crates/metier-serve/src/surface.rs` and the
cases in `crates/metier/tests/it/parity/cases.tsv`. A test makes every call of every case in every way
listed here, on the real surface, and compares answer and frames with what the library says and leaves;
another compares this page with the tables.

";

#[test]
fn the_page_about_surfaces_says_what_the_tables_say() {
    // U7
    let (path, page) = (project_root().join(PAGE), page());
    if std::env::var_os("METIER_WRITE_SURFACES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{PAGE} is stale; run `cargo xtask surfaces`");
}

#[test]
fn every_way_has_a_case_that_works_and_one_that_fails_where_it_can() {
    // U7
    let cases = cases();
    for surface in Surface::ALL {
        for (operation, way) in ways(surface) {
            let asked = |case: &&Case| case.operation == operation && case.asker_in(&way).is_some();
            let outcomes: Vec<&str> = cases.iter().filter(asked).map(|case| case.outcome).collect();
            let what = format!("{} on {}", operation.capability().name, surface.title());
            assert!(outcomes.contains(&"ok"), "{what}");
            let own =
                operation.capability().errors.iter().filter(|code| **code != "journal_refused");
            if own.count() > 0 && !matches!(way.takes, Takes::Only([])) {
                assert!(outcomes.iter().any(|outcome| *outcome != "ok"), "{what}");
            }
        }
    }
}

#[test]
fn the_table_knows_every_command_and_every_word_of_them() {
    // U7, U1
    let world = World::new();
    let help = metier(&world, &["--help"]).stdout;
    let listed = help.split_once("Commands:").unwrap().1;
    let listed = listed.split_once("\n\n").unwrap().0;
    let commands: Vec<&str> = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 30, "{commands:?}");
    let beyond: Vec<&str> = surface::beyond()
        .into_iter()
        .filter(|row| row.surface == Surface::Command)
        .flat_map(|row| row.names.iter().copied())
        .collect();
    let ways = ways(Surface::Command);
    let typed = |way: &Way| match way.form {
        Form::Command(word) => word,
        _ => unreachable!("the command line has commands"),
    };
    for command in &commands {
        let operation = ways.iter().any(|(_, way)| typed(way) == *command);
        assert!(operation != beyond.contains(command), "`metier {command}` is no row of the table");
    }
    for name in &beyond {
        assert!(commands.contains(name), "the table has `metier {name}`, which there is not");
    }
    for (_, way) in &ways {
        let word = typed(way);
        assert!(commands.contains(&word), "there is no `metier {word}`");
        let help = metier(&world, &[word, "--help"]).stdout;
        let Takes::Only(takes) = way.takes else { continue };
        for (_, called) in takes {
            let shown = match called.strip_prefix("--") {
                Some(_) => (*called).to_owned(),
                None => called.to_string(),
            };
            assert!(help.contains(&shown), "`metier {word}` has no {shown}:\n{help}");
        }
    }
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    matrix(&mut page);
    let cases = cases();
    for capability in Capability::ALL {
        section(&mut page, capability, &cases);
    }
    differences(&mut page);
    beyond(&mut page);
    page
}

/// Every operation and the usual way to ask for it.
fn matrix(page: &mut String) {
    page.push_str("## At a glance\n\nThe usual way on each surface; `—` where there is none.\n\n");
    row(page, ["operation"].into_iter().chain(Surface::ALL.map(Surface::title)));
    row(page, ["---"; 7]);
    for capability in Capability::ALL {
        let usual = |surface| match cell(surface, capability.operation) {
            Cell::Ways(ways) => ways.first().map(|way| way.form.to_string()).unwrap_or_default(),
            Cell::Gap(_) => "—".to_owned(),
        };
        let link = format!("[{0}](#{0})", capability.name);
        row(page, [link].into_iter().chain(Surface::ALL.map(usual)));
    }
    page.push_str(
        "\nWho asks matters: a model is not told of skills it may not see. On the command line a \
         person asks, and `--auto` says that a model does where that makes a difference; over HTTP the \
         header `Metier-Asker` says it; tools of MCP and chibi are a model's, prompts of MCP a \
         person's. The command says the same with exit codes: 0 for an answer, 1 for a failure, 2 for \
         wrong usage, 3 for a refusal. Nothing that only looks begins a session.\n\n",
    );
}

fn section(page: &mut String, capability: &Capability, cases: &[Case]) {
    let _ = writeln!(page, "## {}\n\n{}\n", capability.name, capability.description);
    let frames: Vec<String> = capability.frames.iter().map(|kind| format!("`{kind}`")).collect();
    if !frames.is_empty() {
        let _ = writeln!(page, "Frames it can write: {}.\n", frames.join(", "));
    }
    row(page, ["surface", "how", "who asks", "takes", "differs"]);
    row(page, ["---"; 5]);
    let mut gaps = String::new();
    for surface in Surface::ALL {
        match cell(surface, capability.operation) {
            Cell::Ways(ways) => {
                for way in &ways {
                    row(page, way_cells(surface, capability, way));
                }
            }
            Cell::Gap(why) => {
                let _ = writeln!(gaps, "- Not on {}: {why}", surface.title());
            }
        }
    }
    let _ = write!(page, "\n{gaps}{}", if gaps.is_empty() { "" } else { "\n" });
    proofs(page, capability.operation, cases);
}

fn way_cells(surface: Surface, capability: &Capability, way: &Way) -> [String; 5] {
    let asks = match way.asks {
        Asks::Either => "either",
        Asks::Model => "a model",
        Asks::User => "a person",
    };
    let takes: Vec<String> = capability
        .parameters
        .iter()
        .filter_map(|parameter| match way.called(capability.operation, parameter.name)? {
            called if called == parameter.name => Some(format!("`{called}`")),
            called => Some(format!("`{}` as `{called}`", parameter.name)),
        })
        .collect();
    let differs: Vec<String> =
        way.differs.iter().map(|difference| format!("[{0}](#{0})", slug(*difference))).collect();
    [
        surface.title().to_owned(),
        way.form.to_string(),
        asks.to_owned(),
        if takes.is_empty() { "nothing".to_owned() } else { takes.join(", ") },
        differs.join(", "),
    ]
}

/// The cases and where each is asked.
fn proofs(page: &mut String, operation: Operation, cases: &[Case]) {
    let others: Vec<Surface> =
        Surface::ALL.into_iter().filter(|surface| *surface != Surface::Library).collect();
    let titles = others.iter().map(|surface| surface.title());
    row(page, ["case", "outcome"].into_iter().chain(titles));
    row(page, ["---"; 7]);
    for case in cases.iter().filter(|case| case.operation == operation) {
        let mark = |surface: &Surface| {
            let asked = ways(*surface)
                .iter()
                .any(|(of, way)| *of == operation && case.asker_in(way).is_some());
            (if asked { "✓" } else { "" }).to_owned()
        };
        let outcome = match case.outcome {
            "ok" => "an answer".to_owned(),
            "once more" => "`skill_already_active`, or once more".to_owned(),
            code => format!("`{code}`"),
        };
        row(page, [case.name.to_owned(), outcome].into_iter().chain(others.iter().map(mark)));
    }
    page.push('\n');
}

fn differences(page: &mut String) {
    page.push_str(
        "## Differences\n\nEach is shown by a case; one that none shows fails the test.\n\n",
    );
    for difference in Difference::ALL {
        let _ = writeln!(page, "### {}\n\n{}\n", slug(difference), difference.sentence());
    }
}

fn beyond(page: &mut String) {
    page.push_str("## What is no operation\n\n");
    row(page, ["surface", "what", "for"]);
    row(page, ["---"; 3]);
    for beyond in surface::beyond() {
        let names: Vec<String> = beyond.names.iter().map(|name| format!("`{name}`")).collect();
        row(page, [beyond.surface.title(), &names.join(", "), beyond.what]);
    }
}

fn row<T: AsRef<str>>(page: &mut String, cells: impl IntoIterator<Item = T>) {
    page.push('|');
    for cell in cells {
        let cell = cell.as_ref();
        let _ = write!(
            page,
            "{}{cell}{}|",
            if cell == "---" { "" } else { " " },
            if cell == "---" { "" } else { " " }
        );
    }
    page.push('\n');
}

/// `WithoutBody` as `without-body`.
fn slug(difference: Difference) -> String {
    let mut slug = String::new();
    for letter in format!("{difference:?}").chars() {
        if letter.is_ascii_uppercase() && !slug.is_empty() {
            slug.push('-');
        }
        slug.push(letter.to_ascii_lowercase());
    }
    slug
}
