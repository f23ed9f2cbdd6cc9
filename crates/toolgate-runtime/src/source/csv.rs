//! A source of CSV files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use toolgate_store::BoxFuture;

use super::{BarsParser, BatchStream, Source, within};
use crate::batch::Batch;
use crate::error::Error;
use crate::locator::Locator;

/// Files of OHLCV bars, by symbol; see [`BarsParser`] for their form.
///
/// A symbol is only ever looked up among those that were registered: no text from a
/// model becomes part of a path. Files are read in pieces of 64 KiB, with blocking reads.
///
/// ```
/// use toolgate_runtime::CsvSource;
///
/// let source = CsvSource::new().with_file("aapl_1d", "data/aapl_1d.csv");
/// assert_eq!(source.symbols().collect::<Vec<_>>(), ["aapl_1d"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CsvSource {
    files: BTreeMap<String, PathBuf>,
}

impl CsvSource {
    /// A source without symbols.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the file of a symbol.
    #[must_use]
    pub fn with_file(mut self, symbol: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.files.insert(symbol.into(), path.into());
        self
    }

    /// The symbols there are.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

impl Source for CsvSource {
    fn open<'a>(
        &'a self,
        locator: &'a Locator,
    ) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>> {
        Box::pin(async move {
            let path = self
                .files
                .get(&locator.symbol)
                .ok_or_else(|| Error::UnknownSymbol {
                    symbol: locator.symbol.clone(),
                })?;
            Ok(Box::new(CsvStream {
                file: File::open(path).map_err(|error| unavailable(&error))?,
                parser: BarsParser::new(),
                piece: vec![0; 1 << 16],
                start_ms: locator.start_ms()?,
                end_ms: locator.end_ms()?,
                ended: false,
            }) as Box<dyn BatchStream>)
        })
    }
}

fn unavailable(error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{
        InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
    };
    // The kind says what is wrong; the error itself could name a path.
    let reason = error.kind().to_string();
    match error.kind() {
        // Waiting does not help with these.
        NotFound | IsADirectory | NotADirectory | InvalidFilename | InvalidInput => {
            Error::SourceMissing { reason }
        }
        _ => Error::SourceUnavailable { reason },
    }
}

struct CsvStream {
    file: File,
    parser: BarsParser,
    piece: Vec<u8>,
    start_ms: Option<i64>,
    end_ms: Option<i64>,
    ended: bool,
}

impl BatchStream for CsvStream {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>> {
        Box::pin(async move {
            while !self.ended && self.parser.rows() == 0 {
                let read = self
                    .file
                    .read(&mut self.piece)
                    .map_err(|error| unavailable(&error))?;
                if read == 0 {
                    self.ended = true;
                    self.parser.finish()?;
                } else {
                    self.parser.push(&self.piece[..read])?;
                }
            }
            Ok(self
                .parser
                .take(usize::MAX)
                .map(|batch| within(&batch, self.start_ms, self.end_ms)))
        })
    }
}
