//! Documents drawn from bytes: each reads back from its text, the text is clean and counted,
//! and no line can be lost, added or, with a CRC, changed.

use std::fmt::Write as _;

use qrp1::{ColumnType, CountPlace, Document, Hoist, Layout, Payload, Table, must_escape};
use toolgate_tokens::{Tiktoken, TokenCounter};

use crate::qrp1_document::Draw;
use crate::qrp1_reader;

/// Which promises are checked beside the round trip, which always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Every prefix, every line lost or doubled, a line more.
    pub lines: bool,
    /// A changed byte: seen with a CRC, and otherwise canonical if it is accepted.
    pub damage: bool,
    /// The tokens of lines add up to those of the whole.
    pub tokens: bool,
}

/// Draws a document from `data`, whose first byte chooses the checks, since most are dear.
///
/// # Panics
/// When a promise does not hold.
pub fn check(data: &[u8]) {
    let (&choice, rest) = data.split_first().unwrap_or((&0, &[]));
    let checks = Checks {
        lines: choice & 7 == 0,
        damage: choice & 24 == 0,
        tokens: choice >> 5 == 0,
    };
    trip(rest, checks);
}

/// Draws a document from `data`, checks the round trip and the promises of `checks`, and gives
/// the length of its text.
///
/// # Panics
/// When a promise does not hold.
pub fn trip(data: &[u8], checks: Checks) -> usize {
    let mut draw = Draw::new(data);
    let document = draw.document();
    let text = document.to_text().unwrap_or_else(|error| {
        panic!("what is drawn can be written: {error}\n{document:#?}");
    });
    let read = Document::parse(&text);
    assert_eq!(read.as_ref(), Ok(&document), "{text}");
    let again = read.and_then(|read| read.to_text());
    assert_eq!(again.as_deref(), Ok(&*text), "the same text again");

    let texts: Vec<String> = document
        .payloads()
        .iter()
        .map(|payload| payload.to_text().expect("as in its document"))
        .collect();
    assert_eq!(texts.concat(), text, "a document is its payloads in a row");
    for (payload, text) in document.payloads().iter().zip(&texts) {
        clean(payload, text);
        if let Payload::Table(table) = payload {
            let line = table.layout.to_line();
            assert_eq!(
                Layout::from_line(&line).as_ref(),
                Ok(&table.layout),
                "{line}"
            );
        }
        if checks.tokens && !matches!(payload, Payload::Text(_)) {
            tokens_add_up(text);
        }
    }
    if checks.lines {
        prefixes(&document, &texts, &text);
        lines(&document, &texts);
    }
    if checks.damage {
        damage(&document, &texts, &mut draw);
    }
    text.len()
}

/// The text of the document that `data` draws, or why it has none.
#[must_use]
pub fn text(data: &[u8]) -> String {
    let document = Draw::new(data).document();
    let text = document.to_text();
    text.unwrap_or_else(|error| format!("{error}\n{document:#?}"))
}

/// No hidden character, no blank line, and no line that looks like structure but what is.
fn clean(payload: &Payload, text: &str) {
    let (of_text, anchors, counts) = match payload {
        Payload::Record(record) => (false, 0, record.counts),
        Payload::Text(text) => (true, 0, text.counts),
        Payload::Receipt(_) => (false, 0, CountPlace::Header),
        Payload::Table(table) => (false, anchors(table), table.layout.counts()),
    };
    assert!(text.ends_with('\n'), "{text:?}");
    for line in text.split_terminator('\n') {
        let hidden = |c: char| must_escape(c) && c != '\t';
        assert!(!line.contains(hidden), "{line:?}");
        assert!(of_text || !line.trim().is_empty(), "{text:?}");
        assert!(of_text || !line.starts_with(['/', ' ']), "{line:?}");
    }
    let beginning = |with: &str| {
        text.split('\n')
            .filter(|line| line.starts_with(with))
            .count()
    };
    assert_eq!(beginning("QRP1|"), 1, "{text}");
    let ends = usize::from(counts == CountPlace::End);
    assert_eq!(beginning("@end|"), ends, "{text}");
    assert_eq!(beginning("@") - ends, anchors, "anchors in\n{text}");
}

