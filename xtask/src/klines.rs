//! The klines example: it must run, print the facts it is there to show, and refuse a bad file
//! with one clear error that names the line and the column.

use std::path::{Path, PathBuf};
use std::process::Output;

use qrp1::{Cell, Document, Layout, Payload};

use crate::step::{Failure, Outcome, capture, cargo, locked, target_dir};

/// Something that the output must show, and how to see it there.
type Fact = (&'static str, fn(&str) -> bool);

/// The facts of a run on the default data: 3,270 bars in 7 segments of up to 500.
const FACTS: [Fact; 14] = [
    ("the locator and the plan of the model", |output| {
        part(output, 1).contains(
            r#"{"locator":{"source":"csv","symbol":"aapl_1d"},"plan":{"inputs":["close"]"#,
        )
    }),
    ("the snapshot: id, rows, segments, hash", |output| {
        let part = part(output, 2);
        let word = |name: &str| part.lines().find_map(|line| line.trim().strip_prefix(name));
        word("snapshot s").is_some_and(|id| id.len() == 12 && is_digits(id))
            && word("rows").is_some_and(|rows| rows.trim() == "3270")
            && word("segments").is_some_and(|text| text.trim().starts_with("7 of up to 500 rows"))
            && word("hash").is_some_and(|hash| hash.trim().len() == "sha256:".len() + 64)
    }),
    ("seven segments, each with a checkpoint", |output| {
        let lines = part(output, 3);
        let done: Vec<&str> = lines
            .lines()
            .filter(|line| line.contains(" committed: "))
            .collect();
        done.len() == 7
            && done
                .iter()
                .all(|line| line.contains(", checkpoint ") && line.ends_with(" bytes"))
            && done
                .last()
                .is_some_and(|line| line.contains("3270 of 3270 rows"))
    }),
    ("a stop, and a resume from the saved state", |output| {
        let part = part(output, 3);
        let (stop, resume) = (part.find("-- stop: "), part.find("-- resume: "));
        stop.is_some() && stop < resume && part.contains("3 segments, 1500 bars")
    }),
    ("a worker that lost its claim cannot commit", |output| {
        part(output, 3).contains("tries to commit: stale_fence")
    }),
    ("the same bits as one pass", |output| {
        part(output, 3).contains("0 of 13080 values differ in any bit")
    }),
    ("the summary and the list of crosses", |output| {
        let Some(document) = document(&part(output, 4)) else {
            return false;
        };
        matches!(
            document.payloads(),
            [Payload::Record(totals), Payload::Table(outputs), Payload::Table(crosses), Payload::Receipt(_)]
                if totals.get("rows") == Some(Cell::U64(3270))
                    && outputs.rows.len() == 3
                    && crosses.rows.len() == 60
                    && crosses.meta.total == Some(60)
        )
    }),
    ("the first page, under its caps, with a cursor", |output| {
        page(&part(output, 5)).is_some_and(|page| page.from == 0 && page.within_caps && page.next)
    }),
    ("the second page by that cursor", |output| {
        let (first, second) = (page(&part(output, 5)), page(&part(output, 6)));
        first.zip(second).is_some_and(|(first, second)| {
            second.from == first.from + first.rows
                && second.layout == first.layout
                && second.within_caps
        })
    }),
    ("the same cursor gives the same bytes", |output| {
        part(output, 6).contains("read once more: the same bytes")
    }),
    ("what a tampered cursor gets", |output| {
        let part = part(output, 7);
        refusal(&part, "one character changed") == Some("cursor_miscopied")
            && refusal(&part, "made with another key") == Some("cursor_forged")
    }),
    ("what a cursor for another snapshot gets", |output| {
        refusal(&part(output, 7), "a cursor for another snapshot") == Some("cursor_snapshot")
    }),
    ("what another user gets", |output| {
        refusal(&part(output, 7), "another user") == Some("not_found")
    }),
    (
        "bytes and tokens of JSON against QRP1 for the same rows",
        |output| {
            let part = part(output, 8);
            let rows = [
                "bars, first page",
                "bars, all",
                "result, first page",
                "result, all",
            ];
            rows.iter().all(|row| {
                let Some(line) = part.lines().find(|line| line.starts_with(row)) else {
                    return false;
                };
                let figures: Vec<f64> = line
                    .split_whitespace()
                    .rev()
                    .map_while(|w| w.parse().ok())
                    .collect();
                // From the right: share, QRP1 and JSON of the tokens, then of the bytes, then rows.
                matches!(figures[..], [t, qt, jt, b, qb, jb, rows, ..]
                if rows > 0.0 && qt < jt && qb < jb
                    && (t - 100.0 * qt / jt).abs() < 0.06 && (b - 100.0 * qb / jb).abs() < 0.06)
            })
        },
    ),
];

/// The lines under the headline of a step.
fn part(output: &str, step: usize) -> String {
    let begins = format!("== {step}. ");
    let lines = output
        .lines()
        .skip_while(|line| !line.starts_with(&begins))
        .skip(1);
    lines
        .take_while(|line| !line.starts_with("== "))
        .fold(String::new(), |text, line| text + line + "\n")
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The QRP1 document among the lines of a step, if it is one: what stands before the first
/// header and from the line of sizes on is left out.
fn document(part: &str) -> Option<Document> {
    let lines = part.lines().skip_while(|line| !line.starts_with("QRP1|"));
    let text = lines
        .take_while(|line| !line.starts_with("= "))
        .fold(String::new(), |t, l| t + l + "\n");
    Document::parse(&text).ok()
}

struct Shown {
    from: u64,
    rows: u64,
    layout: Layout,
    next: bool,
    within_caps: bool,
}

/// The page among the lines of a step.
fn page(part: &str) -> Option<Shown> {
    let document = document(part)?;
    let [Payload::Table(table)] = document.payloads() else {
        return None;
    };
    // `= rows 0 to 41 of 3270; 1568 bytes (cap 1600), 675 tokens (cap 800)`
    let sizes = part.lines().find(|line| line.starts_with("= rows "))?;
    let numbers: Vec<u64> = sizes
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    let &[first, last, _, bytes, max_bytes, tokens, max_tokens] = &numbers[..] else {
        return None;
    };
    let rows = table.rows.len() as u64;
    if (Some(first), last + 1) != (table.meta.from, first + rows) {
        return None;
    }
    Some(Shown {
        from: table.meta.from?,
        rows,
        layout: table.layout.clone(),
        next: table.meta.next.is_some(),
        within_caps: bytes == document.to_text().ok()?.len() as u64
            && bytes <= max_bytes
            && tokens <= max_tokens,
    })
}

/// The code of the receipt under a line that names an attempt.
fn refusal<'p>(part: &'p str, attempt: &str) -> Option<&'p str> {
    let mut lines = part
        .lines()
        .skip_while(|line| line.strip_suffix(':') != Some(attempt));
    let receipt = lines
        .nth(1)?
        .trim()
        .strip_prefix("QRP1|receipt|status=failed|code=")?;
    receipt.split('|').next()
}

