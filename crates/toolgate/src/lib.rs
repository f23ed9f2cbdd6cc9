#![doc = include_str!("../README.md")]

#[doc(inline)]
pub use qrp1;
#[doc(inline)]
pub use toolgate_cursor as cursor;
#[doc(inline)]
pub use toolgate_kernels as kernels;
#[doc(inline)]
pub use toolgate_runtime as runtime;
#[doc(inline)]
pub use toolgate_store as store;
#[doc(inline)]
pub use toolgate_tokens as tokens;

pub mod prelude;

/// The README of the workspace, whose code runs as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct WorkspaceReadme;
