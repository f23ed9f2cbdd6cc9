//! Every document reads back as it was, and only its one text reads as it.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{Document, must_escape};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_document_reads_back(document in documents::document()) {
        let text = document.to_text().unwrap();
        let back = Document::parse(&text);
        prop_assert_eq!(back.as_ref(), Ok(&document), "{}", text);
        prop_assert_eq!(back.unwrap().to_text().unwrap(), text);
    }

    /// Whatever is accepted is the canonical text of what was read: a changed text is
    /// refused, or is the canonical text of something else.
    #[test]
    fn what_is_accepted_is_canonical(
        document in documents::document(),
        at in any::<prop::sample::Index>(),
        with in prop_oneof![Just(None), prop::sample::select(vec!["\n", "0", " ", "\"", ",", "\t", "|", "@", "=", "\\", "f", "!", "QRP1|"]).prop_map(Some)],
        cut in 0usize..3,
    ) {
        let mut text = document.to_text().unwrap();
        let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let index = at.index(chars.len());
        let end = chars.get(index + cut).copied().unwrap_or(text.len());
        text.replace_range(chars[index]..end, with.unwrap_or(""));
        if let Ok(read) = Document::parse(&text) {
            prop_assert_eq!(read.to_text().unwrap(), text);
        }
    }

    /// No line ends early, no hidden character gets through, no line is blank outside of
    /// texts or begins with a slash, so that token counts of lines add up.
    #[test]
    fn the_text_is_clean(payload in documents::payload()) {
        let text = payload.to_text().unwrap();
        prop_assert!(text.ends_with('\n'));
        let body_of_text = matches!(payload, qrp1::Payload::Text(_));
        for line in text.lines() {
            prop_assert!(!line.contains(|c| c != '\t' && must_escape(c)), "{:?}", line);
            if !body_of_text {
                prop_assert!(!line.trim().is_empty(), "{:?}", line);
                prop_assert!(!line.starts_with('/'), "{:?}", line);
            }
        }
    }
}
