//! The client side of the skills extension as the official conformance suite drives it: started with
//! a server's address, told by `MCP_CONFORMANCE_SCENARIO` what to do, it lists the server's skills,
//! and fetches all of them unless it was told only to look. Exit code 1 means that it refused.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own, which says what came of it"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use metier_package::reference::site;
use metier_package::served::Servers;
use metier_package::{Bases, Fetch, FetchError, Reference, Retry, Select, Silent, fetch, offered};
use metier_sandbox::{Cancel, Runner};
use metier_serve::mcp_client::McpClient;

fn main() -> ExitCode {
    if let Some(code) = metier_sandbox::helper_main() {
        return code;
    }
    let url = std::env::args().next_back().unwrap_or_default();
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    match run(&url, &scenario) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, scenario: &str) -> Result<String, Box<dyn std::error::Error>> {
    let reference = Reference::parse(&format!("mcp+{url}"), &Bases::new("/"))?;
    let runner = Runner::new();
    let variables: Vec<_> = std::env::vars_os().collect();
    let sites: Vec<String> = site(url).into_iter().collect();
    let client = McpClient::new(runner.clone(), variables.clone()).with_sites(sites.clone());
    let staging = fresh();
    let settings = Fetch {
        runner: &runner,
        cancel: &Cancel::never(),
        cache: &staging,
        staging: &staging,
        environment: &variables,
        select: Select::All,
        offline: false,
        signers: None,
        sites: &sites,
        retry: &Retry::default(),
        servers: Some(Servers { indexes: &[], client: &client }),
    };
    let listed = offered(&reference, &settings, &mut Silent);
    let listed = match (listed, scenario.starts_with("sep-2640")) {
        (Ok((listed, _)), _) => listed,
        // The base protocol's scenarios are about how somebody begins, not about skills.
        (Err(FetchError::NoSkills { .. }), false) => return Ok("no skills here".to_owned()),
        (Err(error), _) => return Err(error.into()),
    };
    let names: Vec<String> = listed.iter().map(|one| one.name.to_string()).collect();
    if scenario.ends_with("no-prefetch") {
        return Ok(format!("listed {}", names.join(", ")));
    }
    let fetched = fetch(&reference, &settings, &mut Silent);
    let _ = std::fs::remove_dir_all(&staging);
    Ok(format!("fetched {} of {}", fetched?.skills.len(), names.join(", ")))
}

fn fresh() -> PathBuf {
    std::env::temp_dir().join(format!("metier-skills-client-{}", std::process::id()))
}
