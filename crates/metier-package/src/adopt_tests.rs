#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use rustix::io::Errno;

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::fixture::by;
use crate::install::{Candidate, Drift, Request, install};
use crate::link::Mode;
use crate::machine::Machine;
use crate::source::Staged;

const HOME: Place = Place::Personal;

fn look(machine: &Machine, place: &Place) -> Survey {
    let bases = Bases::new(machine.ground.path());
    survey(&Search {
        home: &machine.ground.home,
        place,
        places: &machine.places,
        state_home: None,
        bases: &bases,
    })
}

/// A skill somebody else installed at `at`.
fn plant(machine: &Machine, at: &str) {
    let name = at.rsplit_once('/').unwrap().1;
    let text =
        format!("---\nname: {name}\ndescription: Does {name}. Use when due.\n---\nBody 1.\n");
    machine.ground.write(&format!("{at}/SKILL.md"), text);
    machine.ground.write(&format!("{at}/notes.md"), "notes\n");
}

fn lock(machine: &Machine, path: &str, version: u32, entries: &str) {
    let text = format!("{{\"version\": {version}, \"skills\": {{{entries}}}}}");
    machine.ground.write(path, text);
}

/// What a person's yes to `found` does when it is moved.
fn install_it(machine: &Machine, place: &Place, found: &Adoptable) -> Result<(), ChangeError> {
    let by = by();
    let request =
        Request { home: &machine.ground.home, place, act: "adopt", by: &by, drift: Drift::Refuse };
    let staged = Staged {
        name: SkillName::parse(&found.name).unwrap(),
        directory: found.directory.clone(),
        locked: found.locked(),
        tree: read_tree(&found.directory).unwrap(),
    };
    let candidate = Candidate { staged, want: Some(found.want()), approved: true };
    install(&request, &[candidate]).map(drop)
}

fn move_it(machine: &Machine, place: &Place) -> Result<(), ChangeError> {
    let survey = look(machine, place);
    for found in &survey.found {
        install_it(machine, place, found)?;
    }
    let found: Vec<&Adoptable> = survey.found.iter().collect();
    machine.with_linking(place, Mode::Act, |linking| take_over(linking, &found)).map(drop)
}

#[test]
fn what_other_tools_installed_is_found_with_where_it_is_from() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    plant(&machine, "user/.agents/skills/pdf");
    plant(&machine, "user/.claude/skills/notes");
    plant(&machine, "user/.claude/skills/mine");
    machine.ground.write(
        "user/.claude/skills/notes/.openskills.json",
        r#"{"sourceType": "git", "repoUrl": "https://git.example/o/n", "subpath": "notes"}"#,
    );
    let directory = machine.user(".agents/skills/pdf");
    let tree = read_tree(&directory).unwrap();
    let hash = crate::git_tree::name(&Folder::open(&directory).unwrap(), &tree).unwrap();
    lock(
        &machine,
        "user/.agents/.skill-lock.json",
        3,
        &format!(
            r#""pdf": {{"source": "o/r", "sourceUrl": "https://git.example/o/r.git", "ref": "v1",
               "skillPath": "skills/pdf/SKILL.md", "skillFolderHash": "{hash}"}}"#
        ),
    );
    let before = machine.listing();
    let survey = look(&machine, &HOME);
    assert_eq!(survey.problems, []);
    let [notes, pdf] = survey.found.as_slice() else { panic!("{survey:?}") };
    assert_eq!((notes.name.as_str(), notes.tool), ("notes", Tool::Openskills));
    assert_eq!((pdf.name.as_str(), pdf.tool), ("pdf", Tool::Skills));
    assert_eq!(pdf.source, "https://git.example/o/r.git");
    assert_eq!((pdf.path.as_str(), pdf.requested.as_deref()), ("skills/pdf", Some("v1")));
    assert_eq!(pdf.resemblance, Resemblance::Same);
    assert_eq!((pdf.state, pdf.in_place), (State::New, false));
    assert_eq!(machine.listing(), before);
    machine.ground.write("user/.agents/skills/pdf/notes.md", "edited");
    assert_eq!(look(&machine, &HOME).found[1].resemblance, Resemblance::Different);
}

