//! One repository in the cache: bare, shallow, without the content nobody asked for. Made by us, held
//! by one process at a time, thrown away and made again when anything about it is not as it should be.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the cache's own files are made, remembered and thrown away"
)]

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use metier_store::digest::{hex, sha256};

use crate::entry::Entry;
use crate::fetch::{Fetch, FetchError};
use crate::git::objects::{self, Batch};
use crate::git::refs::{self, Pointed};
use crate::git::stderr::Failure;
use crate::git::{Command, Failed, Git, Reach};
use crate::hazard::Hazard;
use crate::limits::{
    MAX_LISTING_BYTES, MAX_REFS_BYTES, MAX_SOURCE_ENTRIES, OBJECT_BATCH_BYTES, PROGRESS_INTERVAL,
};
use crate::offer::Take;
use crate::progress::{Progress, Step};
use crate::reference::is_full_id;
use crate::staging;

/// A repository in the cache, held open.
pub(crate) struct Repository<'a> {
    git: Git<'a>,
    url: &'a str,
    progress: RefCell<&'a mut dyn Progress>,
    /// Other processes wait until this is closed.
    _turn: File,
}

impl<'a> Repository<'a> {
    /// The repository at `url`, made if it is not in the cache. Waits for other processes that have
    /// it.
    pub(crate) fn open(
        settings: &'a Fetch<'a>,
        url: &'a str,
        progress: &'a mut dyn Progress,
    ) -> Result<Self, FetchError> {
        let place = settings.cache.join("git");
        let key: String = hex(&sha256(url.as_bytes())).chars().take(32).collect();
        let directory = place.join(format!("{key}.git"));
        if settings.offline && !directory.is_dir() {
            return Err(FetchError::Offline { place: url.to_owned() });
        }
        staging::make_directories(&place).map_err(|error| FetchError::io(&place, error))?;
        let lock = place.join(format!("{key}.lock"));
        let turn = take_turn(&lock).map_err(|error| FetchError::io(&lock, error))?;
        let git = Git { settings, directory };
        let this = Self { git, url, progress: RefCell::new(progress), _turn: turn };
        this.tidy().map_err(|error| FetchError::io(&this.git.directory, error))?;
        Ok(this)
    }

    /// Throws the content away, so that it is fetched again.
    pub(crate) fn clear(&self) -> Result<(), FetchError> {
        let failed = |error| FetchError::io(&self.git.directory, error);
        staging::remove(&self.git.directory).map_err(failed)?;
        make(&self.git.directory, "").map_err(failed)
    }

    /// Which commit `requested` is now, as the server says, or as it said last when offline.
    pub(crate) fn resolve(&self, requested: Option<&str>) -> Result<Pointed, FetchError> {
        if let Some(id) = requested.filter(|name| is_full_id(name)) {
            return Ok(Pointed { object: id.to_owned(), commit: id.to_owned() });
        }
        if self.git.settings.offline {
            return self.remembered(requested).ok_or_else(|| self.offline());
        }
        self.tell(Step::Resolving { source: self.url });
        let listing = self.ask(&refs::patterns(requested))?;
        let mut pointed = refs::choose(&listing, requested);
        if let (None, Some(start)) = (&pointed, requested.filter(|n| refs::is_abbreviation(n))) {
            pointed = refs::abbreviated(&self.ask(&[])?, start);
        }
        let pointed = pointed.ok_or_else(|| self.no_such_ref(requested))?;
        self.remember(requested, &pointed)?;
        Ok(pointed)
    }

