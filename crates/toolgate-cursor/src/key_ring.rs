use core::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::Error;

/// The state of one derived key: hashing may start at the message.
pub(crate) type KeyState = Hmac<Sha256>;

/// The shortest secret a key ring takes, in bytes: the strength of its hash.
///
/// ```
/// use toolgate_cursor::{Error, KeyRing, MIN_SECRET_BYTES};
///
/// assert_eq!(KeyRing::new(1, &[7; MIN_SECRET_BYTES - 1]).unwrap_err().code(), "cursor_key_short");
/// ```
pub const MIN_SECRET_BYTES: usize = 32;

/// The secrets that seal cursors, each under an id of one byte.
///
/// The newest key mints. The others are accepted until they are retired, so that
/// a key can be replaced while callers are in the middle of their pages: add the
/// new one everywhere, wait for the longest life of a cursor, retire the old one.
///
/// Secrets are the caller's to make, from a random source, and to keep: the ring
/// holds no secret, only the states of the keys derived from it, one for each
/// purpose (`HMAC-SHA256(secret, label)`, so that a tag of one mode never fits
/// the other). The states are wiped on drop and never printed.
///
/// ```
/// use toolgate_cursor::KeyRing;
///
/// let mut keys = KeyRing::new(1, b"an example: 32 random bytes here")?;
/// keys.add(2, &[9; 32])?;
/// assert_eq!(keys.newest(), 2);
/// assert!(keys.accepts(1));
///
/// keys.retire(1)?;
/// assert!(!keys.accepts(1));
/// assert_eq!(format!("{keys:?}"), "KeyRing { newest: 2, accepted: [2] }");
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Clone)]
pub struct KeyRing {
    /// Never empty; the last one is the newest. Searched from the end, since
    /// nearly every cursor is of the newest key.
    /// Boxed, so that a growing list moves pointers and leaves no key behind in
    /// freed memory. Searched from the end: nearly every cursor is of a late key.
    #[expect(clippy::vec_box, reason = "see above")]
    keys: Vec<Box<Key>>,
    newest: u8,
}

#[derive(Clone)]
struct Key {
    id: u8,
    view: KeyState,
    stateless: KeyState,
}

impl Key {
    fn derive(id: u8, secret: &[u8]) -> Result<Self, Error> {
        let short = || Error::KeyShort {
            key_id: id,
            found_bytes: secret.len(),
            min_bytes: MIN_SECRET_BYTES,
        };
        if secret.len() < MIN_SECRET_BYTES {
            return Err(short());
        }
        // HMAC takes keys of any length, so the errors below never come.
        let root = KeyState::new_from_slice(secret).map_err(|_| short())?;
        let derived = |label: &[u8]| {
            let mut key = Zeroizing::new([0_u8; 32]);
            key.copy_from_slice(&root.clone().chain_update(label).finalize().into_bytes());
            KeyState::new_from_slice(key.as_slice()).map_err(|_| short())
        };
        Ok(Self {
            id,
            view: derived(b"toolgate-cursor key view 1")?,
            stateless: derived(b"toolgate-cursor key stateless 1")?,
        })
    }
}

