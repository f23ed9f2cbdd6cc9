//! `cargo xtask fuzz`: one target under libFuzzer, guided by coverage, on the stable toolchain.

use std::path::Path;
use std::process::Command;

use crate::step::{self, Failure, Outcome, cargo, locked, read, root, target_dir};

/// What `cargo fuzz` passes when it uses no sanitizer; all of it is stable.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

pub(crate) fn run(args: &[&str]) -> Outcome {
    let targets = targets()?;
    let (target, seconds) = parse(args, &targets).map_err(Failure::new)?;

    // libFuzzer adds what it finds to its first folder, so the corpus in the repository is copied.
    let build = target_dir().join("fuzz");
    let corpus = build.join("corpus").join(target);
    let copied = copy(&root().join("fuzz/corpus").join(target), &corpus)?;
    let artifacts = root().join("fuzz/artifacts").join(target);
    std::fs::create_dir_all(&artifacts)?;
    println!(
        "{target}: {copied} inputs copied to {}; {seconds} s",
        corpus.display()
    );

    let host = host()?;
    let build_args = [
        "run",
        "--package",
        "toolgate-fuzz",
        "--target",
        &host,
        "--release",
    ];
    let args = [&build_args[..], &["--bin", target], locked()].concat();
    step::run(cargo(&args)
        .env("RUSTFLAGS", RUSTFLAGS)
        .env("CARGO_TARGET_DIR", &build)
        // Overflow and debug assertions are promises too.
        .env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true")
        .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true")
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(&corpus))
    .map_err(|failure| match std::fs::read_dir(&artifacts).map(Iterator::count) {
        Ok(1..) => Failure::new(format!(
            "{failure}; fuzz/artifacts/{target} holds the input: fix the fault, then keep the input \
             in fuzz/corpus/{target}"
        )),
        _ => failure,
    })
}

fn parse<'a>(args: &[&'a str], targets: &[String]) -> Result<(&'a str, u64), String> {
    let (target, seconds) = match args {
        [target] => (*target, 60),
        [target, "--seconds", seconds] | ["--seconds", seconds, target] => {
            let seconds = seconds
                .parse()
                .ok()
                .filter(|&seconds| seconds > 0)
                .ok_or_else(|| format!("--seconds takes a number of 1 or more, not {seconds}"))?;
            (*target, seconds)
        }
        _ => return Err(format!("name one target: {}", targets.join(", "))),
    };
    if targets.iter().any(|known| known == target) {
        Ok((target, seconds))
    } else {
        Err(format!(
            "no fuzz target is called {target}; there are {}",
            targets.join(", ")
        ))
    }
}

/// The programs in `fuzz/src/bin`.
fn targets() -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("fuzz/src/bin"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// Copies the files of a folder; returns how many.
fn copy(from: &Path, to: &Path) -> Outcome<usize> {
    std::fs::create_dir_all(to)?;
    let mut files = 0;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        files += 1;
    }
    Ok(files)
}

/// The host triple. Naming it as the target keeps the flags away from build scripts.
fn host() -> Outcome<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = read(Command::new(rustc).arg("-vV"))?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("rustc -vV names no host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let targets = ["one".to_owned(), "two".to_owned()];
        assert_eq!(parse(&["two"], &targets), Ok(("two", 60)));
        assert_eq!(parse(&["one", "--seconds", "5"], &targets), Ok(("one", 5)));
        assert_eq!(parse(&["--seconds", "5", "one"], &targets), Ok(("one", 5)));
        assert_eq!(
            parse(&[], &targets),
            Err("name one target: one, two".to_owned())
        );
        assert!(parse(&["three"], &targets).is_err());
        assert!(parse(&["one", "--seconds", "0"], &targets).is_err());
        assert!(parse(&["one", "--seconds", "x"], &targets).is_err());
    }
}
