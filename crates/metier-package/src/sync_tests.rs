use super::*;
use crate::atomic::Folder;
use crate::fixture::{Ground, bases, by, name};

fn run(ground: &Ground, place: &Place, fetched: &[Staged]) -> Outcome {
    let plan = plan(&ground.home, place, &bases()).unwrap();
    sync(&ground.request(place, &by()), &plan, fetched).unwrap()
}

fn skills(ground: &Ground, place: &Place) -> Folder {
    Folder::open(&place.base(&ground.home).join(place.skills())).unwrap()
}

#[test]
fn what_is_missing_comes_back_and_what_differs_is_put_right() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        assert!(plan(&ground.home, &place, &bases()).unwrap().is_empty());
        skills(&ground, &place).remove("pdf").unwrap();
        let planned = plan(&ground.home, &place, &bases()).unwrap();
        assert_eq!((planned.ready.len(), planned.to_fetch.len()), (1, 0));
        assert_eq!(run(&ground, &place, &[]).done.len(), 1);
        assert_eq!(ground.version(&place, "pdf"), Some(1));
    }
    let place = ground.project();
    ground.write("project/.agents/skills/pdf/SKILL.md", "edited");
    run(&ground, &place, &[]);
    assert_eq!(ground.version(&place, "pdf"), Some(1));
    assert!(plan(&ground.home, &place, &bases()).unwrap().is_empty());
    let kept = Keep::open(&ground.home).unwrap();
    let edited = kept
        .trees()
        .unwrap()
        .into_iter()
        .any(|tree| ground.text(kept.path(&tree).join("SKILL.md")) == "edited");
    assert!(edited, "what was there is kept");
}

#[test]
fn a_fresh_checkout_is_filled_from_the_lock() {
    // P3
    let ground = Ground::new();
    ground.install(&ground.project(), "pdf", 1).unwrap();
    let lock = ground.text("project/skills.lock");
    let other = Ground::new();
    other.write("project/skills.lock", &lock);
    let place = other.project();
    let planned = plan(&other.home, &place, &bases()).unwrap();
    assert_eq!((planned.ready.len(), planned.to_fetch.len()), (0, 1));
    let error = sync(&other.request(&place, &by()), &planned, &[]).unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
    run(&other, &place, &[other.staged("pdf", 1)]);
    assert_eq!(other.version(&place, "pdf"), Some(1));
    assert_eq!(other.text("project/skills.lock"), lock, "the lock is the same file");
}

#[test]
fn only_what_metier_installed_is_pruned() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        let base = place.base(&ground.home);
        Folder::open(&base).unwrap().remove("skills.lock").unwrap();
        Folder::open(&base).unwrap().remove("skills.toml").unwrap();
        skills(&ground, &place).make("mine", 0o755).unwrap();
        let planned = plan(&ground.home, &place, &bases()).unwrap();
        assert_eq!(planned.to_remove, [name("notes"), name("pdf")]);
        run(&ground, &place, &[]);
        assert_eq!(skills(&ground, &place).names().unwrap(), ["mine"]);
        assert!(plan(&ground.home, &place, &bases()).unwrap().is_empty());
    }
}

#[test]
fn what_somebody_changed_is_left_alone() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.write("project/.agents/skills/pdf/SKILL.md", "edited");
    let project = Folder::open(&ground.path().join("project")).unwrap();
    project.remove("skills.lock").unwrap();
    project.remove("skills.toml").unwrap();
    let planned = plan(&ground.home, &place, &bases()).unwrap();
    assert_eq!((planned.to_remove.len(), planned.left_alone), (0, vec![name("pdf")]));
}

#[test]
fn what_is_wanted_stays_when_its_lock_is_lost() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        let base = Folder::open(&place.base(&ground.home)).unwrap();
        let wishes = base.read("skills.toml", 4096).unwrap();
        base.remove("skills.lock").unwrap();
        let planned = plan(&ground.home, &place, &bases()).unwrap();
        assert_eq!((planned.to_remove.len(), planned.left_alone.len()), (0, 0));
        assert_eq!(planned.to_lock.len(), 1, "it is locked anew");
        run(&ground, &place, &[]);
        assert_eq!(ground.version(&place, "pdf"), Some(1));
        assert_eq!(base.read("skills.toml", 4096).unwrap(), wishes);
    }
}

#[test]
fn lock_and_wishes_are_held_against_each_other() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.install(&place, "notes", 1).unwrap();
    ground.write(
        "project/skills.toml",
        "[skills]\npdf = { source = \"x\", ref = \"v2\" }\nnew = \"o/r\"\n",
    );
    let planned = plan(&ground.home, &place, &bases()).unwrap();
    let wanted: Vec<&str> = planned.to_lock.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(wanted, ["new", "pdf"]);
    assert_eq!(planned.unwanted, [name("notes")]);
    assert!(!planned.is_locked());
}

