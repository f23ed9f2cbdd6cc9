//! A type that serde can read gives its columns without a value of it, or an error that names
//! the field.
#![allow(clippy::unwrap_used, dead_code)]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::num::{NonZeroI8, NonZeroU32};
use std::time::Duration;

use qrp1::{ColumnType, Decimal, Error, ErrorCode, Layout, Miss, TimeMs, TypeColumns};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// The columns as they stand in a header.
fn line(columns: TypeColumns) -> String {
    let columns = columns.build().unwrap();
    let line = Layout::table(columns).unwrap().to_line();
    line.strip_prefix("table|columns=").unwrap().to_owned()
}

fn fault(columns: TypeColumns) -> Error {
    let error = columns.build().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Layout);
    error
}

/// A field of type `T` among others that are in order.
#[derive(Deserialize)]
struct One<T> {
    before: bool,
    it: T,
    after: Option<f64>,
}

fn column<'de, T: Deserialize<'de>>() -> String {
    let line = line(TypeColumns::of::<One<T>>());
    let line = line.strip_prefix("before:b,").unwrap();
    line.strip_suffix(",after:f!").unwrap().to_owned()
}

fn noun<'de, T: Deserialize<'de>>() -> String {
    let error = fault(TypeColumns::of::<One<T>>());
    assert!(error.expected().contains("by hand"), "{error}");
    let found = error.found();
    let completed = TypeColumns::of::<One<T>>().with_type("it", ColumnType::Str);
    assert!(line(completed).starts_with("before:b,it"), "{error}");
    found
        .strip_suffix(" in field \"it\" of One")
        .unwrap()
        .to_owned()
}

#[test]
fn scalars_have_their_type() {
    assert_eq!(column::<bool>(), "it:b");
    assert_eq!(column::<i8>(), "it:i");
    assert_eq!(column::<i16>(), "it:i");
    assert_eq!(column::<i32>(), "it:i");
    assert_eq!(column::<i64>(), "it:i");
    assert_eq!(column::<isize>(), "it:i");
    assert_eq!(column::<u8>(), "it:u");
    assert_eq!(column::<u16>(), "it:u");
    assert_eq!(column::<u32>(), "it:u");
    assert_eq!(column::<u64>(), "it:u");
    assert_eq!(column::<usize>(), "it:u");
    assert_eq!(column::<f32>(), "it:f");
    assert_eq!(column::<f64>(), "it:f");
    assert_eq!(column::<char>(), "it");
    assert_eq!(column::<String>(), "it");
    assert_eq!(column::<&str>(), "it");
    assert_eq!(column::<Cow<'_, str>>(), "it");
    assert_eq!(column::<Box<str>>(), "it");
    assert_eq!(column::<TimeMs>(), "it:t");
}

#[test]
fn wrapped_types_are_what_is_in_them() {
    #[derive(Deserialize)]
    struct Id(u64);
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Shown {
        inner: Id,
    }
    #[derive(Deserialize)]
    struct Maybe(Option<Box<Shown>>);
    assert_eq!(column::<Id>(), "it:u");
    assert_eq!(column::<Shown>(), "it:u");
    assert_eq!(column::<Maybe>(), "it:u!");
    assert_eq!(column::<Option<Id>>(), "it:u!");
    assert_eq!(column::<Box<Option<Box<&str>>>>(), "it:s!");
    assert_eq!(column::<Option<TimeMs>>(), "it:t!");
    assert_eq!(column::<std::cell::RefCell<i32>>(), "it:i");
}

/// A date that accepts nothing but dates.
#[derive(Deserialize, Default)]
#[serde(try_from = "String")]
struct Date(String);

impl TryFrom<String> for Date {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "2026-09-08" => Ok(Self(text)),
            _ => Err("another day".to_owned()),
        }
    }
}

