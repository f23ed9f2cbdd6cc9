//! `cargo xtask test`: all tests, counted.

use crate::step::{Failure, Outcome, cargo, locked, run_lines};

/// What the `test result:` lines of one run say together.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    binaries: usize,
    passed: usize,
    ignored: usize,
}

impl Tally {
    /// Reads one line such as `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
    fn add(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        self.binaries += 1;
        let words: Vec<&str> = counts
            .split([' ', ';'])
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            if let [number, what] = pair
                && let Ok(number) = number.parse::<usize>()
            {
                match *what {
                    "passed" => self.passed += number,
                    "ignored" => self.ignored += number,
                    _ => {}
                }
            }
        }
    }
}

/// The comparison with the rivals.
const COMPARE: &str = "toolgate-compare";

/// Unit, integration and doc tests of every member. The replay of the fuzz corpora is one of the
/// integration tests of `toolgate-fuzz`.
pub(crate) fn run() -> Outcome {
    let mut tally = Tally::default();
    // Built with the rest, the rivals would switch on features of serde_json in every crate, and
    // the libraries would not be tested as they are used.
    for packages in [
        ["--workspace", "--exclude", COMPARE].as_slice(),
        &["--package", COMPARE],
    ] {
        let args = [&["test", "--all-features"], packages, locked()].concat();
        run_lines(&mut cargo(&args), |line| tally.add(line))?;
    }
    if tally.passed == 0 {
        return Err(Failure::new("no test ran"));
    }
    if tally.ignored > 0 {
        return Err(Failure::new(format!(
            "{} tests are ignored; every test must run",
            tally.ignored
        )));
    }
    println!(
        "xtask test: {} tests passed in {} runs",
        tally.passed, tally.binaries
    );
    Ok(())
}

/// The tests of the core crates as they ship: without debug assertions and overflow checks.
pub(crate) fn run_as_shipped(crates: &[&str]) -> Outcome {
    let mut args = [&["test", "--profile", "ship", "--all-features"], locked()].concat();
    for name in crates {
        args.extend(["--package", name]);
    }
    run_lines(&mut cargo(&args), |_| ())
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn result_lines_are_added_up() {
        let mut tally = Tally::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s",
            "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0s",
            "7 passed in words of a test itself",
        ] {
            tally.add(line);
        }
        assert_eq!(
            tally,
            Tally {
                binaries: 2,
                passed: 43,
                ignored: 1
            }
        );
    }
}
