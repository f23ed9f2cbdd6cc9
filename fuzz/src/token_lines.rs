//! A text counted line by line, up to a limit, or by the other engine, has the same count as the
//! whole text.

use toolgate_tokens::{FastTiktoken, LineCounter, Tiktoken, TokenCounter};

/// The first byte chooses the vocabulary and a limit; the rest is the text.
///
/// # Panics
///
/// When two ways of counting disagree.
pub fn check(data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let (counter, fast) = if choice % 2 == 0 {
        (Tiktoken::o200k(), FastTiktoken::o200k())
    } else {
        (Tiktoken::cl100k(), FastTiktoken::cl100k())
    };
    let text = String::from_utf8_lossy(text);
    let whole = counter.count(&text);
    assert_eq!(fast.count(&text), whole);

    let bounds = counter.bounds(&text);
    assert!(bounds.contains(&whole), "{whole} is not in {bounds:?}");
    let limit = usize::from(choice / 2);
    assert_eq!(
        counter.count_up_to(&text, limit),
        Some(whole).filter(|&n| n <= limit)
    );
    assert_eq!(fast.fits(&text, limit), whole <= limit);

    let mut lines = LineCounter::new(counter);
    let mut page = LineCounter::new(counter);
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        lines.push(line);
        if page.push_within(line, limit).is_some() {
            kept.push_str(line);
        }
    }
    assert_eq!(lines.total(), whole);
    assert_eq!(page.total(), counter.count(&kept));
    assert!(page.total() <= limit);
}
