//! Commits and tags signed with real keys.

use std::path::{Path, PathBuf};
use std::process::Command;

use metier_package::Signature;
use metier_testing::GitServer;

use crate::fetching::SKILL;
use crate::place::Place;

/// A new key; gives its file and the line others know it by.
fn key(place: &Place, name: &str) -> (PathBuf, String) {
    let path = place.path().join(name);
    let args = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"];
    assert!(Command::new("ssh-keygen").args(args).arg(&path).status().unwrap().success());
    let public = std::fs::read_to_string(path.with_extension("pub")).unwrap();
    (path, format!("test@example.org {public}"))
}

fn sign(repo: &metier_testing::RepoBuilder, key: &Path, args: &[&str]) -> String {
    let key = format!("user.signingkey={}", key.display());
    repo.git(&[&["-c", "gpg.format=ssh", "-c", &key], args].concat(), b"")
}

#[test]
fn a_signature_is_good_unknown_bad_or_not_there() {
    // P4
    let server = GitServer::start();
    let mut place = Place::new();
    let (mine, line) = key(&place, "mine");
    let plain = server.repo("owner/name").file("SKILL.md", SKILL).commit("first");
    let repo = server.repo("owner/name");
    let tree = format!("{plain}^{{tree}}");
    let signed = sign(&repo, &mine, &["commit-tree", "-S", &tree, "-m", "signed"]);
    let text = repo.git(&["cat-file", "commit", &signed], b"") + "\n";
    let forged = text.replace("\n\nsigned", "\n\nforged");
    let forged = repo.git(&["hash-object", "-t", "commit", "-w", "--stdin"], forged.as_bytes());
    let _ = sign(&repo, &mine, &["tag", "-s", "v1", "-m", "one", &plain]);
    for (branch, commit) in [("signed", &signed), ("forged", &forged)] {
        let _ = repo.git(&["update-ref", &format!("refs/heads/{branch}"), commit], b"");
    }
    let url = server.url("owner/name");
    let of = |place: &Place, name: &str| {
        place.fetch(&format!("{url}#{name}")).unwrap().skills[0].locked.signature.clone()
    };
    let all = |place: &Place| ["main", "signed", "forged", "v1"].map(|name| of(place, name));
    let [none, unknown, forged, tag] = all(&place);
    assert_eq!(none, Signature::None);
    let Signature::Unknown { signer } = unknown else { panic!("{unknown:?}") };
    assert!(signer.starts_with("SHA256:"), "{signer}");
    assert_eq!(forged, Signature::Bad);
    assert!(matches!(tag, Signature::Unknown { .. }), "{tag:?}");
    place.signers = Some(place.write("signers", &line));
    let good = Signature::Good { signer: signer.clone() };
    assert_eq!(all(&place), [Signature::None, good.clone(), Signature::Bad, good]);
    let (_, other) = key(&place, "other");
    place.write("signers", other);
    let [_, unknown, forged, _] = all(&place);
    assert_eq!((unknown, forged), (Signature::Unknown { signer }, Signature::Bad));
}

#[test]
fn a_gnupg_signature_is_verified_with_the_callers_keyring() {
    // P4
    let server = GitServer::start();
    let mut place = Place::new();
    let ring = place.path().join("ring");
    std::fs::create_dir(&ring).unwrap();
    std::fs::set_permissions(&ring, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let gpg = |program: &str, args: &[&str]| {
        Command::new(program).env("GNUPGHOME", &ring).args(args).output()
    };
    let user = "Test <test@example.org>";
    let make = ["--batch", "--quiet", "--passphrase", "", "--quick-generate-key", user, "ed25519"];
    if !gpg("gpg", &make).is_ok_and(|output| output.status.success()) {
        println!("there is no gpg here; the status lines are tested beside the code");
        return;
    }
    let plain = server.repo("owner/name").file("SKILL.md", SKILL).commit("first");
    let text = format!(
        "tree {}\nauthor {user} 1700000000 +0000\ncommitter {user} 1700000000 +0000\n",
        server.repo("owner/name").git(&["rev-parse", &format!("{plain}^{{tree}}")], b"")
    );
    let body = place.write("body", format!("{text}\nsigned\n"));
    let output = gpg("gpg", &["--batch", "-bsa", "-o", "-", body.to_str().unwrap()]).unwrap();
    let _ = gpg("gpgconf", &["--kill", "all"]);
    let signature = String::from_utf8(output.stdout).unwrap().trim_end().replace('\n', "\n ");
    let signed = format!("{text}gpgsig {signature}\n\nsigned\n");
    let repo = server.repo("owner/name");
    let commit = repo.git(&["hash-object", "-t", "commit", "-w", "--stdin"], signed.as_bytes());
    let _ = repo.git(&["update-ref", "refs/heads/main", &commit], b"");
    let of = |place: &Place| {
        let fetched = place.fetch(&server.url("owner/name")).unwrap();
        fetched.skills[0].locked.signature.clone()
    };
    assert!(matches!(of(&place), Signature::Unknown { .. }), "{:?}", of(&place));
    place.environment.push(("GNUPGHOME".into(), ring.clone().into()));
    assert!(matches!(of(&place), Signature::Good { .. }), "{:?}", of(&place));
    let _ = gpg("gpgconf", &["--kill", "all"]);
}
