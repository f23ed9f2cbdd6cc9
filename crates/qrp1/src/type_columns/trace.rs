//! What a type asks of a deserializer, field by field, found out without any data.
//!
//! The type is deserialized once for each name of a field, from a row that has only that
//! field. What it asks for as the value is noted, and an error ends the run before any value
//! is given. So no code that checks values is reached, a field that cannot be told says
//! nothing about the others, and no run goes deeper than one field.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::mem;
use std::hash::DefaultHasher;

use serde_core::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde_core::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor,
};
use serde_core::forward_to_deserialize_any;

use crate::column::ColumnType;
use crate::decimal::DECIMAL_NAME;
use crate::time_ms::TIME_NAME;

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Values of a column type.
    Scalar(ColumnType),
    /// Decimals, whose scale is not part of the type.
    Decimal,
    /// No values of one column type; in words.
    Other(&'static str),
}

/// One field of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The names the field is read by. The first is the one it is written by, where `named`.
    pub(super) names: Vec<&'static str>,
    /// Whether it is known which of the names is not an alias.
    pub(super) named: bool,
    /// Whether the field is an `Option`.
    pub(super) optional: bool,
    pub(super) shape: Shape,
}

/// The fields of a row, or what the type is instead, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Struct {
        name: &'static str,
        fields: Vec<Field>,
    },
    Other(&'static str),
}

/// A name that no field has, to learn what a type makes of such names.
const NO_FIELD: &str = "$qrp1::no field";

/// How many newtypes may lie in one another; a type that holds itself has no end of them.
const MAX_DEPTH: u32 = 64;
const TOO_DEEP: &str = "a type that holds itself";

/// Texts that one or another type of text accepts. See [`Answer::Sample`].
const SAMPLES: [&str; 6] = [
    "",
    "a",
    "0",
    "1970-01-01",
    "1970-01-01T00:00:00Z",
    "127.0.0.1",
];

/// Traces a type in one run for each name of a field and each variant of an enum in it.
pub(super) fn trace<'de, T: Deserialize<'de>>() -> Row {
    let root = run::<T>(&[], Answer::Stop);
    let Some((name, names)) = root.row else {
        return Row::Other(root.asked_for_row.unwrap_or("a type that reads nothing"));
    };
    // A type whose field identifiers are no enum gives each name, even this one, the same
    // identity, which then says nothing.
    let unknown = run::<T>(&[NO_FIELD], Answer::Stop).identity;
    let mut fields: Vec<(Option<u64>, Field)> = Vec::new();
    for &name in names {
        let Run {
            identity,
            optional,
            shape,
            variants,
            ..
        } = run::<T>(&[name], Answer::Stop);
        let identity = identity.filter(|identity| Some(*identity) != unknown);
        let same =
            |(other, _): &&mut (Option<u64>, Field)| identity.is_some() && *other == identity;
        if let Some((_, field)) = fields.iter_mut().find(same) {
            field.names.push(name);
            field.named = false;
            continue;
        }
        let mut shape = shape.unwrap_or(Shape::Other("a value that asks for no type"));
        if let Some(variants) = variants {
            shape = enum_shape::<T>(name, variants);
        }
        let field = Field {
            names: vec![name],
            named: true,
            optional,
            shape,
        };
        fields.push((identity, field));
    }
    let mut fields: Vec<Field> = fields.into_iter().map(|(_, field)| field).collect();
    for field in fields.iter_mut().filter(|field| !field.named) {
        if let Some(at) = own_name::<T>(&field.names) {
            field.names.swap(0, at);
            field.named = true;
        }
    }
    Row::Struct { name, fields }
}

/// Texts if no variant holds data, which each variant is asked for.
fn enum_shape<'de, T: Deserialize<'de>>(field: &'static str, variants: &[&'static str]) -> Shape {
    if variants.is_empty() {
        return Shape::Other("an enum without variants");
    }
    let unit = |variant: &&'static str| run::<T>(&[field], Answer::Variant(variant)).unit;
    if variants.iter().all(unit) {
        Shape::Scalar(ColumnType::Str)
    } else {
        Shape::Other("an enum whose variants hold data")
    }
}

