//! The parts of a text join to it, none is over a cap, and any can be gone on from.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::cell::Cell;

use proptest::prelude::*;
use qrp1::{
    Cap, Caps, Cover, Document, Error, ErrorCode, Meta, Part, Payload, Text, TextCut, TextPage,
    TextParts, TextPlace,
};

/// Words, groups of three digits, runs of line feeds, and each other character: tokens here
/// span lines, as they do in real vocabularies.
fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut run = 0;
    let mut before = ' ';
    for c in text.chars() {
        if c.is_alphanumeric() && run > 0 && run < 3 {
            run += 1;
        } else if !(c == '\n' && before == '\n') {
            count += 1;
            run = usize::from(c.is_alphanumeric());
        }
        before = c;
    }
    count
}

/// The whole has more tokens than its pieces.
fn more_together(text: &str) -> usize {
    text.len() + text.len() * text.len() / 200
}

fn counter(which: u8) -> fn(&str) -> usize {
    match which {
        0 => tokens,
        1 => |text| text.len().div_ceil(4),
        2 => more_together,
        3 => |text| text.matches(['|', 'a', '\n']).count(),
        // Numbers have tokens by their digits, odd ones more.
        4 => |text| text.len() + text.matches(['1', '3', '7']).count() * 5,
        _ => |_| 3,
    }
}

fn meta(cut: &TextCut) -> Result<Meta, Error> {
    let mut meta = cut.meta().with_source("file:notes.md");
    meta.next = cut.next.map(|place| format!("c{}", place.byte));
    // Of some texts the parts carry a CRC, whose length in digits follows from the text.
    meta.crc = cut.total.is_multiple_of(2);
    Ok(meta)
}

/// The one text payload that a page is.
fn read(page: &TextPage) -> Text {
    let document = Document::parse(&page.text).unwrap();
    assert_eq!(document.to_text().unwrap(), page.text);
    match document.payloads() {
        [Payload::Text(text)] => text.clone(),
        other => panic!("not one text: {other:?}"),
    }
}

/// How many lines a text has.
fn lines_of(text: &Text) -> u64 {
    if text.body.is_empty() && text.part.is_none() {
        return 0;
    }
    text.body.matches('\n').count() as u64 + 1
}

