//! `cargo xtask trips`: random QRP1 documents to text and back, by the million.

use crate::step::{self, Failure, Outcome, cargo, locked};

/// How many documents, unless told.
const COUNT: u64 = 10_000_000;

pub(crate) fn run(args: &[&str]) -> Outcome {
    let (count, seed) = parse(args).map_err(Failure::new)?;
    let build_args = [
        "run",
        "--package",
        "toolgate-fuzz",
        "--release",
        "--example",
        "qrp1_trips",
    ];
    let args = [&build_args[..], locked()].concat();
    let mut command = cargo(&args);
    command.args(["--", "--count"]).arg(count.to_string());
    if let Some(seed) = seed {
        command.arg("--seed").arg(seed.to_string());
    }
    step::run(&mut command)
}

/// The count of documents, and the first seed if it is given.
fn parse(args: &[&str]) -> Result<(u64, Option<u64>), String> {
    let (mut count, mut seed) = (None, None);
    for pair in args.chunks(2) {
        let number = pair.get(1).and_then(|number| number.parse::<u64>().ok());
        let place = match (pair.first(), number) {
            (Some(&"--count"), Some(1..)) => &mut count,
            (Some(&"--seed"), Some(_)) => &mut seed,
            _ => {
                return Err(format!(
                    "trips takes --count N, 1 or more, and --seed N, not {}",
                    pair.join(" ")
                ));
            }
        };
        if place.is_some() {
            return Err(format!("{} is given twice", pair.join(" ")));
        }
        *place = number;
    }
    Ok((count.unwrap_or(COUNT), seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        assert_eq!(parse(&[]), Ok((COUNT, None)));
        assert_eq!(parse(&["--count", "5"]), Ok((5, None)));
        assert_eq!(parse(&["--seed", "0", "--count", "1"]), Ok((1, Some(0))));
        for wrong in [
            &["--count"][..],
            &["--count", "0"],
            &["--count", "x"],
            &["--seed", "-1"],
            &["--seed", "1", "--seed", "2"],
            &["7"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