#[test]
fn types_that_check_their_values_are_what_they_are_read_from() {
    assert_eq!(column::<NonZeroU32>(), "it:u");
    assert_eq!(column::<Option<NonZeroI8>>(), "it:i!");
    assert_eq!(column::<IpAddr>(), "it");
    assert_eq!(column::<Date>(), "it");
    assert_eq!(column::<std::path::PathBuf>(), "it");
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    #[serde(alias = "bid")]
    Buy,
    Sell,
    #[serde(other)]
    Unknown,
}

#[test]
fn enums_without_data_are_texts() {
    #[derive(Deserialize)]
    enum Data {
        Nothing,
        One(f64),
    }
    #[derive(Deserialize)]
    enum Fields {
        Nothing,
        Named { a: f64 },
    }
    #[derive(Deserialize)]
    enum Pairs {
        Pair(f64, f64),
    }
    #[derive(Deserialize)]
    enum Never {}
    #[derive(Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Nothing,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(f64),
    }
    assert_eq!(column::<Side>(), "it");
    assert_eq!(column::<Option<Side>>(), "it:s!");
    assert_eq!(noun::<Data>(), "an enum whose variants hold data");
    assert_eq!(noun::<Option<Fields>>(), "an enum whose variants hold data");
    assert_eq!(noun::<Pairs>(), "an enum whose variants hold data");
    assert_eq!(noun::<Result<u8, u8>>(), "an enum whose variants hold data");
    assert_eq!(noun::<Never>(), "an enum without variants");
    assert_eq!(noun::<Tagged>(), "a value of no one type");
    assert_eq!(noun::<Untagged>(), "a value of no one type");
}

#[test]
fn what_no_column_holds_is_named() {
    #[derive(Deserialize)]
    struct Unit;
    #[derive(Deserialize)]
    struct Pair(f64, f64);
    assert_eq!(noun::<Vec<u8>>(), "a sequence");
    assert_eq!(noun::<Option<Vec<String>>>(), "a sequence");
    assert_eq!(noun::<[f64; 4]>(), "a tuple or an array");
    assert_eq!(noun::<(f64, f64)>(), "a tuple or an array");
    assert_eq!(noun::<Pair>(), "a tuple struct");
    assert_eq!(
        noun::<HashMap<String, f64>>(),
        "a map, or a struct with #[serde(flatten)]"
    );
    assert_eq!(noun::<Duration>(), "a struct");
    assert_eq!(noun::<One<f64>>(), "a struct");
    assert_eq!(noun::<i128>(), "a 128-bit integer");
    assert_eq!(noun::<u128>(), "a 128-bit integer");
    assert_eq!(noun::<&[u8]>(), "bytes");
    assert_eq!(noun::<()>(), "a unit");
    assert_eq!(noun::<Unit>(), "a unit struct");
    assert_eq!(noun::<PhantomData<u8>>(), "a unit struct");
    assert_eq!(noun::<serde_json::Value>(), "a value of no one type");
    assert_eq!(noun::<IgnoredAny>(), "a value that is ignored");
    assert_eq!(noun::<Option<Option<u8>>>(), "an Option in an Option");
}

#[test]
fn a_completed_field_keeps_what_is_known() {
    let columns = TypeColumns::of::<One<Option<serde_json::Value>>>();
    assert_eq!(
        line(columns.with_type("it", ColumnType::F64)),
        "before:b,it:f!,after:f!"
    );
}

#[test]
fn later_words_count() {
    let columns = TypeColumns::of::<One<f64>>()
        .with_type("it", ColumnType::Str)
        .with_type("it", ColumnType::Decimal { scale: 3 })
        .with_miss("after", Miss::none())
        .with_miss("after", Miss::absent().and_null());
    assert_eq!(line(columns), "before:b,it:d3,after:f?!");
}

