//! The boxed future every store method returns.

use std::future::Future;
use std::pin::Pin;

/// A boxed future that may cross threads; what every method of the store
/// traits returns, so that the traits stay object-safe.
///
/// Nothing happens before the first poll, and dropping the future before it is
/// ready is allowed at any point: the operation has then happened whole or not
/// at all, and sending it again settles which.
///
/// ```
/// use toolgate_store::BoxFuture;
///
/// let answer: BoxFuture<'static, u32> = Box::pin(async { 42 });
/// assert_eq!(pollster::block_on(answer), 42);
/// ```
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
