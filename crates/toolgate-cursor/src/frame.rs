//! The fields of a cursor as bytes, and those bytes as text: the layout table of
//! the README in code. Nothing here knows what the fields mean.

use base64::{DecodeError, DecodeSliceError, Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::Mac as _;

use crate::{
    Cursor, Error, Fault, Kind, Mode, check::check_byte, cursor::MAX_CHARS, expiry::Expiry,
    key_ring::KeyState, view::MAX_ROWS,
};

const VERSION: u8 = 1;

/// Head, key id, expiry and the eight bytes of the binding.
const FIXED_BYTES: usize = 1 + 1 + 3 + 8;
/// The longest position: seven bytes of seven bits.
const MAX_POSITION_BYTES: usize = 7;
const MAX_BODY_BYTES: usize = FIXED_BYTES + MAX_POSITION_BYTES;
const MAX_TAG_BYTES: usize = 16;
const MAX_BYTES: usize = MAX_BODY_BYTES + MAX_TAG_BYTES + 1;

const _: () = assert!(MAX_ROWS == 1 << (7 * MAX_POSITION_BYTES));
const _: () = assert!(MAX_CHARS == (MAX_BYTES * 4).div_ceil(3));

/// Longer texts are refused unread. A later version may use all of it, and is
/// still told apart from a damaged cursor.
const MAX_TEXT_BYTES: usize = 256;

impl Mode {
    const fn tag_bytes(self) -> usize {
        match self {
            Self::View => 12,
            Self::Stateless => MAX_TAG_BYTES,
        }
    }

    const fn min_bytes(self) -> usize {
        FIXED_BYTES + 1 + self.tag_bytes() + 1
    }

    const fn max_bytes(self) -> usize {
        MAX_BODY_BYTES + self.tag_bytes() + 1
    }

    const fn of_head(head: u8) -> Self {
        if head & 0b1000 == 0 {
            Self::View
        } else {
            Self::Stateless
        }
    }

    const fn head_bit(self) -> u8 {
        match self {
            Self::View => 0,
            Self::Stateless => 0b1000,
        }
    }
}

/// What a cursor says, in clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) mode: Mode,
    pub(crate) kind: Kind,
    pub(crate) key_id: u8,
    pub(crate) expiry: Expiry,
    /// The view handle, or the short digests of stateless mode.
    pub(crate) binding: [u8; 8],
    /// Below `MAX_ROWS`.
    pub(crate) position: u64,
}

/// A parsed cursor: fields, and the bytes that the tag must prove.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) fields: Fields,
    bytes: [u8; MAX_BYTES],
    body: usize,
}

impl Fields {
    /// Writes the body: every field, before tag and check. Returns its length.
    fn write_body(&self, bytes: &mut [u8; MAX_BYTES]) -> usize {
        bytes[0] = VERSION << 4 | self.mode.head_bit() | self.kind.to_bits();
        bytes[1] = self.key_id;
        bytes[2..5].copy_from_slice(&self.expiry.to_bytes());
        bytes[5..FIXED_BYTES].copy_from_slice(&self.binding);
        FIXED_BYTES + write_position(self.position, &mut bytes[FIXED_BYTES..MAX_BODY_BYTES])
    }

    /// The text of these fields, sealed under `key` for `bound`: what the tag
    /// covers besides the fields, of a fixed length for each mode.
    pub(crate) fn seal(&self, key: &KeyState, bound: &[u8]) -> Cursor {
        let mut bytes = [0; MAX_BYTES];
        let body = self.write_body(&mut bytes);
        let tag_end = body + self.mode.tag_bytes();
        let mut mac = key.clone();
        mac.update(bound);
        mac.update(&bytes[..body]);
        let tag = mac.finalize().into_bytes();
        bytes[body..tag_end].copy_from_slice(&tag[..tag_end - body]);
        bytes[tag_end] = check_byte(&bytes[..tag_end]);

        let mut chars = [0; MAX_CHARS];
        // The buffer holds the longest cursor, so the encoder never fails.
        let len = BASE64_URL_SAFE_NO_PAD.encode_slice(&bytes[..=tag_end], &mut chars);
        Cursor::from_ascii(
            chars,
            len.ok().and_then(|len| u8::try_from(len).ok()).unwrap_or(0),
        )
    }
}