    /// Brings the commit and its trees here, unless they are; gives the commit's own id.
    pub(crate) fn bring(&self, pointed: &Pointed) -> Result<String, FetchError> {
        if let Some(commit) = self.has(pointed)? {
            return Ok(commit);
        }
        if self.git.settings.offline {
            return Err(self.offline());
        }
        self.fit_format(&pointed.object)?;
        self.tell(Step::Fetching { source: self.url });
        let refspec = format!("+{0}:refs/metier/{0}", pointed.object);
        self.fetch(&["--depth=1", "--end-of-options", "origin", &refspec], Vec::new())?;
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

    /// Brings the content of these objects here, as far as it is not; gives their sizes.
    pub(crate) fn bring_content(&self, ids: &[String]) -> Result<Vec<u64>, FetchError> {
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
        self.fetch(&["--stdin", "origin"], input.collect())?;
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
        self.progress.borrow_mut().step(step);
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
            "--filter=blob:none",
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
        let mut delays = retry.delays.iter();
        loop {
            let failed = match self.watched(args, stdin.clone())? {
                Ok(bytes) => return Ok(bytes),
                Err(failed) => failed,
            };
            let passes = matches!(failed.failure, Failure::Transient | Failure::RateLimited);
            match delays.next().filter(|_| passes) {
                Some(delay) => {
                    self.tell(Step::Retrying { reason: &failed.detail, after: *delay });
                    (retry.sleep)(*delay);
                }
                None => return Err(self.error(failed)),
            }
        }
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
        let before = size_of(&packs);
        let git = &self.git;
        std::thread::scope(|scope| {
            let (done, waiting) = mpsc::channel();
            scope.spawn(move || done.send(git.run(command)));
            loop {
                match waiting.recv_timeout(PROGRESS_INTERVAL) {
                    Ok(result) => return result,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let bytes = size_of(&packs).saturating_sub(before);
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

    /// Makes the repository anew when the server's ids have another length than those here.
    fn fit_format(&self, id: &str) -> Result<(), FetchError> {
        let wanted = if id.len() == 64 { SHA256 } else { "" };
        let config = self.git.directory.join("config");
        let failed = |error| FetchError::io(&config, error);
        let has = fs::read_to_string(&config).map_err(failed)?.contains("sha256");
        if has != wanted.is_empty() {
            return Ok(());
        }
        staging::remove(&self.git.directory).map_err(failed)?;
        make(&self.git.directory, wanted).map_err(failed)
    }

    /// Removes what a git that was killed left behind, and makes what is missing. We hold the turn,
    /// so no other git is at work here.
    fn tidy(&self) -> io::Result<()> {
        let at = &self.git.directory;
        if !at.join("HEAD").is_file() || !at.join("config").is_file() {
            staging::remove(at)?;
            return make(at, "");
        }
        let left = |name: &str| name.ends_with(".lock") || name.starts_with("tmp_");
        for place in [at.clone(), at.join("refs/metier"), at.join("objects/pack")] {
            let Ok(entries) = fs::read_dir(&place) else { continue };
            for entry in entries.flatten() {
                if left(&entry.file_name().to_string_lossy()) {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// What the server said last about `requested`.
    fn remembered(&self, requested: Option<&str>) -> Option<Pointed> {
        let text = fs::read_to_string(self.memory(requested)).ok()?;
        let (object, commit) = text.trim().split_once(' ')?;
        let whole = is_full_id(object) && is_full_id(commit);
        whole.then(|| Pointed { object: object.to_owned(), commit: commit.to_owned() })
    }

    fn remember(&self, requested: Option<&str>, pointed: &Pointed) -> Result<(), FetchError> {
        let path = self.memory(requested);
        let text = format!("{} {}\n", pointed.object, pointed.commit);
        let failed = |error| FetchError::io(&path, error);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let new = path.with_extension("new");
        fs::create_dir_all(self.git.directory.join("asked")).map_err(failed)?;
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(failed)
    }

    fn memory(&self, requested: Option<&str>) -> PathBuf {
        let key = hex(&sha256(requested.unwrap_or("HEAD").as_bytes()));
        self.git.directory.join("asked").join(key)
    }
}

/// What a failure is to whoever asked.
fn meaning(failed: Failed, url: &str, directory: &Path) -> FetchError {
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

const SHA256: &str = "[extensions]\n\tobjectformat = sha256\n";

/// An empty bare repository, there whole or not at all.
fn make(directory: &Path, extensions: &str) -> io::Result<()> {
    let new = directory.with_extension("new");
    staging::remove(&new)?;
    for part in ["objects/pack", "objects/info", "refs/metier"] {
        fs::create_dir_all(new.join(part))?;
    }
    let version = if extensions.is_empty() { 0 } else { 1 };
    let config =
        format!("[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extensions}");
    fs::write(new.join("config"), config)?;
    fs::write(new.join("HEAD"), "ref: refs/heads/none\n")?;
    fs::rename(&new, directory)
}

/// Waits until no other process holds the file at `path`. The system gives it back when its holder
/// ends, however that happens.
fn take_turn(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.lock()?;
    Ok(file)
}

fn size_of(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
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
