//! Where text is appended: a string, or the bytes of a page that becomes one at its end.

use crate::number::ShortText;

/// Something that takes text. Both kinds only ever get whole characters, so the bytes are
/// always UTF-8.
pub(crate) trait Sink {
    fn push_str(&mut self, text: &str);
    fn push_char(&mut self, c: char);
    fn push_short(&mut self, text: ShortText);
    fn len(&self) -> usize;
    fn truncate(&mut self, len: usize);
}

/// Room for a short text and what ends its cell.
pub(crate) const SHORT: usize = 16;

impl Sink for String {
    fn push_str(&mut self, text: &str) {
        Self::push_str(self, text);
    }

    fn push_char(&mut self, c: char) {
        self.push(c);
    }

    fn push_short(&mut self, text: ShortText) {
        let (bytes, len) = text.bytes();
        self.extend(bytes.iter().take(len).map(|byte| char::from(*byte)));
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn truncate(&mut self, len: usize) {
        Self::truncate(self, len);
    }
}

impl Sink for Vec<u8> {
    fn push_str(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }

    fn push_char(&mut self, c: char) {
        self.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    #[inline]
    fn push_short(&mut self, text: ShortText) {
        let (bytes, len) = text.bytes();
        push_fixed(self, bytes, len);
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn truncate(&mut self, len: usize) {
        Self::truncate(self, len);
    }
}

/// Appends the first `len` of some bytes. A copy of fixed size is one move, where one of `len`
/// bytes would be a call.
#[inline]
pub(crate) fn push_fixed<const N: usize>(out: &mut Vec<u8>, bytes: [u8; N], len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(&bytes);
    out.truncate(end);
}
