//! A small world for the tests: a store with a clock that stands, synthetic bars, a plan.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod faulty;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use toolgate_cursor::KeyRing;
use toolgate_runtime::{
    Batch, Column, ComputeRequest, Locator, MemorySource, Runtime, Settings, Source, Submitted,
    Values, Worker,
};
use toolgate_store::{IdempotencyKey, ManualClock, MemoryStore, Owner};
use toolgate_tokens::Estimate;

use faulty::FaultyStore;

pub(crate) const LEASE: Duration = Duration::from_secs(30);

pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) store: Arc<MemoryStore>,
    /// What stands between the runtime and the store.
    pub(crate) faulty: Arc<FaultyStore>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) owner: Owner,
    calls: AtomicU32,
}

/// Synthetic closes: a walk of a linear congruential generator, in hundredths.
pub(crate) fn bars(count: usize, seed: u64) -> Batch {
    let mut state = seed;
    let mut price = 10_000i64;
    let mut close = Vec::new();
    let mut time_ms = Vec::new();
    for row in 0..i64::try_from(count).unwrap() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        price += i64::try_from(state >> 33).unwrap() % 201 - 100;
        close.push(Some(price as f64 / 100.0));
        time_ms.push(1_700_000_000_000 + row * 60_000);
    }
    Batch::new(
        time_ms,
        vec![Column {
            name: "close".to_owned(),
            values: Values::Numbers(close),
        }],
    )
    .unwrap()
}

pub(crate) const PLAN: &str = r#"{"inputs":["close"],
    "nodes":[{"id":"sma3","kernel":"sma","input":"close","period":3},
             {"id":"ema7","kernel":"ema","input":"close","period":7,"seed":"sma"},
             {"id":"x","kernel":"cross","fast":"sma3","slow":"ema7"}],
    "outputs":["sma3","ema7","x"]}"#;

impl World {
    pub(crate) fn new(rows: usize, segment_rows: u32) -> Self {
        Self::with(
            Settings {
                segment_rows,
                ..Settings::default()
            },
            rows,
        )
    }

    pub(crate) fn with(settings: Settings, rows: usize) -> Self {
        Self::of(
            settings,
            MemorySource::new()
                .with("bars", bars(rows, 1))
                .with("others", bars(rows, 2)),
        )
    }

    pub(crate) fn of(settings: Settings, source: impl Source + 'static) -> Self {
        let clock = Arc::new(ManualClock::new(1_796_000_000_000));
        let store = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
        let keys = KeyRing::new(1, &[7; 32]).unwrap();
        let faulty = Arc::new(FaultyStore::new(store.clone()));
        let runtime = Runtime::builder(faulty.clone(), keys, Arc::new(Estimate))
            .source("memory", source)
            .clock(clock.clone())
            .settings(settings)
            .build();
        Self {
            runtime,
            store,
            faulty,
            clock,
            owner: Owner::new("alice").unwrap(),
            calls: AtomicU32::new(0),
        }
    }

    pub(crate) fn request(symbol: &str) -> ComputeRequest {
        ComputeRequest {
            locator: Locator::new("memory", symbol),
            plan: toolgate_kernels::Plan::from_json(PLAN).unwrap(),
        }
    }

    pub(crate) async fn submit(&self, symbol: &str) -> Submitted {
        self.runtime
            .submit(&self.owner, &Self::request(symbol), &self.key())
            .await
            .unwrap()
    }

    /// A key that was not used before.
    pub(crate) fn key(&self) -> IdempotencyKey {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        IdempotencyKey::new(&format!("call_{call}")).unwrap()
    }

    /// A task that has run to its end.
    pub(crate) async fn finished(&self, symbol: &str) -> Submitted {
        let submitted = self.submit(symbol).await;
        let worker = Worker::new(&self.runtime, LEASE).unwrap();
        assert_eq!(worker.run().await.unwrap(), Some(submitted.task));
        submitted
    }
}