/// Which of a field's names is not an alias. Only the complaint about a field that is there
/// twice tells it, for which the first value must be one that the type accepts.
fn own_name<'de, T: Deserialize<'de>>(names: &[&'static str]) -> Option<usize> {
    let twice = [*names.first()?; 2];
    (0..SAMPLES.len()).find_map(|sample| {
        let name = run::<T>(&twice, Answer::Sample(sample)).twice?;
        names.iter().position(|other| *other == name)
    })
}

/// Deserializes a row that has the fields `keys`.
fn run<'de, T: Deserialize<'de>>(keys: &[&'static str], answer: Answer) -> Run {
    let mut run = Run {
        answer,
        ..Run::default()
    };
    let asker = RowAsker {
        run: &mut run,
        keys,
    };
    // The run holds the outcome; the type's own, a value or an error, says nothing more.
    if let Err(Stop::Twice(name)) = T::deserialize(asker) {
        run.twice = Some(name);
    }
    run
}

/// What a value is, when it is asked for.
#[derive(Clone, Copy, Debug, Default)]
enum Answer {
    /// An error.
    #[default]
    Stop,
    /// This variant, and an error after it.
    Variant(&'static str),
    /// A value which the type may accept: null, false, or this sample.
    Sample(usize),
}

/// What one run has shown.
#[derive(Debug, Default)]
struct Run {
    answer: Answer,
    depth: u32,
    /// Name and fields of the struct.
    row: Option<(&'static str, &'static [&'static str])>,
    /// What the row is when it is no struct.
    asked_for_row: Option<&'static str>,
    /// Tells the last key's field identifier from others.
    identity: Option<u64>,
    optional: bool,
    shape: Option<Shape>,
    variants: Option<&'static [&'static str]>,
    /// Whether the variant is without data.
    unit: bool,
    /// The field that was there twice.
    twice: Option<&'static str>,
}

impl Run {
    /// Whether one newtype more is too much.
    fn too_deep(&mut self) -> bool {
        self.depth += 1;
        self.depth > MAX_DEPTH
    }
}

/// Why a run ended. Its reader is this file alone.
#[derive(Debug)]
enum Stop {
    /// All is known.
    Asked,
    /// The type says that a field is there twice.
    Twice(&'static str),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a type is traced without data")
    }
}

impl core::error::Error for Stop {}

impl de::Error for Stop {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Asked
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Twice(field)
    }
}

/// Stands for the row.
struct RowAsker<'r> {
    run: &'r mut Run,
    keys: &'r [&'static str],
}

impl RowAsker<'_> {
    fn other<T>(self, noun: &'static str) -> Result<T, Stop> {
        self.run.asked_for_row = Some(noun);
        Err(Stop::Asked)
    }
}

impl<'de> Deserializer<'de> for RowAsker<'_> {
    type Error = Stop;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.run.row = Some((name, fields));
        visitor.visit_map(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        if name == TIME_NAME || name == DECIMAL_NAME {
            self.other("one value")
        } else if self.run.too_deep() {
            self.other(TOO_DEEP)
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.other("a map, or a struct with #[serde(flatten)], whose keys the type does not tell")
    }

    fn deserialize_option<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.other("an Option")
    }

    fn deserialize_seq<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.other("a sequence")
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Stop> {
        self.other("a tuple, whose fields have no names")
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Stop> {
        self.other("an enum")
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        self.other("a value that has no fields, or fields which the type does not tell")
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for RowAsker<'_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Stop> {
        let Some((&key, rest)) = self.keys.split_first() else {
            return Ok(None);
        };
        self.keys = rest;
        let key = seed.deserialize(BorrowedStrDeserializer::new(key))?;
        // Aliases of one field are read as one variant of the derived identifier.
        let mut hasher = DefaultHasher::new();
        mem::discriminant(&key).hash(&mut hasher);
        self.run.identity = Some(hasher.finish());
        Ok(Some(key))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Stop> {
        seed.deserialize(ValueAsker(self.run))
    }
}

/// Stands for the value of a field.
struct ValueAsker<'r>(&'r mut Run);

