//! Sources: a locator in, batches of typed rows out.

mod bars;
mod csv;
mod memory;

pub use bars::{BarsParser, MAX_RECORD_BYTES};
pub use csv::CsvSource;
pub use memory::MemorySource;

use toolgate_store::BoxFuture;

use crate::batch::Batch;
use crate::error::Error;
use crate::locator::Locator;

/// Where rows are read from.
///
/// An implementation gives all rows that the locator names, in time order, in batches of
/// any size and the same columns. It reads only: the runtime pins what it gives in a
/// snapshot, and nothing is read again later.
///
/// ```
/// use toolgate_runtime::{Batch, BatchStream, Error, Locator, Source};
/// use toolgate_store::BoxFuture;
///
/// /// Counts: row N is at N milliseconds.
/// struct Counter;
///
/// struct Rows(i64);
///
/// impl Source for Counter {
///     fn open<'a>(
///         &'a self,
///         locator: &'a Locator,
///     ) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>> {
///         Box::pin(async move {
///             let rows = locator.symbol.parse().map_err(|_| Error::UnknownSymbol {
///                 symbol: locator.symbol.clone(),
///             })?;
///             Ok(Box::new(Rows(rows)) as Box<dyn BatchStream>)
///         })
///     }
/// }
///
/// impl BatchStream for Rows {
///     fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>> {
///         Box::pin(async move {
///             let rows = std::mem::take(&mut self.0);
///             if rows == 0 { Ok(None) } else { Batch::new((0..rows).collect(), vec![]).map(Some) }
///         })
///     }
/// }
///
/// let locator = Locator::new("counter", "3");
/// let batch = pollster::block_on(async { Counter.open(&locator).await?.next().await })?;
/// assert_eq!(batch.expect("three rows").time_ms(), [0, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub trait Source: Send + Sync {
    /// Begins to read.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`], [`Error::SourceMissing`], [`Error::SourceUnavailable`], or what is wrong with the
    /// locator.
    fn open<'a>(
        &'a self,
        locator: &'a Locator,
    ) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>>;
}

/// Rows as they come from a source.
pub trait BatchStream: Send {
    /// The next rows; `None` at the end. A batch may be empty, and its columns do not count
    /// then.
    ///
    /// # Errors
    /// [`Error::Input`] for broken input, [`Error::SourceUnavailable`].
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>>;
}

/// The part of a batch inside a locator's range; both ends in milliseconds.
pub(crate) fn within(batch: &Batch, start_ms: Option<i64>, end_ms: Option<i64>) -> Batch {
    let row_at = |time_ms| batch.time_ms().partition_point(|time| *time < time_ms);
    let (start, end) = (
        start_ms.map_or(0, row_at),
        end_ms.map_or(batch.rows(), row_at),
    );
    batch.slice(start..end)
}