impl Frame {
    /// Reads `text` as a cursor of `mode`: malformed, version, miscopied, mode.
    ///
    /// Only the alphabet and the first four bits are asked of a cursor of another
    /// version, since its length, its check and everything else may differ.
    pub(crate) fn parse(text: &str, mode: Mode) -> Result<Self, Error> {
        if text.len() > MAX_CHARS {
            return Err(refuse_long(text));
        }
        let mut bytes = [0; MAX_BYTES];
        let len = decode(text, &mut bytes)?;
        let head = bytes[0];
        if head >> 4 != VERSION {
            return Err(other_version(head));
        }

        let found = if head & 0b1000 == 0 {
            Mode::View
        } else {
            Mode::Stateless
        };
        if !(found.min_bytes()..=found.max_bytes()).contains(&len) {
            return Err(wrong_length(text, found));
        }
        if check_byte(&bytes[..len - 1]) != bytes[len - 1] {
            return Err(Error::Miscopied);
        }
        if found != mode {
            return Err(Error::Mode {
                expected: mode,
                found,
            });
        }
        let kind = Kind::from_bits(head & 0b111).ok_or_else(|| other_version(head))?;

        let body = len - 1 - mode.tag_bytes();
        let position = read_position(&bytes[FIXED_BYTES..body]).ok_or(Error::Malformed {
            fault: Fault::Position,
        })?;
        let [_, key_id, a, b, c, ref binding @ .., _] = bytes;
        let mut first_eight = [0; 8];
        first_eight.copy_from_slice(&binding[..8]);
        let fields = Fields {
            mode,
            kind,
            key_id,
            expiry: Expiry::from_bytes([a, b, c]),
            binding: first_eight,
            position,
        };
        Ok(Self {
            fields,
            bytes,
            body,
        })
    }

    /// Whether the tag fits, in a time that does not depend on where it differs.
    pub(crate) fn is_sealed(&self, key: &KeyState, bound: &[u8]) -> bool {
        let tag_end = self.body + self.fields.mode.tag_bytes();
        let mut mac = key.clone();
        mac.update(bound);
        mac.update(&self.bytes[..self.body]);
        mac.verify_truncated_left(&self.bytes[self.body..tag_end])
            .is_ok()
    }
}

/// A text that no cursor of this version is as long as: only its alphabet and its
/// version decide what to call it.
#[cold]
fn refuse_long(text: &str) -> Error {
    let found = text.len();
    if found > MAX_TEXT_BYTES {
        let fault = Fault::Length {
            found,
            min: 1,
            max: MAX_TEXT_BYTES,
        };
        return Error::Malformed { fault };
    }
    let mut decoded = [0; MAX_TEXT_BYTES / 4 * 3];
    match decode(text, &mut decoded) {
        Err(error) => error,
        Ok(_) if decoded[0] >> 4 != VERSION => other_version(decoded[0]),
        Ok(_) => wrong_length(text, Mode::of_head(decoded[0])),
    }
}

fn other_version(head: u8) -> Error {
    Error::Version {
        version: head >> 4,
        kind: head & 0b111,
    }
}

fn wrong_length(text: &str, mode: Mode) -> Error {
    let (min, max) = (
        (mode.min_bytes() * 4).div_ceil(3),
        (mode.max_bytes() * 4).div_ceil(3),
    );
    Error::Malformed {
        fault: Fault::Length {
            found: text.len(),
            min,
            max,
        },
    }
}

/// Canonical base64url without padding: no whitespace, no other alphabet, no
/// stray bits in the last character. `decoded` has room for the whole text; at
/// least one byte is written.
fn decode(text: &str, decoded: &mut [u8]) -> Result<usize, Error> {
    BASE64_URL_SAFE_NO_PAD
        .decode_slice(text, decoded)
        .ok()
        .filter(|len| *len > 0)
        .ok_or_else(|| Error::Malformed {
            fault: fault_of(text, decoded),
        })
}

/// What the decoder refuses `text` for. An alien character says more than the
/// length it makes, and the decoder may name the length first.
#[cold]
fn fault_of(text: &str, decoded: &mut [u8]) -> Fault {
    if text.is_empty() {
        return Fault::Empty;
    }
    if let Some(at) = alien(text) {
        return Fault::Character { at };
    }
    match BASE64_URL_SAFE_NO_PAD.decode_slice(text, decoded) {
        Err(DecodeSliceError::DecodeError(DecodeError::InvalidLastSymbol { .. })) => {
            Fault::LastCharacter
        }
        _ => Fault::Uneven { found: text.len() },
    }
}

fn alien(text: &str) -> Option<usize> {
    text.bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'))
}

/// LEB128, least significant seven bits first. `position` is below `MAX_ROWS`,
/// so it fits; the bits above are never set.
fn write_position(position: u64, bytes: &mut [u8]) -> usize {
    let mut rest = position;
    let mut len = 0;
    for byte in bytes {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        len += 1;
        if rest == 0 {
            *byte = low & 0x7F;
            break;
        }
        *byte = low | 0x80;
    }
    len
}

