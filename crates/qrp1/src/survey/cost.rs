//! What text costs: its bytes, exactly, and its tokens, by a rule of thumb.
//!
//! The crate knows no vocabulary. The rule follows what o200k_base charges for the text of
//! rows: a token for three digits, for six letters of a word, for a run of punctuation; the
//! separator of a cell is a token of its own but before a truth value, a sign or a quote, and
//! a run of empty cells is nearly free.

use crate::decimal::Decimal;
use crate::escape::push_quoted;
use crate::number;
use crate::number::ShortText;
use crate::sink::Sink;
use crate::time;
use crate::value::Cell;

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) bytes: u64,
    /// Estimated tokens, in quarters, since an empty cell costs less than one.
    pub(super) quarters: u64,
}

/// One token.
const TOKEN: u64 = 4;

impl Cost {
    pub(super) const ZERO: Self = Self {
        bytes: 0,
        quarters: 0,
    };
    /// A truth value with what ends its cell: one token.
    const BOOL: Self = Self {
        bytes: 2,
        quarters: TOKEN,
    };
    /// An empty cell with what ends it.
    pub(super) const EMPTY: Self = Self {
        bytes: 1,
        quarters: 1,
    };
    /// What an anchor line has more than a cell of the same text: the `@`.
    pub(super) const ANCHOR: Self = Self {
        bytes: 1,
        quarters: TOKEN,
    };

    /// A letter more in a word.
    pub(super) const LETTER: Self = Self {
        bytes: 1,
        quarters: 0,
    };

    /// Of a text and one separator.
    pub(super) fn of(text: &str) -> Self {
        let mut gauge = Gauge::cell();
        gauge.push_str(text);
        gauge.cost
    }

    /// Of a value that is no miss, written bare where it is a string, with what ends its cell.
    pub(super) fn of_value(cell: Cell<'_>) -> Self {
        let mut gauge = Gauge::cell();
        match cell {
            Cell::Absent | Cell::Null => return Self::EMPTY,
            Cell::Bool(_) => return Self::BOOL,
            Cell::I64(value) => gauge.push_str(itoa::Buffer::new().format(value)),
            Cell::U64(value) => gauge.push_str(itoa::Buffer::new().format(value)),
            Cell::F64(value) => number::push_f64(&mut gauge, value),
            Cell::Decimal(value) => Decimal::push(value, &mut gauge),
            Cell::Str(text) => gauge.push_str(text),
            Cell::Time(time_ms) => {
                time::push_time(&mut gauge, time_ms);
            }
        }
        gauge.cost
    }

    /// Of a quoted string with what ends its cell.
    pub(super) fn of_quoted(text: &str) -> Self {
        let mut gauge = Gauge::cell();
        push_quoted(&mut gauge, text, None);
        gauge.cost
    }

    pub(super) fn times(self, count: u64) -> Self {
        Self {
            bytes: self.bytes.saturating_mul(count),
            quarters: self.quarters.saturating_mul(count),
        }
    }

    pub(super) fn and(self, more: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(more.bytes),
            quarters: self.quarters.saturating_add(more.quarters),
        }
    }

    pub(super) fn without(self, less: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(less.bytes),
            quarters: self.quarters.saturating_sub(less.quarters),
        }
    }

    pub(super) fn add(&mut self, more: Self) {
        *self = self.and(more);
    }
}

/// Measures text instead of keeping it.
struct Gauge {
    cost: Cost,
    class: Class,
    /// How many characters of the class came in a row.
    run: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Letter,
    Sign,
    Space,
    Other,
}

impl Gauge {
    /// At the start of a cell, behind its separator, which is counted.
    fn cell() -> Self {
        Self {
            cost: Cost {
                bytes: 1,
                quarters: TOKEN,
            },
            class: Class::Sign,
            run: 1,
        }
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        // How many characters of a class make a token; a sign joins the signs before it.
        let (class, token) = match byte {
            b'0'..=b'9' => (Class::Digit, 3),
            b'A'..=b'Z' | b'a'..=b'z' | 0xc2..=0xdf => (Class::Letter, 6),
            b' ' => (Class::Space, u64::MAX),
            // A character of three or four bytes.
            0xe0.. => (Class::Other, 1),
            // The bytes behind the first of a character.
            0x80.. => {
                self.cost.bytes += 1;
                return;
            }
            _ => (Class::Sign, u64::MAX),
        };
        if class == self.class {
            self.run += 1;
        } else {
            (self.class, self.run) = (class, 1);
        }
        let begins = self.run == 1 || self.run % token == 1 % token;
        self.cost.bytes += 1;
        // A space joins the word behind it.
        if begins && class != Class::Space {
            self.cost.quarters += TOKEN;
        }
    }
}

impl Sink for Gauge {
    fn push_str(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.byte(byte));
    }

    fn push_char(&mut self, c: char) {
        self.push_str(c.encode_utf8(&mut [0; 4]));
    }

    fn push_short(&mut self, text: ShortText) {
        let (bytes, len) = text.bytes();
        bytes.iter().take(len).for_each(|byte| self.byte(*byte));
    }

    fn len(&self) -> usize {
        usize::try_from(self.cost.bytes).unwrap_or(usize::MAX)
    }

    /// Never called for the text of a value; what was measured stays.
    fn truncate(&mut self, _len: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens and bytes with one separator before the text.
    #[test]
    fn costs_are_those_of_o200k_for_the_text_of_rows() {
        for (text, tokens) in [
            ("7", 2),
            ("1000", 3),
            ("102.25", 4),
            ("-5", 2),
            ("error", 2),
            ("2026-09-08", 7),
            ("2026-09-08T01:30Z", 12),
            ("01:30", 4),
            ("\"a b\"", 4),
            ("\u{4e2d}\u{6587}", 3),
        ] {
            let cost = Cost::of(text);
            assert_eq!(
                (cost.bytes, cost.quarters),
                (text.len() as u64 + 1, tokens * TOKEN),
                "{text}"
            );
        }
        assert_eq!(Cost::of_value(Cell::Bool(true)).quarters, TOKEN);
        assert_eq!(Cost::of_value(Cell::Null), Cost::EMPTY);
    }

    #[test]
    fn bytes_are_exact_for_every_value() {
        for cell in [
            Cell::I64(i64::MIN),
            Cell::U64(u64::MAX),
            Cell::F64(1.5e300),
            Cell::F64(-0.25),
            Cell::F64(f64::NAN),
            Cell::Decimal(Decimal::new(-5, 3)),
            Cell::Time(1_788_831_005_250),
            Cell::Str("a\u{e9}\u{1f600}"),
        ] {
            let mut text = String::new();
            match cell {
                Cell::I64(value) => text = value.to_string(),
                Cell::U64(value) => text = value.to_string(),
                Cell::F64(value) => number::push_f64(&mut text, value),
                Cell::Decimal(value) => text = value.to_string(),
                Cell::Time(time_ms) => text = time::time_text(time_ms).unwrap(),
                Cell::Str(value) => text = value.to_owned(),
                _ => {}
            }
            assert_eq!(Cost::of_value(cell).bytes, text.len() as u64 + 1, "{text}");
        }
    }
}
