#![doc = include_str!("../README.md")]

mod answer;
mod batch;
mod checkpoint;
mod cut;
mod echo;
mod error;
mod instant;
mod job;
mod locator;
mod page;
mod request;
mod resend;
mod runtime;
mod segment;
mod settings;
mod snapshot;
mod source;
mod summary;
mod task;
mod worker;

pub use batch::{Batch, Column, MAX_COLUMNS, MAX_NAME_BYTES, ValueKind, Values};
pub use checkpoint::{ListedEvent, decode_checkpoint, encode_checkpoint};
pub use error::{Error, InputFault, SchemaFault};
pub use job::{Committed, Job, Stepped};
pub use locator::{Locator, MAX_REQUEST_JSON_BYTES};
pub use page::{Page, PageCaps, Rows};
pub use request::ComputeRequest;
pub use runtime::{Runtime, RuntimeBuilder};
pub use segment::{decode_segment, encode_segment};
pub use settings::{MAX_EVENTS, MAX_SEGMENT_ROWS, Settings};
pub use snapshot::Snapshot;
pub use source::{BarsParser, BatchStream, CsvSource, MAX_RECORD_BYTES, MemorySource, Source};
pub use task::Submitted;
pub use worker::Worker;
