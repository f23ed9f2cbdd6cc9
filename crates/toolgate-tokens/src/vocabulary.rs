//! Which vocabulary a counter counts in.

use crate::TokensError;

/// A vocabulary of OpenAI that the exact counters know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Vocabulary {
    O200kBase,
    Cl100kBase,
}

impl Vocabulary {
    /// Every vocabulary, in the order of the error text.
    pub(crate) const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    pub(crate) fn named(id: &str) -> Result<Self, TokensError> {
        Self::ALL
            .into_iter()
            .find(|known| known.id() == id)
            .ok_or_else(|| TokensError::UnknownVocabulary {
                found: id.chars().take(64).collect(),
            })
    }
}
