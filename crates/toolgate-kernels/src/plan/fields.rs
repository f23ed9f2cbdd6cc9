//! Reading JSON strictly: each value stays the text it was until its type is known, so
//! that repeated fields are seen and numbers keep their digits.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{MAX_NAME_BYTES, MAX_PLAN_NODES, fault, nearest};
use crate::{Error, PlanFault};

/// The fields of one object, each once.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    place: String,
    fields: Vec<(String, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// The object that is the whole of `text`.
    pub(super) fn read_text(text: &'a str) -> Result<Self, Error> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        Self::read(
            raw,
            "the plan",
            "{\"inputs\": [...], \"nodes\": [...], \"outputs\": [...]}",
        )
    }

    pub(super) fn read(raw: &'a RawValue, place: &str, form: &str) -> Result<Self, Error> {
        if !raw.get().starts_with('{') {
            return Err(wrong_type(place, raw, &format!("write an object: {form}")));
        }
        let Entries(fields) = serde_json::from_str(raw.get()).map_err(|error| not_json(&error))?;
        for (at, (name, _)) in fields.iter().enumerate() {
            if fields[..at].iter().any(|(before, _)| before == name) {
                return Err(fault(
                    PlanFault::DuplicateField,
                    place,
                    format!("the field {} is written twice", quoted(name)),
                    "write it once",
                ));
            }
        }
        Ok(Self {
            place: place.to_owned(),
            fields,
        })
    }

    /// Names the object better, once its id is known.
    pub(super) fn set_place(&mut self, place: String) {
        self.place = place;
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// `place, field `name``
    pub(super) fn place_of(&self, name: &str) -> String {
        format!("{}, field `{name}`", self.place)
    }

    /// Refuses a field that is not one of `known`.
    pub(super) fn check_known(&self, known: &[&str]) -> Result<(), Error> {
        let Some((field, _)) = self
            .fields
            .iter()
            .find(|(name, _)| !known.contains(&&**name))
        else {
            return Ok(());
        };
        // A mistyped field is one that is missing, so what is there is no candidate.
        let has = |name: &str| self.fields.iter().any(|(field, _)| field == name);
        let instead = match nearest::nearest(field, known.iter().copied().filter(|name| !has(name)))
        {
            Some(name) => format!("write {}", quoted(name)),
            None => "leave it out".to_owned(),
        };
        Err(fault(
            PlanFault::UnknownField,
            self.place.clone(),
            format!("there is no field {}", quoted(field)),
            format!("{instead} (there are: {})", known.join(", ")),
        ))
    }

    /// The value of a field, which stays.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| *value)
    }

    /// The value of a field; `form` is how to write it.
    pub(super) fn required(&self, name: &str, form: &str) -> Result<&'a RawValue, Error> {
        self.get(name).ok_or_else(|| {
            fault(
                PlanFault::MissingField,
                self.place.clone(),
                format!("the field `{name}` is missing"),
                format!("add {form}"),
            )
        })
    }
}

/// The entries of an object in their order, repeated ones too.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// The entries of a list, at least one and not too many.
pub(super) fn list<'a>(raw: &'a RawValue, place: &str) -> Result<Vec<&'a RawValue>, Error> {
    if !raw.get().starts_with('[') {
        return Err(wrong_type(place, raw, "write a list: [...]"));
    }
    let entries: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|error| not_json(&error))?;
    if entries.is_empty() {
        return Err(fault(
            PlanFault::Empty,
            place,
            "the list is empty",
            "write at least one entry",
        ));
    }
    if entries.len() > MAX_PLAN_NODES {
        return Err(fault(
            PlanFault::TooLarge,
            place,
            format!("the list has {} entries", entries.len()),
            format!("write at most {MAX_PLAN_NODES}"),
        ));
    }
    Ok(entries)
}

/// A list of different names.
pub(super) fn names(raw: &RawValue, place: &str) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for (at, entry) in list(raw, place)?.into_iter().enumerate() {
        let place = format!("{place}[{at}]");
        let name = name(entry, &place)?;
        if names.contains(&name) {
            return Err(fault(
                PlanFault::DuplicateName,
                place,
                format!("{} is listed twice", quoted(&name)),
                "list it once",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// A string.
pub(super) fn string(raw: &RawValue, place: &str) -> Result<String, Error> {
    if raw.get().starts_with('"') {
        serde_json::from_str(raw.get()).map_err(|error| not_json(&error))
    } else {
        Err(wrong_type(place, raw, "write a string in double quotes"))
    }
}

/// A name of an input or a node.
pub(super) fn name(raw: &RawValue, place: &str) -> Result<String, Error> {
    let name = string(raw, place)?;
    let allowed = |c: char| c.is_alphanumeric() || "_-.:/".contains(c);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(allowed) {
        return Err(fault(
            PlanFault::BadName,
            place,
            format!("{} is not a name", quoted(&name)),
            format!(
                "write 1 to {MAX_NAME_BYTES} bytes of letters, digits, `_`, `-`, `.`, `:` and `/`"
            ),
        ));
    }
    Ok(name)
}

/// Whether the value is written as a number.
pub(super) fn is_number(raw: &RawValue) -> bool {
    raw.get()
        .starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// The fault of a value that has another type.
pub(super) fn wrong_type(place: &str, raw: &RawValue, instead: &str) -> Error {
    let found = match raw.get().bytes().next() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    };
    fault(
        PlanFault::WrongType,
        place,
        format!("found {found}"),
        instead,
    )
}

/// A name for an error text: in backquotes, cut to a length, nothing but plain characters.
/// What is none, such as a control character or one that turns the direction of the text,
/// is escaped.
pub(super) fn quoted(name: &str) -> String {
    let (short, more) = match name.char_indices().nth(MAX_NAME_BYTES) {
        Some((end, _)) => (&name[..end], "..."),
        None => (name, ""),
    };
    let mut shown = String::with_capacity(short.len() + more.len());
    for c in short.chars() {
        match c {
            '`' => shown.push('?'),
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown.push_str(more);
    format!("`{shown}`")
}

fn not_json(error: &serde_json::Error) -> Error {
    fault(
        PlanFault::NotJson,
        format!("line {}, column {}", error.line(), error.column()),
        // The first words; the place is said already.
        error
            .to_string()
            .split(" at line ")
            .next()
            .unwrap_or("the text is not JSON"),
        "write one JSON object and nothing around it",
    )
}
