//! `metier info`: what is installed, from where, and who said yes to it.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::installed::{Account, account, list};
use metier_package::verify::look;
use metier_package::{Home, Place};
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::packages::{self, LayerChoice, VersionShape, record_error};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui};

/// Show what is installed and where it is from
///
/// Without NAME, one line an installed skill. With it: source, commit, tree, signature, when it was
/// installed, who approved it, what can be gone back to, and whether it is as locked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier info\n  metier info pdf\n  metier info pdf --json")]
pub(crate) struct InfoArgs {
    /// The skill's name
    name: Option<String>,
    /// Only this layer
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
}

#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    layer: &'static str,
    path: String,
    #[serde(flatten)]
    version: VersionShape<'a>,
    files: usize,
    installed_at: Option<&'a str>,
    approval: Option<String>,
    earlier: Vec<VersionShape<'a>>,
    sound: bool,
    differences: Vec<String>,
}

/// Shows it.
pub(crate) fn run(args: &InfoArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let mut accounts = Vec::new();
    match &args.name {
        Some(typed) => {
            let (place, pinned) = packages::installed(typed, args.layer, settings)?;
            let found = account(&home, &place, &pinned.name).map_err(record_error)?;
            accounts.extend(found.map(|found| (place, found)));
        }
        None => {
            for place in packages::places(args.layer, settings) {
                for pinned in list(&home, &place).map_err(record_error)? {
                    let found = account(&home, &place, &pinned.name).map_err(record_error)?;
                    accounts.extend(found.map(|found| (place.clone(), found)));
                }
            }
        }
    }
    let shown: Vec<Shown<'_>> =
        accounts.iter().map(|(place, account)| shown(&home, place, account)).collect();
    match (ui.json(), &args.name, shown.as_slice()) {
        (true, Some(_), [one]) => ui.document(one),
        (true, _, all) => ui.document(&serde_json::json!({"skills": all})),
        (false, Some(_), [one]) => print_one(one, ui),
        (false, _, all) => print_all(all, ui),
    }
    Ok(Status::Ok)
}

fn shown<'a>(home: &Home, place: &Place, account: &'a Account) -> Shown<'a> {
    let pinned = &account.pinned;
    let verified = look(home, place, pinned);
    Shown {
        name: pinned.name.as_str(),
        layer: place.as_str(),
        path: place.directory(home, pinned.name.as_str()).to_string_lossy().into_owned(),
        version: VersionShape::of(pinned),
        files: pinned.files.len(),
        installed_at: account
            .receipt
            .as_ref()
            .map(|receipt| receipt.installed_at.as_str())
            .filter(|at| !at.is_empty()),
        approval: account.approval.as_ref().map(metier_package::trust::Approval::shown),
        earlier: account.earlier.iter().map(VersionShape::of).collect(),
        sound: verified.is_sound(),
        differences: metier_package::difference::shown(&verified.differences),
    }
}

fn print_all(all: &[Shown<'_>], ui: &mut Ui) {
    let mut table = Table::default();
    for one in all {
        let remark = if one.sound { "" } else { "changed" };
        let commit = one.version.commit.unwrap_or(one.version.tree);
        table.row([
            (Some(Tone::Strong), visible_line(one.name).into_owned()),
            (Some(Tone::Faint), one.layer.to_owned()),
            (None, commit.chars().take(12).collect()),
            (Some(Tone::Bad), remark.to_owned()),
            (Some(Tone::Faint), visible_line(one.version.source).into_owned()),
        ]);
    }
    ui.table(&table);
    if all.is_empty() {
        ui.line("nothing is installed; `metier add SOURCE` installs skills");
    }
}

fn print_one(one: &Shown<'_>, ui: &mut Ui) {
    let name = visible_line(one.name).into_owned();
    ui.line(ui.paint(Tone::Strong, &name));
    let version = &one.version;
    let mut facts = vec![
        ("layer", one.layer.to_owned()),
        ("path", one.path.clone()),
        ("source", version.source.to_owned()),
    ];
    if !version.path.is_empty() {
        facts.push(("source path", version.path.to_owned()));
    }
    facts.extend(version.requested.map(|requested| ("requested", requested.to_owned())));
    facts.extend(version.commit.map(|commit| ("commit", commit.to_owned())));
    facts.push(("tree", format!("sha256:{}", version.tree)));
    facts.push((
        "signature",
        match version.signer {
            Some(signer) => format!("{}, by {signer}", version.signature),
            None => version.signature.to_owned(),
        },
    ));
    facts.push(("files", one.files.to_string()));
    facts.extend(one.installed_at.map(|at| ("installed", at.to_owned())));
    facts.push(("approved", one.approval.clone().unwrap_or_else(|| "by nobody".to_owned())));
    facts.push(("as locked", if one.sound { "yes" } else { "no" }.to_owned()));
    let mut table = Table::default();
    for (label, value) in facts {
        table.row([
            (Some(Tone::Faint), format!("  {label}")),
            (None, visible_line(&value).into_owned()),
        ]);
    }
    for (number, earlier) in (1..).zip(one.earlier.iter().rev()) {
        let number: i32 = number;
        let commit = earlier.commit.unwrap_or(earlier.tree);
        table.row([
            (Some(Tone::Faint), format!("  earlier {number}")),
            (None, commit.chars().take(12).collect()),
        ]);
    }
    ui.table(&table);
    for difference in &one.differences {
        ui.line(format!("  {}", visible_line(difference)));
    }
}
