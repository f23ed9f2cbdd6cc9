//! The keys of a header: their order, their words, and which kind has which.

use crate::kind::Kind;

/// The header keys, in the order in which they stand. What each means is in SPEC.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Crc,
    Name,
    Profile,
    Status,
    Code,
    Reason,
    Source,
    Range,
    Snapshot,
    Digest,
    Task,
    Result,
    Cover,
    Rows,
    Lines,
    From,
    Total,
    Part,
    Parts,
    Glue,
    Cap,
    Next,
    Hint,
    Extension,
    Escape,
    Separator,
    Start,
    End,
    Columns,
}

impl Key {
    const ALL: [(Self, &'static str); 28] = [
        (Self::Crc, "crc"),
        (Self::Name, "name"),
        (Self::Profile, "profile"),
        (Self::Status, "status"),
        (Self::Code, "code"),
        (Self::Reason, "reason"),
        (Self::Source, "source"),
        (Self::Range, "range"),
        (Self::Snapshot, "snapshot"),
        (Self::Digest, "digest"),
        (Self::Task, "task"),
        (Self::Result, "result"),
        (Self::Cover, "cover"),
        (Self::Rows, "rows"),
        (Self::Lines, "lines"),
        (Self::From, "from"),
        (Self::Total, "total"),
        (Self::Part, "part"),
        (Self::Parts, "parts"),
        (Self::Glue, "glue"),
        (Self::Cap, "cap"),
        (Self::Next, "next"),
        (Self::Hint, "hint"),
        (Self::Escape, "esc"),
        (Self::Separator, "sep"),
        (Self::Start, "t0"),
        (Self::End, "end"),
        (Self::Columns, "columns"),
    ];

    pub(super) fn parse(text: &str) -> Option<Self> {
        if extension_name(text).is_some() {
            return Some(Self::Extension);
        }
        Self::ALL
            .into_iter()
            .find(|(_, word)| *word == text)
            .map(|(key, _)| key)
    }

    pub(super) fn word(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(key, _)| *key == self)
            .map_or("x-", |(_, word)| word)
    }

    pub(super) fn fits(self, kind: Kind) -> bool {
        use Kind::{Receipt, Record, Series, Table, Text};
        match self {
            Self::Status | Self::Code | Self::Reason => kind == Receipt,
            Self::Rows | Self::Columns | Self::Separator => matches!(kind, Table | Series),
            Self::Lines => matches!(kind, Record | Text | Series),
            Self::From | Self::Cap => matches!(kind, Table | Series | Text),
            Self::Profile | Self::Start => kind == Series,
            Self::Escape | Self::Part | Self::Parts | Self::Glue => kind == Text,
            Self::End => kind != Receipt,
            _ => true,
        }
    }
}

/// Keys that later versions will use.
pub(super) const RESERVED_KEYS: &[&str] = &[
    "step", "unit", "const", "except", "children", "ticks", "affix", "items",
];

/// The longest name of an extension key, without its `x-`.
const MAX_EXTENSION: usize = 64;

pub(super) fn extension_name(key: &str) -> Option<&str> {
    let name = key.strip_prefix("x-")?;
    let fits = (1..=MAX_EXTENSION).contains(&name.len())
        && name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    fits.then_some(name)
}
