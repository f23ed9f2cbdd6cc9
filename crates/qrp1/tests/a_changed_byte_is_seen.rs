//! With a CRC every change of one byte is seen, wherever it is; without one every lost, doubled
//! or strange line is.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{Document, Limits, Payload};

/// Small payloads of every kind, with all that a body can hold.
const RECORDS_AND_TEXTS: &[&str] = &[
    "QRP1|record|lines=3\nn:i=1\nnote:s!=\n\"a=b\":d2=1.5\n",
    "QRP1|record|name=t|end=t\na=b\n@end|lines=1\n",
    "QRP1|text|lines=3\na\n\\@end|lines=1\n\n",
    "QRP1|text|esc=t|end=t\n\\u0007\\\\\n@end|lines=1\n",
    "QRP1|text|lines=2|from=4|total=9|part=2|parts=3|glue=t\n a\n\\QRP1|\n",
    "QRP1|text|part=1|end=t\n\\@end|lines=1\n@end|lines=1\n",
    "QRP1|text|lines=0\n",
    "QRP1|receipt|status=ok|hint=a b\n",
    "QRP1|receipt|status=failed|code=x|x-a=\"\\u007c\"\n",
];

const TABLES: &[&str] = &[
    "QRP1|table|rows=2|columns=a,n:i?\nx\t1\n\"@\"\t\n",
    "QRP1|table|sep=comma|end=t|columns=a,b:b\nx,t\n@end|rows=1\n",
    "QRP1|table|rows=3|columns=id:i=1+1,a,h=w,b:b=t\ne\nf\th=x\ng\tid=7\tb=f\n",
    "QRP1|table|rows=2|from=3|columns=d:d1=2.5-0.5,t:t=1970-01-04+1d,a:s~!\nx\n\td=9\n",
    "QRP1|table|end=t|columns=a:s!=,b\nx\ta=\"\\t\"\n@end|rows=1\n",
    "QRP1|table|rows=1|columns=a:s~!?\n\"\"\n",
];

const SERIES: &[&str] = &[
    "QRP1|series|rows=2|t0=2026-09-08|columns=m:o,a:f\n0,1\n5,2\n",
    "QRP1|series|profile=seed|rows=1|t0=2026-09-08T00:00:00Z|columns=dt_ms:i64,b:bool\n0,1\n",
    "QRP1|series|rows=2|lines=4|columns=m:tc,a:i\n@2026-09-08\n22:00,1\n@2026-09-09\n00:00,2\n",
    "QRP1|series|end=t|columns=m:th,a:i=5\n@2026-09-08\n22\n23,a=6\n@end|rows=2|lines=3\n",
    "QRP1|series|rows=1|lines=2|columns=m:tm,a:i\n@2026-09-08T01Z\n30,1\n",
    "QRP1|series|rows=1|lines=2|columns=m:td,a:i\n@2000-02\n29,1\n",
    "QRP1|series|rows=3|lines=5|columns=m:t=+1h,a:i\n@2026-09-08T23:00Z\n1\n@2026-09-09\n2\n3\n",
    "QRP1|series|end=t|columns=m:t=+1d,a,c=x\n@2026-09-08\n\"@\",c=y\n@end|rows=1|lines=2\n",
];

fn with_crc(payloads: &[Payload]) -> Document {
    let mut payloads = payloads.to_vec();
    for payload in &mut payloads {
        match payload {
            Payload::Record(record) => record.meta.crc = true,
            Payload::Table(table) => table.meta.crc = true,
            Payload::Text(text) => text.meta.crc = true,
            Payload::Receipt(receipt) => receipt.meta.crc = true,
        }
    }
    Document::new(payloads)
}

fn every_change_of(text: &str) {
    let document = Document::parse(text);
    assert!(document.is_ok(), "{document:?}:\n{text}");
    let document = document.unwrap();
    let checked = with_crc(document.payloads());
    let mut bytes = checked.to_text().unwrap().into_bytes();
    assert!(Document::parse_with(&bytes, Limits::default()).is_ok());
    for at in 0..bytes.len() {
        let before = bytes[at];
        for byte in (0..=u8::MAX).filter(|byte| *byte != before) {
            bytes[at] = byte;
            let read = Document::parse_with(&bytes, Limits::default());
            assert!(read.is_err(), "{:?}", String::from_utf8_lossy(&bytes));
        }
        bytes[at] = before;
    }
}

#[test]
fn every_change_of_records_texts_and_receipts_is_refused() {
    RECORDS_AND_TEXTS
        .iter()
        .for_each(|text| every_change_of(text));
}

#[test]
fn every_change_of_tables_is_refused() {
    TABLES.iter().for_each(|text| every_change_of(text));
}

#[test]
fn every_change_of_series_is_refused() {
    SERIES.iter().for_each(|text| every_change_of(text));
}

/// A changed line feed between payloads is seen too.
#[test]
fn every_change_of_two_payloads_is_refused() {
    every_change_of("QRP1|table|end=t|columns=a\nx\n@end|rows=1\nQRP1|receipt|status=ok\n");
    every_change_of("QRP1|receipt|status=ok\nQRP1|text|lines=1\nx\n");
}

/// Without a CRC too: every prefix; every line lost, doubled, or followed by another.
#[test]
fn every_cut_and_every_lost_or_extra_line_is_refused() {
    for text in RECORDS_AND_TEXTS.iter().chain(TABLES).chain(SERIES) {
        let refused = |text: &str, what: &str| {
            assert!(Document::parse(text).is_err(), "{what}:\n{text}");
        };
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            refused(&text[..end], "a prefix");
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (at, line) in lines.iter().enumerate() {
            let changed = |with: &[&str]| [&lines[..at], with, &lines[at + 1..]].concat().concat();
            refused(&changed(&[]), "a lost line");
            let doubled = changed(&[line, line]);
            if lines.len() == 1 {
                // A payload of one line, twice, is two payloads.
                assert_eq!(Document::parse(&doubled).unwrap().payloads().len(), 2);
            } else {
                refused(&doubled, "a doubled line");
            }
            for other in lines
                .iter()
                .chain(&["x\n", "\n", "1\n", "@2026-09-10\n", "@end|rows=9\n"])
            {
                if !other.starts_with("QRP1|") {
                    refused(&changed(&[line, other]), "a line more");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn every_one_byte_change_is_refused(payload in documents::payload(), with: u8) {
        let checked = with_crc(&[payload]);
        let text = checked.to_text().unwrap();
        let read = Document::parse(&text).unwrap();
        prop_assert_eq!(read, checked);
        let mut bytes = text.into_bytes();
        for at in 0..bytes.len() {
            let before = bytes[at];
            for byte in [with, before ^ 1, b'\n', b'|', b'=', b',', b'"', b'0'] {
                if byte != before {
                    bytes[at] = byte;
                    let read = Document::parse_with(&bytes, Limits::default());
                    prop_assert!(read.is_err(), "{:?}", String::from_utf8_lossy(&bytes));
                }
            }
            bytes[at] = before;
        }
    }
}
