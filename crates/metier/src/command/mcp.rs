//! `metier mcp`: the session over MCP, on standard input and output.

use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use metier_serve::Dialect;
use metier_serve::http::Stop;
use metier_serve::mcp::{Guest, Service, serve_stdio};
use metier_store::selection::Enabled;

use crate::error::{CommandError, CommandResult, Status};
use crate::interrupt::Interrupt;
use crate::serving::Serving;
use crate::settings::Settings;

/// Serve skills to an agent over MCP, on standard input and output
///
/// An agent starts this by itself; in its settings the command is `metier` and the argument `mcp`.
/// The client has a session of its own, which ends when the client does, unless `--session` names
/// one. Ctrl-C or a request to terminate ends it as the client's end does: what was begun is recorded,
/// and scripts are ended. Skills that come, go or change while it runs are noticed.
///
/// With `--dialect agent-base` no skill is enabled unless `--skills`, `METIER_SKILLS`, `AGENT_SKILLS` or
/// the settings name some; otherwise all are.
///
/// A client may have less than you: `--client NAME` makes `[clients.NAME]` of the settings hold for
/// it, whose `skills` and `policy` only take away.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier mcp\n  metier mcp --dialect tavern\n  \
    metier --session s1 mcp\n  metier mcp --client editor")]
pub(crate) struct McpArgs {
    /// What the tools are called and how results look
    #[arg(long, value_name = "DIALECT", default_value = "plain", value_parser = dialects())]
    dialect: Dialect,
    /// The section of the settings that holds for this client, besides everything else
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

/// Serves until the client is gone or somebody stops it.
pub(crate) fn run(args: &McpArgs, settings: &Settings) -> CommandResult {
    let section = args.client.as_deref().map(|name| settings.client(name)).transpose()?;
    let host = Arc::new(Serving::new(&in_dialect(settings, args.dialect))?);
    let service = Service::new(host, args.dialect);
    let guest = Guest { section: section.map(Arc::from), session: None };
    let stop = Stop::default();
    let switch = stop.clone();
    Interrupt::then(move || switch.stop())?;
    serve_stdio(&service, guest, &stop).map_err(CommandError::failed)?;
    Ok(Status::Ok)
}

/// The settings, with no skill enabled where nobody said which are and the dialect means none by that.
pub(crate) fn in_dialect(settings: &Settings, dialect: Dialect) -> Settings {
    let mut settings = settings.clone();
    if dialect.unset_is_none() && settings.selection.enabled == Enabled::Unset {
        settings.selection.enabled = Enabled::None;
    }
    settings
}

/// The words for the dialects, each read into its dialect.
pub(crate) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    let words = Dialect::ALL.map(Dialect::as_str);
    PossibleValuesParser::new(words).map(|word| Dialect::parse(&word).unwrap_or_default())
}
