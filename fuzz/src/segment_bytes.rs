//! Bytes as a stored segment: refused, or the one form of a batch.

use toolgate_runtime::{decode_segment, encode_segment};

/// Decodes `data` as it is, and once more with a checksum that fits.
///
/// # Panics
/// When what is accepted does not encode to the same bytes.
pub fn check(data: &[u8]) {
    exact(data);
    let mut sealed = data.to_vec();
    sealed.extend_from_slice(&crc32fast::hash(data).to_le_bytes());
    exact(&sealed);
}

fn exact(bytes: &[u8]) {
    if let Ok(batch) = decode_segment(bytes) {
        let again = encode_segment(&batch).expect("a decoded batch can be encoded");
        assert_eq!(again, bytes);
    }
}
