#![expect(clippy::disallowed_methods, reason = "tests make files")]

use super::*;

fn write(root: &Path, path: &str, text: &str) {
    let full = root.join(path);
    std::fs::create_dir_all(full.parent().unwrap()).unwrap();
    std::fs::write(full, text).unwrap();
}

fn listed(root: &Path) -> Vec<String> {
    let directory = Directory::open(root).unwrap();
    directory.entries().iter().map(|e| String::from_utf8_lossy(&e.path).into_owned()).collect()
}

#[test]
fn what_lies_beside_skills_is_not_looked_at_and_what_lies_in_them_is() {
    // P1
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    for path in [
        "skills/one/SKILL.md",
        "skills/one/.hidden/x",
        "skills/one/node_modules/x",
        "node_modules/x/SKILL.md",
        ".cache/x",
        ".git/config",
        ".claude/skills/two/SKILL.md",
        ".claude-plugin/plugin.json",
        "README.md",
    ] {
        write(root, path, "x");
    }
    let expect = [
        ".claude-plugin/plugin.json",
        ".claude/skills/two/SKILL.md",
        "README.md",
        "skills/one/.hidden/x",
        "skills/one/SKILL.md",
        "skills/one/node_modules/x",
    ];
    assert_eq!(listed(root), expect);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_noticed() {
    // P2
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "SKILL.md", "one");
    let mut directory = Directory::open(place.path()).unwrap();
    write(place.path(), "SKILL.md", "longer");
    let read = directory.read(&[0], &mut |_, _| Ok(()));
    assert!(matches!(read, Err(FetchError::Changed { .. })), "{read:?}");
}

#[test]
fn a_link_that_replaces_a_file_or_a_directory_is_not_followed() {
    // P2
    let place = tempfile::tempdir().unwrap();
    let secret = place.path().join("secret");
    write(place.path(), "secret/x", "secret");
    for (path, swapped) in [("one/x", "one/x"), ("two/dir/x", "two/dir")] {
        let root = place.path().join(path.split('/').next().unwrap());
        write(place.path(), path, "public");
        write(&root, "SKILL.md", "");
        let mut directory = Directory::open(&root).unwrap();
        let swapped = place.path().join(swapped);
        std::fs::rename(&swapped, place.path().join(format!("away-{}", path.len()))).unwrap();
        let target = if path == "one/x" { secret.join("x") } else { secret.clone() };
        std::os::unix::fs::symlink(target, &swapped).unwrap();
        let mut content = Vec::new();
        let read = directory.read(&[1], &mut |_, bytes| {
            content = bytes.to_vec();
            Ok(())
        });
        assert!(matches!(read, Err(FetchError::Io { .. })), "{read:?}");
        assert_eq!(content, b"");
    }
}

#[test]
fn nothing_at_a_path_is_said_and_what_is_no_directory_is_called_what_it_is() {
    // P1, P2, U1
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "SKILL.md", "x");
    let file = place.path().join("SKILL.md");
    let error = Directory::open(&file).unwrap_err();
    let expect = "is a file, and neither a directory nor an archive";
    assert_eq!(error.to_string(), format!("`{}` {expect}", file.display()));
    let error = Directory::open(Path::new("/dev/null")).unwrap_err();
    assert_eq!(error.to_string(), "`/dev/null` is neither a directory nor an archive");
    for nowhere in [place.path().join("none"), file.join("none")] {
        let error = Directory::open(&nowhere).unwrap_err();
        assert!(matches!(error, FetchError::NotFound { .. }), "{error}");
    }
}