/// A file that the example must refuse: its name, its text, the line and the column to be named.
struct BadFile {
    name: &'static str,
    text: &'static str,
    line: &'static str,
    column: &'static str,
}

const BAD_FILES: [BadFile; 3] = [
    BadFile {
        name: "bad_number.csv",
        text: "time,open,high,low,close,volume\n\
               2024-01-01T00:00:00Z,1.5,1.75,1.25,1.5,10\n\
               2024-01-01T00:01:00Z,1.5,1.75,1.25,1.5x,10\n\
               2024-01-01T00:02:00Z,1.5,1.75,1.25,1.5,10\n",
        line: "line 3",
        column: "close",
    },
    BadFile {
        name: "missing_column.csv",
        text: "time,open,high,low,volume\n\
               2024-01-01T00:00:00Z,1.5,1.75,1.25,10\n\
               2024-01-01T00:01:00Z,1.5,1.75,1.25,10\n",
        line: "line 1",
        column: "close",
    },
    BadFile {
        name: "duplicate_time.csv",
        text: "time,open,high,low,close,volume\n\
               2024-01-01T00:00:00Z,1.5,1.75,1.25,1.5,10\n\
               2024-01-01T00:01:00Z,1.5,1.75,1.25,1.5,10\n\
               2024-01-01T00:01:00Z,1.5,1.75,1.25,1.5,10\n",
        line: "line 4",
        column: "time",
    },
];

