//! Views in memory.

use bytes::Bytes;

use super::budget::{Budget, RECORD_COST, bytes_of};
use super::shelf::{Shelf, Shelved};
use super::{MemoryStore, Swept};
use crate::error::{Record, StoreError};
use crate::future::BoxFuture;
use crate::hash::ContentHash;
use crate::name::Owner;
use crate::view::{NewView, View, ViewHandle, ViewStore};

impl Shelved for View {
    fn cost(&self) -> u64 {
        bytes_of(self.bytes.len())
    }

    fn empty(&mut self) {
        self.bytes = Bytes::new();
    }
}

#[derive(Debug)]
pub(super) struct Views(Shelf<ViewHandle, View>);

impl Views {
    pub(super) fn new(grace_ms: i64) -> Self {
        Self(Shelf::new(Record::View, grace_ms))
    }

    pub(super) fn sweep(&mut self, budget: &Budget, now_ms: i64, swept: &mut Swept) {
        self.0.sweep(budget, now_ms, swept, |_, _| (), |_, _| ());
    }

    fn put(&mut self, budget: &Budget, now_ms: i64, new: &NewView) -> Result<View, StoreError> {
        self.sweep(budget, now_ms, &mut Swept::default());
        match self.0.get(&new.owner, new.handle, now_ms) {
            Ok(found) if found.bytes == new.bytes => return Ok(found.clone()),
            Ok(found) => {
                return Err(StoreError::Conflict {
                    what: Record::View,
                    expected: ContentHash::of(&found.bytes).short(),
                    found: ContentHash::of(&new.bytes).short(),
                });
            }
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        budget.take(RECORD_COST + bytes_of(new.bytes.len()))?;
        let view = View {
            handle: new.handle,
            bytes: new.bytes.clone(),
            created_at_ms: now_ms,
            expires_at_ms: now_ms.saturating_add(new.ttl_ms),
        };
        self.0
            .insert(&new.owner, new.handle, view.clone(), view.expires_at_ms);
        Ok(view)
    }
}

impl ViewStore for MemoryStore {
    fn put_view<'a>(&'a self, new: &'a NewView) -> BoxFuture<'a, Result<View, StoreError>> {
        Box::pin(async move {
            self.with_room(|now_ms| self.write_views().put(&self.budget, now_ms, new))
        })
    }

    fn view<'a>(
        &'a self,
        owner: &'a Owner,
        handle: ViewHandle,
    ) -> BoxFuture<'a, Result<View, StoreError>> {
        Box::pin(async move {
            self.read_views()
                .0
                .get(owner, handle, self.clock.now_ms())
                .cloned()
        })
    }
}