/// How many anchors the rows of a table need, by the specification.
fn anchors(table: &Table) -> usize {
    let times: Vec<i64> = table
        .rows
        .iter()
        .filter_map(|row| match row.first() {
            Some(qrp1::Value::Time(time_ms)) => Some(*time_ms),
            _ => None,
        })
        .collect();
    // A date is the first characters of the text of its time.
    let span = |chars: usize, time_ms: i64| {
        let text = qrp1::time_text(time_ms).unwrap_or_default();
        text.get(..chars).unwrap_or(&text).to_owned()
    };
    let day = |time_ms: i64| span("2026-09-08".len(), time_ms);
    let changes = |span: &dyn Fn(i64) -> String| {
        usize::from(!times.is_empty())
            + times
                .windows(2)
                .filter(|pair| span(pair[0]) != span(pair[1]))
                .count()
    };
    let Some(first) = table
        .layout
        .columns()
        .first()
        .filter(|_| table.layout.is_series())
    else {
        return 0;
    };
    if let Some(Hoist::Step { step_ms }) = first.hoist() {
        let chars = match *step_ms {
            ..86_400_000 => "2026-09-08".len(),
            86_400_000..604_800_000 => "2026-09".len(),
            _ => "2026".len(),
        };
        let stated = |pair: &&[i64]| {
            pair[0].checked_add(*step_ms) != Some(pair[1])
                || span(chars, pair[0]) != span(chars, pair[1])
        };
        return usize::from(!times.is_empty()) + times.windows(2).filter(stated).count();
    }
    match first.column_type() {
        ColumnType::Clock | ColumnType::Hour => changes(&day),
        ColumnType::Minute => changes(&|time_ms| time_ms.div_euclid(3_600_000).to_string()),
        ColumnType::Day => changes(&|time_ms| span("2026-09".len(), time_ms)),
        _ => 0,
    }
}

fn tokens_add_up(text: &str) {
    for counter in [Tiktoken::o200k(), Tiktoken::cl100k()] {
        let lines = text.split_inclusive('\n').map(|line| counter.count(line));
        assert_eq!(
            lines.sum::<usize>(),
            counter.count(text),
            "tokens of {text:?}"
        );
    }
}

/// A prefix is refused, or is the payloads that are whole in it.
fn prefixes(document: &Document, texts: &[String], text: &str) {
    let mut whole = 0;
    let mut end_of_whole = 0;
    for end in 0..text.len() {
        while whole < texts.len() && end_of_whole + texts[whole].len() <= end {
            end_of_whole += texts[whole].len();
            whole += 1;
        }
        let read = Document::parse_with(&text.as_bytes()[..end], qrp1::Limits::default());
        if whole > 0 && end == end_of_whole {
            let before = Document::new(document.payloads()[..whole].to_vec());
            assert_eq!(read, Ok(before), "whole payloads");
        } else {
            assert!(
                read.is_err(),
                "a prefix is refused:\n{}",
                &text.get(..end).unwrap_or("")
            );
        }
    }
}

/// A lost, a doubled and a strange line is refused, unless it is a payload of its own.
fn lines(document: &Document, texts: &[String]) {
    let mut changed = String::new();
    for (at, text) in texts.iter().enumerate() {
        let (before, after) = (texts[..at].concat(), texts[at + 1..].concat());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (index, line) in lines.iter().enumerate() {
            let head = lines[..index].concat();
            let tail = lines[index + 1..].concat();
            for with in [&[][..], &[*line, *line], &[*line, "x\n"], &[*line, "\n"]] {
                let with = with.concat();
                changed.clear();
                let _ = write!(changed, "{before}{head}{with}{tail}{after}");
                let expected = match (lines.len(), &*with) {
                    (1, "") => {
                        [&document.payloads()[..at], &document.payloads()[at + 1..]].concat()
                    }
                    (1, with) if with.len() == 2 * line.len() && with.ends_with(line) => {
                        [&document.payloads()[..=at], &document.payloads()[at..]].concat()
                    }
                    _ => Vec::new(),
                };
                let read = Document::parse(&changed);
                if expected.is_empty() {
                    assert!(read.is_err(), "line {index} for {with:?}:\n{changed}");
                } else {
                    assert_eq!(read, Ok(Document::new(expected)), "{changed}");
                }
            }
        }
    }
}

/// One changed byte, and the reader's own promises on what comes of it.
fn damage(document: &Document, texts: &[String], draw: &mut Draw) {
    let text = texts.concat();
    let mut start = 0;
    for (payload, text_of) in document.payloads().iter().zip(texts) {
        let checked = match payload {
            Payload::Record(record) => record.meta.crc,
            Payload::Table(table) => table.meta.crc,
            Payload::Text(text) => text.meta.crc,
            Payload::Receipt(receipt) => receipt.meta.crc,
        };
        let mut bytes = text.clone().into_bytes();
        let at = start + (draw.word() % text_of.len() as u64) as usize;
        let before = bytes[at];
        let syntax = b"\n\t ,|=\"\\@0";
        let with = draw.word().to_le_bytes();
        bytes[at] = match with[0] % 4 {
            0 => syntax[usize::from(with[1]) % syntax.len()],
            1 => before ^ 1 << (with[1] % 8),
            _ => with[1],
        };
        if bytes[at] != before && checked {
            let read = Document::parse_with(&bytes, qrp1::Limits::default());
            assert!(read.is_err(), "a changed byte at {at} of\n{text}");
        }
        qrp1_reader::check(&bytes);
        start += text_of.len();
    }
}
