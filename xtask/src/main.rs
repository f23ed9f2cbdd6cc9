//! The project's own commands: `cargo xtask test`, `cargo xtask check`, `cargo xtask fuzz` and
//! `cargo xtask trips`.
//!
//! Each prints what it runs, stops at the first step that fails, and leaves nothing running.

mod check;
mod deps;
mod features;
mod fuzz;
mod klines;
mod step;
mod test;
mod trips;

use std::process::ExitCode;

use step::Failure;

const USAGE: &str = "\
usage: cargo xtask <command>

  test                       every test of the workspace: unit, integration, doc tests, and the
                             replay of the fuzz corpora
  check [NAME...]            every other check, or the named ones alone; `check --list` names them
  fuzz TARGET [--seconds N]  run a fuzz target guided by coverage, 60 seconds unless told; needs a
                             C++ compiler
  trips [--count N] [--seed N]
                             random QRP1 documents to text and back on all cores, 10 million
                             unless told; a seed repeats a run
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["test"] => test::run(),
        ["check", "--list"] => {
            check::list();
            Ok(())
        }
        ["check", names @ ..] => check::run(names),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["trips", rest @ ..] => trips::run(rest),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => Err(Failure::new(format!("no command\n\n{USAGE}"))),
        other => Err(Failure::new(format!(
            "unknown command: {}\n\n{USAGE}",
            other.join(" ")
        ))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: FAILED: {failure}");
            ExitCode::FAILURE
        }
    }
}
