//! The skills offered to other machines: a list at the well-known address with a digest for each, and
//! each as an archive. What is not trusted here is not offered, nor what is not as it was approved, nor
//! what every metier has itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use metier_format::parse_frontmatter;
use metier_format::text::visible;
use metier_package::archive::{Packed, pack};
use metier_package::index::SCHEMA;
use metier_store::catalog::Visibility;
use metier_store::digest::{Tree, TreeKind, hex, sha256};
use metier_store::store::{FileStamp, Location, ReadError};
use metier_store::vouch::{Depth, Standing, Vouched};
use metier_store::{Catalog, Entry, Layer, Store};
use serde_json::{Value, json};
use tokio::sync::Mutex as AsyncMutex;

use super::problem::Problem;
use super::routes::Api;
use crate::aside::aside;
use crate::limits::{MAX_OFFERED, MAX_SKILL_BYTES, MAX_SKILL_FILES, SHELF_TIME};
use crate::turns::Turn;
use crate::who::Who;

/// Where the archives are.
pub(super) const ARCHIVES: &str = "/.well-known/agent-skills/{file}";

/// What an archive is called after the skill's name.
const ENDING: &str = ".tar.gz";

/// What a skill's own file is called.
const SKILL: &str = "SKILL.md";

/// Why a link is not in an archive.
const LEAVES: &str = "it is a link that leaves the skill";

/// The list each client gets, kept for a short while: making it reads every file of every skill.
#[derive(Default)]
pub(super) struct Shelf(Mutex<BTreeMap<Who, Arc<Spot>>>);

/// The place of one client's list. Whoever holds it makes the list; whoever waits for it gets that one.
type Spot = AsyncMutex<Option<Kept>>;

#[derive(Clone)]
struct Kept {
    made: Duration,
    /// What it was made of: where a file is gone or another by now, so is its archive.
    marks: Arc<[Mark]>,
    text: Arc<str>,
    version: String,
}

impl Kept {
    /// Whether it is not old, and of the skills as they are.
    fn is_fresh(&self, api: &Api) -> bool {
        let store = api.host.index().store();
        api.host.now().saturating_sub(self.made) < SHELF_TIME
            && self.marks.iter().all(|mark| mark.still_holds(store.as_ref()))
    }
}

/// A file or directory of a skill as it was when it was packed.
struct Mark {
    at: Location,
    path: String,
    stamp: Option<FileStamp>,
}

impl Mark {
    fn of(store: &dyn Store, at: &Location, path: &str) -> Self {
        let stamp = store.stamp(at, path);
        Self { at: at.clone(), path: path.to_owned(), stamp }
    }

    fn still_holds(&self, store: &dyn Store) -> bool {
        store.stamp(&self.at, &self.path) == self.stamp
    }
}

/// `GET /.well-known/agent-skills/index.json`.
pub(super) async fn index(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let kept = kept(&api, who.clone()).await?;
    let answer = api.answers.keep(&who, kept.text.as_bytes().to_vec()).await?;
    Ok(document(&headers, "application/json", &kept.version, answer))
}

/// `GET /.well-known/agent-skills/NAME.tar.gz`.
pub(super) async fn archive(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let missing = || Problem::not_found("no such skill is offered");
    let name = file.strip_suffix(ENDING).ok_or_else(missing)?.to_owned();
    let asker = who.clone();
    let packed = looking(&api, &asker, move |api| {
        let catalog = api.host.catalog(&who);
        let meant = |entry: &&Entry| entry.name().as_str() == name && is_standard(entry);
        let entry = offered(&catalog).find(meant)?;
        packed(api, entry).ok().map(|parcel| parcel.bytes)
    });
    // The turn is kept until there is room: no more archives wait for it than are made at once.
    let (packed, _turn) = packed.await?;
    let packed = packed.ok_or_else(missing)?;
    let version = hex(&sha256(&packed));
    let packed = api.answers.keep(&asker, packed).await?;
    Ok(document(&headers, "application/gzip", &version, packed))
}

/// Does what reads skills where it holds up nobody, and not too often at once. The turn it had comes
/// back with what was found.
async fn looking<T: Send + 'static>(
    api: &Arc<Api>,
    who: &Who,
    look: impl FnOnce(&Api) -> T + Send + 'static,
) -> Result<(T, Turn), Problem> {
    let turn = api.service.turns().close_look(&who.known).await?;
    let api = Arc::clone(api);
    Ok(aside(move || (look(&api), turn)).await?)
}

