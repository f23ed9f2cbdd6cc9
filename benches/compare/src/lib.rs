#![doc = include_str!("../README.md")]

pub mod candles;
pub mod codec;
pub mod csv_pages;
pub mod csv_rows;
pub mod format;
pub mod json_pages;
pub mod json_rows;
pub mod page;
pub mod page_cut;
pub mod qrp1_pages;
pub mod qrp1_rows;
pub mod round_robin;
pub mod seed_form;
pub mod split_mix;
#[cfg(feature = "toon")]
pub mod toon_pages;
#[cfg(feature = "toon")]
pub mod toon_rows;

/// Whatever the library of a format says: nothing here is handled, only shown.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
