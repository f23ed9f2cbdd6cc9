//! o200k_base and cl100k_base, counted by tiktoken-rs.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

use crate::vocabulary::Vocabulary;
use crate::{TokenCounter, TokensError, limit, seam};

/// Exact counts in a vocabulary of OpenAI.
///
/// A handle of one word, free to copy. The vocabulary itself is built once a process, on the
/// first count or by [`preload`](Self::preload), and then shared by all threads.
///
/// Text that looks like a special token, for example `<|endoftext|>`, is counted as the ordinary
/// text that it is: tool output never holds real special tokens.
///
/// ```
/// use toolgate_tokens::{Tiktoken, TokenCounter};
///
/// let counter = Tiktoken::o200k();
/// assert_eq!(counter.count("hello world"), 2);
/// assert_eq!(counter.count("<|endoftext|>"), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiktoken {
    vocabulary: Vocabulary,
}

/// The engine's pattern gives up on a run of about a million blanks, so runs from this many
/// bytes on are counted apart when that happens.
const LONG_RUN: usize = 64 * 1024;

impl Tiktoken {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5 and the o series.
    ///
    /// ```
    /// use toolgate_tokens::{Tiktoken, TokenCounter};
    /// assert_eq!(Tiktoken::o200k().vocabulary(), "o200k_base");
    /// ```
    #[must_use]
    pub const fn o200k() -> Self {
        Self {
            vocabulary: Vocabulary::O200kBase,
        }
    }

    /// `cl100k_base`: GPT-4 and GPT-3.5 Turbo.
    ///
    /// ```
    /// use toolgate_tokens::{Tiktoken, TokenCounter};
    /// assert_eq!(Tiktoken::cl100k().vocabulary(), "cl100k_base");
    /// ```
    #[must_use]
    pub const fn cl100k() -> Self {
        Self {
            vocabulary: Vocabulary::Cl100kBase,
        }
    }

    /// The counter whose [`vocabulary`](TokenCounter::vocabulary) is `id`.
    ///
    /// # Errors
    ///
    /// [`TokensError::UnknownVocabulary`] if there is none.
    ///
    /// ```
    /// use toolgate_tokens::Tiktoken;
    /// assert_eq!(Tiktoken::named("cl100k_base"), Ok(Tiktoken::cl100k()));
    /// assert!(Tiktoken::named("gpt2").is_err());
    /// ```
    pub fn named(id: &str) -> Result<Self, TokensError> {
        Vocabulary::named(id).map(|vocabulary| Self { vocabulary })
    }

    /// Builds the vocabulary now, if no count has yet, so that the first request does not wait
    /// for it. Returns the same handle.
    ///
    /// ```
    /// let counter = toolgate_tokens::Tiktoken::o200k().preload();
    /// assert_eq!(counter, toolgate_tokens::Tiktoken::o200k());
    /// ```
    #[must_use]
    pub fn preload(self) -> Self {
        let _ = self.engine();
        self
    }

    fn engine(self) -> &'static CoreBPE {
        match self.vocabulary {
            Vocabulary::O200kBase => o200k_base_singleton(),
            Vocabulary::Cl100kBase => cl100k_base_singleton(),
        }
    }

    /// The engine's count, or `None` where its pattern matcher gives up.
    fn try_count(self, text: &str) -> Option<usize> {
        // Not `count_ordinary`: that one panics where this one gives an error.
        self.engine().count(text, &HashSet::new()).ok()
    }

    /// Counts a text with runs of blanks that are too long for the engine.
    ///
    /// Such a run is one piece, except that its last blank goes to what follows it. So the text
    /// before, the run without that blank, and the rest can be counted apart.
    fn count_around_runs(self, text: &str, min_run: usize) -> usize {
        let mut tokens = 0;
        let mut rest = text;
        while let Some((start, end)) = self.long_run(rest, min_run) {
            let (before, run, after) = (&rest[..start], &rest[start..end], &rest[end..]);
            tokens += self.try_count(before).unwrap_or_else(|| seam::most(before));
            tokens += self.count_blanks(run);
            rest = after;
        }
        // Nothing that the engine gives up on is left; were there ever, the count must not be
        // too low.
        tokens + self.try_count(rest).unwrap_or_else(|| seam::most(rest))
    }

    /// The first run of at least `min_run` bytes of blanks that is a piece of its own: no line
    /// break in or right behind it. The end is that of the piece.
    fn long_run(self, text: &str, min_run: usize) -> Option<(usize, usize)> {
        let is_blank = |c: char| c.is_whitespace() && c != '\r' && c != '\n';
        let mut from = 0;
        loop {
            let tail = text.get(from..)?;
            let start = from + tail.find(is_blank)?;
            let tail = text.get(start..)?;
            let len = tail.find(|c| !is_blank(c)).unwrap_or(tail.len());
            from = start + len;
            if len < min_run {
                continue;
            }
            match (text.get(from..)?.chars().next(), self.vocabulary) {
                (Some('\r' | '\n'), _) => {}
                (Some(_), _) => {
                    let last = text.get(start..from)?.chars().next_back()?;
                    return Some((start, from - last.len_utf8()));
                }
                (None, Vocabulary::O200kBase) => return Some((start, from)),
                // Here the piece also takes the line breaks before it, and the engine can do it.
                (None, Vocabulary::Cl100kBase) => {}
            }
        }
    }

    /// The tokens of a piece made of blanks only.
    fn count_blanks(self, run: &str) -> usize {
        static ENGINES: [OnceLock<Option<CoreBPE>>; 2] = [OnceLock::new(), OnceLock::new()];
        let [o200k, cl100k] = &ENGINES;
        let engine = match self.vocabulary {
            Vocabulary::O200kBase => o200k,
            Vocabulary::Cl100kBase => cl100k,
        };
        let engine = engine.get_or_init(|| {
            // Merges of blanks only ever meet tokens made of bytes of blanks.
            let tokens = (0..=200_000)
                .filter_map(|rank| Some((self.engine().decode_bytes(&[rank]).ok()?, rank)))
                .filter(|(bytes, _)| bytes.len() == 1 || bytes.iter().all(is_byte_of_blank));
            CoreBPE::new(
                tokens.collect(),
                std::iter::empty::<(String, u32)>().collect(),
                "(?s:.)+",
            )
            .ok()
        });
        match engine {
            Some(engine) => engine.count_ordinary(run),
            None => seam::most(run),
        }
    }
}

