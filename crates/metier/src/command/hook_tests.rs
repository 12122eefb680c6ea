use super::*;
use crate::args::{Cli, Command};

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

#[test]
fn a_call_as_set_up_is_read_as_the_parser_reads_it() {
    // U5, N1
    for agent in HookAgent::ALL {
        let id = agent.as_str();
        for line in [
            format!("metier hook {id}"),
            format!("/opt/x/metier --home /h hook {id}"),
            format!("metier --config c.toml --home h hook {id}"),
            format!("metier --home hook --config --no hook {id}"),
        ] {
            let Some((known, global)) = as_set_up(&words(&line)) else {
                assert!(line.contains("--no"), "{line}");
                continue;
            };
            let cli = Cli::read(words(&line)).unwrap();
            let Some(Command::Hook(args)) = &cli.command else { panic!("{line}") };
            assert_eq!(args.event_of(), Some(known), "{line}");
            assert_eq!(format!("{global:?}"), format!("{:?}", cli.global), "{line}");
        }
    }
}

#[test]
fn whatever_else_is_typed_is_left_to_the_parser() {
    // U5
    for line in [
        "metier",
        "metier hook",
        "metier hook goose",
        "metier hook check codex",
        "metier hook codex --json",
        "metier hook codex codex",
        "metier hook --home /h codex",
        "metier --home=/h hook codex",
        "metier --home /h --home /i hook codex",
        "metier --home  hook codex",
        "metier --home -x hook codex",
        "metier --home",
        "metier --root personal=/r hook codex",
        "metier list",
    ] {
        assert!(as_set_up(&words(line)).is_none(), "{line}");
    }
}
