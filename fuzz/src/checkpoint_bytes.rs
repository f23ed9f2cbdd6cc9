//! Bytes as a stored checkpoint: refused, or the one form of a checkpoint.

use toolgate_runtime::{decode_checkpoint, encode_checkpoint};

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
    if let Ok((state, events)) = decode_checkpoint(bytes) {
        let again = encode_checkpoint(state, &events).expect("a decoded checkpoint can be encoded");
        assert_eq!(again, bytes);
    }
}
