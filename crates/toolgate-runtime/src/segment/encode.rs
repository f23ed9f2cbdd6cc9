//! A batch to bytes.

use super::{FLAGS, MAGIC, NAN_BITS, NUMBERS, TEXTS, VERSION};
use crate::batch::{Batch, Values};
use crate::error::{Error, SchemaFault};

/// The bytes of a batch. O(rows x columns).
///
/// ```
/// use toolgate_runtime::{Batch, Column, Values, decode_segment, encode_segment};
///
/// let batch = Batch::new(
///     vec![0, 60_000],
///     vec![Column { name: "x".to_owned(), values: Values::Texts(vec![None, Some("up".to_owned())]) }],
/// )?;
/// assert_eq!(decode_segment(&encode_segment(&batch)?)?, batch);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
///
/// # Errors
/// [`Error::Schema`] for more than 2^32 - 1 rows or a text of more bytes than that.
pub fn encode_segment(batch: &Batch) -> Result<Vec<u8>, Error> {
    let too_long = || {
        Error::from(SchemaFault::Length {
            column: "time".to_owned(),
            expected: u32::MAX as usize,
            found: batch.rows(),
        })
    };
    let rows = u32::try_from(batch.rows()).map_err(|_| too_long())?;
    let columns = u16::try_from(batch.columns().len()).map_err(|_| too_long())?;
    let mut out = Vec::with_capacity(64 + batch.rows() * 9 * (1 + batch.columns().len()));
    out.extend_from_slice(MAGIC);
    out.push(VERSION);
    out.extend_from_slice(&rows.to_le_bytes());
    out.extend_from_slice(&columns.to_le_bytes());
    for column in batch.columns() {
        out.push(match column.values {
            Values::Numbers(_) => NUMBERS,
            Values::Flags(_) => FLAGS,
            Values::Texts(_) => TEXTS,
        });
        // A batch has names of at most 255 bytes.
        out.push(u8::try_from(column.name.len()).unwrap_or(u8::MAX));
        out.extend_from_slice(column.name.as_bytes());
    }
    for time_ms in batch.time_ms() {
        out.extend_from_slice(&time_ms.to_le_bytes());
    }
    for column in batch.columns() {
        match &column.values {
            Values::Numbers(values) => {
                push_bits(&mut out, values.iter().map(Option::is_some));
                for value in values {
                    out.extend_from_slice(&value.map_or(0, bits).to_le_bytes());
                }
            }
            Values::Flags(values) => {
                push_bits(&mut out, values.iter().map(Option::is_some));
                push_bits(&mut out, values.iter().map(|value| *value == Some(true)));
            }
            Values::Texts(values) => {
                push_bits(&mut out, values.iter().map(Option::is_some));
                for value in values {
                    let length = u32::try_from(value.as_ref().map_or(0, String::len));
                    out.extend_from_slice(&length.map_err(|_| too_long())?.to_le_bytes());
                }
                for value in values.iter().flatten() {
                    out.extend_from_slice(value.as_bytes());
                }
            }
        }
    }
    out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
    Ok(out)
}

/// The bits of a number; all NaN are one.
fn bits(number: f64) -> u64 {
    if number.is_nan() {
        NAN_BITS
    } else {
        number.to_bits()
    }
}

fn push_bits(out: &mut Vec<u8>, bits: impl Iterator<Item = bool>) {
    let mut byte = 0u8;
    let mut count = 0u32;
    for bit in bits {
        byte |= u8::from(bit) << (count % 8);
        count += 1;
        if count.is_multiple_of(8) {
            out.push(core::mem::take(&mut byte));
        }
    }
    if !count.is_multiple_of(8) {
        out.push(byte);
    }
}
