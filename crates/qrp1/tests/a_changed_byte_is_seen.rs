//! With a CRC every change of one byte is seen, wherever it is.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{Document, Limits, Payload};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn every_one_byte_change_is_refused(payload in documents::payload(), with: u8) {
        let mut payload = payload;
        match &mut payload {
            Payload::Record(record) => record.meta.crc = true,
            Payload::Table(table) => table.meta.crc = true,
            Payload::Text(text) => text.meta.crc = true,
            Payload::Receipt(receipt) => receipt.meta.crc = true,
        }
        let text = payload.to_text().unwrap();
        let read = Document::parse(&text).unwrap();
        prop_assert_eq!(read.payloads(), [payload]);
        let mut bytes = text.into_bytes();
        for at in 0..bytes.len() {
            let before = bytes[at];
            for byte in [with, before ^ 1, b'\n', b'|', b'=', b',', b'"', b'0'] {
                if byte != before {
                    bytes[at] = byte;
                    let read = Document::parse_with(&bytes, Limits::default());
                    prop_assert!(read.is_err(), "{:?}", String::from_utf8_lossy(&bytes));
                }
            }
            bytes[at] = before;
        }
    }
}