#[test]
fn a_series_of_candles() {
    #[derive(Deserialize)]
    struct Candle<'a> {
        #[serde(with = "qrp1::time_ms")]
        time: i64,
        close: Decimal,
        #[serde(default, with = "qrp1::time_ms::option")]
        settled: Option<i64>,
        volume: Option<Decimal>,
        #[serde(borrow)]
        note: Option<Cow<'a, str>>,
        side: Side,
    }
    let error = fault(TypeColumns::of::<Candle<'_>>());
    assert_eq!(
        error.to_string(),
        "layout: expected with_type and a scale, ColumnType::Decimal { scale }, for every \
         decimal, found none in field \"close\" of Candle"
    );
    let columns = TypeColumns::of::<Candle<'_>>()
        .with_type("time", ColumnType::Hour)
        .with_type("close", ColumnType::Decimal { scale: 2 })
        .with_type("volume", ColumnType::Decimal { scale: 0 })
        .build()
        .unwrap();
    assert_eq!(
        Layout::series(None, columns).unwrap().to_line(),
        "series|columns=time:th,close:d2,settled:t!,volume:d0!,note:s!,side"
    );
}

#[test]
fn names_are_those_of_serde() {
    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields, default)]
    struct Row {
        close_price: f64,
        #[serde(rename = "a,b")]
        ab: u8,
        #[serde(skip)]
        hidden: Vec<u8>,
        #[serde(skip_deserializing)]
        unread: Vec<u8>,
        #[serde(skip_serializing)]
        unwritten: u8,
        r#type: String,
        day: Date,
    }
    impl Default for Row {
        fn default() -> Self {
            Self {
                close_price: 0.0,
                ab: 0,
                hidden: vec![],
                unread: vec![],
                unwritten: 0,
                r#type: String::new(),
                day: Date::default(),
            }
        }
    }
    assert_eq!(
        line(TypeColumns::of::<Row>()),
        "CLOSE_PRICE:f,\"a,b\":u,UNWRITTEN:u,TYPE,DAY"
    );
}

#[test]
fn aliases_are_no_columns() {
    #[derive(Deserialize)]
    struct Row {
        #[serde(alias = "a", alias = "z")]
        number: f64,
        #[serde(alias = "another")]
        text: String,
        plain: u8,
        #[serde(rename = "q", alias = "b", alias = "quantity")]
        count: NonZeroU32,
        #[serde(alias = "at", with = "qrp1::time_ms")]
        time: i64,
        #[serde(alias = "note")]
        remark: Option<Date>,
        #[serde(alias = "direction")]
        side: Side,
        #[serde(alias = "cost")]
        price: Decimal,
        #[serde(alias = "closed")]
        over: bool,
    }
    let columns = TypeColumns::of::<Row>().with_type("price", ColumnType::Decimal { scale: 2 });
    assert_eq!(
        line(columns.clone()),
        "number:f,text,plain:u,q:u,time:t,remark:s!,side,price:d2,over:b"
    );
    let error = fault(columns.with_type("cost", ColumnType::F64));
    assert_eq!(error.found(), "\"cost\"");
    assert!(
        error
            .expected()
            .starts_with("a column of Row: \"number\", \"text\",")
    );
}

#[test]
fn an_alias_of_a_field_that_takes_no_common_value_is_asked_about() {
    #[derive(Deserialize)]
    struct Row {
        #[serde(alias = "date")]
        day: Date,
        #[serde(alias = "marks")]
        tags: Vec<u8>,
        #[serde(alias = "p")]
        price: f64,
    }
    let columns = TypeColumns::of::<Row>();
    let error = fault(columns.clone());
    assert_eq!(error.found(), "the names \"date\", \"day\" in Row");
    let columns = columns.with_type("day", ColumnType::Str);
    let error = fault(columns.clone());
    assert_eq!(error.found(), "the names \"marks\", \"tags\" in Row");
    let columns = columns.with_type("tags", ColumnType::Str);
    assert_eq!(line(columns), "day,tags,price:f");
}

