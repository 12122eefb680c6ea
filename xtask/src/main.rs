//! The project's own chores. `cargo xtask` alone lists them.
//!
//! Nothing here ships. `check` is what CI runs; `tidy` holds the source to the rules no compiler
//! knows, and is also run as a test.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "chores start cargo, read the source tree and talk to the developer"
)]

mod agents;
mod api;
mod bench;
mod check;
mod crash;
mod fuzz;
mod mcp;
mod mcp_client;
mod process;
mod race;
mod requirements;
mod sanitize;
mod source;
mod system;
mod tidy;
mod tools;

use std::process::ExitCode;

/// One chore: its name, its arguments, what it does, and the function that does it.
struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[
    Task {
        name: "check",
        arguments: "",
        about: "everything CI runs: format, clippy, tests, doc tests, tidy, fuzz targets build",
        run: check::run,
    },
    Task {
        name: "tidy",
        arguments: "",
        about: "the rules no compiler knows (also run as a test)",
        run: |_| tidy::run(),
    },
    Task {
        name: "tools",
        arguments: "",
        about: "install into target/tools what the tests need (check does it too)",
        run: |_| tools::run(),
    },
    Task {
        name: "requirements",
        arguments: "",
        about: "rewrite the test column of docs/requirements.md from the tests",
        run: |_| requirements::write(),
    },
    Task {
        name: "surfaces",
        arguments: "",
        about: "rewrite docs/surfaces.md from the table of surfaces and its cases",
        run: |_| requirements::write_surfaces(),
    },
    Task {
        name: "fuzz",
        arguments: "NAME|all SECONDS",
        about: "run one fuzz target, or each in turn; installs cargo-fuzz when it is missing",
        run: fuzz::run,
    },
    Task {
        name: "api",
        arguments: "",
        about: "the HTTP API before schemathesis and a collector's parser, installed when missing",
        run: |_| api::run(),
    },
    Task {
        name: "mcp",
        arguments: "",
        about: "the MCP server before the official judges, installed when they are missing",
        run: |_| mcp::run(),
    },
    Task {
        name: "agents",
        arguments: "[AGENT…]",
        about: "real agents held to their skills by metier's hooks, installed when they are missing",
        run: agents::run,
    },
    Task {
        name: "crash",
        arguments: "[--quick]",
        about: "kill and fail `add`, `update`, `remove` and `sync` at every system call; needs strace",
        run: crash::run,
    },
    Task {
        name: "sanitize",
        arguments: "",
        about: "unit tests of the crate with `unsafe` under AddressSanitizer; needs nightly",
        run: sanitize::run,
    },
    Task {
        name: "race",
        arguments: "[SWAPS]",
        about: "swap a million links under a reader, for each way to resolve a path",
        run: race::run,
    },
    Task {
        name: "bench",
        arguments: "[NAME…] [--quick]",
        about: "run the benchmarks; each prints ratios against a floor measured in the same run",
        run: bench::run,
    },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        list();
        return ExitCode::SUCCESS;
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("error: there is no task `{name}`");
        list();
        return ExitCode::from(2);
    };
    let rest: Vec<String> = arguments.collect();
    match (task.run)(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    println!("cargo xtask TASK\n");
    for task in TASKS {
        println!("  {:<14}{:<22}{}", task.name, task.arguments, task.about);
    }
}
