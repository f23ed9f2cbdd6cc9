//! Segments: a batch as bytes, versioned, checksummed, canonical.
//!
//! ```text
//! magic  "TGSG"            4 bytes
//! version 1                1
//! rows                     4   u32
//! columns                  2   u16
//! for each column:
//!   type 1 number, 2 flag, 3 text   1
//!   name length, name      1 + n
//! times                    8 a row, i64
//! for each column:
//!   validity               1 bit a row, low bit first, padding bits 0
//!   numbers                8 a row, f64 bits; 0 where there is no value
//!   flags                  1 bit a row, as validity; 0 where there is no value
//!   texts                  4 a row, u32 length, 0 where there is no value; then the texts
//! CRC-32 of all before     4
//! ```
//! All integers are little-endian. Equal batches give equal bytes, and bytes that are not
//! those of a batch are refused, without memory beyond a constant times their length.

mod decode;
mod encode;

pub use decode::decode_segment;
pub use encode::encode_segment;

const MAGIC: &[u8; 4] = b"TGSG";
const VERSION: u8 = 1;
const NUMBERS: u8 = 1;
const FLAGS: u8 = 2;
const TEXTS: u8 = 3;
/// The bits of the one NaN that is stored.
const NAN_BITS: u64 = 0x7ff8_0000_0000_0000;
