//! A header to its line.

use super::key::Key;
use super::{Header, MAGIC};
use crate::error::Error;
use crate::escape::{is_blank, must_escape, push_quoted};
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout, Profile};
use crate::meta::{Cap, Cover};
use crate::time;

impl Header {
    /// Appends the canonical line, without a line feed.
    pub(crate) fn push_line(&self, out: &mut String) -> Result<(), Error> {
        self.check()?;
        let meta = &self.meta;
        out.push_str(MAGIC);
        out.push_str(self.kind.word());
        let mut line = Line(out);
        line.number(Key::Crc, self.crc.map(u64::from));
        line.text(Key::Name, meta.name.as_deref());
        let layout = self.layout.as_ref();
        if layout.is_some_and(|layout| layout.profile() == Profile::Seed) {
            line.text(Key::Profile, Some("seed"));
        }
        if let Some(outcome) = &self.outcome {
            line.text(Key::Status, Some(outcome.status.word()));
            line.text(Key::Code, outcome.code.as_deref());
            line.text(Key::Reason, outcome.reason.as_deref());
        }
        line.text(Key::Source, meta.source.as_deref());
        if let Some(range) = meta.range {
            line.key(Key::Range);
            time::push_time(line.0, range.start_ms);
            line.0.push('/');
            time::push_time(line.0, range.end_ms);
        }
        line.text(Key::Snapshot, meta.snapshot.as_deref());
        line.text(Key::Digest, meta.digest.as_deref());
        line.text(Key::Task, meta.task.as_deref());
        line.number(Key::Result, meta.result);
        line.text(
            Key::Cover,
            meta.cover.map(|cover| word_of(&Cover::ALL, cover)),
        );
        let count = if layout.is_some() {
            Key::Rows
        } else {
            Key::Lines
        };
        line.number(count, self.count);
        line.number(Key::Lines, self.lines);
        line.number(Key::From, meta.from);
        line.number(Key::Total, meta.total);
        if let Some(part) = self.part {
            line.number(Key::Part, Some(part.number));
            line.number(Key::Parts, part.of);
            if part.glued {
                line.text(Key::Glue, Some("t"));
            }
        }
        line.text(Key::Cap, meta.cap.map(|cap| word_of(&Cap::ALL, cap)));
        line.text(Key::Next, meta.next.as_deref());
        line.text(Key::Hint, meta.hint.as_deref());
        for (name, value) in &meta.extensions {
            line.0.push_str("|x-");
            line.0.push_str(name);
            line.0.push('=');
            push_text(line.0, value);
        }
        if self.escaped {
            line.text(Key::Escape, Some("t"));
        }
        let end = self.kind != Kind::Receipt && self.count.is_none();
        match layout {
            Some(layout) => {
                // Sequences are printed as this page has them.
                let from = meta.from.unwrap_or(0);
                if layout.has_sequences() {
                    let moved = layout.clone().moved(from.into())?;
                    push_keys(out, &moved, end);
                } else {
                    push_keys(out, layout, end);
                }
            }
            None if end => line.text(Key::End, Some("t")),
            None => {}
        }
        Ok(())
    }
}

/// Appends the keys of a layout, behind the profile.
fn push_keys(out: &mut String, layout: &Layout, end: bool) {
    let mut line = Line(out);
    if layout.separator() != Layout::usual_separator(layout.is_series()) {
        line.text(Key::Separator, Some(layout.separator().word()));
    }
    if let Some(t0_ms) = layout.t0_ms() {
        line.key(Key::Start);
        match layout.profile() {
            Profile::Plain => {
                time::push_time(line.0, t0_ms);
            }
            Profile::Seed => time::push_full_time(line.0, t0_ms),
        }
    }
    if end {
        line.text(Key::End, Some("t"));
    }
    line.key(Key::Columns);
    for (index, column) in layout.columns().iter().enumerate() {
        if index > 0 {
            line.0.push(',');
        }
        column.push(line.0, layout.profile());
    }
}

/// Appends all keys of a layout, as it is saved apart from its rows.
pub(crate) fn push_layout(out: &mut String, layout: &Layout) {
    if layout.profile() == Profile::Seed {
        Line(out).text(Key::Profile, Some("seed"));
    }
    push_keys(out, layout, layout.counts() == CountPlace::End);
}

/// Appends keys and values to a header line.
struct Line<'o>(&'o mut String);

impl Line<'_> {
    fn key(&mut self, key: Key) {
        self.0.push('|');
        self.0.push_str(key.word());
        self.0.push('=');
    }

    fn text(&mut self, key: Key, value: Option<&str>) {
        if let Some(value) = value {
            self.key(key);
            push_text(self.0, value);
        }
    }

    fn number(&mut self, key: Key, value: Option<u64>) {
        if let Some(value) = value {
            self.key(key);
            self.0.push_str(itoa::Buffer::new().format(value));
        }
    }
}

/// Appends the value of a text key, quoted where it has to be.
fn push_text(out: &mut String, value: &str) {
    let bare = !value.is_empty()
        && !value.starts_with('"')
        && !value.starts_with(is_blank)
        && !value.ends_with(is_blank)
        && !value.contains('|')
        && !value.contains(must_escape);
    if bare {
        out.push_str(value)
    } else {
        push_quoted(out, value, Some('|'))
    }
}

fn word_of<T: Copy + PartialEq>(all: &[(T, &'static str)], value: T) -> &'static str {
    all.iter()
        .find(|(each, _)| *each == value)
        .map_or("", |(_, word)| word)
}
