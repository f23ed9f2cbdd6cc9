#![doc = include_str!("../README.md")]

mod bitmap;
mod columns;
mod cross;
mod ema;
mod error;
mod kernel;
mod numbers;
mod outputs;
mod period;
mod plan;
mod run;
mod sma;
mod state;
mod summary;

pub use bitmap::Bitmap;
pub use columns::Columns;
pub use cross::{Cross, Direction, Lines};
pub use ema::{Ema, Seed};
pub use error::{Error, PlanFault};
pub use kernel::Kernel;
pub use numbers::Numbers;
pub use outputs::{Event, Output, Outputs};
pub use period::MAX_PERIOD;
pub use plan::{MAX_NAME_BYTES, MAX_PLAN_BYTES, MAX_PLAN_NODES, MAX_STATE_BYTES, Plan};
pub use run::Run;
pub use sma::Sma;
pub use summary::{Mark, OutputSummary, Range, Summary};