/// Whether a byte occurs in the UTF-8 form of a white space character.
fn is_byte_of_blank(byte: &u8) -> bool {
    // U+0009-000D, 0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
    matches!(byte, 0x09..=0x0D | 0x20 | 0x80..=0x8A | 0x9A | 0x9F | 0xA0 | 0xA8 | 0xA9 | 0xAF)
        || matches!(byte, 0xC2 | 0xE1 | 0xE2 | 0xE3)
}

impl TokenCounter for Tiktoken {
    fn vocabulary(&self) -> &str {
        self.vocabulary.id()
    }

    /// Exact for every text. The time is close to linear, also on one unbroken run; on such a run
    /// the engine takes about 50 bytes of memory a byte of text, so count a text from outside by
    /// [`count_up_to`](Self::count_up_to).
    fn count(&self, text: &str) -> usize {
        self.try_count(text)
            .unwrap_or_else(|| self.count_around_runs(text, LONG_RUN))
    }

    /// Stops soon above the limit: at once if the bytes alone show that the text is over, else
    /// after the first 8 KiB or so that pass the limit. No text makes it count more than 128
    /// bytes a token of the limit, or look at many more.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        limit::count_up_to(text, limit, |part| self.count(part))
    }

    fn fits(&self, text: &str, limit: usize) -> bool {
        limit::fits(text, limit, |part| self.count(part))
    }

    /// From byte classes alone: a table of numbers is bounded within a few percent, prose only
    /// within a factor of about forty.
    fn bounds(&self, text: &str) -> RangeInclusive<usize> {
        seam::least(text)..=seam::most(text)
    }

    fn splits_between(&self, before: &str, after: &str) -> bool {
        seam::splits_between(before, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_around_long_runs_add_up() {
        for run in [" ", "\t", "\u{A0}", " \t", "\u{3000} "] {
            let run = run.repeat(300);
            for (before, after) in [
                ("", ""),
                ("", "a"),
                ("a", ",b\n"),
                ("a,\n", "1"),
                ("a\n\n", "\nb"),
                ("a\n \n", ""),
                ("x ", "/"),
                ("x", "\r\n\n  z"),
            ] {
                let text = [before, &run, after, &run, "q", &run].concat();
                for counter in [Tiktoken::o200k(), Tiktoken::cl100k()] {
                    assert_eq!(
                        Some(counter.count_around_runs(&text, 300)),
                        counter.try_count(&text),
                        "{} {:?} {before:?} {after:?}",
                        counter.vocabulary(),
                        run.chars().take(2).collect::<String>(),
                    );
                }
            }
        }
    }

    #[test]
    fn bytes_of_blanks_are_complete() {
        let mut buffer = [0; 4];
        for c in (char::MIN..=char::MAX).filter(|c| c.is_whitespace()) {
            assert!(
                c.encode_utf8(&mut buffer)
                    .bytes()
                    .all(|byte| is_byte_of_blank(&byte)),
                "{c:?}"
            );
        }
    }
}