/// The whole of `bytes` as one LEB128 number in its shortest form.
fn read_position(bytes: &[u8]) -> Option<u64> {
    let (last, before) = bytes.split_last()?;
    let padded = *last == 0 && !before.is_empty();
    if padded || *last & 0x80 != 0 || before.iter().any(|byte| byte & 0x80 == 0) {
        return None;
    }
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |position, byte| position << 7 | u64::from(byte & 0x7F)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyRing;

    fn fields(position: u64) -> Fields {
        Fields {
            mode: Mode::View,
            kind: Kind::Page,
            key_id: 1,
            expiry: Expiry::from_bytes([1, 2, 3]),
            binding: [9; 8],
            position,
        }
    }

    /// The text of `bytes` with a check that fits.
    fn text_of(mut bytes: Vec<u8>) -> String {
        bytes.push(check_byte(&bytes));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    #[test]
    fn positions_are_shortest_leb128() {
        for (position, expected) in [
            (0, &[0][..]),
            (127, &[0x7F]),
            (128, &[0x80, 1]),
            (16_383, &[0xFF, 0x7F]),
            (MAX_ROWS - 1, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
        ] {
            let mut bytes = [0; MAX_POSITION_BYTES];
            let len = write_position(position, &mut bytes);
            assert_eq!(&bytes[..len], expected);
            assert_eq!(read_position(expected), Some(position));
        }
        for wrong in [&[][..], &[0x80], &[0x80, 0], &[1, 1], &[0xFF, 0xFF]] {
            assert_eq!(read_position(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_padded_position_with_a_good_check_is_malformed() {
        let mut bytes = [0; MAX_BYTES];
        let body = fields(5).write_body(&mut bytes);
        let mut bytes = bytes[..body - 1].to_vec();
        bytes.extend([0x85, 0x00]);
        bytes.extend([7; 12]);
        assert_eq!(
            Frame::parse(&text_of(bytes), Mode::View).unwrap_err(),
            Error::Malformed {
                fault: Fault::Position
            },
        );
    }

    #[test]
    fn a_later_version_is_named_whatever_its_length_and_check() {
        for version in (0..16).filter(|version| *version != VERSION) {
            for len in [1, 2, 12, 27, 30, 48, 192] {
                let mut bytes = vec![0xA5; len];
                bytes[0] = version << 4 | 3;
                let text = BASE64_URL_SAFE_NO_PAD.encode(bytes);
                for mode in [Mode::View, Mode::Stateless] {
                    assert_eq!(
                        Frame::parse(&text, mode).unwrap_err(),
                        Error::Version { version, kind: 3 },
                        "{text}",
                    );
                }
            }
        }
    }

    #[test]
    fn a_later_kind_is_named_once_its_check_fits() {
        let mut bytes = [0; MAX_BYTES];
        let body = fields(5).write_body(&mut bytes);
        bytes[0] |= 0b111;
        let good = text_of(bytes[..body + 12].to_vec());
        assert_eq!(
            Frame::parse(&good, Mode::View).unwrap_err(),
            Error::Version {
                version: 1,
                kind: 7
            },
        );
        let bad = BASE64_URL_SAFE_NO_PAD.encode(&bytes[..=body + 12]);
        assert_eq!(
            Frame::parse(&bad, Mode::View).unwrap_err(),
            Error::Miscopied
        );
    }

    #[test]
    fn one_wrong_character_and_any_exchange_fail_the_check() {
        let keys = KeyRing::new(1, &[7; 32]).unwrap();
        for position in [0, 300, 1 << 20, MAX_ROWS - 1] {
            let cursor = fields(position).seal(keys.view(1).unwrap(), b"bound");
            let text = cursor.as_bytes();
            // From the third character on: the first two hold version and mode.
            for at in 2..text.len() {
                for other in b'-'..=b'z' {
                    let mut copy = text.to_vec();
                    copy[at] = other;
                    refused_by_the_frame(text, copy);
                }
                for second in 2..at {
                    let mut copy = text.to_vec();
                    copy.swap(at, second);
                    refused_by_the_frame(text, copy);
                }
            }
        }
    }

    fn refused_by_the_frame(text: &[u8], copy: Vec<u8>) {
        if copy != text {
            let copy = String::from_utf8(copy).unwrap();
            let error = Frame::parse(&copy, Mode::View).unwrap_err();
            assert!(
                matches!(error, Error::Miscopied | Error::Malformed { .. }),
                "{copy}: {error:?}"
            );
        }
    }

    #[test]
    fn what_is_sealed_is_what_is_read() {
        let keys = KeyRing::new(1, &[7; 32]).unwrap();
        let key = keys.view(1).unwrap();
        for position in [0, 1, 127, 128, 1 << 30, MAX_ROWS - 1] {
            let cursor = fields(position).seal(key, b"bound");
            let frame = Frame::parse(&cursor, Mode::View).unwrap();
            assert_eq!(frame.fields, fields(position));
            assert!(frame.is_sealed(key, b"bound"));
            assert!(!frame.is_sealed(key, b"Bound"));
            assert!(!frame.is_sealed(keys.stateless(1).unwrap(), b"bound"));
        }
    }
}
