//! The runtime: sources, a store, keys and a token counter, put together.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_cursor::KeyRing;
use toolgate_store::{Clock, Store, SystemClock};
use toolgate_tokens::TokenCounter;

use crate::error::Error;
use crate::settings::Settings;
use crate::source::Source;

/// Fills a buffer with random bytes.
pub(crate) type Random = dyn Fn(&mut [u8; 8]) -> Result<(), Error> + Send + Sync;

/// Turns locators into snapshots, snapshots into results, and results into pages.
///
/// Cloning is cheap; all clones are one runtime. See the [crate documentation](crate) for
/// a whole run.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) parts: Arc<Parts>,
}

pub(crate) struct Parts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) sources: BTreeMap<String, Arc<dyn Source>>,
    pub(crate) keys: KeyRing,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<Random>,
    pub(crate) settings: Settings,
}

impl core::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Runtime")
            .field("sources", &self.parts.sources.keys().collect::<Vec<_>>())
            .field("settings", &self.parts.settings)
            .finish_non_exhaustive()
    }
}

/// Puts a [`Runtime`] together.
///
/// ```
/// # use std::sync::Arc;
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_store::MemoryStore;
/// # use toolgate_tokens::Estimate;
/// use toolgate_runtime::{MemorySource, Runtime, RuntimeBuilder, Settings};
///
/// # let (store, keys) = (Arc::new(MemoryStore::new()), KeyRing::new(1, &[7; 32])?);
/// let builder: RuntimeBuilder = Runtime::builder(store, keys, Arc::new(Estimate));
/// let runtime = builder
///     .source("memory", MemorySource::new())
///     .settings(Settings { segment_rows: 0, ..Settings::default() })
///     .build();
/// assert_eq!(runtime.settings().segment_rows, 1); // the nearest that is possible
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[must_use]
pub struct RuntimeBuilder {
    parts: Parts,
}

impl core::fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RuntimeBuilder").finish_non_exhaustive()
    }
}

impl Runtime {
    /// Begins to put a runtime together from what it cannot do without: where things are
    /// kept, the keys that seal cursors, and the counter for caps in tokens.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolgate_cursor::KeyRing;
    /// use toolgate_runtime::{MemorySource, Runtime};
    /// use toolgate_store::MemoryStore;
    /// use toolgate_tokens::Estimate;
    ///
    /// let runtime = Runtime::builder(
    ///     Arc::new(MemoryStore::new()),
    ///     KeyRing::new(1, &[7; 32])?, // 32 random bytes in earnest
    ///     Arc::new(Estimate),
    /// )
    /// .source("memory", MemorySource::new())
    /// .build();
    /// assert_eq!(runtime.settings().segment_rows, 500);
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    pub fn builder(
        store: Arc<dyn Store>,
        keys: KeyRing,
        counter: Arc<dyn TokenCounter>,
    ) -> RuntimeBuilder {
        RuntimeBuilder {
            parts: Parts {
                store,
                sources: BTreeMap::new(),
                keys,
                counter,
                clock: Arc::new(SystemClock::new()),
                random: Arc::new(|bytes| getrandom::fill(bytes).map_err(|_| Error::NoRandomness)),
                settings: Settings::default(),
            },
        }
    }

    /// How it is set.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.parts.store
    }

    pub(crate) fn draw(&self) -> Result<[u8; 8], Error> {
        let mut bytes = [0; 8];
        (self.parts.random)(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn now_unix_s(&self) -> i64 {
        self.parts.clock.now_ms().div_euclid(1_000)
    }
}

impl RuntimeBuilder {
    /// Adds a source under the name that locators give.
    pub fn source(mut self, name: impl Into<String>, source: impl Source + 'static) -> Self {
        self.parts.sources.insert(name.into(), Arc::new(source));
        self
    }

    /// Sets the clock by which cursors expire. Default: the system's. Leases and lives of
    /// records are the store's own affair.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, Error, Locator, MemorySource, PageCaps, Rows, Runtime, Values};
    /// # use toolgate_store::{ManualClock, MemoryStore, Owner};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0); 100]);
    /// # let bars = Batch::new((0..100).collect(), vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let owner = Owner::new("alice")?;
    /// # let source = MemorySource::new().with("bars", bars);
    /// let clock = Arc::new(ManualClock::new(1_767_225_600_000)); // 2026-01-01
    /// let store = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
    /// let runtime = Runtime::builder(store, keys, Arc::new(Estimate))
    ///     .source("memory", source).clock(clock.clone()).build();
    /// # let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// # let (rows, caps) = (Rows::Snapshot(pinned.id), PageCaps { max_bytes: Some(400), max_tokens: None });
    /// let cursor = runtime.first_page(&owner, rows, Some(caps)).await?.next.expect("not all rows fit");
    /// clock.advance(runtime.settings().view_ttl);
    /// let error = runtime.next_page(&owner, rows, &cursor).await.unwrap_err();
    /// assert_eq!(error.code(), "cursor_expired");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.parts.clock = clock;
        self
    }

    /// Sets where random bytes for ids come from. Default: the operating system. They
    /// must not be guessable where other owners could try ids.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Error, Runtime, Worker};
    /// # use toolgate_store::{MemoryStore, WorkerId};
    /// # use toolgate_tokens::Estimate;
    /// # let (store, keys) = (Arc::new(MemoryStore::new()), KeyRing::new(1, &[7; 32])?);
    /// let runtime = Runtime::builder(store, keys, Arc::new(Estimate))
    ///     .random(|bytes| {
    ///         bytes.fill(7); // always the same ids, as in a test
    ///         Ok(())
    ///     })
    ///     .build();
    /// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
    /// assert_eq!(worker.id(), &WorkerId::from_random([7; 8]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random(
        mut self,
        random: impl Fn(&mut [u8; 8]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self {
        self.parts.random = Arc::new(random);
        self
    }

    /// Sets sizes and lives; [`Runtime::settings`] shows them within their bounds.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.parts.settings = settings.within_bounds();
        self
    }

    /// The runtime.
    #[must_use]
    pub fn build(self) -> Runtime {
        Runtime {
            parts: Arc::new(self.parts),
        }
    }
}
