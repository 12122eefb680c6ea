#![expect(clippy::disallowed_methods, reason = "tests make directories and links")]

use std::os::unix::fs::symlink;

use metier_policy::{HostTable, Place, Policy, Profile, ToolCall};
use metier_store::discover::ScanLimits;
use metier_store::{FileStore, Layer, Store as _};

use super::*;

/// A directory of skills `one`, `two` and `far`, which a link leads to, and one `deep/three`.
struct World {
    directory: tempfile::TempDir,
    discovery: Discovery,
}

impl World {
    fn new(linked: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        for skill in ["skills/one", "skills/two", "skills/deep/three", "elsewhere/real"] {
            std::fs::create_dir_all(at(skill)).unwrap();
            let name = skill.rsplit('/').next().unwrap();
            let text = format!("---\nname: {name}\ndescription: It. Use it.\n---\nIt.\n");
            std::fs::write(at(skill).join("SKILL.md"), text).unwrap();
        }
        if linked {
            symlink("../elsewhere/real", at("skills/far")).unwrap();
        }
        symlink("skills", at("way")).unwrap();
        let root = Root::given(Layer::Personal, at("way"));
        let discovery = FileStore::new(vec![root]).discover(&ScanLimits::default());
        assert_eq!(discovery.stats.links > 0, linked);
        Self { directory, discovery }
    }

    fn read(&self, command: &str) -> Vec<String> {
        let command = command.replace("W", self.directory.path().to_str().unwrap());
        let call = ToolCall::new("Bash", serde_json::json!({"command": command}));
        let place = Place { resolver: &Disk, ..Place::lexical(self.directory.path()) };
        let host = HostTable::named("codex").unwrap();
        let survey = Policy::profile(Profile::Default).survey(&call, host, &place);
        let names = About::read(&survey).names(&self.discovery);
        names.iter().map(|name| name.as_str().to_owned()).collect()
    }
}

#[test]
fn a_command_is_about_the_skills_it_may_read() {
    // U5, N1
    for linked in [false, true] {
        let world = World::new(linked);
        let check = |command: &str, expect: &[&str]| {
            assert_eq!(world.read(command), expect, "{command}, linked: {linked}");
        };
        check("cat W/way/one/SKILL.md", &["one"]);
        check("cat W/skills/one/SKILL.md", &["one"]);
        check("cat W/skills/deep/three/SKILL.md W/way/two/SKILL.md", &["three", "two"]);
        check("cat W/skills/one/notes.md", &[]);
        check("cat W/nothing/SKILL.md", &[]);
        check("grep -r x W/skills/two", &["two"]);
        check("cat W/way/t*/SKILL.md", &["two"]);
        check("ls W", &[]);
    }
}

#[test]
fn a_skill_behind_a_link_is_read_by_both_ways() {
    // U5
    let world = World::new(true);
    for command in
        ["cat W/way/far/SKILL.md", "cat W/elsewhere/real/SKILL.md", "cat W/elsewhere/r*/SKILL.md"]
    {
        assert_eq!(world.read(command), ["real"], "{command}");
    }
}
