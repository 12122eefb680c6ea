//! `metier serve`: sessions, MCP and the journal over HTTP, until somebody stops it.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use metier_serve::Dialect;
use metier_serve::http::{Badge, Gate, HttpSetup, Stop, Token, serve};
use metier_serve::limits::{HEADER_TIME, MAX_TOKEN_BYTES};
use serde_json::json;

use super::mcp::dialects;
use crate::error::{CommandError, CommandResult, Status};
use crate::files;
use crate::interrupt::Interrupt;
use crate::serving::Serving;
use crate::session::Stream;
use crate::settings::Settings;
use crate::ui::Ui;

/// Serve skills over HTTP
///
/// Every operation is `POST /v1/NAME` with its arguments as JSON; `/openapi.json` describes them.
/// `/v1/events/stream` follows the journal, `/mcp` is MCP, `/health` and `/metrics` are for machines,
/// and `/.well-known/agent-skills/index.json` offers the skills to other machines. A request means
/// the session its header `Metier-Session` names, else the usual one.
///
/// Only this machine is listened to, unless `--listen` says otherwise; then clients have to know a
/// token. Clients with a section in the settings (`[clients.NAME]` with a `token-file`) are known by
/// a token of their own and have what their section leaves; where there is one, everybody needs a
/// token. Once it listens, one line says where. Ctrl-C or a request to terminate stops it: everybody
/// inside is answered, and what was begun is recorded.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier serve\n  metier serve --listen 127.0.0.1:0 --json\n  \
    metier serve --listen 0.0.0.0:7777 --token-file token --allow-host skills.example\n  \
    curl -d '{\"tool\":\"Bash\",\"arguments\":{\"command\":\"git status\"}}' \
    -H 'Content-Type: application/json' http://127.0.0.1:7777/v1/guard")]
pub(crate) struct ServeArgs {
    /// The address and the port; port 0 takes one that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7777", value_parser = address)]
    listen: SocketAddr,
    /// A file with the token that clients have to know, else `$METIER_SERVE_TOKEN`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A name by which clients may call this server, such as that of a proxy in front of it
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// An origin whose pages may ask, such as `https://tools.example`
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// What the tools on `/mcp` are called and how results look
    #[arg(long, value_name = "DIALECT", default_value = "plain", value_parser = dialects())]
    dialect: Dialect,
}

/// The address cannot be listened to.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen to `{address}`")]
struct ListenError {
    address: SocketAddr,
    source: io::Error,
}

/// The token's file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the token in `{}`", path.display())]
struct TokenFileError {
    path: PathBuf,
    source: io::Error,
}

/// Serves until somebody stops it.
pub(crate) fn run(args: &ServeArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let gate = gate(args, settings)?;
    let host = Arc::new(Serving::new(settings)?);
    let session = Stream::of(settings)?.session.into();
    let setup = HttpSetup { session, dialect: args.dialect, gate, header_time: HEADER_TIME };
    let listener = TcpListener::bind(args.listen).map_err(|source| refused(args.listen, source))?;
    let address = listener.local_addr().map_err(|source| refused(args.listen, source))?;
    let stop = Stop::default();
    let switch = stop.clone();
    Interrupt::then(move || switch.stop())?;
    let url = format!("http://{address}");
    match ui.json() {
        true => ui.line(json!({ "address": address.to_string(), "url": url }).to_string()),
        false => ui.line(format!("listening on {url}")),
    }
    ui.flush().map_err(CommandError::output)?;
    serve(listener, host, setup, &stop).map_err(CommandError::failed)?;
    Ok(Status::Ok)
}

fn refused(address: SocketAddr, source: io::Error) -> CommandError {
    let hint = match source.kind() {
        io::ErrorKind::AddrInUse => {
            Some("another program listens there; `--listen 127.0.0.1:0` takes a port that is free")
        }
        io::ErrorKind::AddrNotAvailable => Some("this machine does not have that address"),
        io::ErrorKind::PermissionDenied => Some("ports below 1024 are not for everybody"),
        _ => None,
    };
    let error = CommandError::failed(ListenError { address, source });
    hint.into_iter().fold(error, CommandError::hint)
}

/// An address with its port. `localhost` is this machine whatever a file of hosts says.
fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let text = local.as_deref().unwrap_or(text);
    text.parse().map_err(|_| {
        "write an address and a port, such as `127.0.0.1:7777` or `[::1]:7777`".to_owned()
    })
}

/// Who may come in. Others than this machine only with a token.
fn gate(args: &ServeArgs, settings: &Settings) -> Result<Gate, CommandError> {
    let token = token(args, settings)?;
    let badges = badges(token.as_ref(), settings)?;
    let wide = !is_loopback(args.listen.ip());
    if wide && token.is_none() && badges.is_empty() {
        let message = format!("`{}` can be reached by others, and there is no token", args.listen);
        let error = CommandError::usage(message).hint("`--token-file FILE` names a file with one");
        return Err(error.hint("`METIER_SERVE_TOKEN` has one, too"));
    }
    let (hosts, origins) = (args.allow_host.clone(), args.allow_origin.clone());
    Ok(Gate { hosts, origins, token, badges, wide })
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn token(args: &ServeArgs, settings: &Settings) -> Result<Option<Token>, CommandError> {
    let environment = &settings.environment;
    let text = match (&args.token_file, &environment.serve_token) {
        (Some(path), _) => secret(&environment.resolve(path, &environment.directory))?,
        (None, Some(secret)) => secret.0.clone(),
        (None, None) => return Ok(None),
    };
    parsed(&text).map(Some)
}

/// The clients that are known by a token of their own. Two with one token cannot be told apart.
fn badges(token: Option<&Token>, settings: &Settings) -> Result<Vec<Badge>, CommandError> {
    let mut badges: Vec<Badge> = Vec::new();
    for (name, client) in &settings.clients {
        let Some(path) = &client.token_file else { continue };
        let own = parsed(&secret(path)?)?;
        let known = badges.iter().map(|badge| &badge.token).chain(token);
        if known.into_iter().any(|token| token.is_same(&own)) {
            let message = format!("the token of the client `{name}` is somebody else's, too");
            return Err(CommandError::usage(message).hint("give each client a token of its own"));
        }
        badges.push(Badge { section: name.as_str().into(), token: own });
    }
    Ok(badges)
}

fn secret(path: &Path) -> Result<String, CommandError> {
    files::secret(path, MAX_TOKEN_BYTES).map_err(|source| {
        let path = path.to_owned();
        CommandError::usage(TokenFileError { path, source })
    })
}

fn parsed(text: &str) -> Result<Token, CommandError> {
    Token::parse(text).map_err(|error| {
        let error = CommandError::usage(error);
        error.hint("`openssl rand -hex 32` makes a good one")
    })
}
