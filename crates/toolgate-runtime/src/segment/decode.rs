//! Bytes to a batch, every field checked.

use super::{FLAGS, MAGIC, NAN_BITS, NUMBERS, TEXTS, VERSION};
use crate::batch::{Batch, Column, Values};
use crate::error::Error;

/// The batch of these bytes. O(length).
///
/// # Errors
/// [`Error::SegmentCorrupt`] when they are not exactly what [`encode_segment`] gives for
/// some batch.
///
/// ```
/// let error = toolgate_runtime::decode_segment(b"TGSG").unwrap_err();
/// assert_eq!(error.code(), "segment_corrupt");
/// ```
///
/// [`encode_segment`]: crate::encode_segment
pub fn decode_segment(bytes: &[u8]) -> Result<Batch, Error> {
    read(bytes).map_err(|reason| Error::SegmentCorrupt { reason })
}

/// The part of the bytes that is not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it is cut short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or("it is cut short")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// `rows` bits, with zero bits behind them.
    fn bits(&mut self, rows: usize) -> Result<Bits<'b>, &'static str> {
        let bytes = self.take(rows.div_ceil(8))?;
        let padding = match (rows % 8, bytes.last()) {
            (0, _) | (_, None) => 0,
            (used, Some(last)) => last >> used,
        };
        if padding == 0 {
            Ok(Bits(bytes))
        } else {
            Err("a padding bit is set")
        }
    }

    /// `rows` items of eight bytes.
    fn words(
        &mut self,
        rows: usize,
    ) -> Result<impl Iterator<Item = [u8; 8]> + use<'b>, &'static str> {
        let bytes = self.take(rows.checked_mul(8).ok_or("it is cut short")?)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().copied())
    }
}

#[derive(Clone, Copy)]
struct Bits<'b>(&'b [u8]);

impl Bits<'_> {
    fn get(self, row: usize) -> bool {
        self.0
            .get(row / 8)
            .is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }
}

fn read(bytes: &[u8]) -> Result<Batch, &'static str> {
    let (body, crc) = bytes.split_last_chunk::<4>().ok_or("it is cut short")?;
    let mut rest = Rest(body);
    if rest.array::<4>()? != *MAGIC {
        return Err("it does not begin as a segment");
    }
    if rest.byte()? != VERSION {
        return Err("it is of another version");
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return Err("its checksum does not match");
    }
    let rows = usize::try_from(u32::from_le_bytes(rest.array()?)).map_err(|_| "it is too long")?;
    let count = u16::from_le_bytes(rest.array()?);
    let mut schema = Vec::new();
    for _ in 0..count {
        let kind = rest.byte()?;
        let length = usize::from(rest.byte()?);
        let name = core::str::from_utf8(rest.take(length)?).map_err(|_| "a name is no text")?;
        schema.push((kind, name.to_owned()));
    }
    let time_ms: Vec<i64> = rest.words(rows)?.map(i64::from_le_bytes).collect();
    let mut columns = Vec::with_capacity(schema.len());
    for (kind, name) in schema {
        let values = match kind {
            NUMBERS => Values::Numbers(numbers(&mut rest, rows)?),
            FLAGS => Values::Flags(flags(&mut rest, rows)?),
            TEXTS => Values::Texts(texts(&mut rest, rows)?),
            _ => return Err("a column has an unknown type"),
        };
        columns.push(Column { name, values });
    }
    if !rest.0.is_empty() {
        return Err("bytes are left over");
    }
    Batch::new(time_ms, columns).map_err(|_| "its columns do not fit together")
}

fn numbers(rest: &mut Rest<'_>, rows: usize) -> Result<Vec<Option<f64>>, &'static str> {
    let valid = rest.bits(rows)?;
    rest.words(rows)?
        .map(u64::from_le_bytes)
        .enumerate()
        .map(|(row, bits)| {
            let number = f64::from_bits(bits);
            match valid.get(row) {
                true if number.is_nan() && bits != NAN_BITS => Err("a number is not canonical"),
                true => Ok(Some(number)),
                false if bits != 0 => Err("a value stands where there is none"),
                false => Ok(None),
            }
        })
        .collect()
}

fn flags(rest: &mut Rest<'_>, rows: usize) -> Result<Vec<Option<bool>>, &'static str> {
    let (valid, set) = (rest.bits(rows)?, rest.bits(rows)?);
    (0..rows)
        .map(|row| match (valid.get(row), set.get(row)) {
            (true, set) => Ok(Some(set)),
            (false, true) => Err("a value stands where there is none"),
            (false, false) => Ok(None),
        })
        .collect()
}

fn texts(rest: &mut Rest<'_>, rows: usize) -> Result<Vec<Option<String>>, &'static str> {
    let valid = rest.bits(rows)?;
    let lengths = rest.take(rows.checked_mul(4).ok_or("it is cut short")?)?;
    let (lengths, _) = lengths.as_chunks::<4>();
    let mut values = Vec::with_capacity(rows);
    for (row, length) in lengths.iter().enumerate() {
        let length = u32::from_le_bytes(*length);
        if !valid.get(row) {
            if length != 0 {
                return Err("a value stands where there is none");
            }
            values.push(None);
            continue;
        }
        let length = usize::try_from(length).map_err(|_| "it is too long")?;
        let text = core::str::from_utf8(rest.take(length)?).map_err(|_| "a text is no UTF-8")?;
        values.push(Some(text.to_owned()));
    }
    Ok(values)
}
