//! One repository in the cache: bare, shallow, without the content nobody asked for. What is asked of
//! it is asked of git; `cache` has its files.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc;

use crate::entry::Entry;
use crate::fetch::{Fetch, FetchError};
use crate::git::cache::{self, Ids};
use crate::git::objects::{self, Batch};
use crate::git::refs::{self, Pointed};
use crate::git::stderr::Failure;
use crate::git::{Command, Failed, Git, Reach};
use crate::hazard::Hazard;
use crate::limits::{
    MAX_LISTING_BYTES, MAX_REFS_BYTES, MAX_SOURCE_ENTRIES, OBJECT_BATCH_BYTES, PROGRESS_INTERVAL,
};
use crate::offer::Take;
use crate::progress::{Step, Tell};
use crate::reference::is_full_id;
use crate::staging;

/// A repository in the cache, held open.
pub(crate) struct Repository<'a> {
    git: Git<'a>,
    url: &'a str,
    tell: Tell<'a>,
    /// Other processes wait until this is closed.
    _turn: File,
}

/// A branch, tag or commit and a path, as they may have been meant.
pub(crate) type Reading = (Option<String>, String);

/// What a reference turned out to be.
pub(crate) struct Resolved {
    pub(crate) pointed: Pointed,
    pub(crate) requested: Option<String>,
    pub(crate) path: String,
}

impl<'a> Repository<'a> {
    /// The repository at `url`, made if it is not in the cache. Waits for other processes that have
    /// it.
    pub(crate) fn open(
        settings: &'a Fetch<'a>,
        url: &'a str,
        tell: Tell<'a>,
    ) -> Result<Self, FetchError> {
        let directory = cache::place(settings.cache, url);
        if settings.offline && !staging::is_there(&directory) {
            return Err(FetchError::Offline { place: url.to_owned() });
        }
        let turn = cache::take(&directory).map_err(|error| FetchError::io(&directory, error))?;
        let git = Git { settings, directory };
        Ok(Self { git, url, tell, _turn: turn })
    }

    /// Throws the content away, so that it is fetched again.
    pub(crate) fn clear(&self) -> Result<(), FetchError> {
        let made = cache::make(&self.git.directory, Ids::Short);
        made.map_err(|error| FetchError::io(&self.git.directory, error))
    }

    /// Which commit the first of these readings is now that is one, as the server says, or as it
    /// said last when offline.
    pub(crate) fn resolve(&self, readings: &[Reading]) -> Result<Resolved, FetchError> {
        let first = readings.first().and_then(|(requested, _)| requested.as_deref());
        let found = |find: &dyn Fn(Option<&str>) -> Option<Pointed>| {
            readings.iter().find_map(|(requested, path)| {
                let pointed = find(requested.as_deref())?;
                let (requested, path) = (requested.clone(), path.clone());
                Some(Resolved { pointed, requested, path })
            })
        };
        if first.is_some_and(is_full_id) {
            return found(&whole_id).ok_or_else(|| self.no_such_ref(first));
        }
        if self.git.settings.offline {
            let last = found(&|requested| cache::remembered(&self.git.directory, requested));
            return last.ok_or_else(|| self.offline());
        }
        self.tell(Step::Resolving { source: self.url });
        let patterns =
            readings.iter().flat_map(|(requested, _)| refs::patterns(requested.as_deref()));
        let listing = self.ask(&patterns.collect::<Vec<_>>())?;
        let mut resolved = found(&|requested| refs::choose(&listing, requested));
        if let (None, Some(start)) = (&resolved, first.filter(|n| refs::is_abbreviation(n))) {
            let all = self.ask(&[])?;
            let short = |name: Option<&str>| name.and_then(|_| refs::abbreviated(&all, start));
            resolved = found(&short);
        }
        let resolved = resolved.ok_or_else(|| self.no_such_ref(first))?;
        let requested = resolved.requested.as_deref();
        cache::remember(&self.git.directory, requested, &resolved.pointed)
            .map_err(|error| FetchError::io(&self.git.directory, error))?;
        Ok(resolved)
    }

