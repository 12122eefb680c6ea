//! One file a command: its arguments, what it does, what it prints.

pub(crate) mod add;
pub(crate) mod adopt;
pub(crate) mod agents;
pub(crate) mod check;
pub(crate) mod chibi;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod end;
pub(crate) mod events;
pub(crate) mod gc;
pub(crate) mod guard;
pub(crate) mod help_script;
pub(crate) mod hook;
pub(crate) mod index;
pub(crate) mod info;
pub(crate) mod link;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod outdated;
pub(crate) mod overview;
pub(crate) mod prompt;
pub(crate) mod props;
pub(crate) mod read;
pub(crate) mod release;
pub(crate) mod remove;
pub(crate) mod replay;
pub(crate) mod rollback;
pub(crate) mod run;
pub(crate) mod scripts;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod unlink;
pub(crate) mod update;
pub(crate) mod use_skill;
pub(crate) mod verify;
pub(crate) mod why;

use crate::args::{Cli, Command};
use crate::env::Environment;
use crate::error::CommandResult;
use crate::packages;
use crate::settings::Settings;
use crate::ui::Ui;

/// Runs the command that was typed. Completions and the man page work
/// whatever the settings say, and a hook answers whatever they say.
pub(crate) fn dispatch(cli: &Cli, environment: &Environment, ui: &mut Ui) -> CommandResult {
    match &cli.command {
        Some(Command::Completions(args)) => return completions::run(args, ui),
        Some(Command::Man(args)) => return man::run(args, ui),
        // Broken settings are an answer to the plugin's host, too.
        Some(Command::Chibi(args)) => return chibi::run(args, &cli.global, environment, ui),
        _ => {}
    }
    if let Some(Command::Hook(args)) = &cli.command
        && let Some(agent) = args.event_of()
    {
        return Ok(hook::reply(agent, &cli.global, environment));
    }
    if let Some(Command::Doctor(args)) = &cli.command {
        let settings = Settings::for_doctor(&cli.global, environment)?;
        ui.settle_colour(settings.color, environment);
        // What was left unfinished is said before anybody finishes it.
        return doctor::run(args, &cli.global, &settings, ui);
    }
    let settings = Settings::load(&cli.global, environment)?;
    ui.settle_colour(settings.color, environment);
    packages::repair(&settings, ui);
    match &cli.command {
        None => overview::run(&settings, ui),
        Some(Command::List(args)) => list::run(args, &settings, ui),
        Some(Command::Check(args)) => check::run(args, &settings, ui),
        Some(Command::Show(args)) => show::run(args, &settings, ui),
        Some(Command::Why(args)) => why::run(args, &settings, ui),
        Some(Command::Search(args)) => search::run(args, &settings, ui),
        Some(Command::Prompt(args)) => prompt::run(args, &settings, ui),
        Some(Command::Lint(args)) => lint::run(args, &settings, ui),
        Some(Command::Props(args)) => props::run(args, &settings, ui),
        Some(Command::Use(args)) => use_skill::run(args, &settings, ui),
        Some(Command::Release(args)) => release::run(args, &settings, ui),
        Some(Command::End(args)) => end::run(args, &settings, ui),
        Some(Command::Status(args)) => status::run(args, &settings, ui),
        Some(Command::Guard(args)) => guard::run(args, &settings, ui),
        Some(Command::Read(args)) => read::run(args, &settings, ui),
        Some(Command::Scripts(args)) => scripts::run(args, &settings, ui),
        Some(Command::HelpScript(args)) => help_script::run(args, &settings, ui),
        Some(Command::Run(args)) => run::run(args, &settings, ui),
        Some(Command::Events(args)) => events::run(args, &settings, ui),
        Some(Command::Replay(args)) => replay::run(args, &settings, ui),
        Some(Command::Metrics(args)) => metrics::run(args, &settings, ui),
        Some(Command::Mcp(args)) => mcp::run(args, &settings),
        Some(Command::Hook(args)) => hook::run(args, &cli.global, &settings, ui),
        Some(Command::Serve(args)) => serve::run(args, &settings, ui),
        Some(Command::Gc(args)) => gc::run(args, &settings, ui),
        Some(Command::Add(args)) => add::run(args, &settings, ui),
        Some(Command::Remove(args)) => remove::run(args, &settings, ui),
        Some(Command::Update(args)) => update::run(args, &settings, ui),
        Some(Command::Outdated(args)) => outdated::run(args, &settings, ui),
        Some(Command::Index(args)) => index::run(args, &settings, ui),
        Some(Command::Info(args)) => info::run(args, &settings, ui),
        Some(Command::Sync(args)) => sync::run(args, &settings, ui),
        Some(Command::Verify(args)) => verify::run(args, &settings, ui),
        Some(Command::Rollback(args)) => rollback::run(args, &settings, ui),
        Some(Command::Trust(args)) => trust::run(args, &settings, ui),
        Some(Command::Untrust(args)) => trust::untrust(args, &settings, ui),
        Some(Command::Link(args)) => link::run(args, &cli.global, &settings, ui),
        Some(Command::Unlink(args)) => unlink::run(args, &cli.global, &settings, ui),
        Some(Command::Agents(args)) => agents::run(args, &settings, ui),
        Some(Command::Adopt(args)) => adopt::run(args, &settings, ui),
        Some(Command::Doctor(args)) => doctor::run(args, &cli.global, &settings, ui),
        Some(Command::Tour(args)) => tour::run(args, &settings, ui),
        Some(Command::Completions(args)) => completions::run(args, ui),
        Some(Command::Man(args)) => man::run(args, ui),
        Some(Command::Chibi(args)) => chibi::run(args, &cli.global, environment, ui),
    }
}
