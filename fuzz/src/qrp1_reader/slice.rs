//! The reader of whole texts beside the reader of documents: the same values, the same faults.

use std::fmt;

use qrp1::{Document, Error, Kind, Limits, Payload, SliceReader, Value};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// A value as serde gives it, for any type.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Nothing,
    Bool(bool),
    Integer(i128),
    /// The bits, those of all NaN alike.
    Float(u64),
    Text(String),
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Seen, E> {
        Ok(Seen::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Seen, E> {
        Ok(Seen::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Seen, E> {
        Ok(Seen::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Seen, E> {
        Ok(Seen::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Seen, E> {
        Ok(float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Seen, E> {
        Ok(Seen::Text(value.to_owned()))
    }
}

fn float(value: f64) -> Seen {
    Seen::Float(if value.is_nan() { f64::NAN } else { value }.to_bits())
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// A value that asks for a number, as the fields of structs do, and takes whatever comes: the
/// error of its value is dropped, and what is wrong with its row must be said all the same.
#[derive(Clone, Debug, PartialEq)]
struct Asked(Seen);

impl<'de> Deserialize<'de> for Asked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let asked = deserializer.deserialize_f64(AnyValue);
        Ok(Self(asked.unwrap_or(Seen::Nothing)))
    }
}

/// A row by position.
#[derive(Clone, Debug, PartialEq)]
struct SeenRow<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SeenRow<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = SeenRow<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<SeenRow<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = row.next_element()? {
                    items.push(item);
                }
                Ok(SeenRow(items))
            }
        }
        deserializer.deserialize_seq(Items(std::marker::PhantomData))
    }
}

fn seen(value: &Value) -> Seen {
    match value {
        Value::Absent | Value::Null => Seen::Nothing,
        Value::Bool(value) => Seen::Bool(*value),
        Value::I64(value) | Value::Time(value) => Seen::Integer((*value).into()),
        Value::U64(value) => Seen::Integer((*value).into()),
        Value::F64(value) => float(*value),
        Value::Str(value) => Seen::Text(value.clone()),
        Value::Decimal(value) => {
            let mut text = value.to_string();
            let places = text.find('.').map_or(0, |point| text.len() - point - 1);
            let scale = usize::from(value.scale());
            if places == 0 && scale > 0 {
                text.push('.');
            }
            text.extend(std::iter::repeat_n('0', scale - places));
            Seen::Text(text)
        }
    }
}

/// Reads `text` by the reader of whole texts.
///
/// # Panics
/// When that finds other values than the document, or another fault.
pub(super) fn check(text: &str, limits: Limits, parsed: &Result<Document, Error>) {
    match (values(text, limits), parsed) {
        (Ok(found), Ok(document)) => {
            let expected: Vec<_> = document.payloads().iter().map(payload).collect();
            assert_eq!(found, expected, "the values of the document");
        }
        (Err(found), Err(expected)) => assert_eq!(&found, expected, "the fault of the document"),
        (found, expected) => panic!("{found:?}, and the document {expected:?}"),
    }
    let asked = asked(text, limits).err();
    assert_eq!(
        asked.as_ref(),
        parsed.as_ref().err(),
        "whatever is asked for"
    );
}

/// The values of a payload: rows, or the body of a text as one.
fn payload(payload: &Payload) -> Vec<Vec<Seen>> {
    match payload {
        Payload::Table(table) => table
            .rows
            .iter()
            .map(|row| row.iter().map(seen).collect())
            .collect(),
        Payload::Text(text) => vec![vec![Seen::Text(text.body.clone())]],
        Payload::Record(_) | Payload::Receipt(_) => Vec::new(),
    }
}

fn values(text: &str, limits: Limits) -> Result<Vec<Vec<Vec<Seen>>>, Error> {
    let mut reader = SliceReader::with_limits(text, limits);
    let mut payloads = Vec::new();
    while let Some(header) = reader.next_payload()? {
        let (kind, rows) = (header.kind, header.layout.is_some());
        payloads.push(if rows {
            let rows: Result<Vec<SeenRow<Seen>>, Error> = reader.rows().collect();
            rows?.into_iter().map(|row| row.0).collect()
        } else if kind == Kind::Text {
            vec![vec![Seen::Text(reader.text()?.into_owned())]]
        } else {
            Vec::new()
        });
    }
    Ok(payloads)
}

fn asked(text: &str, limits: Limits) -> Result<(), Error> {
    let mut reader = SliceReader::with_limits(text, limits);
    while let Some(header) = reader.next_payload()? {
        if header.layout.is_some() {
            for row in reader.rows::<SeenRow<Asked>>() {
                row?;
            }
        }
    }
    Ok(())
}
