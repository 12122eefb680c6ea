//! Skills by the thousand, the same every time.

use std::fmt::Write as _;
use std::path::Path;

/// How generated skills lie on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `root/NAME/SKILL.md`.
    Flat,
    /// `root/GROUP/SUB/NAME/SKILL.md`, sixteen groups of sixteen.
    Nested,
}

const VERBS: &[&str] = &["sort", "merge", "check", "draft", "trim", "map", "split", "rank"];
const THINGS: &[&str] = &["ledger", "atlas", "recipe", "timetable", "poster", "census", "score"];
const TOOLS: &[&str] = &["Read", "Write", "Bash(git:*)", "Bash(jq:*)", "Grep", "Glob"];

/// Writes `count` skills below `root`. Skill `i` depends on `i` alone, so a larger tree contains a
/// smaller one byte for byte. About 400 bytes of frontmatter and 3 KB a file.
pub fn generate_skills(root: &Path, count: usize, layout: Layout) {
    for index in 0..count {
        let name = format!(
            "{}-{}-{index:05}",
            VERBS[index % VERBS.len()],
            THINGS[(index / 3) % THINGS.len()]
        );
        let parent = match layout {
            Layout::Flat => root.to_owned(),
            Layout::Nested => root
                .join(format!("group-{:02}", index % 16))
                .join(format!("sub-{:02}", index / 16 % 16)),
        };
        let directory = parent.join(&name);
        std::fs::create_dir_all(&directory).expect("skill directory");
        std::fs::write(directory.join("SKILL.md"), skill_text(&name, index)).expect("skill file");
    }
}

fn skill_text(name: &str, index: usize) -> String {
    let verb = VERBS[index % VERBS.len()];
    let thing = THINGS[(index / 3) % THINGS.len()];
    let mut text = format!(
        "---\nname: {name}\ndescription: How to {verb} a {thing} the way number {index} of this \
         set wants it, with the checks that belong to it. Use when somebody asks to {verb} a \
         {thing} or hands one over that nobody has looked at yet.\nlicense: MIT\nallowed-tools: \
         {} {}\nmetadata:\n  author: generated\n  version: \"{}.{}\"\n---\n\n# {name}\n\n",
        TOOLS[index % TOOLS.len()],
        TOOLS[(index + 2) % TOOLS.len()],
        index % 7,
        index % 11,
    );
    let mut line = 0;
    while text.len() < 3000 {
        line += 1;
        let _ = writeln!(text, "{line}. Look at the {thing} once more before you {verb} it.");
    }
    text
}
