use crate::{Kind, Mode};

/// Why a cursor was not opened, not minted, or a view or key not accepted.
///
/// The text names what is wrong and then the next step, in words a model can
/// act on. It never contains a stored value, a row, an owner or a key, and it is
/// the same text for a view that is gone and for another owner's view.
/// [`code`](Self::code) is stable; the README lists every code.
///
/// ```
/// use toolgate_cursor::{Cleared, Error, Fault, Unverified};
///
/// let error = Unverified::parse("E+/=", Cleared::alone()).unwrap_err();
/// assert_eq!(error, Error::Malformed { fault: Fault::Character { at: 1 } });
/// assert_eq!(error.code(), "cursor_malformed");
/// assert_eq!(
///     error.to_string(),
///     "The cursor is malformed: character 2 is not one of A-Z, a-z, 0-9, '-' and '_'. \
///      Copy the whole cursor, unchanged, from the reply that gave it.",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no cursor of any version. Code `cursor_malformed`.
    #[error("The cursor is malformed: {fault}. {}", self.next_step())]
    Malformed {
        /// What is wrong with the text, and where.
        fault: Fault,
    },
    /// The text is a whole cursor of a version or kind that this build does not
    /// read. Code `cursor_version`.
    #[error(
        "The cursor is of format version {version}, kind {kind}, which this server does not \
         read. {}",
        self.next_step()
    )]
    Version {
        /// The version found, 0 to 15; this build reads 1.
        version: u8,
        /// The kind field found, 0 to 7.
        kind: u8,
    },
    /// The check byte does not fit: a character was changed, lost or added in
    /// copying. Code `cursor_miscopied`.
    #[error("The cursor was not copied exactly: its check does not fit. {}", self.next_step())]
    Miscopied,
    /// A cursor of the other mode. Code `cursor_mode`.
    #[error(
        "A {expected} cursor is expected here, and this is a {found} cursor. {}",
        self.next_step()
    )]
    Mode {
        /// The mode this call opens.
        expected: Mode,
        /// The mode of the cursor.
        found: Mode,
    },
    /// The key ring holds no key of this id: retired, never there, or another
    /// deployment's. Code `cursor_key_unknown`.
    #[error("The cursor was sealed with a key that is no longer accepted. {}", self.next_step())]
    KeyUnknown {
        /// The key id looked for.
        key_id: u8,
    },
    /// The view is gone, or it is another owner's: outwardly the same.
    /// Code `cursor_gone`.
    #[error("The result this cursor continues is not there any more. {}", self.next_step())]
    Gone,
    /// The tag does not fit: this server did not mint the cursor for this view or
    /// binding. Code `cursor_forged`.
    #[error("This server did not give out this cursor. {}", self.next_step())]
    Forged,
    /// The cursor's life is over. Code `cursor_expired`.
    #[error("The cursor has expired. {}", self.next_step())]
    Expired,
    /// Another kind of cursor is asked for. Code `cursor_kind`.
    #[error(
        "A {expected} cursor is expected here, and this is a {found} cursor. {}",
        self.next_step()
    )]
    Kind {
        /// The kind asked for.
        expected: Kind,
        /// The kind of the cursor.
        found: Kind,
    },
    /// The call asks another query than the cursor continues. Code `cursor_query`.
    #[error("The cursor continues another query than the one in this call. {}", self.next_step())]
    Query,
    /// The call asks another order than the cursor continues. Code `cursor_order`.
    #[error("The cursor continues another order than the one in this call. {}", self.next_step())]
    Order,
    /// The cursor continues another snapshot of the data. Code `cursor_snapshot`.
    #[error(
        "The cursor continues another snapshot of the data than the one in this call. {}",
        self.next_step()
    )]
    Snapshot,
    /// The cursor continues another version of the result. Code `cursor_result`.
    #[error(
        "The cursor continues another version of the result than the one in this call. {}",
        self.next_step()
    )]
    ResultVersion,
    /// The position lies past the end of the rows. Code `cursor_range`.
    #[error("Position {position} lies past the end of the rows. {}", self.next_step())]
    Range {
        /// The position found.
        position: u64,
    },
    /// A page that read nothing although rows are left: its `next` would be the
    /// same place again, for ever. Code `cursor_stalled`.
    #[error(
        "The page at position {position} read no row although rows are left. {}",
        self.next_step()
    )]
    Stalled {
        /// Where the empty page began.
        position: u64,
    },
    /// A field of a view or binding is outside its limits. Code `cursor_field`.
    #[error("{field} is outside its limits: expected {expected}. {}", self.next_step())]
    Field {
        /// The name of the field.
        field: &'static str,
        /// Its limits in words.
        expected: &'static str,
    },
    /// Stored bytes are not a view row. Code `cursor_view_bytes`.
    #[error(
        "The stored bytes are not a view row: at byte {at}, expected {expected}. {}",
        self.next_step()
    )]
    ViewBytes {
        /// Where, in bytes from the start.
        at: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// Stored bytes are a view row of a version that this build does not read.
    /// Code `cursor_view_version`.
    #[error(
        "The stored view row is of version {found}, and this server reads 1. {}",
        self.next_step()
    )]
    ViewVersion {
        /// The version found.
        found: u8,
    },
    /// A secret is too short. Code `cursor_key_short`.
    #[error(
        "The secret of key {key_id} has {found_bytes} bytes, and {min_bytes} are needed. {}",
        self.next_step()
    )]
    KeyShort {
        /// The id given with the secret.
        key_id: u8,
        /// The length found.
        found_bytes: usize,
        /// The length needed.
        min_bytes: usize,
    },
    /// The ring already accepts a key of this id. Code `cursor_key_taken`.
    #[error("The key ring already accepts a key of id {key_id}. {}", self.next_step())]
    KeyTaken {
        /// The id given.
        key_id: u8,
    },
    /// The newest key cannot be retired. Code `cursor_key_in_use`.
    #[error("Key {key_id} is the newest, the one that mints. {}", self.next_step())]
    KeyInUse {
        /// The id given.
        key_id: u8,
    },
    /// An alias that the conversation's table does not hold. Code
    /// `cursor_alias_unknown`.
    #[error("No cursor of this conversation has the alias c{number}. {}", self.next_step())]
    AliasUnknown {
        /// The number in the alias.
        number: u64,
    },
}