impl ValueAsker<'_> {
    /// Notes a shape. Gives the sample to answer with, if there is one.
    fn ask(&mut self, shape: Shape) -> Result<usize, Stop> {
        self.0.shape = Some(shape);
        match self.0.answer {
            Answer::Sample(sample) => Ok(sample),
            Answer::Stop | Answer::Variant(_) => Err(Stop::Asked),
        }
    }

    fn other<T>(self, noun: &'static str) -> Result<T, Stop> {
        self.0.shape = Some(Shape::Other(noun));
        Err(Stop::Asked)
    }
}

/// Methods that ask for a scalar, each with its column type and how a sample is given.
macro_rules! scalars {
    ($($method:ident: $kind:ident, |$visitor:ident, $sample:ident| $visit:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, $visitor: V) -> Result<V::Value, Stop> {
            let $sample = self.ask(Shape::Scalar(ColumnType::$kind))?;
            $visit
        }
    )*};
}

/// Methods that ask for what no column holds, each with its noun.
macro_rules! others {
    ($($method:ident($($argument:ty),*): $noun:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $(_: $argument,)* _: V) -> Result<V::Value, Stop> {
            self.other($noun)
        }
    )*};
}

impl<'de> Deserializer<'de> for ValueAsker<'_> {
    type Error = Stop;

    scalars! {
        deserialize_bool: Bool, |visitor, sample| visitor.visit_bool(sample != 0);
        deserialize_i8: I64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_i16: I64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_i32: I64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_i64: I64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_u8: U64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_u16: U64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_u32: U64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_u64: U64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_f32: F64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_f64: F64, |visitor, sample| visitor.visit_u64(sample as u64);
        deserialize_char: Str, |visitor, sample| visitor.visit_borrowed_str(SAMPLES[sample]);
        deserialize_str: Str, |visitor, sample| visitor.visit_borrowed_str(SAMPLES[sample]);
        deserialize_string: Str, |visitor, sample| visitor.visit_borrowed_str(SAMPLES[sample]);
    }

    others! {
        deserialize_any(): "a value of no one type";
        deserialize_i128(): "a 128-bit integer";
        deserialize_u128(): "a 128-bit integer";
        deserialize_bytes(): "bytes";
        deserialize_byte_buf(): "bytes";
        deserialize_unit(): "a unit";
        deserialize_unit_struct(&'static str): "a unit struct";
        deserialize_seq(): "a sequence";
        deserialize_tuple(usize): "a tuple or an array";
        deserialize_tuple_struct(&'static str, usize): "a tuple struct";
        deserialize_map(): "a map, or a struct with #[serde(flatten)]";
        deserialize_struct(&'static str, &'static [&'static str]): "a struct";
        deserialize_identifier(): "an identifier";
        deserialize_ignored_any(): "a value that is ignored";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        if matches!(self.0.answer, Answer::Sample(_)) {
            return visitor.visit_none();
        }
        if self.0.optional {
            return self.other("an Option in an Option");
        }
        self.0.optional = true;
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        if name == TIME_NAME {
            self.ask(Shape::Scalar(ColumnType::Time))?;
        } else if name == DECIMAL_NAME {
            let sample = self.ask(Shape::Decimal)?;
            return visitor.visit_borrowed_str(SAMPLES[sample]);
        } else if self.0.too_deep() {
            return self.other(TOO_DEEP);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.0.variants = Some(variants);
        if matches!(self.0.answer, Answer::Variant(_)) {
            return visitor.visit_enum(self);
        }
        let sample = self.ask(Shape::Scalar(ColumnType::Str))?;
        let variant = variants.get(sample).ok_or(Stop::Asked)?;
        visitor.visit_enum(StrDeserializer::new(variant))
    }
}

impl<'de> EnumAccess<'de> for ValueAsker<'_> {
    type Error = Stop;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Stop> {
        let Answer::Variant(variant) = self.0.answer else {
            return Err(Stop::Asked);
        };
        Ok((
            seed.deserialize(BorrowedStrDeserializer::new(variant))?,
            self,
        ))
    }
}

impl<'de> VariantAccess<'de> for ValueAsker<'_> {
    type Error = Stop;

    fn unit_variant(self) -> Result<(), Stop> {
        self.0.unit = true;
        Err(Stop::Asked)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Stop> {
        Err(Stop::Asked)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Stop> {
        Err(Stop::Asked)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Stop> {
        Err(Stop::Asked)
    }
}
