//! Ids a model may see: one letter and 12 decimal digits.
//!
//! Decimals cost a model the fewest tokens a random bit and are copied with the
//! fewest mistakes. They are names, never permissions: every operation that
//! takes one takes the owner too, and ids of two owners never meet.

use std::fmt;
use std::str::FromStr;

use crate::error::StoreError;

const ID_LIMIT: u64 = 1_000_000_000_000;
const ID_DIGITS: usize = 12;

fn parse_decimals(name: &'static str, prefix: char, text: &str) -> Result<u64, StoreError> {
    let wrong = |found: String| {
        StoreError::invalid(
            name,
            format!("`{prefix}` and {ID_DIGITS} decimal digits"),
            found,
        )
    };
    if text.len() != ID_DIGITS + 1 {
        return Err(wrong(format!("{} bytes", text.len())));
    }
    let Some(digits) = text.strip_prefix(prefix) else {
        return Err(wrong("another first character".to_owned()));
    };
    digits
        .bytes()
        .enumerate()
        .try_fold(0_u64, |value, (at, digit)| match digit {
            b'0'..=b'9' => Ok(value * 10 + u64::from(digit - b'0')),
            _ => Err(wrong(format!("another character at byte {}", at + 1))),
        })
}

macro_rules! decimal_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $label:literal) => {
        $(#[$doc])*
        ///
        /// Unique within its owner. Text form: the letter and 12 digits; the
        /// parse accepts exactly that.
        ///
        /// ```
        #[doc = concat!("use toolgate_store::", stringify!($name), ";")]
        ///
        #[doc = concat!("let id = ", stringify!($name), "::from_random([42, 0, 0, 0, 0, 0, 0, 0]);")]
        #[doc = concat!("assert_eq!(id.to_string(), \"", $prefix, "000000000042\");")]
        #[doc = concat!("assert_eq!(\"", $prefix, "000000000042\".parse(), Ok(id));")]
        #[doc = concat!("assert!(\"", $prefix, "42\".parse::<", stringify!($name), ">().is_err());")]
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// An id from 8 random bytes the caller drew: their little-endian
            /// value modulo 10^12, about 40 random bits.
            #[must_use]
            pub const fn from_random(bytes: [u8; 8]) -> Self {
                Self(u64::from_le_bytes(bytes) % ID_LIMIT)
            }

            /// The id with this number, as a back end stores it.
            ///
            /// # Errors
            /// `invalid` when `number` is 10^12 or more.
            ///
            /// ```
            #[doc = concat!("use toolgate_store::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_u64(7).map(|id| id.as_u64()), Ok(7));")]
            #[doc = concat!("assert!(", stringify!($name), "::from_u64(1_000_000_000_000).is_err());")]
            /// ```
            pub fn from_u64(number: u64) -> Result<Self, StoreError> {
                if number < ID_LIMIT {
                    return Ok(Self(number));
                }
                Err(StoreError::invalid($label, "a number below 10^12", "a larger number"))
            }

            /// The number, below 10^12: fits a signed 64-bit column.
            ///
            /// ```
            #[doc = concat!("use toolgate_store::", stringify!($name), ";")]
            ///
            #[doc = concat!("let id: ", stringify!($name), " = \"", $prefix, "000000000042\".parse()?;")]
            /// assert_eq!(id.as_u64(), 42);
            /// # Ok::<(), toolgate_store::StoreError>(())
            /// ```
            #[must_use]
            pub const fn as_u64(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:012}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "(", $prefix, "{:012})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = StoreError;

            fn from_str(text: &str) -> Result<Self, StoreError> {
                const PREFIX: char = first_char($prefix);
                parse_decimals($label, PREFIX, text).map(Self)
            }
        }
    };
}

const fn first_char(text: &str) -> char {
    text.as_bytes()[0] as char
}

decimal_id! {
    /// Names a snapshot of one owner.
    SnapshotId, "s", "snapshot id"
}

decimal_id! {
    /// Names a task of one owner.
    TaskId, "t", "task id"
}