const COPY: &str = "Copy the whole cursor, unchanged, from the reply that gave it.";
const READ_AGAIN: &str = "Read the first page again, without a cursor.";

impl Error {
    /// Every code, in the order of the table in the README.
    ///
    /// ```
    /// use toolgate_cursor::Error;
    ///
    /// assert!(Error::CODES.contains(&Error::Expired.code()));
    /// ```
    pub const CODES: [&'static str; 22] = [
        "cursor_malformed",
        "cursor_version",
        "cursor_miscopied",
        "cursor_mode",
        "cursor_key_unknown",
        "cursor_gone",
        "cursor_forged",
        "cursor_expired",
        "cursor_kind",
        "cursor_query",
        "cursor_order",
        "cursor_snapshot",
        "cursor_result",
        "cursor_range",
        "cursor_alias_unknown",
        "cursor_stalled",
        "cursor_field",
        "cursor_view_bytes",
        "cursor_view_version",
        "cursor_key_short",
        "cursor_key_taken",
        "cursor_key_in_use",
    ];

    /// The stable code of this error, for programs and receipts.
    ///
    /// ```
    /// use toolgate_cursor::Error;
    ///
    /// assert_eq!(Error::Gone.code(), "cursor_gone");
    /// ```
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "cursor_malformed",
            Self::Miscopied => "cursor_miscopied",
            Self::Version { .. } => "cursor_version",
            Self::Mode { .. } => "cursor_mode",
            Self::KeyUnknown { .. } => "cursor_key_unknown",
            Self::Gone => "cursor_gone",
            Self::Forged => "cursor_forged",
            Self::Expired => "cursor_expired",
            Self::Kind { .. } => "cursor_kind",
            Self::Query => "cursor_query",
            Self::Order => "cursor_order",
            Self::Snapshot => "cursor_snapshot",
            Self::ResultVersion => "cursor_result",
            Self::Range { .. } => "cursor_range",
            Self::AliasUnknown { .. } => "cursor_alias_unknown",
            Self::Stalled { .. } => "cursor_stalled",
            Self::Field { .. } => "cursor_field",
            Self::ViewBytes { .. } => "cursor_view_bytes",
            Self::ViewVersion { .. } => "cursor_view_version",
            Self::KeyShort { .. } => "cursor_key_short",
            Self::KeyTaken { .. } => "cursor_key_taken",
            Self::KeyInUse { .. } => "cursor_key_in_use",
        }
    }

    /// What to do next, in one or two sentences; the end of the `Display` text.
    ///
    /// For the codes a model can meet it is written to the model, for the others
    /// to the author of the server.
    ///
    /// ```
    /// use toolgate_cursor::Error;
    ///
    /// assert_eq!(Error::Expired.next_step(), "Read the first page again, without a cursor.");
    /// ```
    #[must_use]
    pub const fn next_step(&self) -> &'static str {
        match self {
            Self::Malformed {
                fault: Fault::Empty,
            } => "Leave the cursor out to read the first page.",
            Self::Malformed { .. } | Self::Miscopied => COPY,
            Self::Version { .. } => {
                "Read the first page again, without a cursor, unless the first character was \
                 miscopied."
            }
            Self::Mode { .. } | Self::Kind { .. } => {
                "Give this cursor to the tool that returned it, or call this one without a cursor."
            }
            Self::KeyUnknown { .. } | Self::Gone | Self::Forged | Self::Expired => READ_AGAIN,
            Self::Query | Self::Order => {
                "Repeat the call exactly as it was when the cursor was given, or read the first \
                 page of the new one without a cursor."
            }
            Self::Snapshot | Self::ResultVersion => {
                "Read the first page of the present data again, without a cursor."
            }
            Self::Range { .. } => "There is nothing after the last row: do not ask for more pages.",
            Self::AliasUnknown { .. } => {
                "Use the alias in the latest page, or read the first page again without a cursor."
            }
            Self::Stalled { .. } => {
                "Put at least one row on a page, or answer with an error that says why none fits."
            }
            Self::Field { .. } => "Give a value within the limits.",
            Self::ViewBytes { .. } => {
                "Treat the view as lost: delete the row and let the caller read the first page \
                 again."
            }
            Self::ViewVersion { .. } => {
                "Upgrade this server, or let the caller read the first page again."
            }
            Self::KeyShort { .. } => "Make a secret of random bytes, at least that long.",
            Self::KeyTaken { .. } => "Choose an id that is not in the ring, or retire it first.",
            Self::KeyInUse { .. } => "Add its successor first, then retire it.",
        }
    }
}

