use super::*;
use crate::fixture::Ground;

fn marked(files: &[(&str, &str)]) -> Told {
    let ground = Ground::new();
    for (path, text) in files {
        ground.write(&format!("pdf/{path}"), text);
    }
    let folder = Folder::open(&ground.path().join("pdf")).unwrap();
    marker(&folder, "pdf").1
}

fn check_claim(files: &[(&str, &str)], tool: Tool, expect: [&str; 3]) {
    let Told::Claim(by, claim) = marked(files) else { panic!("{files:?}") };
    assert_eq!(by, tool);
    let requested = claim.requested.as_deref().unwrap_or_default();
    assert_eq!([claim.source.as_str(), claim.path.as_str(), requested], expect);
}

fn check_lock(text: &str, expect: Result<&[[&str; 4]], ProblemCode>) {
    let ground = Ground::new();
    let path = ground.write("project/skills-lock.json", text);
    let read = read_lock(&path);
    match (read, expect) {
        (Ok(claims), Ok(expect)) => {
            let shown: Vec<_> = claims
                .iter()
                .map(|(name, c)| {
                    [name.as_str(), &c.source, &c.path, c.requested.as_deref().unwrap_or_default()]
                })
                .collect();
            assert_eq!(shown, expect, "{text}");
        }
        (Err((code, reason)), Err(expect)) => assert_eq!(code, expect, "{text}: {reason}"),
        (read, _) => panic!("{text}: {read:?}"),
    }
}

#[test]
fn what_other_tools_write_into_lock_files_is_read() {
    // P7
    check_lock(
        r#"{"version": 1, "skills": {
            "pdf": {"source": "o/r", "sourceType": "github", "skillPath": "skills/pdf/SKILL.md",
                    "computedHash": "x"},
            "notes": {"source": "o/r", "sourceUrl": "https://git.example/o/r.git", "ref": "v1",
                      "skillPath": "SKILL.md"}}}"#,
        Ok(&[["notes", "https://git.example/o/r.git", "", "v1"], ["pdf", "o/r", "skills/pdf", ""]]),
    );
    check_lock(
        r#"{"version": 3, "skills": {"pdf": {"source": "o/r", "ref": "main", "pinnedRef": "v2",
            "skillPath": "./a/pdf/"}}, "dismissed": {}}"#,
        Ok(&[["pdf", "o/r", "a/pdf", "v2"]]),
    );
    check_lock(r#"{"version": 1, "skills": {"pdf": 7}}"#, Ok(&[["pdf", "", "", ""]]));
}

#[test]
fn lock_files_that_cannot_be_used_are_said_to_be_so() {
    // P7, F4
    check_lock("", Err(ProblemCode::RecordUnreadable));
    check_lock("{", Err(ProblemCode::RecordUnreadable));
    check_lock("[]", Err(ProblemCode::RecordVersion));
    check_lock(r#"{"version": 2, "skills": {}}"#, Err(ProblemCode::RecordVersion));
    check_lock(r#"{"version": 1, "skills": []}"#, Err(ProblemCode::RecordUnreadable));
    check_lock(&"[".repeat(100_000), Err(ProblemCode::RecordUnreadable));
    let large = format!("{{\"version\": 1, \"x\": \"{}\"}}", "x".repeat(5 << 20));
    check_lock(&large, Err(ProblemCode::RecordUnreadable));
}

#[test]
fn what_a_skill_says_of_itself_is_read() {
    // P7
    check_claim(
        &[(
            ".openskills.json",
            r#"{"source": "o/r", "sourceType": "git", "repoUrl": "https://git.example/o/r",
                "subpath": "skills/pdf"}"#,
        )],
        Tool::Openskills,
        ["https://git.example/o/r", "skills/pdf", ""],
    );
    check_claim(
        &[(
            ".openskills.json",
            r#"{"sourceType": "local", "localPath": "/x/pdf", "subpath": "y"}"#,
        )],
        Tool::Openskills,
        ["/x/pdf", "", ""],
    );
    let manifest = "---\nname: pdf\ndescription: Does it.\nmetadata:\n  github-repo: o/r\n  \
         github-ref: refs/tags/v3\n  github-path: skills/pdf\n  github-tree-sha: abc\n---\n";
    check_claim(&[("SKILL.md", manifest)], Tool::Gh, ["o/r", "skills/pdf", "v3"]);
    let pinned = manifest.replace("github-tree-sha: abc", "github-pinned: v2");
    check_claim(&[("SKILL.md", &pinned)], Tool::Gh, ["o/r", "skills/pdf", "v2"]);
}

#[test]
fn a_skill_that_says_nothing_is_nobodys() {
    // P7
    let plain = "---\nname: pdf\ndescription: Does it.\n---\n";
    assert!(matches!(marked(&[("SKILL.md", plain)]), Told::Nothing));
    assert!(matches!(marked(&[("SKILL.md", "no manifest")]), Told::Nothing));
    assert!(matches!(marked(&[("other", "")]), Told::Nothing));
    for text in ["{", "[]", "7"] {
        let told = marked(&[(".openskills.json", text)]);
        assert!(matches!(told, Told::Problem(ProblemCode::RecordUnreadable, _)), "{text}");
    }
}
