use super::*;
use crate::fixture::Ground;
use crate::keep::read_tree;

#[test]
fn digests_are_what_everybody_gets() {
    // P7
    let check = |bytes: &[u8], expect: &str| assert_eq!(hex(&sha1(bytes)), expect);
    check(b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check(b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    check(
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
    );
    check(&vec![b'a'; 1_000_000], "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    assert_eq!(hex(&object("tree", b"")), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

#[test]
fn a_directory_has_the_name_git_gives_it() {
    // P7
    let ground = Ground::new();
    let staged = ground.staged("pdf", 1);
    ground.write("fetched/1/pdf/a-b", "x");
    ground.write("fetched/1/pdf/a/b", "x");
    rustix::fs::symlink("SKILL.md", staged.directory.join("link")).unwrap();
    let tree = read_tree(&staged.directory).unwrap();
    let named = name(&Folder::open(&staged.directory).unwrap(), &tree).unwrap();
    #[expect(clippy::disallowed_methods, reason = "git itself is asked")]
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git")
            .args(args)
            .current_dir(&staged.directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    assert_eq!(named, git(&["write-tree"]).trim());
}