/// What is locked instead of `want`, where `pdf` is locked from `https://git.example/skills` at `main`,
/// from the path `skills/pdf`; empty when it is what is wanted.
fn check_wanted(want: &str, locked: &str, expect: &str) {
    let ground = Ground::new();
    let place = ground.project();
    let mut candidate = ground.candidate("pdf", 1);
    candidate.staged.locked.source = locked.to_owned();
    crate::install(&ground.request(&place, &by()), &[candidate]).unwrap();
    ground.write("project/skills.toml", format!("[skills]\npdf = {want}\n"));
    let project = ground.path().join("project");
    let expect = expect.replace("PROJECT", project.to_str().unwrap());
    let planned = plan(&ground.home, &place, &bases()).unwrap();
    let said: Vec<String> = planned.to_lock.iter().map(ToString::to_string).collect();
    assert_eq!(said.join("\n"), expect, "{want}");
}

#[test]
fn what_is_locked_from_elsewhere_than_wanted_is_noticed_and_said() {
    // P3
    let url = "https://git.example/skills";
    let same = [
        "{ source = \"https://git.example/skills\", path = \"skills/pdf\", ref = \"main\" }",
        "{ source = \"https://GIT.example/skills\", ref = \"main\" }",
        "{ source = \"git+https://git.example/skills//skills/pdf\", ref = \"main\" }",
        "\"https://git.example/skills//skills#main\"",
    ];
    same.into_iter().for_each(|want| check_wanted(want, url, ""));
    let check = |want: &str, expect: &str| {
        check_wanted(want, url, &format!("`pdf` is wanted {expect}"));
    };
    check(
        "{ source = \"https://git.example/good\", path = \"skills/pdf\", ref = \"main\" }",
        "from `https://git.example/good` and locked from `https://git.example/skills`",
    );
    check(
        "{ source = \"https://git.example/skills\", path = \"pdf\", ref = \"main\" }",
        "from the path `pdf` and locked from `skills/pdf`",
    );
    check(
        "{ source = \"https://git.example/skills\", ref = \"v2\" }",
        "at `v2` and locked at `main`",
    );
    check("\"https://git.example/skills\"", "at the newest and locked at `main`");
    check(
        "\"x\"",
        "from `x`, which is no source: `x` is neither `owner/repo` nor a URL; \
         write `./x` for a directory",
    );
}

#[test]
fn a_source_has_many_spellings_and_each_is_known_as_the_same() {
    // P3
    let check = |source: &str, locked: &str, fits: bool| {
        let want = format!("{{ source = \"{source}\", ref = \"main\" }}");
        let expect = format!("`pdf` is wanted from `{source}` and locked from `{locked}`");
        check_wanted(&want, locked, if fits { "" } else { &expect });
    };
    check("archive+https://a.example/pdf.zip", "https://a.example/pdf.zip", true);
    check("https://a.example/pdf.zip", "archive+https://a.example/pdf.zip", true);
    check("https://a.example/pdf.zip", "https://a.example/other.zip", false);
    check("archive+https://a.example/x", "https://a.example/x", false);
    // Where there is no such repository, it is a skill in the owner's collection.
    check("owner/pdf", "https://github.com/owner/pdf", true);
    check("owner/pdf", "https://github.com/owner/skills", true);
    check("owner/pdf", "https://github.com/evil/skills", false);
    check("mcp:team", "mcp:team", true);
    check("mcp:team", "mcp:other", false);
    check("file:///srv/good", "file:///srv/evil", false);
}

#[test]
fn a_relative_path_starts_where_the_wishes_are_written_down() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    let mut candidate = ground.candidate("pdf", 1);
    let source = ground.path().join("project/vendor/pdf");
    candidate.staged.locked.source = source.to_str().unwrap().to_owned();
    crate::install(&ground.request(&place, &by()), &[candidate]).unwrap();
    ground.write(
        "project/skills.toml",
        "[skills]\npdf = { source = \"./vendor/pdf\", ref = \"main\" }",
    );
    assert_eq!(plan(&ground.home, &place, &bases()).unwrap().to_lock, []);
    ground.write(
        "project/skills.toml",
        "[skills]\npdf = { source = \"../vendor/pdf\", ref = \"main\" }",
    );
    assert_eq!(plan(&ground.home, &place, &bases()).unwrap().to_lock.len(), 1);
}
