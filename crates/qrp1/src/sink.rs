//! Where text is appended: a string, or the bytes of a page that becomes one at its end.

/// Something that takes text. Both kinds only ever get whole characters, so the bytes are
/// always UTF-8.
pub(crate) trait Sink {
    fn push_str(&mut self, text: &str);
    fn push_char(&mut self, c: char);
    /// Appends the first `len` bytes of a short ASCII text.
    fn push_ascii(&mut self, text: &[u8; SHORT], len: usize);
    fn len(&self) -> usize;
    fn truncate(&mut self, len: usize);
}

/// The longest text of a number of few digits, with room for what ends its cell.
pub(crate) const SHORT: usize = 24;

impl Sink for String {
    fn push_str(&mut self, text: &str) {
        Self::push_str(self, text);
    }

    fn push_char(&mut self, c: char) {
        self.push(c);
    }

    fn push_ascii(&mut self, text: &[u8; SHORT], len: usize) {
        self.extend(text.iter().take(len).map(|byte| char::from(*byte)));
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

    /// A copy of fixed size is a few moves, where one of `len` bytes would be a call.
    #[inline]
    fn push_ascii(&mut self, text: &[u8; SHORT], len: usize) {
        let end = Self::len(self) + len;
        self.extend_from_slice(text);
        Self::truncate(self, end);
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn truncate(&mut self, len: usize) {
        Self::truncate(self, len);
    }
}
