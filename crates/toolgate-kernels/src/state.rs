//! The bytes of a kernel's state.
//!
//! | bytes | field |
//! |---|---|
//! | 0..4 | magic `TGKS` |
//! | 4..6 | format version, u16 |
//! | 6 | kernel id |
//! | 7 | policy for missing input: 0 = reject |
//! | 8..10 | revision of the kernel's arithmetic, u16 |
//! | 10 | option of the kernel, such as the seed |
//! | 11 | flags of the kernel |
//! | 12..16 | period in bars, u32; 0 if the kernel has none |
//! | 16..24 | bars taken, u64 |
//! | 24..end-4 | the kernel's numbers, as f64 bits |
//! | end-4..end | CRC-32 of all bytes before it |
//!
//! All numbers are little-endian.

use crate::Error;

const KERNEL_MAGIC: [u8; 4] = *b"TGKS";
const FORMAT: u16 = 1;
const HEADER_BYTES: usize = 24;
const REJECT: u8 = 0;

/// No run gets here, so bar counts below it can be added to without care.
pub(crate) const MAX_BARS: u64 = 1 << 62;

/// A kernel as its state names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelTag {
    pub(crate) id: u8,
    pub(crate) name: &'static str,
    pub(crate) revision: u16,
}

/// The fields of a kernel's state before its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) option: u8,
    pub(crate) flags: u8,
    pub(crate) period: u32,
    pub(crate) bars: u64,
}

/// The bytes of a kernel's state that holds `numbers` numbers.
pub(crate) const fn kernel_state_bytes(numbers: u64) -> u64 {
    HEADER_BYTES as u64 + 4 + 8 * numbers
}

/// Appends the state of a kernel to `out`.
pub(crate) fn write_kernel(
    out: &mut Vec<u8>,
    tag: KernelTag,
    head: Head,
    numbers: impl Iterator<Item = f64>,
) {
    let start = out.len();
    out.extend_from_slice(&KERNEL_MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.push(tag.id);
    out.push(REJECT);
    out.extend_from_slice(&tag.revision.to_le_bytes());
    out.push(head.option);
    out.push(head.flags);
    out.extend_from_slice(&head.period.to_le_bytes());
    out.extend_from_slice(&head.bars.to_le_bytes());
    for number in numbers {
        out.extend_from_slice(&number.to_bits().to_le_bytes());
    }
    seal(out, start);
}

/// Appends the checksum of everything from `start` on.
pub(crate) fn seal(out: &mut Vec<u8>, start: usize) {
    let sum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// Checks magic, format and checksum, and gives the bytes between format and checksum.
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    magic: [u8; 4],
    what: &'static str,
    format: u16,
) -> Result<Reader<'a>, Error> {
    if !bytes.starts_with(&magic) {
        return Err(Error::StateMagic { expected: what });
    }
    let mut head = Reader {
        bytes,
        at: magic.len(),
    };
    let found = head.u16()?;
    if found != format {
        return Err(Error::StateVersion {
            what: "format",
            found,
            expected: format,
        });
    }
    let Some((body, sum)) = bytes
        .split_last_chunk::<4>()
        .filter(|(body, _)| body.len() >= head.at)
    else {
        return Err(head.cut());
    };
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(Error::StateCorrupt {
            at: body.len(),
            found: "another checksum",
            expected: "the CRC-32 of the bytes before it (a byte was changed, lost or added)",
        });
    }
    Ok(Reader {
        bytes: body,
        at: head.at,
    })
}

/// Reads the state of the kernel `tag`: its head, and a reader at its numbers.
pub(crate) fn read_kernel<'a>(
    bytes: &'a [u8],
    tag: KernelTag,
) -> Result<(Head, Reader<'a>), Error> {
    let mut reader = open(bytes, KERNEL_MAGIC, "a kernel state (`TGKS`)", FORMAT)?;
    let id = reader.u8()?;
    if id != tag.id {
        let found = [crate::Sma::TAG, crate::Ema::TAG, crate::Cross::TAG]
            .iter()
            .find(|known| known.id == id)
            .map_or_else(
                || format!("number {id}, unknown here"),
                |known| format!("`{}`", known.name),
            );
        return Err(Error::StateKernel {
            found,
            expected: tag.name,
        });
    }
    let at = reader.at;
    if reader.u8()? != REJECT {
        return Err(corrupt(
            at,
            "an unknown policy for missing input",
            "0 (reject)",
        ));
    }
    let revision = reader.u16()?;
    if revision != tag.revision {
        return Err(Error::StateVersion {
            what: "kernel revision",
            found: revision,
            expected: tag.revision,
        });
    }
    let head = Head {
        option: reader.u8()?,
        flags: reader.u8()?,
        period: reader.u32()?,
        bars: reader.u64()?,
    };
    if head.bars > MAX_BARS {
        return Err(corrupt(
            16,
            "a bar count over 2^62",
            "the number of bars taken",
        ));
    }
    Ok((head, reader))
}

/// Shorthand for [`Error::StateCorrupt`].
pub(crate) const fn corrupt(at: usize, found: &'static str, expected: &'static str) -> Error {
    Error::StateCorrupt {
        at,
        found,
        expected,
    }
}

const fn not_finite(at: usize) -> Error {
    corrupt(at, "a NaN or an infinity", "a finite number")
}

/// Takes little-endian fields off the front of bytes.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// The offset of the next byte.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub(crate) const fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    const fn cut(&self) -> Error {
        corrupt(self.bytes.len(), "the end of the bytes", "more bytes")
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count).ok_or_else(|| self.cut())?;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.cut())?;
        self.at = end;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, _) = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.split_first_chunk::<N>())
            .ok_or_else(|| self.cut())?;
        self.at += N;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Error> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A finite number.
    pub(crate) fn number(&mut self) -> Result<f64, Error> {
        let at = self.at;
        let number = f64::from_bits(self.u64()?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(not_finite(at))
        }
    }

    /// All finite numbers that are left; there may be no other bytes.
    pub(crate) fn numbers(&mut self) -> Result<Vec<f64>, Error> {
        let at = self.at;
        let (words, rest) = self.take(self.left())?.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(self.cut());
        }
        let numbers: Vec<f64> = words
            .iter()
            .map(|word| f64::from_bits(u64::from_le_bytes(*word)))
            .collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(number) => Err(not_finite(at + 8 * number)),
        }
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.left() == 0 {
            Ok(())
        } else {
            Err(corrupt(self.at, "more bytes", "the end of the state"))
        }
    }
}
