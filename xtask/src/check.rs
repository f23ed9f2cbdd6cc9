//! `cargo xtask check`: everything that must hold beside the tests.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::step::{self, Failure, Outcome, cargo, locked, root};
use crate::{deps, features, klines, test};

/// The crates that do no I/O and know nothing of each other.
pub(crate) const CORE: [&str; 4] = [
    "qrp1",
    "toolgate-tokens",
    "toolgate-cursor",
    "toolgate-kernels",
];

struct Check {
    name: &'static str,
    what: &'static str,
    run: fn() -> Outcome,
}

/// Cheap checks first, so that most mistakes show early.
const CHECKS: [Check; 8] = [
    Check {
        name: "format",
        what: "rustfmt would change nothing",
        run: format,
    },
    Check {
        name: "deps",
        what: "who may depend on whom",
        run: deps::check,
    },
    Check {
        name: "licences",
        what: "licences, sources, doubled crates (cargo-deny)",
        run: licences,
    },
    Check {
        name: "clippy",
        what: "no warning on any target with all features",
        run: clippy,
    },
    Check {
        name: "features",
        what: "each feature of a core crate and of the facade alone",
        run: features::check,
    },
    Check {
        name: "docs",
        what: "documentation without a warning",
        run: docs,
    },
    Check {
        name: "klines",
        what: "the klines example and its errors",
        run: klines::check,
    },
    Check {
        name: "ship",
        what: "core tests without debug assertions",
        run: ship,
    },
];

/// Prints the names of all checks.
pub(crate) fn list() {
    for check in &CHECKS {
        println!("{:<10}{}", check.name, check.what);
    }
}

/// Runs the named checks in the order of the list, or all if none is named.
pub(crate) fn run(names: &[&str]) -> Outcome {
    if let Some(unknown) = names
        .iter()
        .find(|name| CHECKS.iter().all(|check| check.name != **name))
    {
        let known: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        return Err(Failure::new(format!(
            "no check is called {unknown}; there are {}",
            known.join(", ")
        )));
    }
    for check in CHECKS
        .iter()
        .filter(|check| names.is_empty() || names.contains(&check.name))
    {
        println!("\n== check {}: {}", check.name, check.what);
        if let Some(reason) = cannot_run(check) {
            println!("== check {} SKIPPED: {reason}", check.name);
            continue;
        }
        let start = Instant::now();
        (check.run)()
            .map_err(|failure| Failure::new(format!("check {}: {failure}", check.name)))?;
        println!(
            "== check {} passed in {:.1} s",
            check.name,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn format() -> Outcome {
    step::run(&mut cargo(&["fmt", "--all", "--", "--check"]))
}

fn clippy() -> Outcome {
    let args = [
        &["clippy", "--workspace", "--all-targets", "--all-features"],
        locked(),
    ]
    .concat();
    step::run(cargo(&args).args(["--", "-D", "warnings"]))
}

fn docs() -> Outcome {
    let args = [
        &["doc", "--workspace", "--no-deps", "--all-features"],
        locked(),
    ]
    .concat();
    step::run(cargo(&args).env("RUSTDOCFLAGS", "-D warnings"))
}

fn ship() -> Outcome {
    test::run_as_shipped(&CORE)
}

/// Whether a check cannot run here, and why.
fn cannot_run(check: &Check) -> Option<&'static str> {
    (check.name == "licences" && !has_cargo_deny())
        .then_some("cargo-deny is not on PATH; `cargo install cargo-deny` brings it")
}

fn has_cargo_deny() -> bool {
    Command::new("cargo-deny")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn licences() -> Outcome {
    // Not `advisories`: that one downloads a database.
    let mut deny = Command::new("cargo-deny");
    deny.args(["--all-features", "--log-level", "error", "check"])
        .args(["licenses", "bans", "sources"])
        .current_dir(root())
        .stdin(Stdio::null());
    step::run(&mut deny)
}
