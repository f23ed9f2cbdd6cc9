#![doc = include_str!("../README.md")]

mod counter;
#[cfg(feature = "tiktoken")]
mod error;
mod estimate;
mod line;
mod seam;
#[cfg(feature = "tiktoken")]
mod tiktoken;

pub use counter::TokenCounter;
#[cfg(feature = "tiktoken")]
pub use error::TokensError;
pub use estimate::Estimate;
pub use line::{LineCounter, Seam};
#[cfg(feature = "tiktoken")]
pub use tiktoken::Tiktoken;