#[test]
fn the_state_directory_is_looked_at_too() {
    // P7
    let machine = Machine::with(&[]);
    plant(&machine, "user/.agents/skills/pdf");
    lock(&machine, "user/.local/state/skills/.skill-lock.json", 3, r#""pdf": {"source": "o/r"}"#);
    assert_eq!(look(&machine, &HOME).found.len(), 1);
}

#[test]
fn hostile_records_are_problems_with_a_code_and_never_more() {
    // P7, F4
    let machine = Machine::with(&[]);
    for name in ["pdf", "nowhere-from", "out", "optioned"] {
        plant(&machine, &format!("project/.agents/skills/{name}"));
    }
    std::os::unix::fs::symlink("/etc", machine.in_project(".agents/skills/link")).unwrap();
    std::os::unix::fs::symlink(machine.user(""), machine.in_project(".claude")).unwrap();
    plant(&machine, "user/skills/outside");
    plant(&machine, "project/.agents/skills/fifo");
    let fifo = machine.in_project(".agents/skills/fifo/pipe");
    let mode = rustix::fs::Mode::RWXU;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, fifo, kind, mode, 0).unwrap();
    lock(
        &machine,
        "project/skills-lock.json",
        1,
        r#""pdf": {"source": "o/r"}, "../../user": {"source": "o/r"}, "gone": {"source": "o/r"},
           "link": {"source": "o/r"}, "nowhere-from": {}, "outside": {"source": "o/r"},
           "out": {"source": "o/r", "skillPath": "../../etc/SKILL.md"},
           "fifo": {"source": "o/r"},
           "optioned": {"source": "--upload-pack=x"}"#,
    );
    let place = machine.ground.project();
    let survey = look(&machine, &place);
    let names: Vec<_> = survey.found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["pdf"]);
    let mut codes: Vec<_> = survey.problems.iter().map(|problem| problem.code).collect();
    codes.sort();
    let (there, source) = (ProblemCode::NotThere, ProblemCode::Source);
    let (name, unreadable) = (ProblemCode::Name, ProblemCode::Unreadable);
    let expect = [name, there, there, there, source, source, source, unreadable];
    assert_eq!(codes, expect, "{:#?}", survey.problems);
}

#[test]
fn more_skills_than_anybody_has_are_not_looked_at() {
    // P7, F4
    let machine = Machine::with(&[]);
    let entries: Vec<String> = (0..=MAX_FOREIGN_SKILLS).map(|n| format!("\"s{n}\": 1")).collect();
    lock(&machine, "project/skills-lock.json", 1, &entries.join(","));
    let survey = look(&machine, &machine.ground.project());
    assert!(survey.problems.iter().any(|problem| problem.code == ProblemCode::TooMany));
    machine.ground.write("project/skills-lock.json", "{");
    let survey = look(&machine, &machine.ground.project());
    assert_eq!(survey.problems[0].code, ProblemCode::RecordUnreadable);
    lock(&machine, "project/skills-lock.json", 9, "");
    let survey = look(&machine, &machine.ground.project());
    assert_eq!(survey.problems[0].code, ProblemCode::RecordVersion);
}