    /// Brings the commit and its trees here, unless they are; gives the commit's own id.
    pub(crate) fn bring(&self, pointed: &Pointed) -> Result<String, FetchError> {
        if let Some(commit) = self.has(pointed)? {
            return Ok(commit);
        }
        if self.git.settings.offline {
            return Err(self.offline());
        }
        cache::fit(&self.git.directory, Ids::of(&pointed.object))
            .map_err(|error| FetchError::io(&self.git.directory, error))?;
        self.tell(Step::Fetching { source: self.url });
        let refspec = format!("+{0}:refs/metier/{0}", pointed.object);
        let args = ["--filter=blob:none", "--depth=1", "--end-of-options", "origin", &refspec];
        self.fetch(&args, Vec::new()).map_err(|error| match error {
            FetchError::NoSuchRef { .. } => self.no_such_ref(Some(&pointed.object)),
            other => other,
        })?;
        self.has(pointed)?.ok_or_else(|| self.broken("the commit did not arrive"))
    }

    /// Everything in the commit's tree at `path`, sorted, each with the id of its object.
    pub(crate) fn list(
        &self,
        commit: &str,
        path: &str,
    ) -> Result<Vec<(Entry, String)>, FetchError> {
        let tree =
            if path.is_empty() { format!("{commit}^{{tree}}") } else { format!("{commit}:{path}") };
        match self.check(std::slice::from_ref(&tree))?.first() {
            Some(Some((kind, _))) if kind == "tree" => {}
            _ => {
                let (place, path) = (self.url.to_owned(), path.to_owned());
                return Err(FetchError::NoSuchPath { place, path });
            }
        }
        let args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", &tree];
        let mut command = Command::new(Reach::Cache, &args);
        command.stdout = MAX_LISTING_BYTES;
        let too_many =
            || FetchError::Refused(Hazard::TooMany(MAX_SOURCE_ENTRIES).at(path.as_bytes()));
        let bytes = match self.git.run(command)? {
            Ok(bytes) => bytes,
            Err(Failed { failure: Failure::TooMuch, .. }) => return Err(too_many()),
            Err(failed) => return Err(self.broken(&failed.detail)),
        };
        let entries = objects::listing(&bytes).map_err(|_| self.broken("its tree is not one"))?;
        if entries.len() > MAX_SOURCE_ENTRIES { Err(too_many()) } else { Ok(entries) }
    }

    /// Brings the content of these objects of a commit here, as far as it is not; gives their
    /// sizes.
    pub(crate) fn bring_content(
        &self,
        commit: &str,
        ids: &[String],
    ) -> Result<Vec<u64>, FetchError> {
        let here = self.check(ids)?;
        let pairs = ids.iter().zip(&here);
        let missing: Vec<&str> =
            pairs.filter(|(_, check)| check.is_none()).map(|(id, _)| id.as_str()).collect();
        if missing.is_empty() {
            return Ok(here.into_iter().flatten().map(|(_, size)| size).collect());
        }
        if self.git.settings.offline {
            return Err(self.offline());
        }
        self.tell(Step::Fetching { source: self.url });
        let input = missing.iter().flat_map(|id| [id.as_bytes(), b"\n"]).flatten().copied();
        match self.fetch(&["--filter=blob:none", "--stdin", "origin"], input.collect()) {
            // A server that lets nobody ask for single files gives all of them.
            Err(FetchError::NoSuchRef { .. }) => {
                let refspec = format!("+{commit}:refs/metier/{commit}");
                let all = ["--no-filter", "--refetch", "--depth=1", "--end-of-options", "origin"];
                self.fetch(&[&all[..], &[&refspec]].concat(), Vec::new())?;
            }
            other => drop(other?),
        }
        let sizes = self.check(ids)?.into_iter().map(|check| check.map(|(_, size)| size));
        sizes.collect::<Option<Vec<u64>>>().ok_or_else(|| self.broken("a file did not arrive"))
    }

    /// Reads objects that are here, in batches that fit into memory.
    pub(crate) fn read(&self, wanted: &[(&str, u64)], take: Take<'_>) -> Result<(), FetchError> {
        let mut start = 0;
        while start < wanted.len() {
            let rest = wanted.get(start..).unwrap_or_default();
            let mut bytes = 0u64;
            let fits = rest.iter().take_while(|(_, size)| {
                bytes = bytes.saturating_add(*size);
                bytes <= OBJECT_BATCH_BYTES
            });
            let count = fits.count().max(1);
            let batch = rest.get(..count).unwrap_or_default();
            let ids: Vec<String> = batch.iter().map(|(id, _)| (*id).to_owned()).collect();
            let sizes = batch.iter().map(|(_, size)| size.saturating_add(128));
            let content = self.cat("--batch", &ids, sizes.sum())?;
            let mut objects = Batch(&content);
            for index in start..start + count {
                let object = objects.next().ok_or_else(|| self.broken("a file is missing"))?;
                take(index, object)?;
            }
            start += count;
        }
        Ok(())
    }

