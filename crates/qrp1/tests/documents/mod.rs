//! Drawn documents as strategies of proptest.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod draw;

use proptest::prelude::*;
use qrp1::{ColumnType, Document, Layout, Payload, Value};

use draw::Draw;

/// Bytes for `give` to draw from; fewer and smaller ones give simpler things.
fn drawn<T: std::fmt::Debug>(give: impl Fn(&mut Draw) -> T) -> impl Strategy<Value = T> {
    prop::collection::vec(any::<u64>(), 0..120).prop_map(move |words| {
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        give(&mut Draw::new(&bytes))
    })
}

pub(crate) fn string() -> impl Strategy<Value = String> {
    drawn(Draw::text)
}

pub(crate) fn value_of(kind: ColumnType) -> impl Strategy<Value = Value> {
    drawn(move |draw| draw.value(kind))
}

pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    drawn(Draw::layout)
}

pub(crate) fn rows(layout: &Layout, most: usize) -> impl Strategy<Value = Vec<Vec<Value>>> + use<> {
    let layout = layout.clone();
    drawn(move |draw| draw.rows(&layout, most, 0))
}

pub(crate) fn payload() -> impl Strategy<Value = Payload> {
    drawn(Draw::payload)
}

pub(crate) fn document() -> impl Strategy<Value = Document> {
    drawn(Draw::document)
}
