//! Writes whose reply is lost are sent again: the store makes them have the effect of once.

use toolgate_store::{BoxFuture, StoreError};

/// How often a write is sent again before its caller is told that its reply is lost.
const RESENDS: usize = 3;

/// Sends a write, and again in the same words as long as the reply is lost.
pub(crate) async fn settled<'a, T>(
    mut send: impl FnMut() -> BoxFuture<'a, Result<T, StoreError>>,
) -> Result<T, StoreError> {
    for _ in 0..RESENDS {
        match send().await {
            Err(StoreError::ReplyLost) => {}
            answer => return answer,
        }
    }
    send().await
}
