//! The bounds every back end shares; the constructors of this crate enforce them.
//!
//! A back end may refuse earlier (`quota`), never later.
//!
//! ```
//! use toolgate_store::{NewView, Owner, Segment, ViewHandle, limit};
//!
//! # let alice = Owner::new("alice")?;
//! let too_long = vec![0_u8; limit::MAX_SEGMENT_BYTES + 1];
//! assert_eq!(Segment::new(0, 1, too_long).unwrap_err().code(), "invalid");
//!
//! let handle = ViewHandle([1; 8]);
//! let view = |ttl, len| NewView::new(alice.clone(), handle, ttl, vec![0_u8; len]);
//! assert!(view(limit::MAX_TTL, limit::MAX_VIEW_BYTES).is_ok());
//! assert_eq!(view(limit::MAX_TTL, limit::MAX_VIEW_BYTES + 1).unwrap_err().code(), "invalid");
//! assert_eq!(view(2 * limit::MAX_TTL, 1).unwrap_err().code(), "invalid");
//! # Ok::<(), toolgate_store::StoreError>(())
//! ```

use std::time::Duration;

use crate::error::StoreError;

/// Bytes of one segment: 4 MiB. A good grain is [`SEGMENT_GRAIN_BYTES`].
pub const MAX_SEGMENT_BYTES: usize = 4 << 20;
/// The segment size a writer should aim at: 256 KiB. Smaller wastes round trips,
/// larger than about 1 MiB makes page reads and commits slow.
pub const SEGMENT_GRAIN_BYTES: usize = 256 << 10;
/// Bytes of all segments of one append: 64 MiB.
pub const MAX_APPEND_BYTES: usize = 64 << 20;
/// Segments of one snapshot, and steps of one task: 1,048,576.
pub const MAX_SEGMENTS: u32 = 1 << 20;
/// Bytes of a snapshot's `meta`: 64 KiB.
pub const MAX_META_BYTES: usize = 64 << 10;
/// Bytes of a task's request: 1 MiB. A request names its data, it does not carry it.
pub const MAX_REQUEST_BYTES: usize = 1 << 20;
/// Bytes of a checkpoint: 4 MiB.
pub const MAX_CHECKPOINT_BYTES: usize = 4 << 20;
/// Bytes of the summary a task succeeds with: 256 KiB.
pub const MAX_SUMMARY_BYTES: usize = 256 << 10;
/// Bytes of a view: 64 KiB.
pub const MAX_VIEW_BYTES: usize = 64 << 10;
/// Bytes of the safe reason of a failure: 512.
pub const MAX_REASON_BYTES: usize = 512;
/// Longest life of a record: 3,650 days.
pub const MAX_TTL: Duration = Duration::from_secs(3_650 * 86_400);
/// Longest lease, and longest delay of a release: 24 hours.
pub const MAX_LEASE: Duration = Duration::from_secs(86_400);
/// Most attempts a task may be given: 1,000.
pub const MAX_ATTEMPTS: u32 = 1_000;
/// Most tasks one claim may take: 1,000.
pub const MAX_CLAIM: u32 = 1_000;
/// Most kinds one claim may name: 64.
pub const MAX_CLAIM_KINDS: usize = 64;

/// Milliseconds of `span`, a started millisecond counted whole.
fn millis_up(span: Duration) -> Option<i64> {
    i64::try_from(span.as_nanos().div_ceil(1_000_000)).ok()
}

/// A span above zero and at most `max`, in ms.
pub(crate) fn span_ms(
    name: &'static str,
    span: Duration,
    max: Duration,
) -> Result<i64, StoreError> {
    match millis_up(span) {
        Some(ms) if ms > 0 && span <= max => Ok(ms),
        _ => Err(StoreError::invalid(
            name,
            format!("above zero and at most {} s", max.as_secs()),
            format!("{} s and {} ns", span.as_secs(), span.subsec_nanos()),
        )),
    }
}

/// A delay of zero or more, at most `max`, in ms.
pub(crate) fn delay_ms(
    name: &'static str,
    span: Duration,
    max: Duration,
) -> Result<i64, StoreError> {
    if span.is_zero() {
        Ok(0)
    } else {
        span_ms(name, span, max)
    }
}

pub(crate) fn check_len(name: &'static str, found: usize, max: usize) -> Result<(), StoreError> {
    if found <= max {
        return Ok(());
    }
    Err(StoreError::invalid(
        name,
        format!("at most {max} bytes"),
        format!("{found} bytes"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_round_up_to_whole_milliseconds_within_their_bounds() {
        let ms = |span| span_ms("ttl", span, MAX_LEASE).map_err(|error| error.code());
        assert_eq!(ms(Duration::from_nanos(1)), Ok(1));
        assert_eq!(ms(Duration::from_micros(1_001)), Ok(2));
        assert_eq!(ms(MAX_LEASE), Ok(86_400_000));
        assert_eq!(ms(Duration::ZERO), Err("invalid"));
        assert_eq!(ms(MAX_LEASE + Duration::from_nanos(1)), Err("invalid"));
        assert_eq!(ms(Duration::MAX), Err("invalid"));
        assert_eq!(delay_ms("delay", Duration::ZERO, MAX_LEASE), Ok(0));
    }
}