pub(crate) fn check() -> Outcome {
    let output = example(None)?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(unexpected("the example failed on its own data", &output));
    }
    let missing: Vec<&str> = FACTS
        .iter()
        .filter(|(_, holds)| !holds(&text))
        .map(|(fact, _)| *fact)
        .collect();
    if !missing.is_empty() {
        return Err(unexpected(
            &format!("the output does not show: {}", missing.join("; ")),
            &output,
        ));
    }
    for (fact, _) in &FACTS {
        println!("shown: {fact}");
    }

    let folder = Scratch::new()?;
    for bad in &BAD_FILES {
        let path = folder.0.join(bad.name);
        std::fs::write(&path, bad.text)?;
        let output = example(Some(&path))?;
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        refused(bad, output.status.success(), &error)
            .map_err(|fault| unexpected(&format!("{} on {}", fault, bad.name), &output))?;
        println!("refused: {}", error.trim());
    }
    Ok(())
}

fn example(file: Option<&Path>) -> Outcome<Output> {
    let args = [&["run", "--quiet", "--example", "klines"], locked()].concat();
    let mut command = cargo(&args);
    if let Some(file) = file {
        command.args(["--", "--symbol-file"]).arg(file);
    }
    capture(&mut command)
}

/// Whether a run on a bad file ended as it must; else what is wrong with it.
fn refused(bad: &BadFile, success: bool, error: &str) -> Result<(), String> {
    if success {
        return Err("exit code 0".to_owned());
    }
    if error.contains("panicked") {
        return Err("a panic".to_owned());
    }
    if error.trim().is_empty() {
        return Err("no error text".to_owned());
    }
    // Cause and advice may stand on lines of their own, but there is one error.
    let errors = error
        .lines()
        .filter(|line| line.to_lowercase().starts_with("error"))
        .count();
    if errors > 1 {
        return Err(format!("{errors} errors instead of one"));
    }
    // `line 3` must not be found in `line 31`.
    let names_line = error
        .match_indices(bad.line)
        .any(|(at, found)| !error[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()));
    if !names_line {
        return Err(format!("the error does not say `{}`", bad.line));
    }
    if !error.contains(bad.column) {
        return Err(format!(
            "the error does not name the column `{}`",
            bad.column
        ));
    }
    Ok(())
}

fn unexpected(what: &str, output: &Output) -> Failure {
    Failure::new(format!(
        "{what} ({})\n--- standard output\n{}\n--- standard error\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    ))
}

/// A folder of this run that is removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Outcome<Self> {
        let path = target_dir().join(format!("klines-check-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left lies in the build folder and harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_clear_error_passes() {
        let [bad, ..] = &BAD_FILES;
        let good =
            "error: bad_number.csv line 3, column close: expected a number, found \"1.5x\"\n";
        assert_eq!(refused(bad, false, good), Ok(()));
        for (success, error) in [
            (true, good),
            (false, ""),
            (false, "error: line 31, column close"),
            (false, "error: line 3"),
            (false, "error: column close"),
            (false, "thread 'main' panicked at line 3, close"),
            (
                false,
                "error: line 3, column close\nerror: line 4, column close",
            ),
        ] {
            assert!(refused(bad, success, error).is_err(), "{error}");
        }
    }
}