#[test]
fn a_name_that_is_no_fields_is_refused() {
    for columns in [
        TypeColumns::of::<One<u8>>().with_type("other", ColumnType::F64),
        TypeColumns::of::<One<u8>>().with_miss("other", Miss::null()),
    ] {
        assert_eq!(
            fault(columns).to_string(),
            "layout: expected a column of One: \"before\", \"it\", \"after\", found \"other\""
        );
    }
}

#[test]
fn a_row_is_a_struct_with_fields() {
    #[derive(Deserialize)]
    struct Empty {}
    #[derive(Deserialize)]
    struct Unit;
    #[derive(Deserialize)]
    struct Pair(u8, u8);
    #[derive(Deserialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        b: u8,
    }
    #[derive(Deserialize)]
    struct Wrapped(Box<Inner>);
    #[derive(Deserialize)]
    #[serde(from = "Inner")]
    struct From {
        unseen: Vec<u8>,
    }
    impl std::convert::From<Inner> for From {
        fn from(_: Inner) -> Self {
            Self { unseen: vec![] }
        }
    }
    assert_eq!(line(TypeColumns::of::<Wrapped>()), "b:u");
    assert_eq!(line(TypeColumns::of::<From>()), "b:u");
    for (columns, noun) in [
        (TypeColumns::of::<Empty>(), "a struct without fields ("),
        (TypeColumns::of::<Unit>(), "a value that has no fields, or"),
        (TypeColumns::of::<f64>(), "a value that has no fields, or"),
        (
            TypeColumns::of::<serde_json::Value>(),
            "a value that has no fields, or",
        ),
        (TypeColumns::of::<TimeMs>(), "one value ("),
        (TypeColumns::of::<Decimal>(), "one value ("),
        (TypeColumns::of::<Pair>(), "a tuple, whose"),
        (TypeColumns::of::<(u8, u8)>(), "a tuple, whose"),
        (TypeColumns::of::<Vec<Inner>>(), "a sequence ("),
        (TypeColumns::of::<Option<Inner>>(), "an Option ("),
        (TypeColumns::of::<Side>(), "an enum ("),
        (
            TypeColumns::of::<BTreeMap<String, u8>>(),
            "a map, or a struct with #[serde(flatten)],",
        ),
        (
            TypeColumns::of::<Flat>(),
            "a map, or a struct with #[serde(flatten)],",
        ),
    ] {
        let error = fault(columns);
        assert!(error.found().starts_with(noun), "{error}");
    }
}

#[test]
fn types_that_hold_themselves_end() {
    #[derive(Deserialize)]
    struct Node {
        value: f64,
        next: Option<Box<Self>>,
    }
    #[derive(Deserialize)]
    struct Endless(Box<Self>);
    #[derive(Deserialize)]
    struct Options(Option<Box<Self>>);
    #[derive(Deserialize)]
    enum Tree {
        Leaf,
        Branch(Box<Self>),
    }
    let node = TypeColumns::of::<Node>();
    assert_eq!(
        fault(node.clone()).found(),
        "a struct in field \"next\" of Node"
    );
    assert_eq!(
        line(node.with_type("next", ColumnType::Str)),
        "value:f,next:s!"
    );
    assert_eq!(noun::<Endless>(), "a type that holds itself");
    assert_eq!(noun::<Options>(), "an Option in an Option");
    assert_eq!(noun::<Tree>(), "an enum whose variants hold data");
    let error = fault(TypeColumns::of::<Endless>());
    assert!(error.found().starts_with("a type that holds itself ("));

    #[derive(Deserialize)]
    struct Aliased {
        #[serde(alias = "other")]
        it: Endless,
    }
    assert_eq!(
        fault(TypeColumns::of::<Aliased>()).found(),
        "the names \"it\", \"other\" in Aliased"
    );
}