fn body() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        8 => prop::char::range('a', 'd'),
        3 => Just(' '),
        2 => Just('\n'),
        1 => prop::sample::select(vec![
            '\\', '@', '\t', '/', '|', '"', '7', '\u{e9}', '\u{4e2d}', '\u{1f600}', '\u{200d}', '\u{301}',
        ]),
    ];
    let piece = prop_oneof![
        4 => prop::collection::vec(character, 0..60).prop_map(String::from_iter),
        1 => prop::sample::select(vec![
            "\r\n", "\n\n\n\n", "QRP1|text|lines=1\n", "@end|lines=3\n", "\\@", "\n\\QRP1|", "\u{1b}[0m",
            "\u{2028}", "\u{e0041}", "\u{0}", "e\u{301}\u{301}", "\n",
        ]).prop_map(str::to_owned),
        1 => (prop::sample::select(vec!["x", "word ", "\\", "\u{4e2d}", "@", "\u{1f468}\u{200d}\u{1f469}"]), 1usize..400)
            .prop_map(|(text, times)| text.repeat(times)),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn caps() -> impl Strategy<Value = Caps> {
    (
        prop::option::of(80usize..1200),
        prop::option::of(60usize..900),
        prop::option::of(1usize..12),
    )
        .prop_map(|(max_bytes, max_tokens, max_rows)| Caps {
            max_bytes,
            max_tokens,
            max_rows,
        })
}

fn within(page: &TextPage, caps: Caps, counter: fn(&str) -> usize) {
    assert!(caps.max_bytes.is_none_or(|max| page.text.len() <= max));
    assert!(caps.max_tokens.is_none_or(|max| counter(&page.text) <= max));
    assert!(caps.max_rows.is_none_or(|max| page.cut.lines <= max as u64));
    assert_eq!(page.tokens, Some(counter(&page.text)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn parts_are_within_caps_canonical_and_join(body in body(), caps in caps(), which in 0u8..6) {
        let counter = counter(which);
        let mut parts = TextParts::new(&body, caps, Some(&counter)).unwrap();
        let mut texts = Vec::new();
        let mut places = Vec::new();
        let mut pages = Vec::new();
        loop {
            let place = parts.place();
            let page = match parts.next_part(meta) {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(error) => {
                    // Only where one character does not fit; nothing is lost and the place stays.
                    prop_assert_eq!(error.code(), ErrorCode::RowTooLarge);
                    prop_assert_eq!(parts.place(), place);
                    return Ok(());
                }
            };
            within(&page, caps, counter);
            let text = read(&page);
            prop_assert_eq!(text.part.is_none(), page.cut.is_whole());
            prop_assert_eq!(lines_of(&text), page.cut.lines);
            prop_assert_eq!(page.cut.next, parts.place());
            places.push(place.unwrap());
            texts.push(text);
            pages.push(page);
        }
        prop_assert_eq!(parts.place(), None);
        prop_assert_eq!(parts.next_part(meta).unwrap(), None);
        prop_assert_eq!(&Text::join(&texts).unwrap(), &body);
        prop_assert!(texts.iter().all(|text| text.escaped == Text::new(Meta::new(), &*body).escaped));

        // Every place leads to the same part.
        for (place, page) in places.iter().zip(&pages) {
            let mut again = TextParts::new(&body, caps, Some(&counter)).unwrap().at(*place).unwrap();
            prop_assert_eq!(&again.next_part(meta).unwrap().unwrap(), page);
        }

        // A part lost is seen, wherever it was.
        if texts.len() > 1 {
            for lost in 0..texts.len() {
                let some = texts.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, text)| text);
                prop_assert!(Text::join(some).is_err());
            }
        }
    }

    #[test]
    fn all_parts_say_how_many_there_are(body in body(), caps in caps(), which in 0u8..6) {
        let counter = counter(which);
        let parts = TextParts::new(&body, caps, Some(&counter)).unwrap();
        let pages = match parts.all(meta) {
            Ok(pages) => pages,
            Err(error) => {
                prop_assert_eq!(error.code(), ErrorCode::RowTooLarge);
                return Ok(());
            }
        };
        let texts: Vec<Text> = pages.iter().map(read).collect();
        for (page, text) in pages.iter().zip(&texts) {
            within(page, caps, counter);
            let of = text.part.map(|part| part.of);
            prop_assert_eq!(of, (texts.len() > 1).then_some(Some(texts.len() as u64)));
        }
        prop_assert_eq!(Text::join(&texts).unwrap(), body);
    }

    #[test]
    fn no_place_is_a_panic(body in body(), byte in 0u64..1500, part in 0u64..20) {
        if let Ok(mut parts) = TextParts::new(&body, Caps::default(), None).unwrap().at(TextPlace { byte, part }) {
            let page = parts.next_part(|_| Ok::<_, Error>(Meta::new())).unwrap().unwrap();
            let text = read(&page);
            prop_assert!(body.ends_with(&text.body));
            prop_assert_eq!(text.body.len() as u64, body.len() as u64 - byte);
        }
    }
}

/// What is written and what the counter was given, in bytes.
fn work(body: &str, caps: Caps) -> (usize, usize, Vec<TextPage>) {
    let counted = Cell::new(0);
    let counter = |text: &str| {
        counted.set(counted.get() + text.len());
        text.len().div_ceil(4)
    };
    let mut parts = TextParts::new(body, caps, Some(&counter)).unwrap();
    let mut pages = Vec::new();
    while let Some(page) = parts.next_part(meta).unwrap() {
        pages.push(page);
    }
    let written = pages.iter().map(|page| page.text.len()).sum();
    (written, counted.get(), pages)
}

#[test]
fn the_counter_is_given_a_few_times_what_is_written() {
    let tokens = |max| Caps {
        max_tokens: Some(max),
        ..Caps::default()
    };
    let lines: String = (0..20_000).map(|n| format!("line {n} of many\n")).collect();
    for (body, caps) in [
        ("x".repeat(10_000_000), tokens(1_000)),
        ("a word ".repeat(200_000), tokens(1_000)),
        ("x".repeat(20_000), tokens(40)),
        ("\u{1b}".repeat(200_000), tokens(500)),
        (lines.clone(), tokens(1_000)),
        (lines, tokens(60)),
        ("\n".repeat(100_000), tokens(1_000)),
        ("x".repeat(1_000_000), tokens(10_000_000)),
        // The cap in bytes ends a part long before that in tokens would.
        (
            "x".repeat(1_000_000),
            Caps {
                max_bytes: Some(2_000),
                ..tokens(1_000_000)
            },
        ),
    ] {
        let (written, counted, pages) = work(&body, caps);
        assert!(counted <= 5 * written, "{counted} for {written}, {caps:?}");
        let texts: Vec<Text> = pages.iter().map(read).collect();
        assert!(Text::join(&texts).unwrap() == body);
    }
}

#[test]
fn parts_are_full() {
    let caps = Caps {
        max_tokens: Some(1_000),
        ..Caps::default()
    };
    for body in [
        "x".repeat(100_000),
        "a word ".repeat(20_000),
        "a line\n".repeat(10_000),
    ] {
        let (_, _, pages) = work(&body, caps);
        let (last, full) = pages.split_last().unwrap();
        assert!(
            full.iter().all(|page| page.tokens.unwrap() > 850),
            "{:?}",
            full[0].tokens
        );
        assert_eq!(last.cut.cap, None);
    }
}

#[test]
fn a_body_that_fits_is_no_part() {
    for (body, text) in [
        ("", "QRP1|text|cover=all|lines=0\n"),
        ("\n", "QRP1|text|cover=all|lines=2\n\n\n"),
        ("a\r\n", "QRP1|text|cover=all|lines=2|esc=t\na\\r\n\n"),
    ] {
        let caps = Caps {
            max_bytes: Some(text.len()),
            ..Caps::default()
        };
        let mut parts = TextParts::new(body, caps, None).unwrap();
        let page = parts
            .next_part(|cut| Ok::<_, Error>(cut.meta()))
            .unwrap()
            .unwrap();
        assert_eq!(page.text, text);
        assert_eq!(
            parts.next_part(|_| Ok::<_, Error>(Meta::new())).unwrap(),
            None
        );
    }
}

#[test]
fn a_line_that_fits_a_part_is_not_cut() {
    let body = format!("short\n{}\nthe end of it", "word ".repeat(12));
    let caps = Caps {
        max_bytes: Some(95),
        ..Caps::default()
    };
    let pages = TextParts::new(&body, caps, None)
        .unwrap()
        .all(|_| Ok::<_, Error>(Meta::new()))
        .unwrap();
    let lines: Vec<_> = pages
        .iter()
        .map(|page| (page.cut.lines, page.cut.glued))
        .collect();
    assert_eq!(lines, [(1, false), (1, false), (1, false)]);
}

#[test]
fn what_is_one_for_the_eye_is_cut_only_where_it_must_be() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let body = family.repeat(40);
    let caps = Caps {
        max_bytes: Some(200),
        ..Caps::default()
    };
    let pages = TextParts::new(&body, caps, None)
        .unwrap()
        .all(|_| Ok::<_, Error>(Meta::new()))
        .unwrap();
    assert!(pages.len() > 4);
    assert!(
        pages
            .iter()
            .all(|page| read(page).body.starts_with('\u{1f468}'))
    );
}

