//! `metier add`: fetch, validate, show, ask, install, lock.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::index::{self, IndexError};
use metier_package::reference::Origin;
use metier_package::wanted::Want;
use metier_package::{
    Candidate, Drift, Fetched, Home, Place, Reference, Refused, Request, Select, Staged, install,
};
use serde_json::json;

use crate::env;
use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{
    self, Fetching, LayerChoice, Offer, Wish, answer, ask, confirm, fetch_error, index_error,
    record_error, recorded, report, shapes, show,
};
use crate::settings::Settings;
use crate::ui::{self, Ui, counted};

/// What a source begins with that is a skill of an index.
pub(crate) const INDEX: &str = "index:";

/// Install skills
///
/// SOURCE is `owner/repo`, `owner/repo/path`, a git URL, a directory, an archive,
/// `index:NAME/SKILL`, or `mcp:NAME//SKILL` of an MCP server, with `#REF` or
/// `@TAG` behind it for a branch, tag or commit. What each skill is, where it is from, whose
/// signature it has and what it can run and reach is shown; on a terminal you are asked, elsewhere
/// `--yes` has to say it. All of it is installed or none, and pinned in `skills.lock`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier add owner/repo\n  \
    metier add owner/repo --skill pdf --layer project\n  metier add ./my-skill --yes\n  \
    metier add https://git.example/skills.git --all --pin v1.2.0")]
pub(crate) struct AddArgs {
    /// Where the skills are
    #[arg(required = true)]
    source: Vec<String>,
    /// Only the skill of this name; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    skill: Vec<String>,
    /// Every skill there is
    #[arg(long)]
    all: bool,
    /// Say yes beforehand
    #[arg(long, short = 'y')]
    yes: bool,
    /// Where to
    #[arg(long, value_enum, default_value = "personal")]
    layer: LayerChoice,
    /// The branch, tag or commit
    #[arg(long, value_name = "REF")]
    pin: Option<String>,
    #[command(flatten)]
    allow: Allowances,
}

/// Reasons for a refusal that an error names.
const MAX_REASONS: usize = 5;

/// What is let pass that otherwise is not.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Allowances {
    /// Let skills pass that load but do not follow the standard
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Let a skill pass that somebody else signed than before
    #[arg(long)]
    pub(crate) allow_signer_change: bool,
}

/// Installs the skills.
pub(crate) fn run(args: &AddArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let place = packages::place(args.layer, settings);
    let fetching = Fetching::new(settings)?;
    let mut offers = Vec::new();
    for source in &args.source {
        for staged in fetched(source, args, &fetching, ui)? {
            offers.push(offer(staged, &home, &place)?);
        }
    }
    for offer in &offers {
        if !ui.json() {
            show(offer, ui);
        }
        admit(offer, args.allow, settings, ui)?;
    }
    check_names(&offers, &home, &place)?;
    offers.iter().try_for_each(check_origin)?;
    let layer = place.as_str();
    let skills = counted(offers.len(), "skill", "skills");
    confirm(&format!("Install {skills} for the {layer} layer?"), args.yes, ui)?;
    let previews = serde_json::to_value(offers.iter().map(Offer::preview).collect::<Vec<_>>());
    let candidates: Vec<Candidate> = offers.into_iter().map(candidate).collect();
    let by = packages::by(settings);
    let request = Request { home: &home, place: &place, act: "add", by: &by, drift: Drift::Refuse };
    let wishes = candidates.iter().map(|one| Wish::of_staged(&one.staged)).collect();
    let outcome = recorded(&request, wishes, (settings, ui), || install(&request, &candidates))?;
    linking::relink(&place, settings, ui);
    if ui.json() {
        let previews = previews.unwrap_or_default();
        ui.document(&json!({"installed": shapes(&outcome, &place), "offered": previews}));
        return Ok(Status::Ok);
    }
    report(&outcome, &place, ui);
    if outcome.done.is_empty() {
        ui.line("nothing to do: everything is installed as asked for");
    }
    Ok(Status::Ok)
}

/// [`check`], but a changed signer is asked about on a terminal; `--yes` is no yes to that.
pub(crate) fn admit(
    offer: &Offer,
    allow: Allowances,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let let_pass = Allowances { allow_signer_change: true, ..allow };
    check(offer, let_pass, settings)?;
    let Err(refusal) = check(offer, allow, settings) else { return Ok(()) };
    match ask(&format!("{}. Let it pass?", refusal.message()), ui)? {
        Some(true) => Ok(()),
        Some(false) | None => Err(refusal),
    }
}

/// Whether an offer may be installed at all.
pub(crate) fn check(
    offer: &Offer,
    allow: Allowances,
    settings: &Settings,
) -> Result<(), CommandError> {
    if let Some(refusal) = offer.refusal(allow.lenient, settings) {
        return Err(refusal);
    }
    if offer.signer_changed() && !allow.allow_signer_change {
        let name = visible_line(offer.pinned.name.as_str()).into_owned();
        let message = format!("`{name}` is not signed by whoever signed it before");
        let error = CommandError::refused(message).code("signer_changed");
        return Err(error.hint("`--allow-signer-change` lets it pass"));
    }
    Ok(())
}

