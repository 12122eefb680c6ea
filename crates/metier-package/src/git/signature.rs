//! Who signed a commit or the tag that led to it. Git itself verifies, against the keys the caller
//! knows; here its answer is read.

use metier_sandbox::Status;

use crate::fetch::FetchError;
use crate::git::repository::Repository;
use crate::git::{Command, Reach};
use crate::progress::Step;
use crate::source::Signature;

/// Bytes of a commit or tag that are looked at for a signature. Messages are short.
const MAX_OBJECT_BYTES: u64 = 1 << 20;

/// What is known of the signature of `object`, which is the commit or a tag of it. A signed tag is
/// asked first: it is what somebody chose to sign for others.
pub(crate) fn of(
    repository: &Repository<'_>,
    object: &str,
    commit: &str,
) -> Result<Signature, FetchError> {
    let mut asked = vec![("verify-commit", commit)];
    if object != commit {
        asked.insert(0, ("verify-tag", object));
    }
    for (verb, id) in asked {
        let Ok(content) = repository.object(id, MAX_OBJECT_BYTES) else { continue };
        match kind(&content) {
            Some(kind) => return verify(repository, verb, id, kind),
            None => continue,
        }
    }
    Ok(Signature::None)
}

/// How something is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ssh,
    Pgp,
    Other,
}

/// How this commit or tag is signed, if it is.
fn kind(content: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(content);
    let begins = |line: &str| line.starts_with("gpgsig") || line.starts_with("-----BEGIN ");
    let line = text.lines().find(|line| begins(line))?;
    let marks = [("SSH SIGNATURE", Kind::Ssh), ("PGP SIGNATURE", Kind::Pgp)];
    let found = marks.iter().find(|(mark, _)| line.contains(mark));
    match (found, line.contains("SIGN")) {
        (Some((_, kind)), _) => Some(*kind),
        (None, true) => Some(Kind::Other),
        (None, false) => None,
    }
}

fn verify(
    repository: &Repository<'_>,
    verb: &str,
    id: &str,
    kind: Kind,
) -> Result<Signature, FetchError> {
    repository.tell(Step::Verifying { what: id });
    let git = repository.git();
    let nobody = std::path::Path::new("/dev/null");
    let signers = git.settings.signers.unwrap_or(nobody);
    let reach = match (kind, git.settings.signers) {
        (Kind::Ssh, Some(file)) => Reach::CacheAnd(file),
        (Kind::Ssh, None) => Reach::Cache,
        (Kind::Pgp, _) => Reach::Keyring,
        (Kind::Other, _) => return Ok(Signature::Unknown { signer: String::new() }),
    };
    let mut command = Command::new(reach, &[verb, "--raw", id]);
    let file = signers.to_string_lossy();
    command.settings = vec![format!("gpg.ssh.allowedSignersFile={file}")];
    let outcome = git.outcome(command)?;
    if outcome.status == Status::Cancelled {
        return Err(FetchError::Interrupted);
    }
    let said = String::from_utf8_lossy(&outcome.stderr.bytes);
    Ok(match kind {
        Kind::Pgp => pgp(&said),
        Kind::Ssh | Kind::Other => ssh(&said),
    })
}

/// What `ssh-keygen -Y verify` said, as git passes it on.
fn ssh(said: &str) -> Signature {
    let key = said.split_whitespace().find(|word| word.starts_with("SHA256:"));
    let signer = key.unwrap_or_default().to_owned();
    let wrong = ["Could not verify signature", "Signature verification failed"];
    if wrong.iter().any(|words| said.contains(words)) {
        Signature::Bad
    } else if said.contains("Good \"git\" signature for ") {
        Signature::Good { signer }
    } else {
        Signature::Unknown { signer }
    }
}

/// What GnuPG said in its status lines. A good signature by a key that ran out or was taken back is
/// no good one.
fn pgp(said: &str) -> Signature {
    let word = |mark: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("[GNUPG:] {mark} ")))?;
        line.split_whitespace().next().map(str::to_owned)
    };
    let whole = word("VALIDSIG");
    if word("BADSIG").is_some() || word("REVKEYSIG").is_some() {
        return Signature::Bad;
    }
    match (word("GOODSIG"), whole) {
        (Some(_), Some(signer)) => Signature::Good { signer },
        (_, signer) => {
            let signer = signer.or_else(|| word("ERRSIG")).or_else(|| word("EXPKEYSIG"));
            Signature::Unknown { signer: signer.unwrap_or_default() }
        }
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