    /// Reads one object of any type that is here.
    pub(crate) fn object(&self, id: &str, limit: u64) -> Result<Vec<u8>, FetchError> {
        let content = self.cat("--batch", &[id.to_owned()], limit)?;
        let object = Batch(&content).next().map(<[u8]>::to_vec);
        object.ok_or_else(|| self.broken("an object is missing"))
    }

    pub(crate) fn git(&self) -> &Git<'a> {
        &self.git
    }

    pub(crate) fn tell(&self, step: Step<'_>) {
        (self.tell)(step);
    }

    /// The commit's own id, when it and its tree are here.
    fn has(&self, pointed: &Pointed) -> Result<Option<String>, FetchError> {
        let asked =
            [format!("{}^{{tree}}", pointed.object), format!("{}^{{commit}}", pointed.object)];
        let input = asked.join("\n") + "\n";
        let mut command = Command::new(
            Reach::Cache,
            &["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"],
        );
        command.stdin = input.into_bytes();
        let bytes = self.local(command)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(' ').collect()).collect();
        Ok(match lines.as_slice() {
            [tree, commit] if tree.get(1) == Some(&"tree") && commit.get(1) == Some(&"commit") => {
                commit.first().map(|id| (*id).to_owned())
            }
            _ => None,
        })
    }

    fn check(&self, names: &[String]) -> Result<Vec<Option<(String, u64)>>, FetchError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let room = names.iter().map(|name| name.len() as u64 + 64).sum();
        let checks = objects::checks(&self.cat("--batch-check", names, room)?);
        if checks.len() == names.len() {
            Ok(checks)
        } else {
            Err(self.broken("it does not answer"))
        }
    }

    fn cat(&self, how: &str, names: &[String], room: u64) -> Result<Vec<u8>, FetchError> {
        let mut command = Command::new(Reach::Cache, &["cat-file", how]);
        command.stdin = (names.join("\n") + "\n").into_bytes();
        command.stdout = room;
        self.local(command)
    }

    /// A command that only reads; that it fails means the cache is not as it should be.
    fn local(&self, command: Command<'_>) -> Result<Vec<u8>, FetchError> {
        self.git.run(command)?.map_err(|failed| self.broken(&failed.detail))
    }

    /// Asks the server for its references.
    fn ask(&self, patterns: &[String]) -> Result<Vec<u8>, FetchError> {
        let mut args = vec!["ls-remote", "--quiet", "--end-of-options", self.url];
        args.extend(patterns.iter().map(String::as_str));
        self.remote(&args, Vec::new())
    }

    fn fetch(&self, tail: &[&str], stdin: Vec<u8>) -> Result<Vec<u8>, FetchError> {
        let missing = staging::missing_space(&self.git.directory, 0);
        if let Some(missing) = missing {
            return Err(FetchError::NoSpace { missing, path: self.git.directory.clone() });
        }
        let head = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--no-write-fetch-head",
        ];
        self.remote(&[&head[..], tail].concat(), stdin)
    }

    /// A command that talks to the server, tried again while that may help.
    fn remote(&self, args: &[&str], stdin: Vec<u8>) -> Result<Vec<u8>, FetchError> {
        let retry = self.git.settings.retry;
        let done = retry.persist(self.tell, &|| self.watched(args, stdin.clone()))?;
        done.map_err(|failed| self.error(failed))
    }

    /// One try, during which the size of what arrives is told.
    fn watched(
        &self,
        args: &[&str],
        stdin: Vec<u8>,
    ) -> Result<Result<Vec<u8>, Failed>, FetchError> {
        let protocols = protocols(self.url);
        let mut command = Command::new(Reach::Server(protocols), args);
        command.settings = vec![
            format!("remote.origin.url={}", self.url),
            "remote.origin.promisor=true".to_owned(),
            "remote.origin.partialclonefilter=blob:none".to_owned(),
        ];
        // What is asked for by its id is not negotiated about.
        let negotiation = if stdin.is_empty() { "default" } else { "noop" };
        command.settings.push(format!("fetch.negotiationAlgorithm={negotiation}"));
        if protocols == "ssh" {
            command.settings.extend(self.quiet_ssh()?);
        }
        command.stdin = stdin;
        command.stdout = MAX_REFS_BYTES;
        let packs = self.git.directory.join("objects/pack");
        let before = cache::size_of(&packs);
        let git = &self.git;
        std::thread::scope(|scope| {
            let (done, waiting) = mpsc::channel();
            scope.spawn(move || done.send(git.run(command)));
            loop {
                match waiting.recv_timeout(PROGRESS_INTERVAL) {
                    Ok(result) => return result,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let bytes = cache::size_of(&packs).saturating_sub(before);
                        self.tell(Step::Received { bytes });
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return Err(FetchError::Git { detail: "git was not run".to_owned() });
                    }
                }
            }
        })
    }

    /// Makes ssh ask nobody, if it is ssh that the caller has for this. What else they may have has
    /// no terminal to ask on.
    fn quiet_ssh(&self) -> Result<Option<String>, FetchError> {
        let given = ["GIT_SSH", "GIT_SSH_COMMAND"];
        let environment = self.git.settings.environment;
        if environment.iter().any(|(name, _)| given.iter().any(|given| name == given)) {
            return Ok(None);
        }
        let args = ["config", "--get", "--default=ssh", "core.sshCommand"];
        let set = self.git.run(Command::new(Reach::Server("none"), &args))?;
        let set = set.unwrap_or_else(|_| b"ssh".to_vec());
        let set = String::from_utf8_lossy(&set).trim().to_owned();
        let program = set.split(' ').next().unwrap_or_default();
        let is_ssh = program.rsplit('/').next() == Some("ssh");
        Ok(is_ssh.then(|| format!("core.sshCommand={set} -o BatchMode=yes")))
    }

    fn error(&self, failed: Failed) -> FetchError {
        meaning(failed, self.url, &self.git.directory)
    }

    fn broken(&self, detail: &str) -> FetchError {
        broken(&self.git.directory, detail)
    }

    fn offline(&self) -> FetchError {
        FetchError::Offline { place: self.url.to_owned() }
    }

    fn no_such_ref(&self, requested: Option<&str>) -> FetchError {
        let requested = requested.unwrap_or("HEAD").to_owned();
        FetchError::NoSuchRef { place: self.url.to_owned(), requested }
    }
}