/// A field whose reader takes any failure for its default.
#[test]
fn a_field_that_hides_errors_is_told() {
    fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(f64::deserialize(deserializer).unwrap_or(-1.0))
    }
    fn unread<'de, D: Deserializer<'de>>(_: D) -> Result<f64, D::Error> {
        Ok(0.0)
    }
    #[derive(Deserialize)]
    struct Row {
        #[serde(deserialize_with = "lenient", alias = "a")]
        price: f64,
        name: String,
    }
    #[derive(Deserialize)]
    struct Unread {
        #[serde(deserialize_with = "unread", alias = "a")]
        price: f64,
        name: String,
    }
    assert_eq!(line(TypeColumns::of::<Row>()), "price:f,name");
    let columns = TypeColumns::of::<Unread>();
    assert_eq!(
        fault(columns.clone()).found(),
        "a value that asks for no type in field \"price\" of Unread"
    );
    let columns = columns.with_type("price", ColumnType::F64);
    assert_eq!(line(columns), "price:f,name");
}

/// A type without derive, whose keys are strings, so that no identity tells them apart.
struct ByHand;

impl<'de> Deserialize<'de> for ByHand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = ByHand;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByHand, A::Error> {
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "a" => drop(map.next_value::<Option<u8>>()?),
                        "b" => drop(map.next_value::<String>()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(ByHand)
            }
        }
        deserializer.deserialize_struct("ByHand", &["a", "b", "c"], Keys)
    }
}

#[test]
fn a_type_without_derive_is_told() {
    let columns = TypeColumns::of::<ByHand>();
    assert_eq!(
        fault(columns.clone()).found(),
        "a value that is ignored in field \"c\" of ByHand"
    );
    assert_eq!(line(columns.with_type("c", ColumnType::Bool)), "a:u!,b,c:b");
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Marked {
    #[serde(with = "qrp1::time_ms")]
    time: i64,
    #[serde(with = "qrp1::time_ms::option")]
    end: Option<i64>,
    other: TimeMs,
    price: Decimal,
    limit: Option<Decimal>,
}

#[test]
fn marked_values_are_plain_in_json() {
    let marked = |mantissa, scale, time| Marked {
        time,
        end: Some(-time).filter(|end| end % 2 == 0),
        other: TimeMs(time / 2),
        price: Decimal::new(mantissa, scale),
        limit: Some(Decimal::new(-mantissa, scale)).filter(|_| mantissa % 2 == 0),
    };
    assert_eq!(
        serde_json::to_string(&marked(10_250, 2, 7)).unwrap(),
        r#"{"time":7,"end":null,"other":3,"price":"102.50","limit":"-102.50"}"#
    );
    for (mantissa, scale, time) in [
        (0, 0, 0),
        (0, 3, i64::MAX),
        (5, 2, i64::MIN + 1),
        (-500, 2, -1),
        (i128::MAX, 38, 1),
        (i128::MIN + 1, 0, 1),
        (7, 255, 2),
    ] {
        let marked = marked(mantissa, scale, time);
        let json = serde_json::to_string(&marked).unwrap();
        assert_eq!(
            serde_json::from_str::<Marked>(&json).unwrap(),
            marked,
            "{json}"
        );
        // Owned, so that texts are not borrowed from the input.
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::from_value::<Marked>(value).unwrap(), marked);
    }
}

#[test]
fn other_values_are_no_marked_ones() {
    for json in [
        "1.5",
        "true",
        "[]",
        "\"\"",
        "\"-\"",
        "\"1e3\"",
        "\"-0.0\"",
        "\"1.\"",
        "\"1.2.3\"",
        "null",
    ] {
        assert!(serde_json::from_str::<Decimal>(json).is_err(), "{json}");
    }
    let long = format!("\"0.{}\"", "1".repeat(256));
    let error = serde_json::from_str::<Decimal>(&long).unwrap_err();
    assert!(error.to_string().len() < 120, "{error}");
    for json in ["9223372036854775808", "1.5", "\"7\"", "null", "[7]"] {
        assert!(serde_json::from_str::<TimeMs>(json).is_err(), "{json}");
    }
}
