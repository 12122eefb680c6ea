//! Advice must be worth its place: over real skills it is rare, and it is never wrong about where.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests read skills from disk, say what they found and stop when that fails"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metier_format::fix::settle;
use metier_format::lint::{Surroundings, everything, lint};
use metier_format::report::{Color, FileReport, human, json, sarif};
use metier_format::text::is_hidden;
use metier_format::{Code, Diagnostic, Mode, Parsed, parse};

/// Skills of our own, for where no others lie beside the project: path and text.
const OWN: [(&str, &str); 3] = [
    (
        "sort-ledger",
        "---\nname: sort-ledger\ndescription: Sorts a ledger by date. Use when a ledger is out of order.\n---\n\nSort it.\n",
    ),
    ("vague", "---\nname: vague\ndescription: Helps with stuff\n---\n\nHelp.\n"),
    (
        "hidden",
        "---\nname: hidden\ndescription: Draws maps of a town when asked\n---\n\nDr\u{200b}aw.\n",
    ),
];

fn collect(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            into.push(path);
        }
    }
}

/// Every skill there is to look at, as a report.
fn reports() -> Vec<FileReport> {
    let mut sources: Vec<(String, Vec<u8>)> =
        OWN.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    match metier_testing::shared() {
        Some(shared) => {
            let mut paths = Vec::new();
            collect(&shared.join("corpus"), &mut paths);
            paths.sort();
            let read = |path: PathBuf| {
                let bytes = std::fs::read(&path).expect("readable");
                (path.display().to_string(), bytes)
            };
            sources.extend(paths.into_iter().map(read));
        }
        None => println!("no skills lie beside the project; only our own are linted"),
    }
    sources.into_iter().map(|(path, source)| report(path, source)).collect()
}

fn report(path: String, source: Vec<u8>) -> FileReport {
    let parsed = parse(&source, None);
    let diagnostics = lint(&source, &parsed, &Surroundings::default());
    FileReport { path, source, diagnostics }
}

fn has(report: &FileReport, code: Code) -> bool {
    report.diagnostics.iter().any(|d| d.code == code)
}

#[test]
fn real_skills_get_little_advice_and_all_of_it_in_place() {
    // F5: DescriptionVague, HiddenUnicode and ConfusableName are rare among skills people use.
    let reports = reports();
    let mut files_with: BTreeMap<Code, usize> = BTreeMap::new();
    for report in &reports {
        let text = String::from_utf8_lossy(&report.source);
        let in_place = |d: &Diagnostic| d.span.is_none_or(|s| text.get(s.range()).is_some());
        assert!(report.diagnostics.iter().all(in_place), "{}", report.path);
        for code in Code::ALL.iter().filter(|code| has(report, **code)) {
            *files_with.entry(*code).or_default() += 1;
        }
    }
    println!("{} files: {files_with:?}", reports.len());
    assert!(has(&reports[1], Code::DescriptionVague) && has(&reports[2], Code::HiddenUnicode));
    assert!(reports[0].diagnostics.is_empty(), "{:?}", reports[0].diagnostics);
    for code in [Code::DescriptionVague, Code::HiddenUnicode, Code::ConfusableName] {
        let files = files_with.get(&code).copied().unwrap_or_default();
        // One of our own has each; beyond that, at most one real skill in fifty.
        assert!(files <= 1 + reports.len() / 50, "{code:?} in {files} of {}", reports.len());
    }
}

#[test]
fn every_report_of_real_skills_can_be_written() {
    // F3
    let reports = reports();
    for mode in [Mode::Strict, Mode::Lenient] {
        let shown = human(&reports, mode, Color::Plain);
        let last = shown.lines().last().unwrap_or_default();
        assert!(last.contains(&format!("in {} files", reports.len())), "{last}");
        assert!(last.ends_with("can be repaired with `metier lint --fix`"), "{last}");
        for text in [json(&reports, mode), sarif(&reports, mode)] {
            serde_json::from_str::<serde_json::Value>(&text).expect("one JSON document");
        }
    }
}

#[test]
fn repairs_keep_what_real_skills_are_and_then_end() {
    // F5
    for report in reports() {
        let find = |bytes: &[u8]| everything(bytes, &parse(bytes, None), &Surroundings::default());
        let settled = settle(&report.source, find);
        let (before, after) = (parse(&report.source, None), parse(&settled.bytes, None));
        let shown = |parsed: &Parsed| {
            let manifest = parsed.manifest.as_ref()?;
            let text = manifest.description.chars().filter(|c| !is_hidden(*c));
            Some((manifest.name.to_string(), text.collect::<String>()))
        };
        if before.manifest.is_some() {
            assert_eq!(shown(&before), shown(&after), "{}", report.path);
        }
        let again = settle(&settled.bytes, find);
        assert_eq!(again.applied, [], "{} is not settled", report.path);
    }
}