#[test]
fn a_character_that_does_not_fit_is_reported_with_its_size() {
    let caps = Caps {
        max_bytes: Some(35),
        max_tokens: Some(100),
        ..Caps::default()
    };
    let bytes = |text: &str| text.len();
    let mut parts = TextParts::new("xx\u{e0041}", caps, Some(&bytes)).unwrap();
    let mut seen = 0;
    let error = loop {
        match parts.next_part(|_| Ok::<_, Error>(Meta::new())) {
            Ok(page) => seen += page.unwrap().cut.lines,
            Err(error) => break error,
        }
    };
    assert_eq!(seen, 1);
    assert_eq!(parts.place(), Some(TextPlace { byte: 2, part: 2 }));
    assert_eq!(
        error.to_string(),
        "row_too_large: expected a part of one character with its header within 35 bytes and \
         100 tokens, found 51 bytes and 51 tokens"
    );
}

#[test]
fn a_header_that_grows_with_every_call_ends_in_an_error() {
    let mut hint = String::new();
    let caps = Caps {
        max_bytes: Some(1_000),
        ..Caps::default()
    };
    let body = "x".repeat(1_000_000);
    let error = TextParts::new(&body, caps, None)
        .unwrap()
        .next_part(|cut| {
            hint.push_str(&"longer ".repeat(20));
            Ok::<_, Error>(cut.meta().with_hint(hint.trim_end()))
        })
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::RowTooLarge);
}

#[test]
fn caps_that_cannot_be_kept_are_refused() {
    for caps in [
        Caps {
            max_tokens: Some(10),
            ..Caps::default()
        },
        Caps {
            max_rows: Some(0),
            ..Caps::default()
        },
    ] {
        let error = TextParts::new("x", caps, None).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Caps);
    }
}

