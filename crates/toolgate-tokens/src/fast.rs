//! o200k_base and cl100k_base, counted by bpe-openai.

use std::ops::RangeInclusive;

use bpe_openai::Tokenizer;

use crate::vocabulary::Vocabulary;
use crate::{TokenCounter, TokensError, limit, seam};

/// The exact counts of tiktoken in a vocabulary of OpenAI, from a faster engine.
///
/// A handle of one word, free to copy. For every text it gives the same count as the `Tiktoken`
/// of the same vocabulary, so either may stand in for the other, and a stored count stays right;
/// the README says what the speed costs. The tables are loaded once a process, on the first count
/// or by [`preload`](Self::preload), and then shared by all threads.
///
/// Text that looks like a special token, for example `<|endoftext|>`, is counted as the ordinary
/// text that it is: tool output never holds real special tokens.
///
/// ```
/// use toolgate_tokens::{FastTiktoken, TokenCounter};
///
/// let counter = FastTiktoken::o200k();
/// assert_eq!(counter.count("hello world"), 2);
/// assert_eq!(counter.count("<|endoftext|>"), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FastTiktoken {
    vocabulary: Vocabulary,
}

impl FastTiktoken {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5 and the o series.
    ///
    /// ```
    /// use toolgate_tokens::{FastTiktoken, TokenCounter};
    /// assert_eq!(FastTiktoken::o200k().vocabulary(), "o200k_base");
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
    /// use toolgate_tokens::{FastTiktoken, TokenCounter};
    /// assert_eq!(FastTiktoken::cl100k().vocabulary(), "cl100k_base");
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
    /// use toolgate_tokens::FastTiktoken;
    /// assert_eq!(FastTiktoken::named("cl100k_base"), Ok(FastTiktoken::cl100k()));
    /// assert!(FastTiktoken::named("gpt2").is_err());
    /// ```
    pub fn named(id: &str) -> Result<Self, TokensError> {
        Vocabulary::named(id).map(|vocabulary| Self { vocabulary })
    }

    /// Loads the tables now, if no count has yet, so that the first request does not wait for
    /// them. Returns the same handle.
    ///
    /// ```
    /// let counter = toolgate_tokens::FastTiktoken::o200k().preload();
    /// assert_eq!(counter, toolgate_tokens::FastTiktoken::o200k());
    /// ```
    #[must_use]
    pub fn preload(self) -> Self {
        let _ = self.engine();
        self
    }

    fn engine(self) -> &'static Tokenizer {
        match self.vocabulary {
            Vocabulary::O200kBase => bpe_openai::o200k_base(),
            Vocabulary::Cl100kBase => bpe_openai::cl100k_base(),
        }
    }
}

impl TokenCounter for FastTiktoken {
    fn vocabulary(&self) -> &str {
        self.vocabulary.id()
    }

    /// Exact for every text. The time is linear, also on one unbroken run; on such a run the
    /// engine takes up to about 8 bytes of memory a byte of text.
    fn count(&self, text: &str) -> usize {
        // White space that ends a text is one piece in the pattern of cl100k_base. The engine, which
        // has an older form of that pattern, ends a piece at the last line break as well. That is
        // the one difference, and none to the count: a token with a line break ends in one there,
        // so no token spans the place.
        self.engine().count(text)
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
    use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

    use super::*;

    fn both() -> [(FastTiktoken, &'static CoreBPE); 2] {
        [
            (FastTiktoken::o200k(), o200k_base_singleton()),
            (FastTiktoken::cl100k(), cl100k_base_singleton()),
        ]
    }

    /// Byte pairs are merged by the ranks of the tokens alone, so this and equal pieces make
    /// equal counts.
    #[test]
    fn the_vocabularies_are_those_of_tiktoken() {
        for (counter, tiktoken) in both() {
            let merges = &counter.engine().bpe;
            let ranks = u32::try_from(merges.num_tokens()).unwrap();
            for rank in 0..ranks {
                assert_eq!(
                    Some(merges.token_bytes(rank)),
                    tiktoken.decode_bytes(&[rank]).ok().as_deref(),
                    "{counter:?} {rank}"
                );
            }
            // What tiktoken has beyond them is not made of merges.
            let special = tiktoken.special_tokens();
            for rank in ranks..ranks + 1_000 {
                if let Ok(bytes) = tiktoken.decode_bytes(&[rank]) {
                    let text = String::from_utf8(bytes).unwrap();
                    assert!(special.contains(&*text), "{counter:?} {rank} {text:?}");
                }
            }
        }
    }

    /// Every way in which up to four characters of the kinds that the patterns tell apart can
    /// follow each other, at the start, the middle and the end of a text.
    #[test]
    fn every_short_text_has_the_tokens_of_tiktoken() {
        const KINDS: &str = "sT\u{1C5}\u{2B0}\u{4E2D}\u{301}7\u{BD}'!/ \t\u{A0}\n\r\u{1F600}";
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..4 {
            let to = texts.len();
            for i in from..to {
                for kind in KINDS.chars() {
                    texts.push(format!("{}{kind}", texts[i]));
                }
            }
            from = to;
        }
        assert_eq!(texts.len(), 1 + 17 + 289 + 4_913 + 83_521);
        for (counter, tiktoken) in both() {
            for text in &texts {
                assert_eq!(
                    counter.engine().encode(text),
                    tiktoken.encode_ordinary(text),
                    "{counter:?} {text:?}"
                );
            }
        }
    }

    #[test]
    fn a_token_of_cl100k_with_a_line_break_ends_in_one() {
        let merges = &FastTiktoken::cl100k().engine().bpe;
        let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let mut with_break = 0;
        for rank in 0..u32::try_from(merges.num_tokens()).unwrap() {
            let token = merges.token_bytes(rank);
            if token.iter().any(is_break) {
                with_break += 1;
                assert!(token.last().is_some_and(is_break), "{rank} {token:?}");
            }
        }
        assert!(with_break > 1_000, "{with_break}");
    }
}
