//! A source of rows that are in memory already.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_store::BoxFuture;

use super::{BatchStream, Source, within};
use crate::batch::Batch;
use crate::error::Error;
use crate::locator::Locator;

/// Batches by symbol.
///
/// ```
/// use toolgate_runtime::{Batch, Locator, MemorySource, Source};
///
/// let source = MemorySource::new().with("ticks", Batch::new(vec![1, 2, 3], vec![])?);
/// let locator = Locator::new("memory", "ticks");
/// let rows = pollster::block_on(async {
///     let mut stream = source.open(&locator).await?;
///     Ok::<_, toolgate_runtime::Error>(stream.next().await?.map_or(0, |batch| batch.rows()))
/// })?;
/// assert_eq!(rows, 3);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemorySource {
    symbols: HashMap<String, Arc<Batch>>,
}

impl MemorySource {
    /// A source without symbols.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the rows of a symbol.
    #[must_use]
    pub fn with(mut self, symbol: impl Into<String>, rows: Batch) -> Self {
        self.symbols.insert(symbol.into(), Arc::new(rows));
        self
    }
}

impl Source for MemorySource {
    fn open<'a>(
        &'a self,
        locator: &'a Locator,
    ) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>> {
        Box::pin(async move {
            let batch = self
                .symbols
                .get(&locator.symbol)
                .ok_or_else(|| Error::UnknownSymbol {
                    symbol: locator.symbol.clone(),
                })?;
            let batch = within(batch, locator.start_ms()?, locator.end_ms()?);
            Ok(Box::new(Once(Some(batch))) as Box<dyn BatchStream>)
        })
    }
}

struct Once(Option<Batch>);

impl BatchStream for Once {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>> {
        Box::pin(async move { Ok(self.0.take()) })
    }
}