/// What makes a text no cursor; the detail of [`Error::Malformed`].
///
/// ```
/// use toolgate_cursor::Fault;
///
/// assert_eq!(
///     Fault::Length { found: 3, min: 36, max: 44 }.to_string(),
///     "it has 3 characters, expected 36 to 44",
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// No character at all. A missing cursor is not an empty one.
    #[error("it is empty")]
    Empty,
    /// No cursor is as long or as short as this.
    #[error("it has {found} characters, expected {min} to {max}")]
    Length {
        /// The length found, in bytes of UTF-8 (characters, where all are ASCII).
        found: usize,
        /// The shortest cursor.
        min: usize,
        /// The longest cursor.
        max: usize,
    },
    /// A length that no base64url text has: a character was lost or added.
    #[error("it has {found} characters, and no cursor has as many: one was lost or added")]
    Uneven {
        /// The length found, in bytes of UTF-8.
        found: usize,
    },
    /// A character outside base64url: padding, space, `+`, `/`, anything else.
    #[error("character {} is not one of A-Z, a-z, 0-9, '-' and '_'", at + 1)]
    Character {
        /// Where, in bytes from 0.
        at: usize,
    },
    /// The last character carries bits that no minted cursor carries there.
    #[error("its last character is not one that a cursor of this length can end with")]
    LastCharacter,
    /// The position is not written in the one way that it is minted.
    #[error("its position is not written as this server writes it")]
    Position,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// One of each variant. The match makes a new variant fail to compile here
    /// until it is added.
    fn one_of_each() -> Vec<Error> {
        let all = vec![
            Error::Malformed {
                fault: Fault::Empty,
            },
            Error::Version {
                version: 2,
                kind: 0,
            },
            Error::Miscopied,
            Error::Mode {
                expected: Mode::View,
                found: Mode::Stateless,
            },
            Error::KeyUnknown { key_id: 1 },
            Error::Gone,
            Error::Forged,
            Error::Expired,
            Error::Kind {
                expected: Kind::Page,
                found: Kind::Result,
            },
            Error::Query,
            Error::Order,
            Error::Snapshot,
            Error::ResultVersion,
            Error::Range { position: 1 },
            Error::AliasUnknown { number: 1 },
            Error::Stalled { position: 1 },
            Error::Field {
                field: "owner",
                expected: "1 to 255 bytes",
            },
            Error::ViewBytes {
                at: 0,
                expected: "TGV",
            },
            Error::ViewVersion { found: 2 },
            Error::KeyShort {
                key_id: 1,
                found_bytes: 3,
                min_bytes: 32,
            },
            Error::KeyTaken { key_id: 1 },
            Error::KeyInUse { key_id: 1 },
        ];
        for error in &all {
            match error {
                Error::Malformed { .. }
                | Error::Miscopied
                | Error::Version { .. }
                | Error::Mode { .. }
                | Error::KeyUnknown { .. }
                | Error::Gone
                | Error::Forged
                | Error::Expired
                | Error::Kind { .. }
                | Error::Query
                | Error::Order
                | Error::Snapshot
                | Error::ResultVersion
                | Error::Range { .. }
                | Error::AliasUnknown { .. }
                | Error::Stalled { .. }
                | Error::Field { .. }
                | Error::ViewBytes { .. }
                | Error::ViewVersion { .. }
                | Error::KeyShort { .. }
                | Error::KeyTaken { .. }
                | Error::KeyInUse { .. } => {}
            }
        }
        all
    }

    #[test]
    fn codes_are_unique_and_listed() {
        let codes: Vec<_> = one_of_each().iter().map(Error::code).collect();
        assert_eq!(codes, Error::CODES);
        assert_eq!(
            codes.iter().collect::<HashSet<_>>().len(),
            Error::CODES.len()
        );
        assert!(codes.iter().all(|code| {
            code.starts_with("cursor_")
                && code
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        }));
    }

    #[test]
    fn the_readme_lists_every_code_once_in_order() {
        let listed: Vec<_> = include_str!("../README.md")
            .lines()
            .filter_map(|line| line.strip_prefix("| `cursor_")?.split_once('`'))
            .map(|(rest, _)| format!("cursor_{rest}"))
            .collect();
        assert_eq!(listed, Error::CODES);
    }

    #[test]
    fn every_text_says_what_and_what_next() {
        for error in one_of_each() {
            let text = error.to_string();
            let what = text
                .strip_suffix(error.next_step())
                .expect("ends with the next step");
            assert!(what.ends_with(". ") && what.len() > 10, "{text}");
            assert!(
                text.ends_with('.') && text.is_ascii() && !text.contains("  "),
                "{text}"
            );
        }
    }
}
