#![doc = include_str!("../README.md")]

mod counter;
#[cfg(any(feature = "tiktoken", feature = "fast"))]
mod error;
mod estimate;
#[cfg(feature = "fast")]
mod fast;
#[cfg(any(feature = "tiktoken", feature = "fast"))]
mod limit;
mod line;
mod seam;
#[cfg(feature = "tiktoken")]
mod tiktoken;
#[cfg(any(feature = "tiktoken", feature = "fast"))]
mod vocabulary;

pub use counter::TokenCounter;
#[cfg(any(feature = "tiktoken", feature = "fast"))]
pub use error::TokensError;
pub use estimate::Estimate;
#[cfg(feature = "fast")]
pub use fast::FastTiktoken;
pub use line::{LineCounter, Seam};
#[cfg(feature = "tiktoken")]
pub use tiktoken::Tiktoken;
