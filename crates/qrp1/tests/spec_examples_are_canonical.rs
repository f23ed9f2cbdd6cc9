//! The examples in SPEC.md and README.md are what they say: each block marked `qrp1` reads and prints back.
#![allow(clippy::unwrap_used)]

use qrp1::Document;

fn examples(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line) {
            (None, "```qrp1") => open = Some(String::new()),
            (Some(_), "```") => found.extend(open.take()),
            (Some(example), _) => {
                example.push_str(line);
                example.push('\n');
            }
            _ => {}
        }
    }
    found
}

#[test]
fn every_example_reads_and_prints_back() {
    let all = [
        examples(include_str!("../SPEC.md")),
        examples(include_str!("../README.md")),
    ]
    .concat();
    assert!(all.len() >= 10, "{} examples", all.len());
    for example in all {
        let document =
            Document::parse(&example).unwrap_or_else(|error| panic!("{error} in\n{example}"));
        assert_eq!(document.to_text().unwrap(), example);
    }
}
