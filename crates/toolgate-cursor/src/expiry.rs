//! The expiry field: whole minutes since a fixed epoch, rounded up.

use crate::Error;

/// 2025-01-01T00:00:00Z in Unix seconds.
const EPOCH_UNIX_S: i64 = 1_735_689_600;

/// The largest value of the three-byte field.
const MAX_MINUTES: u32 = 0x00FF_FFFF;

/// Minutes since 2025-01-01T00:00:00Z; at most `MAX_MINUTES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Expiry(u32);

impl Expiry {
    /// The first whole minute at or after `unix_s`, so that nothing expires early.
    pub(crate) fn at_or_after(unix_s: i64) -> Result<Self, Error> {
        unix_s
            .checked_sub(EPOCH_UNIX_S)
            .and_then(|since| u64::try_from(since).ok())
            .and_then(|since| u32::try_from(since.div_ceil(60)).ok())
            .filter(|minutes| *minutes <= MAX_MINUTES)
            .map(Self)
            .ok_or(Error::Field {
                field: "expires_unix_s",
                expected: "Unix seconds from 1735689600 (2025-01-01) to 2742322500 (2056-11-24)",
            })
    }

    pub(crate) fn to_bytes(self) -> [u8; 3] {
        let [_, a, b, c] = self.0.to_be_bytes();
        [a, b, c]
    }

    pub(crate) fn from_bytes([a, b, c]: [u8; 3]) -> Self {
        Self(u32::from_be_bytes([0, a, b, c]))
    }

    pub(crate) fn unix_s(self) -> i64 {
        EPOCH_UNIX_S + i64::from(self.0) * 60
    }

    /// The instant itself is already too late.
    pub(crate) fn has_passed(self, now_unix_s: i64) -> bool {
        now_unix_s >= self.unix_s()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up_to_the_minute() {
        for (offset, minutes) in [(0, 0), (1, 1), (59, 1), (60, 1), (61, 2)] {
            assert_eq!(
                Expiry::at_or_after(EPOCH_UNIX_S + offset),
                Ok(Expiry(minutes))
            );
        }
    }

    #[test]
    fn the_range_is_closed_at_both_ends() {
        let last = EPOCH_UNIX_S + i64::from(MAX_MINUTES) * 60;
        assert_eq!(last, 2_742_322_500);
        assert_eq!(Expiry::at_or_after(last), Ok(Expiry(MAX_MINUTES)));
        for outside in [i64::MIN, -1, 0, EPOCH_UNIX_S - 1, last + 1, i64::MAX] {
            assert!(Expiry::at_or_after(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn passes_at_the_instant_for_any_clock() {
        let expiry = Expiry(10);
        for (now, passed) in [
            (i64::MIN, false),
            (0, false),
            (EPOCH_UNIX_S + 599, false),
            (EPOCH_UNIX_S + 600, true),
            (i64::MAX, true),
        ] {
            assert_eq!(expiry.has_passed(now), passed, "{now}");
        }
    }

    #[test]
    fn bytes_come_back() {
        for minutes in [0, 1, 0x01_02_03, MAX_MINUTES] {
            assert_eq!(
                Expiry::from_bytes(Expiry(minutes).to_bytes()),
                Expiry(minutes)
            );
        }
    }
}
