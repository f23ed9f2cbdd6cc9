//! A checkpoint: all that a worker needs to go on after a segment, as bytes.
//!
//! ```text
//! magic  "TGCP"      4 bytes
//! version 1          1
//! state length       4   u32
//! state              n   the plan's own bytes
//! events             4   u32
//! for each event:
//!   output           2   u16, its place among the outputs of the plan
//!   bar              8   u64
//!   time             8   i64, ms
//!   direction        1   1 up, 2 down
//!   fast, slow       16  f64 bits
//! CRC-32 of all before 4
//! ```
//! All integers are little-endian. Anything else than what [`encode_checkpoint`] gives is
//! refused.

use toolgate_kernels::Direction;
use toolgate_store::limit::MAX_CHECKPOINT_BYTES;

use crate::error::Error;
use crate::settings::MAX_EVENTS;

const MAGIC: &[u8; 4] = b"TGCP";
const VERSION: u8 = 1;
const EVENT_BYTES: usize = 2 + 8 + 8 + 1 + 16;
/// The bytes of a checkpoint without state and events.
const FRAME_BYTES: usize = 4 + 1 + 4 + 4 + 4;

/// The most bytes of state that fit a stored checkpoint beside the events of any worker.
pub(crate) const ROOM_FOR_STATE: u64 =
    (MAX_CHECKPOINT_BYTES - FRAME_BYTES - MAX_EVENTS * EVENT_BYTES) as u64;

/// An event that the first answer will list.
///
/// ```
/// use toolgate_kernels::Direction;
/// use toolgate_runtime::{ListedEvent, decode_checkpoint, encode_checkpoint};
///
/// let event = ListedEvent {
///     output: 0, bar: 49, time_ms: 2_940_000, direction: Direction::Up, fast: 2.5, slow: 2.0,
/// };
/// let bytes = encode_checkpoint(b"state", &[event])?;
/// assert_eq!(decode_checkpoint(&bytes)?.1, [event]);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEvent {
    /// The place of the output among the outputs of the plan, from 0.
    pub output: u16,
    /// The bar, from 0.
    pub bar: u64,
    /// Its time, in milliseconds since 1970-01-01T00:00:00Z.
    pub time_ms: i64,
    /// Which way it went.
    pub direction: Direction,
    /// The fast line at the bar.
    pub fast: f64,
    /// The slow line at the bar.
    pub slow: f64,
}

/// The bytes of a checkpoint.
///
/// # Errors
/// [`Error::CheckpointCorrupt`] for more than 2^32 - 1 bytes of state or events.
///
/// ```
/// use toolgate_runtime::{decode_checkpoint, encode_checkpoint};
///
/// let bytes = encode_checkpoint(b"state", &[])?;
/// assert_eq!(decode_checkpoint(&bytes)?, (&b"state"[..], vec![]));
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
pub fn encode_checkpoint(state: &[u8], events: &[ListedEvent]) -> Result<Vec<u8>, Error> {
    let length = |length: usize| {
        u32::try_from(length).map_err(|_| Error::CheckpointCorrupt {
            reason: "it is too long",
        })
    };
    let mut out = Vec::with_capacity(FRAME_BYTES + state.len() + events.len() * EVENT_BYTES);
    out.extend_from_slice(MAGIC);
    out.push(VERSION);
    out.extend_from_slice(&length(state.len())?.to_le_bytes());
    out.extend_from_slice(state);
    out.extend_from_slice(&length(events.len())?.to_le_bytes());
    for event in events {
        out.extend_from_slice(&event.output.to_le_bytes());
        out.extend_from_slice(&event.bar.to_le_bytes());
        out.extend_from_slice(&event.time_ms.to_le_bytes());
        out.push(match event.direction {
            Direction::Up => 1,
            Direction::Down => 2,
        });
        out.extend_from_slice(&event.fast.to_bits().to_le_bytes());
        out.extend_from_slice(&event.slow.to_bits().to_le_bytes());
    }
    out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
    Ok(out)
}

/// The plan's state and the events in a checkpoint. O(length).
///
/// # Errors
/// [`Error::CheckpointCorrupt`] when the bytes are not exactly what
/// [`encode_checkpoint`] gives.
pub fn decode_checkpoint(bytes: &[u8]) -> Result<(&[u8], Vec<ListedEvent>), Error> {
    read(bytes).map_err(|reason| Error::CheckpointCorrupt { reason })
}

fn read(bytes: &[u8]) -> Result<(&[u8], Vec<ListedEvent>), &'static str> {
    const SHORT: &str = "it is cut short";
    fn array<'b, const N: usize>(rest: &mut &'b [u8]) -> Result<&'b [u8; N], &'static str> {
        let (taken, after) = rest.split_first_chunk().ok_or(SHORT)?;
        *rest = after;
        Ok(taken)
    }
    let (body, crc) = bytes.split_last_chunk::<4>().ok_or(SHORT)?;
    let rest = &mut &*body;
    if array::<4>(rest)? != MAGIC {
        return Err("it does not begin as a checkpoint");
    }
    if *array::<1>(rest)? != [VERSION] {
        return Err("it is of another version");
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return Err("its checksum does not match");
    }
    let length = |rest: &mut &[u8]| {
        usize::try_from(u32::from_le_bytes(*array(rest)?)).map_err(|_| "it is too long")
    };
    let state_length = length(rest)?;
    let (state, after) = rest.split_at_checked(state_length).ok_or(SHORT)?;
    *rest = after;
    let count = length(rest)?;
    if count.checked_mul(EVENT_BYTES) != Some(rest.len()) {
        return Err("its events are not as many as it says");
    }
    let mut events = Vec::with_capacity(count);
    for _ in 0..count {
        events.push(ListedEvent {
            output: u16::from_le_bytes(*array(rest)?),
            bar: u64::from_le_bytes(*array(rest)?),
            time_ms: i64::from_le_bytes(*array(rest)?),
            direction: match array::<1>(rest)? {
                [1] => Direction::Up,
                [2] => Direction::Down,
                _ => return Err("an event has no direction"),
            },
            fast: f64::from_bits(u64::from_le_bytes(*array(rest)?)),
            slow: f64::from_bits(u64::from_le_bytes(*array(rest)?)),
        });
    }
    Ok((state, events))
}