/// Refuses names that are looked up alike and spelled differently: of two such skills only one would
/// ever be found.
pub(crate) fn check_names(
    offers: &[Offer],
    home: &Home,
    place: &Place,
) -> Result<(), CommandError> {
    let installed = metier_package::installed::list(home, place).map_err(record_error)?;
    for offer in offers {
        let name = &offer.pinned.name;
        let others = installed.iter().chain(offers.iter().map(|offer| &offer.pinned));
        let mut taken = others.map(|other| &other.name).filter(|other| other.key() == name.key());
        let Some(other) = taken.find(|other| *other != name) else { continue };
        let (name, other) = (spelled(name.as_str()), spelled(other.as_str()));
        let message = format!("`{name}` and `{other}` are one name in two spellings");
        let error = CommandError::refused(message).code("name_taken");
        return Err(
            error.hint(format!("`metier remove {other}` frees the name, if it is installed"))
        );
    }
    Ok(())
}

/// A skill of an MCP server takes nobody's place, and nobody takes its: who has said yes to one has
/// not said yes to the other.
fn check_origin(offer: &Offer) -> Result<(), CommandError> {
    let served = offer.pinned.locked.is_served()
        || offer.installed.as_ref().is_some_and(|(old, _)| old.locked.is_served());
    match served {
        true => check_source(offer),
        false => Ok(()),
    }
}

/// Refuses what would take the place of a skill from somewhere else.
pub(crate) fn check_source(offer: &Offer) -> Result<(), CommandError> {
    let new = &offer.pinned.locked;
    let Some(old) = offer.installed.as_ref().map(|(old, _)| &old.locked) else { return Ok(()) };
    if (&old.source, &old.path) == (&new.source, &new.path) {
        return Ok(());
    }
    let name = visible_line(offer.pinned.name.as_str()).into_owned();
    let from = visible_line(&old.source);
    let message = format!("`{name}` is installed from `{from}`, and this is another one");
    let error = CommandError::refused(message).code("other_origin");
    Err(error.hint(format!("`metier remove {name}` makes room for it")))
}

/// A name as it is spelled: letters that may look like others are shown by their code points.
fn spelled(name: &str) -> String {
    let one = |c: char| {
        if c.is_ascii_graphic() { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) }
    };
    name.chars().map(one).collect()
}

/// The candidate that an offer becomes when somebody says yes.
pub(crate) fn candidate(offer: Offer) -> Candidate {
    let locked = &offer.pinned.locked;
    let want = Want {
        source: locked.source.clone(),
        path: locked.path.clone(),
        requested: locked.requested.clone(),
    };
    Candidate { staged: offer.staged, want: Some(want), approved: true }
}

/// What was fetched, beside what is installed.
pub(crate) fn offer(staged: Staged, home: &Home, place: &Place) -> Result<Offer, CommandError> {
    let installed = metier_package::installed::list(home, place).map_err(record_error)?;
    let old = installed.into_iter().find(|pinned| pinned.name == staged.name);
    Offer::look(staged, old, home, place)
}

fn fetched(
    source: &str,
    args: &AddArgs,
    fetching: &Fetching,
    ui: &mut Ui,
) -> Result<Vec<Staged>, CommandError> {
    if let Some(listed) = source.strip_prefix(INDEX) {
        return taken(listed, listed_in_index(listed, fetching)?, args, ui);
    }
    let mut reference = fetching.reference(source)?;
    fetching.typed(&reference.source());
    if let Some(pin) = &args.pin {
        // Read like what a person types behind `#`, which is what it stands for.
        let pinned = fetching.reference(&format!("{}#{pin}", reference.source()))?;
        reference = Reference { requested: pinned.requested, ..reference };
    }
    if matches!(reference.origin, Origin::Mcp(_)) {
        return from_server(&reference, args, fetching, ui);
    }
    let select = if args.skill.is_empty() { Select::All } else { Select::Named(&args.skill) };
    let fetched = fetching.fetch(&reference, select).map_err(fetch_error)?;
    taken(source, fetched, args, ui)
}

/// Skills of an MCP server: which of them is said before one of their files is read.
fn from_server(
    reference: &Reference,
    args: &AddArgs,
    fetching: &Fetching,
    ui: &mut Ui,
) -> Result<Vec<Staged>, CommandError> {
    let source = reference.to_string();
    let select = match (reference.path.is_empty(), args.skill.as_slice()) {
        (false, []) => Select::AtPath,
        (_, names @ [_, ..]) => Select::Named(names),
        (true, []) if args.all => Select::All,
        (true, []) => {
            let (offered, refused) = fetching.offered(reference).map_err(fetch_error)?;
            say_refused(&refused, ui);
            let names: Vec<String> = offered.iter().map(|one| one.name.to_string()).collect();
            let picked = match names.as_slice() {
                [] => return Err(nothing_but(&source, &refused, ui)),
                [_] => names,
                _ => picked(&names, args, ui)?
                    .into_iter()
                    .filter_map(|at| names.get(at).cloned())
                    .collect(),
            };
            let fetched = fetching.fetch(reference, Select::Named(&picked)).map_err(fetch_error)?;
            return everything(&source, fetched, ui);
        }
    };
    let fetched = fetching.fetch(reference, select).map_err(fetch_error)?;
    everything(&source, fetched, ui)
}

