//! How messages repeat what came from outside: short, escaped, and few of many.

/// How much of a name a message shows, in characters.
const NAME_CHARS: usize = 64;

/// How many names of a list a message shows.
const LISTED_NAMES: usize = 20;

/// How much of the words of another library a message shows, in characters; they may
/// repeat what was sent.
const REASON_CHARS: usize = 256;

/// A text in double quotes: escaped, so that it cannot turn or hide what stands around it,
/// and cut to `max_chars`.
pub(crate) fn quote(text: &str, max_chars: usize) -> String {
    let (short, more) = cut(text, max_chars);
    format!("{short:?}{more}")
}

/// A name in double quotes.
pub(crate) fn name(name: &str) -> String {
    quote(name, NAME_CHARS)
}

/// A name without quotes around it.
pub(crate) fn bare_name(name: &str) -> String {
    let (short, more) = cut(name, NAME_CHARS);
    escaped(short, "'\"") + more
}

/// The names one may write, or as many of them as a message has room for.
pub(crate) fn names(known: &[String]) -> String {
    let shown: Vec<String> = known
        .iter()
        .take(LISTED_NAMES)
        .map(|name| bare_name(name))
        .collect();
    let more = known.len() - shown.len();
    match (shown.is_empty(), more) {
        (true, _) => "(there is none)".to_owned(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A reason in the words of another library, on one line and cut.
pub(crate) fn reason(text: &str) -> String {
    let (short, more) = cut(text, REASON_CHARS);
    escaped(short, "'\"\\") + more
}

fn escaped(text: &str, plain: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if plain.contains(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
    }
    shown
}

fn cut(text: &str, max_chars: usize) -> (&str, &'static str) {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => (&text[..end], "..."),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_short_and_escaped() {
        assert_eq!(name("close"), "\"close\"");
        assert_eq!(bare_name("l'a\"\\"), "l'a\"\\\\");
        assert_eq!(bare_name("a\u{202e}b\n"), "a\\u{202e}b\\n");
        assert_eq!(name(&"x".repeat(65)), format!("\"{}\"...", "x".repeat(64)));
        assert_eq!(reason("a \"b\"\u{1b}[31m"), "a \"b\"\\u{1b}[31m");
        assert_eq!(reason(&"x".repeat(300)).len(), 256 + 3);
        let known: Vec<String> = (0..22).map(|n| n.to_string()).collect();
        assert!(names(&known).ends_with(", 18, 19 and 2 more"));
        assert_eq!(names(&known[..2]), "0, 1");
        assert_eq!(names(&[]), "(there is none)");
    }
}
