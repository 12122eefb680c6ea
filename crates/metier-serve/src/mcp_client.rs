//! The other side of [`mcp`](crate::mcp): talking with another MCP server about its skills, over the
//! web or with a program on this machine, in both eras of the protocol.
//!
//! What a server says is carried and bounded here, and believed nowhere: `metier_package::served`
//! checks it. Nothing is asked but what that needs, and nothing is answered but a ping. The programs,
//! a server on this machine and `curl` for the web, run under `metier-sandbox`, which ends their whole
//! trees. No thread waits for longer than a named limit.
//!
//! `session` is the conversation, `stdio` and `web` carry it, `message` and `sse` read it, `curl` is
//! what that program is told and writes. Start reading at `session`.

mod child;
mod curl;
mod message;
mod session;
mod sse;
mod stdio;
mod web;

use std::ffi::OsString;
use std::time::Duration;

use metier_package::reference::site;
use metier_package::served::{Endpoint, ServerError, SkillServer, SkillServers};
use metier_sandbox::{Cancel, Confinement, Level, Limits, Network, Runner, environment};

use crate::limits::{ANSWER_PATIENCE, TALK_PATIENCE};
use curl::Target;
use session::Session;
use stdio::Stdio;
use web::Web;

/// Variables that a server on this machine gets: who the user is and where things are. A secret is
/// given to it in its command, by `env NAME=VALUE program`.
const COMMAND_VARIABLES: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "USER",
    "XDG_*",
];

/// Variables that `curl` gets: how the web is reached, and whom to trust there.
const WEB_VARIABLES: &[&str] = &[
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "HOME",
    "HTTPS_PROXY",
    "NO_PROXY",
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "https_proxy",
    "no_proxy",
];

/// Who talks with servers.
#[derive(Clone, Debug)]
pub struct McpClient {
    runner: Runner,
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
    /// Where a login from `.netrc` may go.
    sites: Vec<String>,
}

impl McpClient {
    /// A client that starts programs by `runner`, with what they need of this environment.
    #[must_use]
    pub fn new(runner: Runner, environment: Vec<(OsString, OsString)>) -> Self {
        Self { runner, environment, patience: ANSWER_PATIENCE, sites: Vec::new() }
    }

    /// The same with another patience for each answer.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same for a user who has named these sites, as [`metier_package::reference::site`] spells
    /// them: to these, and to no others, goes a login from `.netrc`.
    #[must_use]
    pub fn with_sites(self, sites: Vec<String>) -> Self {
        Self { sites, ..self }
    }

    fn confinement(&self, names: &[&str]) -> Confinement {
        Confinement {
            network: Network::Full,
            environment: environment::build(names, &self.environment),
            limits: Limits {
                wall_ms: u64::try_from(TALK_PATIENCE.as_millis()).unwrap_or(u64::MAX),
                ..Limits::default()
            },
            // What the user has told metier to start is not a skill's script.
            level: Level::Off,
            scratch: None,
            ..Confinement::default()
        }
    }
}

impl SkillServers for McpClient {
    fn connect<'a>(
        &'a self,
        endpoint: Endpoint<'a>,
        cancel: &'a Cancel,
    ) -> Result<Box<dyn SkillServer + 'a>, ServerError> {
        let session = match endpoint {
            Endpoint::Url(url) => {
                let login = site(url).is_some_and(|site| self.sites.contains(&site));
                let target = Target { url, login };
                let web = Web::new(target, (&self.runner, self.confinement(WEB_VARIABLES)), cancel);
                Session::open(Box::new(web), self.patience)
            }
            Endpoint::Command(command) => {
                let start = || {
                    let confinement = self.confinement(COMMAND_VARIABLES);
                    Stdio::start(command, (&self.runner, confinement), cancel)
                };
                Session::open(Box::new(start()?), self.patience).or_else(|failed| match failed {
                    // Some programs end when they are asked something they do not know.
                    ServerError::Unreachable(_) => {
                        Session::open_as_before(Box::new(start()?), self.patience)
                    }
                    other => Err(other),
                })
            }
        };
        Ok(Box::new(session?))
    }
}
