//! The bodies of the fuzz targets, one module a target, as plain functions of bytes.
//!
//! A target checks a promise and panics when it does not hold. The program
//! `src/bin/<target>.rs` runs it under libFuzzer; the test `tests/replay.rs`
//! runs it on every file of `corpus/<target>/` on an ordinary build.

pub mod bars_csv;
pub mod checkpoint_bytes;
pub mod cursor_open;
pub mod kernel_state;
pub mod plan_json;
pub mod qrp1_reader;
pub mod qrp1_round_trip;
pub mod segment_bytes;
pub mod store_ops;
pub mod token_lines;

// The documents that the crate's own tests draw; a published crate carries its tests.
#[path = "../../crates/qrp1/tests/documents/draw.rs"]
mod qrp1_document;

/// The check of one input: panics when the input breaks the target's promise.
pub type Check = fn(&[u8]);

/// Every target: its name, and the check of one input.
///
/// `tests/replay.rs` fails if a module, a program or a corpus folder is not listed here.
pub const TARGETS: &[(&str, Check)] = &[
    ("bars_csv", bars_csv::check),
    ("checkpoint_bytes", checkpoint_bytes::check),
    ("cursor_open", cursor_open::check),
    ("kernel_state", kernel_state::check),
    ("plan_json", plan_json::check),
    ("qrp1_reader", qrp1_reader::check),
    ("qrp1_round_trip", qrp1_round_trip::check),
    ("segment_bytes", segment_bytes::check),
    ("store_ops", store_ops::check),
    ("token_lines", token_lines::check),
];

/// Makes the `main` of one fuzz target: under `--cfg fuzzing` libFuzzer drives
/// `$body`, otherwise the program replays the files named on its command line.
///
/// libFuzzer brings the `main`, so the program also says `#![cfg_attr(fuzzing, no_main)]`.
#[macro_export]
macro_rules! target {
    ($body:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| { $body(data) });

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            for path in std::env::args_os().skip(1) {
                $body(&std::fs::read(path)?);
            }
            Ok(())
        }
    };
}
