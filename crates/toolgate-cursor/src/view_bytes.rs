//! A view row as the bytes a store keeps.

use crate::{Digest, Error, Kind, View, ViewHandle, ViewRow, view::MAX_ID_BYTES};

const MAGIC: &[u8; 3] = b"TGV";
const VERSION: u8 = 1;
const CHECKSUM_BYTES: usize = 4;
/// Everything before the two ids.
const FIXED_BYTES: usize = 86;
const MAX_BYTES: usize = FIXED_BYTES + 2 * (1 + MAX_ID_BYTES) + CHECKSUM_BYTES;

impl ViewRow {
    /// Everything but the checksum. Ids are within their limits, or the row is on
    /// its way to be refused.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend([VERSION, self.kind.to_bits(), self.key_id]);
        bytes.extend_from_slice(self.handle.as_bytes());
        bytes.extend_from_slice(self.query.as_bytes());
        bytes.extend_from_slice(self.order.as_bytes());
        for number in [
            self.result_version,
            self.max_bytes,
            self.max_tokens,
            self.rows,
        ] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(self.expires_unix_s.to_be_bytes());
        for id in [&self.owner, &self.snapshot] {
            bytes.push(u8::try_from(id.len()).unwrap_or(0));
            bytes.extend_from_slice(id.as_bytes());
        }
        bytes
    }

    /// What the tag of a cursor covers of the row: all of it.
    pub(crate) fn digest(&self) -> Digest {
        digest(&self.encode())
    }
}

fn digest(encoded: &[u8]) -> Digest {
    Digest::labelled(b"toolgate-cursor view row 1\0", encoded)
}

fn checksum(encoded: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let [.., a, b, c, d] = *digest(encoded).as_bytes();
    [a, b, c, d]
}

