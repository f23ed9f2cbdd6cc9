//! The crate's one error.

use crate::vocabulary::Vocabulary;

/// What can go wrong in this crate: only a vocabulary id that it does not know.
///
/// Counting itself cannot fail.
///
/// ```
/// # #[cfg(feature = "tiktoken")] {
/// use toolgate_tokens::{Tiktoken, TokensError};
///
/// let error = Tiktoken::named("p50k_base").unwrap_err();
/// assert_eq!(error, TokensError::UnknownVocabulary { found: "p50k_base".into() });
/// assert_eq!(error.code(), "unknown_vocabulary");
/// assert_eq!(
///     error.to_string(),
///     "unknown vocabulary \"p50k_base\"; expected one of o200k_base, cl100k_base",
/// );
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokensError {
    /// No vocabulary has this id.
    UnknownVocabulary {
        /// The id as it was given, cut after 64 characters.
        found: String,
    },
}

impl TokensError {
    /// The stable code of this error, as in the table of the crate's README.
    ///
    /// ```
    /// use toolgate_tokens::TokensError;
    /// let error = TokensError::UnknownVocabulary { found: "gpt2".into() };
    /// assert_eq!(error.code(), "unknown_vocabulary");
    /// ```
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownVocabulary { .. } => "unknown_vocabulary",
        }
    }
}

impl std::fmt::Display for TokensError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownVocabulary { found } => {
                write!(f, "unknown vocabulary {found:?}; expected one of ")?;
                for (i, known) in Vocabulary::ALL.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", known.id())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for TokensError {}