/// The skill that `NAME/SKILL` means: as the index listed it last, or as it lists it now.
pub(crate) fn listed_in_index(text: &str, fetching: &Fetching) -> Result<Fetched, CommandError> {
    let Some((name, skill)) = text.split_once('/') else {
        return Err(CommandError::usage("write `index:NAME/SKILL`").code("bad_reference"));
    };
    let index = index::list(fetching.home()).map_err(index_error)?;
    let index = index.into_iter().find(|index| index.name == name);
    let index = index.ok_or_else(|| index_error(IndexError::Missing(name.to_owned())))?;
    let mut contents = index::cached(fetching.home(), &index).map_err(index_error)?;
    if contents.as_ref().is_none_or(|contents| contents.skill(skill).is_none()) {
        let asked = fetching.index(&index, contents.as_ref()).map_err(index_error)?;
        index::save(fetching.home(), &index, &asked).map_err(index_error)?;
        contents = Some(asked);
    }
    let contents = contents.unwrap_or_default();
    let Some(listed) = contents.skill(skill) else {
        let names = contents.skills.iter().map(|listed| listed.name.as_str());
        let error = crate::view::unknown_name(skill, names, "`metier index list NAME` lists them");
        return Err(error.code("no_such_skill"));
    };
    fetching.listed(listed).map_err(|error| {
        let error = index_error(error);
        match error.code == Some("digest_mismatch") {
            true => error.hint("`metier index refresh` asks the index what it lists now"),
            false => error,
        }
    })
}

/// Those of the fetched skills that are wanted.
fn taken(
    source: &str,
    fetched: Fetched,
    args: &AddArgs,
    ui: &mut Ui,
) -> Result<Vec<Staged>, CommandError> {
    let skills = everything(source, fetched, ui)?;
    if skills.len() == 1 || args.all || !args.skill.is_empty() {
        return Ok(skills);
    }
    let names: Vec<String> = skills.iter().map(|staged| staged.name.to_string()).collect();
    let picked = picked(&names, args, ui)?;
    let numbered = skills.into_iter().enumerate();
    Ok(numbered.filter(|(at, _)| picked.contains(at)).map(|(_, staged)| staged).collect())
}

/// The fetched skills; what is refused is said.
fn everything(source: &str, fetched: Fetched, ui: &mut Ui) -> Result<Vec<Staged>, CommandError> {
    say_refused(&fetched.refused, ui);
    match fetched.skills.is_empty() {
        true => Err(nothing_but(source, &fetched.refused, ui)),
        false => Ok(fetched.skills),
    }
}

fn say_refused(refused: &[Refused], ui: &mut Ui) {
    for refused in refused {
        let path = if refused.path.is_empty() { "." } else { &refused.path };
        ui.note(&format!(
            "warning: `{}` is refused: {} ({})",
            visible_line(path),
            visible_line(&refused.reason),
            refused.code
        ));
    }
}

/// That nothing is left but what is refused.
fn nothing_but(source: &str, refused: &[Refused], ui: &Ui) -> CommandError {
    let message = format!("nothing in `{}` can be installed", visible_line(source));
    // Who reads JSON has not seen the warnings.
    let told = refused.iter().take(MAX_REASONS).filter(|_| ui.json());
    told.fold(CommandError::refused(message).code("package_refused"), |error, refused| {
        error.hint(format!("it is refused: {}", visible_line(&refused.reason)))
    })
}

/// Which of several skills, as somebody says who can be asked: their places in `names`.
fn picked(names: &[String], args: &AddArgs, ui: &mut Ui) -> Result<Vec<usize>, CommandError> {
    let shown: Vec<String> = names.iter().map(|name| visible_line(name).into_owned()).collect();
    if args.yes || !env::can_ask() || ui.json() {
        let message = format!("there are {} skills: {}", names.len(), shown.join(", "));
        let error = CommandError::usage(message).code("which_skill");
        return Err(error.hint("`--skill NAME` takes one of them, `--all` takes all"));
    }
    ui.flush().map_err(CommandError::output)?;
    for (number, name) in (1..).zip(&shown) {
        ui::write_stderr(&format!("{number:4}  {name}\n"));
    }
    ui::write_stderr("Which ones? Numbers or names, separated by spaces; empty for none: ");
    let typed = answer()?.unwrap_or_default();
    let wanted: Vec<&str> = typed.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let is_meant = |at: &usize| {
        let name = names.get(*at).map(String::as_str);
        wanted.iter().any(|word| Some(*word) == name || **word == *(at + 1).to_string())
    };
    let picked: Vec<usize> = (0..names.len()).filter(is_meant).collect();
    match picked.is_empty() {
        true => Err(CommandError::refused("no skill was chosen").code("not_confirmed")),
        false => Ok(picked),
    }
}
