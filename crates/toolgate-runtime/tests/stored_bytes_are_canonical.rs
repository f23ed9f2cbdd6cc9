//! Segments and checkpoints read back, and any other bytes are refused.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use toolgate_kernels::Direction;
use toolgate_runtime::{
    Batch, Column, ListedEvent, Values, decode_checkpoint, decode_segment, encode_checkpoint,
    encode_segment,
};

fn values(rows: usize) -> BoxedStrategy<Values> {
    let number = prop_oneof![any::<f64>(), any::<u64>().prop_map(f64::from_bits)];
    prop_oneof![
        prop::collection::vec(prop::option::of(number), rows).prop_map(Values::Numbers),
        prop::collection::vec(any::<Option<bool>>(), rows).prop_map(Values::Flags),
        prop::collection::vec(prop::option::of(".{0,8}"), rows).prop_map(Values::Texts),
    ]
    .boxed()
}

fn batch() -> impl Strategy<Value = Batch> {
    (0usize..30, 0usize..4).prop_flat_map(|(rows, columns)| {
        let times = prop::collection::btree_set(qrp1::MIN_TIME_MS..=qrp1::MAX_TIME_MS, rows);
        let columns = prop::collection::vec(("[a-z]{1,6}", values(rows)), columns);
        (times, columns).prop_map(|(times, columns)| {
            let mut names = std::collections::HashSet::new();
            let columns = columns
                .into_iter()
                .filter(|(name, _)| names.insert(name.clone()))
                .map(|(name, values)| Column { name, values })
                .collect();
            Batch::new(times.into_iter().collect(), columns).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_segment_reads_back(batch in batch()) {
        let bytes = encode_segment(&batch).unwrap();
        let back = decode_segment(&bytes).unwrap();
        // Compared as bytes, since a NaN is not equal to itself.
        prop_assert_eq!(encode_segment(&back).unwrap(), bytes);
        prop_assert_eq!(back.time_ms(), batch.time_ms());
        prop_assert!(back.has_schema_of(&batch));
    }

    #[test]
    fn other_bytes_are_refused(batch in batch(), at in any::<prop::sample::Index>(), byte in 1u8..) {
        let bytes = encode_segment(&batch).unwrap();
        let mut changed = bytes.clone();
        let at = at.index(bytes.len());
        changed[at] ^= byte;
        prop_assert!(decode_segment(&changed).is_err());
        // With a checksum made to fit, what is accepted is still the one form of a batch.
        let body = changed.len() - 4;
        let crc = crc32fast::hash(&changed[..body]).to_le_bytes();
        changed[body..].copy_from_slice(&crc);
        if let Ok(read) = decode_segment(&changed) {
            prop_assert_eq!(encode_segment(&read).unwrap(), changed);
        }
        prop_assert!(decode_segment(&bytes[..at]).is_err());
        let mut longer = bytes;
        longer.push(byte);
        prop_assert!(decode_segment(&longer).is_err());
    }

    #[test]
    fn a_checkpoint_reads_back_and_others_are_refused(
        state in prop::collection::vec(any::<u8>(), 0..200),
        events in prop::collection::vec((any::<u16>(), any::<u64>(), any::<i64>(), any::<bool>(), any::<i32>()), 0..5),
        at in any::<prop::sample::Index>(),
        byte in 1u8..,
    ) {
        let events: Vec<ListedEvent> = events
            .into_iter()
            .map(|(output, bar, time_ms, up, line)| ListedEvent {
                output,
                bar,
                time_ms,
                direction: if up { Direction::Up } else { Direction::Down },
                fast: f64::from(line) / 3.0,
                slow: -f64::from(line),
            })
            .collect();
        let bytes = encode_checkpoint(&state, &events).unwrap();
        prop_assert_eq!(decode_checkpoint(&bytes).unwrap(), (&state[..], events));
        let mut changed = bytes.clone();
        let at = at.index(bytes.len());
        changed[at] ^= byte;
        prop_assert!(decode_checkpoint(&changed).is_err());
        prop_assert!(decode_checkpoint(&bytes[..at]).is_err());
    }
}

#[test]
fn a_lie_about_the_length_costs_no_memory() {
    // The largest counts, with a fitting checksum and nothing behind them.
    let mut bytes = b"TGSG\x01\xff\xff\xff\xff\xff\xff".to_vec();
    let crc = crc32fast::hash(&bytes).to_le_bytes();
    bytes.extend_from_slice(&crc);
    assert_eq!(
        decode_segment(&bytes).unwrap_err().code(),
        "segment_corrupt"
    );
}
