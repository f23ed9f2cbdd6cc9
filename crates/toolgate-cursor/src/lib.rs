#![doc = include_str!("../README.md")]

mod aliases;
mod asked;
mod check;
mod cleared;
mod cursor;
mod digest;
mod error;
mod expiry;
mod frame;
mod key_ring;
mod kind;
mod stateless;
mod unverified;
mod view;
mod view_bytes;

pub use aliases::Aliases;
pub use asked::Asked;
pub use cleared::Cleared;
pub use cursor::Cursor;
pub use digest::Digest;
pub use error::{Error, Fault};
pub use key_ring::{KeyRing, MIN_SECRET_BYTES};
pub use kind::{Kind, Mode};
pub use stateless::{Binding, Place, Stateless};
pub use unverified::{Duty, Unverified};
pub use view::{MAX_ROWS, View, ViewHandle, ViewRow};