#[test]
fn parts_that_do_not_follow_each_other_are_named() {
    let text = |header: &str| {
        let document = Document::parse(&format!("QRP1|text|lines=1{header}\nx\n")).unwrap();
        match &document.payloads()[0] {
            Payload::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    let part = |digest: &str, number| {
        let mut text = Text::new(Meta::new().with_digest(digest), "x");
        text.part = Some(Part {
            number,
            of: None,
            glued: false,
        });
        text
    };
    let other = Text::join(&[part("a", 1), part("b", 2)]).unwrap_err();
    assert_eq!(
        other.to_string(),
        "header_value: expected the digest of part 1 in part 2, found another one"
    );
    for (headers, message) in [
        (&[][..], "rows_missing: expected part 1, found no text"),
        (&["|part=2"], "header_value: expected part 1, found part 2"),
        (
            &["|part=1", "|part=3"],
            "header_value: expected part 2, found part 3",
        ),
        (
            &["|part=1", "|part=1"],
            "header_value: expected part 2, found part 1",
        ),
        (
            &["|part=1", ""],
            "header_value: expected part 2, found a text that is no part",
        ),
        (
            &["", "|part=2"],
            "header_value: expected 1 parts, found part 2",
        ),
        (
            &["|part=1|parts=3"],
            "rows_missing: expected part 2 of 3, found the end after part 1",
        ),
        (
            &["|part=1|parts=3", "|part=2|parts=2"],
            "header_value: expected 3 parts, found part 2 of 2",
        ),
        (
            &["|from=0|total=5|part=1|parts=1"],
            "rows_missing: expected part 2 of 1, found the end after part 1",
        ),
        (
            &["|part=1", "|from=2|part=2"],
            "header_value: expected part 2 from line 1, found from 2",
        ),
        (
            &["|part=1|parts=1|next=c2"],
            "rows_missing: expected part 2 of 1, found the end after part 1",
        ),
        (
            &["|part=1|next=c2"],
            "rows_missing: expected part 2, found the end after part 1",
        ),
        (
            &["|from=0|total=2|part=1"],
            "rows_missing: expected part 2, found the end after part 1",
        ),
        (
            &["|from=0|total=2|part=1", "|from=1|total=3|part=2"],
            "header_value: expected total 2 in part 2, as in part 1, found 3",
        ),
        (
            &["|from=0|part=1", "|from=1|part=2|glue=t"],
            "header_value: expected part 2 from line 0, found from 1",
        ),
        (
            &["|part=1", "|part=2|esc=t"],
            "header_value: expected part 2 without escapes, as part 1, found one with them",
        ),
    ] {
        let texts: Vec<Text> = headers.iter().map(|header| text(header)).collect();
        assert_eq!(
            Text::join(&texts).unwrap_err().to_string(),
            message,
            "{headers:?}"
        );
    }
    // The number of parts may be known to the last one only.
    let texts = [text("|part=1|next=c2"), text("|part=2|parts=2")];
    assert_eq!(Text::join(&texts).unwrap(), "x\nx");
}

#[test]
fn the_facts_of_a_part_are_offered() {
    let caps = Caps {
        max_rows: Some(1),
        ..Caps::default()
    };
    let mut parts = TextParts::new("a\nb", caps, None).unwrap();
    parts.next_part(meta).unwrap();
    let page = parts.next_part(meta).unwrap().unwrap();
    let text = read(&page);
    assert_eq!(text.meta.cover, Some(Cover::Page));
    assert_eq!((text.meta.from, text.meta.total), (Some(1), Some(2)));
    assert_eq!((text.meta.cap, page.cut.cap), (None::<Cap>, None));
}

#[test]
fn no_part_has_a_number_that_its_place_rules_out() {
    for (byte, part) in [(0, 0), (0, 2), (4, 0), (4, 1), (4, 6), (4, u64::MAX)] {
        let parts = TextParts::new("one\ntwo", Caps::default(), None).unwrap();
        let error = parts.at(TextPlace { byte, part }).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::HeaderValue, "{byte} {part}");
    }
}

#[test]
fn a_body_with_fewer_tokens_than_its_lines_is_no_part() {
    let body = "\n".repeat(30);
    let caps = Caps {
        max_tokens: Some(35),
        ..Caps::default()
    };
    let page = TextParts::new(&body, caps, Some(&tokens))
        .unwrap()
        .next_part(|_| Ok::<_, Error>(Meta::new()))
        .unwrap()
        .unwrap();
    assert!(page.cut.is_whole());
    assert!(page.tokens.unwrap() < 15);
}