/// A whole id stands for itself.
fn whole_id(requested: Option<&str>) -> Option<Pointed> {
    let id = requested.filter(|name| is_full_id(name))?;
    Some(Pointed { object: id.to_owned(), commit: id.to_owned() })
}

/// What a failure is to whoever asked.
pub(crate) fn meaning(failed: Failed, url: &str, directory: &Path) -> FetchError {
    let Failed { failure, detail } = failed;
    let place = url.to_owned();
    match failure {
        Failure::Authentication => FetchError::Authentication { place, detail },
        Failure::NotFound => FetchError::NotFound { place },
        Failure::NoSuchRef => FetchError::NoSuchRef { place, requested: detail },
        Failure::RateLimited => FetchError::RateLimited { place },
        Failure::Transient => FetchError::Unreachable { place, detail },
        Failure::Untrusted => FetchError::Untrusted { place, detail },
        Failure::NoSpace => FetchError::NoSpace { missing: 0, path: directory.to_owned() },
        Failure::Corrupt => broken(directory, &detail),
        Failure::Refused => FetchError::Refused(Hazard::RefusedByGit(detail).at(b".")),
        Failure::TimedOut => FetchError::TimedOut { place },
        Failure::TooMuch | Failure::Other => FetchError::Git { detail },
    }
}

fn broken(directory: &Path, detail: &str) -> FetchError {
    FetchError::Cache { path: directory.to_owned(), detail: detail.to_owned() }
}

/// The ways of transport git may use for a URL. What the caller's own settings make of an address
/// (`insteadOf`) may be ssh.
fn protocols(url: &str) -> &'static str {
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("file") => "file",
        Some("http") => "http:https:ssh",
        Some("https") => "https:ssh",
        _ => "ssh",
    }
}

#[cfg(test)]
#[path = "repository_tests.rs"]
mod tests;
