//! The reader takes its input in any pieces and gives the same events, or the same error.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{Document, Error, Event, Limits, Reader, Step};

fn events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, Option<Error>) {
    let mut reader = Reader::new();
    let mut events = Vec::new();
    for piece in pieces {
        let mut input = piece;
        loop {
            match reader.read(input) {
                Ok((Step::Event(event), used)) => {
                    events.push(event);
                    input = &input[used..];
                }
                Ok((Step::NeedInput, used)) => {
                    assert_eq!(used, input.len());
                    break;
                }
                Err(error) => {
                    assert_eq!(reader.read(b"x"), Err(error.clone()), "an error stays");
                    return (events, Some(error));
                }
            }
        }
    }
    (events, reader.finish().err())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn pieces_do_not_matter(
        document in documents::document(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let mut bytes = document.to_text().unwrap().into_bytes();
        if let Some((at, byte)) = damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = events(std::iter::once(&bytes[..]));
        let error = Document::parse_with(&bytes, Limits::default()).err();
        prop_assert_eq!(&error, &whole.1);
        prop_assert_eq!(&events(bytes.chunks(1)), &whole);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.push(bytes.len());
        ends.sort_unstable();
        let mut start = 0;
        let pieces = ends.into_iter().map(|end| {
            let piece = &bytes[start..end];
            start = end;
            piece
        });
        prop_assert_eq!(&events(pieces), &whole);
    }

    /// Every prefix of a document that is not the end of a payload is refused as cut short.
    #[test]
    fn truncation_is_always_seen(payload in documents::payload()) {
        let text = payload.to_text().unwrap();
        for end in 0..text.len() {
            let (_, error) = events(std::iter::once(&text.as_bytes()[..end]));
            prop_assert!(error.is_some(), "{:?}", &text.as_bytes()[..end]);
        }
    }

    /// One line more or one line less is always seen.
    #[test]
    fn extra_and_lost_lines_are_always_seen(payload in documents::payload(), at in any::<prop::sample::Index>()) {
        let text = payload.to_text().unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        prop_assume!(lines.len() > 1);
        let at = 1 + at.index(lines.len() - 1);
        let mut less = lines.clone();
        less.remove(at);
        let mut more = lines.clone();
        more.insert(at, lines[at]);
        for lines in [less, more] {
            let text = lines.concat();
            let (_, error) = events(std::iter::once(text.as_bytes()));
            prop_assert!(error.is_some(), "{}", text);
        }
    }
}
