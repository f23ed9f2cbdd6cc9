//! Every fault of a CSV file has its code, its line and its column; any split reads alike.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;
use toolgate_runtime::{BarsParser, Batch, Error};

const HEADER: &str = "time,open,high,low,close,volume\n";
const ROW: &str = "2000-03-01T00:00:00Z,1,2,0.5,1.5,10\n";

fn parse(pieces: &[&[u8]]) -> (Option<Batch>, Option<Error>) {
    let mut parser = BarsParser::new();
    let mut error = None;
    for piece in pieces {
        if let Err(found) = parser.push(piece) {
            error = Some(found);
            break;
        }
    }
    let error = error.or_else(|| parser.finish().err());
    (parser.take(usize::MAX), error)
}

fn fault(text: &[u8]) -> String {
    let error = parse(&[text]).1.expect("the file is broken");
    format!("{} {error}", error.code())
}

#[test]
fn each_fault_has_its_code_and_place() {
    for (text, expected) in [
        (String::new(), "input_header line 1: "),
        (
            "time,open,high,low,volume\n".to_owned(),
            "input_header line 1, column close: ",
        ),
        (
            format!("time,time,{}", &HEADER[5..]),
            "input_header line 1, column time: ",
        ),
        (format!("trades,{HEADER}"), "input_header line 1: "),
        (
            format!("{HEADER}{ROW}2000-03-02T00:00:00Z,1,2,0.5,1.5\n"),
            "input_width line 3: expected 6 cells, found 5",
        ),
        (
            format!("{HEADER}{ROW}2000-03-02T00:00:00Z,1,2,0.5,1.5,10,9,9,9\n"),
            "input_width line 3: expected 6 cells, found more",
        ),
        (
            format!("{HEADER}{ROW}2000-03-02T00:00:00Z,1,2,0.5,1.5,10,9\n"),
            "input_width line 3: expected 6 cells, found 7",
        ),
        (
            format!("{HEADER}2000-03-01,1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00.0001Z,1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("{HEADER}2000-13-01T00:00:00Z,1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("{HEADER}{ROW}{ROW}"),
            "input_order line 3, column time: expected a time after 2000-03-01T00:00:00Z",
        ),
        (
            format!("{HEADER}{ROW}1999-03-01T00:00:00Z,1,2,0.5,1.5,10\n"),
            "input_order line 3, column time: ",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,1,2,0.5,1.5x,10\n"),
            "input_number line 2, column close: expected a finite decimal number, found \"1.5x\"",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,1,2,0.5,,10\n"),
            "input_number line 2, column close: expected a finite decimal number, found an empty cell",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,1,2,0.5,NaN,10\n"),
            "input_number line 2, column close: ",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,1,2,0.5,inf,10\n"),
            "input_number line 2, column close: ",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,1,2,0.5,1e999,10\n"),
            "input_number line 2, column close: ",
        ),
        (
            format!("{HEADER}2000-03-01T00:00:00Z,\"1,2\",3,0.5,1,10\n"),
            "input_number line 2, column open: ",
        ),
        (
            format!("{HEADER}\n\n2000-03-01T00:00:00Z,1,2,0.5,1.5x,10"),
            "input_number line 4, column close: ",
        ),
        (
            format!(
                "{}\r\n{}\r\n2000-03-02T00:00:00Z,1,2,0.5,?,1\r\n",
                HEADER.trim(),
                ROW.trim()
            ),
            "input_number line 3, column close: ",
        ),
        (
            "time,open,high,low,close,volume,closed\n2000-03-01T00:00:00Z,1,2,0.5,1,10,yes\n"
                .to_owned(),
            "input_flag line 2, column closed: ",
        ),
        (
            format!("{HEADER}\"{}", "x".repeat(70_000)),
            "input_limit line 2: ",
        ),
        (
            format!("{HEADER}{ROW}2000-03-02T00:00:00Z,\"1\"5,2,0.5,1.5,10\n"),
            "input_quote line 3, column open: expected quotes around a whole cell or none, \
             found more after the closing quote",
        ),
        (
            format!("{HEADER}2000-03-02T00:00:00Z,1\"5,2,0.5,1.5,10\n"),
            "input_quote line 2, column open: expected quotes around a whole cell or none, \
             found a quote inside the cell",
        ),
        (
            format!("{HEADER}2000-03-02T00:00:00Z,1\",2,0.5,1.5,10\n"),
            "input_quote line 2, column open: ",
        ),
        (
            format!("{HEADER}2000-03-02T00:00:00Z,1, \"2\",0.5,1.5,10\n"),
            "input_quote line 2, column high: ",
        ),
        (
            format!("{HEADER}{ROW}2000-03-02T00:00:00Z,1,2,0.5,1.5,\"10\n\n"),
            "input_quote line 3, column volume: expected quotes around a whole cell or none, \
             found the end of the file after an open quote",
        ),
        (
            "time,open,\"high\"x,low,close,volume\n".to_owned(),
            "input_quote line 1: ",
        ),
        (
            format!("{HEADER}2000-03-02T00:00:60Z,1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("{HEADER}2000-03-02 00:00:00Z,1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("{HEADER}2000-03-02T00:00:00+01:00[Europe/Paris],1,2,0.5,1.5,10\n"),
            "input_time line 2, column time: ",
        ),
        (
            format!("a\u{202e}\u{1b}b,a\u{202e}\u{1b}b,{HEADER}").replace(",volume", ""),
            "input_header line 1, column a\\u{202e}\\u{1b}b: expected the columns \
             time,open,high,low,close,volume and perhaps closed, found the column \
             \"a\\u{202e}\\u{1b}b\" twice",
        ),
        (
            format!("{HEADER}{ROW}").replace('\n', "\r") + "2000-03-02T00:00:00Z,1,2,0.5,?,1",
            "input_number line 3, column close: ",
        ),
        (
            format!("{}\r\r{ROW}\r\n?,1,2,0.5,1,1", HEADER.trim()),
            "input_time line 5, column time: ",
        ),
    ] {
        let found = fault(text.as_bytes());
        assert!(
            found.starts_with(expected),
            "{found}\nshould begin with\n{expected}"
        );
    }
    assert!(
        fault(b"time,open,high,low,close,volume\n2000-03-01T00:00:00Z,1,2,0.5,\xff,10\n")
            .starts_with("input_utf8 line 2: ")
    );
}

#[test]
fn messages_quote_little_of_the_file() {
    let text = format!(
        "{HEADER}2000-03-01T00:00:00Z,1,2,0.5,{},10\n",
        "\u{1b}[31mx".repeat(1_000)
    );
    let message = fault(text.as_bytes());
    assert!(
        message.len() < 300 && !message.contains('\u{1b}'),
        "{message}"
    );
    // Also of the row before: its time is as long as times can be.
    let long = "2000-03-01T00:00:00.000000000+00:00";
    let text = format!("{HEADER}{long},1,2,0.5,1,10\n{long},1,2,0.5,1,10\n");
    let message = fault(text.as_bytes());
    assert!(!message.contains(long), "{message}");
    let name = "\u{1b}x".repeat(1_000);
    let message = fault(format!("{name},{name}\n").as_bytes());
    assert!(
        message.len() < 600 && !message.contains('\u{1b}'),
        "{message}"
    );
}

#[test]
fn good_files_of_every_form_are_read() {
    let text = "\u{feff}volume,closed,close,low,high,open,time\r\n\
                25,1,1.5,-0.5,2e0,1,2000-03-01T00:00:00+01:00\r\n\
                \r\n\
                \"100000000000\",false,0.00141418,0,3,1,2000-03-01T00:00:00.250Z";
    let (batch, error) = parse(&[text.as_bytes()]);
    assert_eq!(error, None);
    let batch = batch.unwrap();
    assert_eq!(batch.time_ms(), [951_865_200_000, 951_868_800_250]);
    assert_eq!(
        batch.numbers("close").unwrap(),
        [Some(1.5), Some(0.001_414_18)]
    );
    assert_eq!(
        batch.numbers("volume").unwrap(),
        [Some(25.0), Some(100_000_000_000.0)]
    );
    assert_eq!(batch.columns().last().unwrap().name, "closed");
}

#[test]
fn the_rows_before_a_fault_can_be_taken() {
    let text = format!("{HEADER}{ROW}2000-03-02T00:00:00Z,x,2,0.5,1.5,10\n");
    let (batch, error) = parse(&[text.as_bytes()]);
    assert!(error.is_some());
    assert_eq!(batch.unwrap().rows(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_split_reads_alike(
        rows in prop::collection::vec((0u32..100_000, prop::bool::weighted(0.03)), 0..12),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r", "\r\r\n"]),
        quoted in prop::option::weighted(0.2, 0usize..400),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut text = HEADER.to_owned();
        for (day, (number, broken)) in rows.iter().enumerate() {
            let close = if *broken { "?".to_owned() } else { format!("{}", f64::from(*number) / 100.0) };
            text += &format!("2000-01-{:02}T00:00:00Z,1,\"2\",0.5,{close},10\n", day + 1);
        }
        text = text.replace('\n', line_end);
        if let Some(at) = quoted.filter(|at| *at < text.len()) {
            text.insert(at, '"');
        }
        let bytes = text.as_bytes();
        let whole = parse(&[bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&parse(&single), &whole);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.push(bytes.len());
        ends.sort_unstable();
        let mut start = 0;
        let pieces: Vec<&[u8]> = ends.into_iter().map(|end| { let piece = &bytes[start..end]; start = end; piece }).collect();
        prop_assert_eq!(&parse(&pieces), &whole);
    }
}