impl KeyRing {
    /// A ring of one key, which mints.
    ///
    /// # Errors
    ///
    /// [`Error::KeyShort`] when `secret` has fewer than [`MIN_SECRET_BYTES`] bytes.
    ///
    /// ```
    /// use toolgate_cursor::KeyRing;
    ///
    /// assert_eq!(KeyRing::new(1, &[7; 32])?.newest(), 1);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn new(id: u8, secret: &[u8]) -> Result<Self, Error> {
        Ok(Self {
            keys: vec![Box::new(Key::derive(id, secret)?)],
            newest: id,
        })
    }

    /// Adds a key and makes it the one that mints.
    ///
    /// Where several servers share the keys, give every one of them the new key
    /// by [`add_accepted`](Self::add_accepted) before the first one mints with it.
    ///
    /// # Errors
    ///
    /// [`Error::KeyShort`]; [`Error::KeyTaken`] when the ring accepts a key of
    /// this id already. The ring is unchanged then.
    ///
    /// ```
    /// use toolgate_cursor::KeyRing;
    ///
    /// let mut keys = KeyRing::new(1, &[7; 32])?;
    /// keys.add(2, &[8; 32])?;
    /// assert_eq!(keys.newest(), 2);
    /// assert_eq!(keys.add(1, &[9; 32]).unwrap_err().code(), "cursor_key_taken");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn add(&mut self, id: u8, secret: &[u8]) -> Result<(), Error> {
        self.add_accepted(id, secret)?;
        self.newest = id;
        Ok(())
    }

    /// Adds a key that opens cursors, and leaves the minting to the newest one:
    /// the previous key after a restart, or the next key before its turn.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    ///
    /// ```
    /// use toolgate_cursor::KeyRing;
    ///
    /// let mut keys = KeyRing::new(2, &[8; 32])?;
    /// keys.add_accepted(1, &[7; 32])?;
    /// assert_eq!(keys.newest(), 2);
    /// assert!(keys.accepts(1));
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn add_accepted(&mut self, id: u8, secret: &[u8]) -> Result<(), Error> {
        if self.accepts(id) {
            return Err(Error::KeyTaken { key_id: id });
        }
        self.keys.push(Box::new(Key::derive(id, secret)?));
        Ok(())
    }

    /// Stops accepting a key: every cursor sealed with it answers
    /// `cursor_key_unknown` from now on. Its id may be used again, once the last
    /// cursor of the old key has expired.
    ///
    /// # Errors
    ///
    /// [`Error::KeyInUse`] for the newest key; [`Error::KeyUnknown`] when the
    /// ring holds no such key.
    ///
    /// ```
    /// use toolgate_cursor::KeyRing;
    ///
    /// let mut keys = KeyRing::new(1, &[7; 32])?;
    /// assert_eq!(keys.retire(1).unwrap_err().code(), "cursor_key_in_use");
    /// keys.add(2, &[8; 32])?;
    /// keys.retire(1)?;
    /// assert_eq!(keys.retire(1).unwrap_err().code(), "cursor_key_unknown");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn retire(&mut self, id: u8) -> Result<(), Error> {
        if id == self.newest {
            return Err(Error::KeyInUse { key_id: id });
        }
        let place = self.keys.iter().position(|key| key.id == id);
        let place = place.ok_or(Error::KeyUnknown { key_id: id })?;
        self.keys.remove(place);
        Ok(())
    }

    /// The id of the key that mints: the one to write into a new
    /// [`ViewRow`](crate::ViewRow).
    ///
    /// ```
    /// # use toolgate_cursor::KeyRing;
    /// assert_eq!(KeyRing::new(200, &[7; 32])?.newest(), 200);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub const fn newest(&self) -> u8 {
        self.newest
    }

    /// Whether a cursor sealed with key `id` can be opened.
    ///
    /// ```
    /// # use toolgate_cursor::KeyRing;
    /// let keys = KeyRing::new(1, &[7; 32])?;
    /// assert!(keys.accepts(1) && !keys.accepts(2));
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub fn accepts(&self, id: u8) -> bool {
        self.keys.iter().any(|key| key.id == id)
    }

    pub(crate) fn view(&self, id: u8) -> Result<&KeyState, Error> {
        self.get(id).map(|key| &key.view)
    }

    pub(crate) fn stateless(&self, id: u8) -> Result<&KeyState, Error> {
        self.get(id).map(|key| &key.stateless)
    }

    fn get(&self, id: u8) -> Result<&Key, Error> {
        let key = self.keys.iter().rev().find(|key| key.id == id);
        key.map(AsRef::as_ref)
            .ok_or(Error::KeyUnknown { key_id: id })
    }
}

/// Ids only.
impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accepted: Vec<_> = self.keys.iter().map(|key| key.id).collect();
        f.debug_struct("KeyRing")
            .field("newest", &self.newest)
            .field("accepted", &accepted)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use sha2::block_api::Sha256VarCore;
    use zeroize::ZeroizeOnDrop;

    use super::*;

    /// The wiping comes from features of the two hash crates; without them this
    /// does not compile. A key state is made of nothing but the two types named.
    #[test]
    fn key_states_are_wiped_on_drop() {
        fn wiped<T: ZeroizeOnDrop>() {}
        wiped::<Sha256>();
        wiped::<hmac::digest::block_api::Buffer<Sha256VarCore>>();
        assert!(core::mem::needs_drop::<KeyState>());
    }

    #[test]
    fn purposes_have_keys_of_their_own() {
        let keys = KeyRing::new(1, &[7; 32]).unwrap();
        let tag = |state: &KeyState| state.clone().chain_update(b"m").finalize();
        assert!(tag(keys.view(1).unwrap()) != tag(keys.stateless(1).unwrap()));
    }
}