/// A document that need not be sent to whoever has it.
fn document(asked: &HeaderMap, kind: &'static str, version: &str, bytes: Bytes) -> Response {
    let tag = format!("\"{version}\"");
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let same = known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag));
    let mut response = match same {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Body::from(bytes).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

impl Shelf {
    fn spot(&self, who: &Who) -> Arc<Spot> {
        // A panic elsewhere left a place in the table or not.
        let mut spots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(spots.entry(who.clone()).or_default())
    }
}

/// The list that `who` gets. Whoever comes while it is made waits for it instead of making another,
/// and takes nobody's turn meanwhile.
async fn kept(api: &Arc<Api>, who: Who) -> Result<Kept, Problem> {
    let mut spot = api.shelf.spot(&who).lock_owned().await;
    if let Some(kept) = spot.clone() {
        let (api, known) = (Arc::clone(api), kept.clone());
        if aside(move || known.is_fresh(&api)).await? {
            return Ok(kept);
        }
    }
    let asker = who.clone();
    // It is made to its end and kept, though who asked for it be gone.
    let make = move |api: &Api| {
        let (list, marks) = list(&api.host.catalog(&who), api);
        let (text, marks) = (list.to_string(), marks.into());
        let version = hex(&sha256(text.as_bytes()));
        // After it was made, however long that took: else it would be old when it is new.
        let kept = Kept { made: api.host.now(), marks, text: text.into(), version };
        spot.insert(kept).clone()
    };
    let (kept, _turn) = looking(api, &asker, make).await?;
    Ok(kept)
}

/// The list, and what it was made of. What is left out is said in a member that nobody has to read.
fn list(catalog: &Catalog, api: &Api) -> (Value, Vec<Mark>) {
    let (mut skills, mut left_out, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for entry in offered(catalog) {
        let name = entry.name().as_str();
        let packed = match skills.len() < MAX_OFFERED {
            true if !is_standard(entry) => Err("others refuse its name"),
            true => packed(api, entry),
            false => Err("there are too many"),
        };
        match packed {
            Ok(parcel) => {
                skills.push(json!({
                    "name": name,
                    "type": "archive",
                    "description": visible(&parcel.description),
                    "url": format!("{name}{ENDING}"),
                    "digest": format!("sha256:{}", hex(&sha256(&parcel.bytes))),
                }));
                marks.extend(parcel.marks);
                left_out.extend(
                    parcel.left_out.iter().map(
                        |path| json!({ "name": name, "path": visible(path), "reason": LEAVES }),
                    ),
                );
            }
            Err(reason) => left_out.push(json!({ "name": name, "reason": reason })),
        }
    }
    (json!({ "$schema": SCHEMA, "skills": skills, "leftOut": left_out }), marks)
}

/// The skills other machines are told of.
fn offered(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.entries.iter().filter(|entry| {
        let own = catalog.layer(&entry.found) == Layer::Bundled;
        !own && entry.visibility != Visibility::Untrusted
    })
}

/// Whether a skill's name is the standard's; whoever reads lists refuses any other.
fn is_standard(entry: &Entry) -> bool {
    entry.name().as_str().is_ascii() && entry.name().faults().is_empty()
}

/// A skill as it is given away.
struct Parcel {
    /// The archive.
    bytes: Vec<u8>,
    /// What the packed `SKILL.md` says of itself. What discovery read was read at another time.
    description: String,
    /// Links of the skill that are not in it.
    left_out: Vec<String>,
    /// What it was made of.
    marks: Vec<Mark>,
}

/// The skill as an archive, every file at its place below the root. A link that leaves the skill is
/// nobody's to follow, here as in a read.
///
/// Whoever vouches for the skill says what each file should hold, and the very bytes that are packed are
/// held against that: a file can be another while it is read and itself again before and after.
fn packed(api: &Api, entry: &Entry) -> Result<Parcel, &'static str> {
    let (store, at) = (api.host.index().store(), entry.location());
    let tree = store.tree(&at).map_err(|_| "its directory cannot be read")?;
    if tree.files().len() > MAX_SKILL_FILES {
        return Err("it has too many files");
    }
    let mut room = MAX_SKILL_BYTES;
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    let (mut marks, mut folders) = (Vec::new(), BTreeSet::new());
    for file in tree.files() {
        let path = std::str::from_utf8(&file.path).map_err(|_| "a file's name is no text")?;
        // Before it is read, so that a change in between is noticed.
        marks.push(Mark::of(store.as_ref(), &at, path));
        if let Some((folder, _)) = path.rsplit_once('/')
            && folders.insert(folder.to_owned())
        {
            marks.push(Mark::of(store.as_ref(), &at, folder));
        }
        let read = match store.read(&at, path, room) {
            Err(ReadError::LeavesSkill(_)) if file.kind == TreeKind::Link => {
                left_out.push(path.to_owned());
                continue;
            }
            other => other.map_err(|_| "a file cannot be read")?,
        };
        room = room.checked_sub(read.bytes.len() as u64).ok_or("it is too large")?;
        let executable = file.kind == TreeKind::Executable;
        files.push(Packed { path: path.to_owned(), executable, bytes: read.bytes });
    }
    if let Some(directory) = store.directory(&at) {
        let vouched = api.host.vouch().vouch(entry.name(), &directory, Depth::Bytes);
        if !is_right(&vouched, &tree, (&files, &left_out)) {
            return Err("its content is not what was approved");
        }
    }
    let description = description(entry, &files).ok_or("its `SKILL.md` cannot be loaded")?;
    Ok(Parcel { bytes: pack(&files), description, left_out, marks })
}

/// The description in the packed `SKILL.md`, called so or else by another spelling.
fn description(entry: &Entry, packed: &[Packed]) -> Option<String> {
    let usual = packed.iter().find(|file| file.path == SKILL);
    let other = || packed.iter().find(|file| file.path.eq_ignore_ascii_case(SKILL));
    let file = usual.or_else(other)?;
    let parsed = parse_frontmatter(&file.bytes, Some(entry.name().as_str()));
    Some(parsed.manifest?.description.value)
}

/// Whether what was packed is what was locked or approved, where somebody knows what that is: no file
/// more, none less, and each with its bytes.
fn is_right(vouched: &Vouched, tree: &Tree, (packed, left_out): (&[Packed], &[String])) -> bool {
    let listed = vouched.files.as_ref().is_none_or(|files| {
        let leaves = |path: &String| files.resolve(path.as_bytes()).is_none();
        files.digest() == tree.digest() && left_out.iter().all(leaves)
    });
    vouched.standing != Standing::Changed
        && listed
        && packed.iter().all(|file| vouched.holds(&file.path, &file.bytes))
}
