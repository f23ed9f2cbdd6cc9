//! Views: small immutable rows that a short handle names.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::StoreError;
use crate::future::BoxFuture;
use crate::limit::{MAX_TTL, MAX_VIEW_BYTES, check_len, span_ms};
use crate::name::Owner;
use crate::redact::Length;

/// Eight random bytes that name a view of one owner.
///
/// ```
/// use toolgate_store::ViewHandle;
///
/// assert_eq!(format!("{:?}", ViewHandle([0xab; 8])), "ViewHandle(abababababababab)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewHandle(pub [u8; 8]);

impl fmt::Debug for ViewHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewHandle({:016x})", u64::from_be_bytes(self.0))
    }
}

/// A view to be stored.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{NewView, Owner, ViewHandle};
///
/// let new = NewView::new(Owner::new("alice")?, ViewHandle([1; 8]), Duration::from_secs(60), "query")?;
/// assert_eq!(new.ttl_ms, 60_000);
/// assert!(!format!("{new:?}").contains("query"));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewView {
    /// Whose it is.
    pub owner: Owner,
    /// Its handle, from the caller's randomness.
    pub handle: ViewHandle,
    /// Its life from the first put, in ms.
    pub ttl_ms: i64,
    /// The content, opaque to the store.
    pub bytes: Bytes,
}

impl NewView {
    /// A view with this content.
    ///
    /// # Errors
    /// `invalid` when `ttl` is zero or above [`MAX_TTL`], or the content longer
    /// than [`MAX_VIEW_BYTES`].
    pub fn new(
        owner: Owner,
        handle: ViewHandle,
        ttl: Duration,
        bytes: impl Into<Bytes>,
    ) -> Result<Self, StoreError> {
        let bytes = bytes.into();
        check_len("view bytes", bytes.len(), MAX_VIEW_BYTES)?;
        Ok(Self {
            owner,
            handle,
            ttl_ms: span_ms("ttl", ttl, MAX_TTL)?,
            bytes,
        })
    }
}

impl fmt::Debug for NewView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewView")
            .field("owner", &self.owner)
            .field("handle", &self.handle)
            .field("ttl_ms", &self.ttl_ms)
            .field("bytes", &Length(self.bytes.len()))
            .finish()
    }
}

/// A stored view.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_store::*;
/// # pollster::block_on(async {
/// # let store = MemoryStore::builder().clock(Arc::new(ManualClock::new(1_000))).build();
/// # let alice = Owner::new("alice")?;
/// let new = NewView::new(alice, ViewHandle([1; 8]), Duration::from_secs(60), "query")?;
/// let view: View = store.put_view(&new).await?;
/// assert_eq!(view.bytes, "query");
/// assert_eq!((view.created_at_ms, view.expires_at_ms), (1_000, 61_000));
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct View {
    /// Its handle.
    pub handle: ViewHandle,
    /// The content.
    pub bytes: Bytes,
    /// When it was first put, in ms since 1970 UTC by the store's clock.
    pub created_at_ms: i64,
    /// When it expires, likewise.
    pub expires_at_ms: i64,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("handle", &self.handle)
            .field("bytes", &Length(self.bytes.len()))
            .field("created_at_ms", &self.created_at_ms)
            .field("expires_at_ms", &self.expires_at_ms)
            .finish()
    }
}

/// Immutable small rows by handle; the general promises are those of
/// [`SnapshotStore`](crate::SnapshotStore).
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{MemoryStore, NewView, Owner, ViewHandle, ViewStore};
///
/// # pollster::block_on(async {
/// let store = MemoryStore::new();
/// let alice = Owner::new("alice")?;
/// let new = NewView::new(alice.clone(), ViewHandle([1; 8]), Duration::from_secs(60), "query")?;
/// store.put_view(&new).await?;
/// assert_eq!(store.view(&alice, ViewHandle([1; 8])).await?.bytes, "query");
/// # Ok::<(), toolgate_store::StoreError>(())
/// # }).unwrap();
/// ```
pub trait ViewStore: Send + Sync {
    /// Stores a view. The same handle with the same content changes nothing, not
    /// even the expiry, and gives the stored view.
    ///
    /// # Errors
    /// `conflict` when the handle holds other content; `expired`, `quota`.
    fn put_view<'a>(&'a self, new: &'a NewView) -> BoxFuture<'a, Result<View, StoreError>>;

    /// Reads a view.
    ///
    /// # Errors
    /// `not_found`, `expired`.
    fn view<'a>(
        &'a self,
        owner: &'a Owner,
        handle: ViewHandle,
    ) -> BoxFuture<'a, Result<View, StoreError>>;
}