#[test]
fn a_yes_is_recorded_and_nothing_of_theirs_is_touched() {
    // P7, P4
    let machine = Machine::with(&[]);
    plant(&machine, "user/.agents/skills/pdf");
    lock(&machine, "user/.agents/.skill-lock.json", 3, r#""pdf": {"source": "o/r"}"#);
    let before = machine.listing();
    let found = look(&machine, &HOME).found.remove(0);
    let approval = accept(&machine.ground.home, &found, &by()).unwrap();
    assert_eq!((approval.tree.as_str(), approval.said), (found.tree.as_str(), Said::Approved));
    assert_eq!(approval.source.as_deref(), Some("https://github.com/o/r"));
    assert_eq!(machine.listing(), before);
    assert_eq!(look(&machine, &HOME).found[0].state, State::Approved);
    machine.ground.write("user/.agents/skills/pdf/notes.md", "edited");
    assert_eq!(look(&machine, &HOME).found[0].state, State::New, "a change asks again");
    let error = accept(&machine.ground.home, &found, &by()).unwrap_err();
    assert!(matches!(error, ApproveError::Change(ChangeError::Drifted(_))), "{error}");
    let gone = Adoptable { directory: machine.user("a/b/c"), ..found };
    let error = accept(&machine.ground.home, &gone, &by()).unwrap_err();
    assert!(matches!(error, ApproveError::NoDirectory(_)), "{error}");
}

#[test]
fn a_project_s_skills_are_locked_where_they_are() {
    // P7, P3
    let machine = Machine::with(&[]);
    let place = machine.ground.project();
    plant(&machine, "project/.agents/skills/pdf");
    lock(&machine, "project/skills-lock.json", 1, r#""pdf": {"source": "o/r", "ref": "main"}"#);
    let found = look(&machine, &place).found.remove(0);
    assert!(found.in_place);
    let before = machine.listing();
    install_it(&machine, &place, &found).unwrap();
    let after = machine.listing();
    let ours = ["skills.lock", "skills.toml"];
    let theirs = |listing: &str| -> Vec<String> {
        let of_ours = |line: &str| ours.iter().any(|file| line.contains(&format!("{file}: ")));
        let mut inside = false;
        let lines = listing.lines().filter(|line| {
            inside = if line.starts_with("project") || line.starts_with("user") {
                of_ours(line)
            } else {
                inside
            };
            !inside
        });
        lines.map(str::to_owned).collect()
    };
    assert_eq!(theirs(&after), theirs(&before));
    assert!(machine.ground.text("project/skills.lock").contains("name = \"pdf\""));
    assert_eq!(look(&machine, &place).found[0].state, State::Locked);
    assert!(crate::verify::verify(&machine.ground.home, &place, None).unwrap()[0].is_sound());
}

#[test]
fn what_is_moved_is_ours_and_stays_visible_where_it_was() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    plant(&machine, "user/.claude/skills/pdf");
    plant(&machine, "user/.claude/skills/mine");
    let marker = "user/.claude/skills/pdf/.openskills.json";
    machine.ground.write(marker, r#"{"repoUrl": "o/r"}"#);
    move_it(&machine, &HOME).unwrap();
    let path = machine.user(".claude/skills/pdf");
    assert!(path.is_symlink() && path.join("notes.md").exists());
    assert!(!machine.user(".claude/skills/mine").is_symlink());
    machine.relink(&HOME).unwrap();
    assert!(path.is_symlink(), "it stays, though no agent is linked");
    assert_eq!(look(&machine, &HOME).found, [], "it is not theirs any more");
    machine.ground.remove(&HOME, "pdf").unwrap();
    machine.relink(&HOME).unwrap();
    assert!(!path.is_symlink(), "until it is removed");
}

#[test]
fn what_changed_since_it_was_looked_at_is_not_replaced() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    plant(&machine, "user/.claude/skills/pdf");
    let marker = "user/.claude/skills/pdf/.openskills.json";
    machine.ground.write(marker, r#"{"repoUrl": "o/r"}"#);
    let found = look(&machine, &HOME).found.remove(0);
    install_it(&machine, &HOME, &found).unwrap();
    machine.ground.write("user/.claude/skills/pdf/notes.md", "edited");
    let linked = machine.with_linking(&HOME, Mode::Act, |l| take_over(l, &[&found])).unwrap();
    assert_eq!(linked.left[0].reason, crate::link::Why::Foreign);
    assert_eq!(machine.ground.text("user/.claude/skills/pdf/notes.md"), "edited");
}

#[test]
fn whichever_call_is_the_last_one_their_directory_or_our_link_is_there_whole() {
    // P5, P7
    let prepared = || {
        let machine = Machine::with(&["claude-code"]);
        plant(&machine, "user/.claude/skills/pdf");
        let marker = "user/.claude/skills/pdf/.openskills.json";
        machine.ground.write(marker, r#"{"repoUrl": "o/r"}"#);
        machine
    };
    let machine = prepared();
    let tree = look(&machine, &HOME).found.remove(0).tree;
    let (done, calls) = faults::with(None, || move_it(&machine, &HOME));
    done.unwrap();
    let faults = [Fault::Gone, Fault::Fails(Errno::NOSPC), Fault::Fails(Errno::IO)];
    let mut moved = [0, 0];
    for (number, fault) in faults.into_iter().enumerate() {
        let stride = if number == 0 { 1 } else { 4 };
        for at in (0..calls.len()).step_by(stride) {
            let context = format!("{fault:?} at {at}, {}", calls[at]);
            let machine = prepared();
            let (done, _) = faults::with(Some((at, fault)), || move_it(&machine, &HOME));
            let path = machine.user(".claude/skills/pdf");
            if done.is_ok() {
                assert!(path.is_symlink(), "{context}");
            }
            crate::installed::repair(&machine.ground.home).unwrap();
            crate::link::repair(&machine.ground.home).unwrap();
            assert!(crate::change::is_tree(&path, &tree), "{context}");
            let names = std::fs::read_dir(machine.user(".claude/skills")).unwrap().count();
            assert_eq!(names, 1, "{context}: nothing else is left there");
            moved[usize::from(path.is_symlink())] += 1;
            move_it(&machine, &HOME).unwrap();
            assert!(path.is_symlink(), "{context}: trying again helps");
        }
    }
    assert!(moved[0] > 0 && moved[1] > 0, "{moved:?}");
}