impl View {
    /// The row as bytes for a store: the same bytes for the same row, and only
    /// those bytes are read back. Numbers are big-endian.
    ///
    /// | byte | bytes | field |
    /// |---:|---:|---|
    /// | 0 | 3 | `TGV` |
    /// | 3 | 1 | version, 1 |
    /// | 4 | 1 | kind: 0 page, 1 result, 2 segment |
    /// | 5 | 1 | key id |
    /// | 6 | 8 | handle |
    /// | 14 | 16 | query digest |
    /// | 30 | 16 | order digest |
    /// | 46 | 8 | result version |
    /// | 54 | 8 | cap in bytes |
    /// | 62 | 8 | cap in tokens |
    /// | 70 | 8 | rows |
    /// | 78 | 8 | expiry in Unix seconds, signed |
    /// | 86 | 1 + o | length of the owner id, and the id in UTF-8 |
    /// | 87 + o | 1 + s | length of the snapshot id, and the id in UTF-8 |
    /// | 88 + o + s | 4 | checksum: bytes 12 to 15 of the row digest |
    ///
    /// The row digest is SHA-256 of `toolgate-cursor view row 1`, a NUL and
    /// everything before the checksum. It finds damage, not malice: the store is
    /// trusted.
    ///
    /// ```
    /// # use toolgate_cursor::{Digest, Kind, View, ViewHandle, ViewRow};
    /// # let view = View::new(ViewRow {
    /// #     handle: ViewHandle::from_bytes([0xA7; 8]), kind: Kind::Page,
    /// #     owner: "alice".into(), snapshot: "s-42".into(),
    /// #     query: Digest::query(""), order: Digest::order(""), result_version: 1,
    /// #     max_bytes: 1, max_tokens: 1, rows: 1, expires_unix_s: 1_800_000_000, key_id: 1,
    /// # })?;
    /// let bytes = view.to_bytes();
    /// assert_eq!(bytes.len(), 92 + "alice".len() + "s-42".len());
    /// assert_eq!(View::from_bytes(&bytes)?, view);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.row().encode();
        bytes.extend(checksum(&bytes));
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, and nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::ViewBytes`] for anything else, [`Error::ViewVersion`] for another
    /// version of the layout, [`Error::Field`] for a row that [`View::new`] refuses.
    ///
    /// ```
    /// use toolgate_cursor::{Error, View};
    ///
    /// let error = View::from_bytes(b"something else").unwrap_err();
    /// assert_eq!(error, Error::ViewBytes { at: 0, expected: "the letters TGV" });
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take::<3>("the letters TGV")? != *MAGIC {
            return Err(Error::ViewBytes {
                at: 0,
                expected: "the letters TGV",
            });
        }
        let [version] = reader.take("a version")?;
        if version != VERSION {
            return Err(Error::ViewVersion { found: version });
        }
        // Damage is told before any field is.
        let Some((encoded, sum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(Error::ViewBytes {
                at: bytes.len(),
                expected: "more bytes",
            });
        };
        if bytes.len() > MAX_BYTES {
            return Err(Error::ViewBytes {
                at: MAX_BYTES,
                expected: "the end",
            });
        }
        if checksum(encoded) != *sum {
            return Err(Error::ViewBytes {
                at: encoded.len(),
                expected: "the checksum of the bytes before",
            });
        }
        reader.bytes = encoded;

        let [kind, key_id] = reader.take("kind and key id")?;
        let kind = Kind::from_bits(kind).ok_or(Error::ViewBytes {
            at: 4,
            expected: "a kind, 0 to 2",
        })?;
        let row = ViewRow {
            kind,
            key_id,
            handle: ViewHandle::from_bytes(reader.take("a handle")?),
            query: Digest::from_bytes(reader.take("a query digest")?),
            order: Digest::from_bytes(reader.take("an order digest")?),
            result_version: u64::from_be_bytes(reader.take("a result version")?),
            max_bytes: u64::from_be_bytes(reader.take("a cap in bytes")?),
            max_tokens: u64::from_be_bytes(reader.take("a cap in tokens")?),
            rows: u64::from_be_bytes(reader.take("a row count")?),
            expires_unix_s: i64::from_be_bytes(reader.take("an expiry")?),
            owner: reader.id("an owner id in UTF-8")?,
            snapshot: reader.id("a snapshot id in UTF-8")?,
        };
        if reader.at != encoded.len() {
            return Err(Error::ViewBytes {
                at: reader.at,
                expected: "the checksum",
            });
        }
        Self::new(row)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(N, expected)?);
        Ok(array)
    }

    fn slice(&mut self, len: usize, expected: &'static str) -> Result<&'a [u8], Error> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.get(..len));
        let found = found.ok_or(Error::ViewBytes {
            at: self.at,
            expected,
        })?;
        self.at += len;
        Ok(found)
    }

    fn id(&mut self, expected: &'static str) -> Result<String, Error> {
        let [len] = self.take(expected)?;
        let at = self.at;
        let bytes = self.slice(usize::from(len), expected)?;
        let id = core::str::from_utf8(bytes).map_err(|_| Error::ViewBytes { at, expected })?;
        Ok(id.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ViewRow {
        ViewRow {
            handle: ViewHandle::from_bytes([1; 8]),
            kind: Kind::Segment,
            owner: "alice".into(),
            snapshot: "s-42".into(),
            query: Digest::query(""),
            order: Digest::order(""),
            result_version: 1,
            max_bytes: 2,
            max_tokens: 3,
            rows: 4,
            expires_unix_s: 1_800_000_000,
            key_id: 5,
        }
    }

    /// Reads `encoded` with a checksum that fits.
    fn read(mut encoded: Vec<u8>) -> Result<View, Error> {
        encoded.extend(checksum(&encoded));
        View::from_bytes(&encoded)
    }

    #[test]
    fn a_good_checksum_does_not_excuse_a_wrong_field() {
        let good = row().encode();
        assert_eq!(read(good.clone()), View::new(row()));

        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            read(bytes)
        };
        let wrong = |at, expected| Err(Error::ViewBytes { at, expected });
        assert_eq!(changed(4, 3), wrong(4, "a kind, 0 to 2"));
        assert_eq!(changed(86, 200), wrong(87, "an owner id in UTF-8"));
        assert_eq!(changed(87, 0xFF), wrong(87, "an owner id in UTF-8"));
        assert_eq!(changed(92, 5), wrong(93, "a snapshot id in UTF-8"));
        assert_eq!(changed(92, 3), wrong(96, "the checksum"));
        assert_eq!(changed(93, 0xC3), wrong(93, "a snapshot id in UTF-8"));
        assert_eq!(read([&good[..], b"x"].concat()), wrong(97, "the checksum"));

        let limits = |field, expected| Err(Error::Field { field, expected });
        assert_eq!(changed(70, 1), limits("rows", "at most 2^49"));
        assert_eq!(changed(78, 0x80).unwrap_err().code(), "cursor_field");
        let mut ownerless = good.clone();
        ownerless.splice(86..92, [0]);
        assert_eq!(read(ownerless), limits("owner", "1 to 255 bytes"));
    }

    #[test]
    fn every_cut_with_a_good_checksum_says_where() {
        let good = row().encode();
        for len in 4..good.len() {
            match read(good[..len].to_vec()) {
                Err(Error::ViewBytes { at, .. }) => assert!(at <= len, "{len}: {at}"),
                other => panic!("{len}: {other:?}"),
            }
        }
    }
}
