use crate::{
    Asked, Cleared, Error, KeyRing, Mode, View, ViewHandle,
    frame::{Fields, Frame},
};

/// A cursor that reads well and proves nothing yet.
///
/// Opening takes two steps, with one duty of the caller's between them:
///
/// | step | call | refuses with, in this order |
/// |---|---|---|
/// | 1 | [`Unverified::parse`] | `cursor_malformed`, `cursor_version`, `cursor_miscopied`, `cursor_mode` |
/// | 2 | [`duty`](Self::duty) | `cursor_key_unknown` |
/// | | look up the view, by handle and owner | |
/// | 3 | [`open`](Self::open) | `cursor_key_unknown`, `cursor_gone`, `cursor_forged`, `cursor_expired`, `cursor_kind`, `cursor_query`, `cursor_order`, `cursor_snapshot`, `cursor_result`, `cursor_range` |
///
/// The version comes before the check byte, because a cursor of a later version
/// may have another check or none: it is to be called unsupported, never
/// miscopied.
///
/// See [`View`] for a whole round.
///
/// ```
/// use toolgate_cursor::{Cleared, Error, Unverified};
///
/// let later = Unverified::parse("IAEBBX1Ap6enp6enp6eQAw", Cleared::alone());
/// assert_eq!(later.unwrap_err(), Error::Version { version: 2, kind: 0 });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Unverified {
    frame: Frame,
}

/// What the caller does before a cursor can be opened.
///
/// ```
/// use toolgate_cursor::{Duty, ViewHandle};
///
/// let Duty::LookUpView(handle) = Duty::LookUpView(ViewHandle::from_bytes([1; 8]));
/// assert_eq!(handle.to_string(), "0101010101010101");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// Look up the view of this handle among the caller's views, and give it, or
    /// its absence, to [`Unverified::open`].
    LookUpView(ViewHandle),
}

impl Unverified {
    /// Reads the text of a cursor of view mode. Nothing it says is proved yet.
    ///
    /// The text must be exactly what was minted: base64url, no padding, no
    /// whitespace, no stray bits. At most 256 bytes of it are read.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`], [`Error::Version`], [`Error::Miscopied`] or
    /// [`Error::Mode`], in this order.
    ///
    /// ```
    /// use toolgate_cursor::{Cleared, Unverified};
    ///
    /// let text = "EAEQWuCnp6enp6enp5ADgODqJVAkWVh2dO_bag";
    /// assert!(Unverified::parse(text, Cleared::alone()).is_ok());
    ///
    /// let slip = text.replace("DqJV", "DqVJ");
    /// let error = Unverified::parse(&slip, Cleared::alone()).unwrap_err();
    /// assert_eq!(error.code(), "cursor_miscopied");
    /// ```
    #[expect(
        clippy::needless_pass_by_value,
        reason = "one proof clears one cursor, so it is used up"
    )]
    pub fn parse(text: &str, cleared: Cleared) -> Result<Self, Error> {
        let _: Cleared = cleared;
        Ok(Self {
            frame: Frame::parse(text, Mode::View)?,
        })
    }

    /// What to do before [`open`](Self::open): a look-up, which is not worth its
    /// while when the key is unknown.
    ///
    /// # Errors
    ///
    /// [`Error::KeyUnknown`] when `keys` does not accept the cursor's key.
    ///
    /// ```
    /// use toolgate_cursor::{Cleared, Duty, KeyRing, Unverified, ViewHandle};
    ///
    /// let text = "EAEQWuCnp6enp6enp5ADgODqJVAkWVh2dO_bag";
    /// let token = Unverified::parse(text, Cleared::alone())?;
    /// let keys = KeyRing::new(1, &[7; 32])?;
    /// assert_eq!(token.duty(&keys)?, Duty::LookUpView(ViewHandle::from_bytes([0xA7; 8])));
    ///
    /// let others = KeyRing::new(2, &[7; 32])?;
    /// assert_eq!(token.duty(&others).unwrap_err().code(), "cursor_key_unknown");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn duty(&self, keys: &KeyRing) -> Result<Duty, Error> {
        let Fields {
            key_id, binding, ..
        } = self.frame.fields;
        keys.view(key_id)?;
        Ok(Duty::LookUpView(ViewHandle::from_bytes(binding)))
    }

    /// Proves the cursor against its view and what was asked, and gives the
    /// position to read from.
    ///
    /// `view` is what the look-up found; `None`, a view of another handle and a
    /// view of another owner all give [`Error::Gone`]. `now_unix_s` is the time in
    /// Unix seconds, any `i64`; the cursor is valid before the first whole minute
    /// at or after the view's expiry.
    ///
    /// # Errors
    ///
    /// The first that applies of [`Error::KeyUnknown`], [`Error::Gone`],
    /// [`Error::Forged`], [`Error::Expired`], [`Error::Kind`], [`Error::Query`],
    /// [`Error::Order`], [`Error::Snapshot`], [`Error::ResultVersion`],
    /// [`Error::Range`].
    ///
    /// ```
    /// use toolgate_cursor::{Asked, Cleared, Error, KeyRing, Unverified};
    ///
    /// let text = "EAEQWuCnp6enp6enp5ADgODqJVAkWVh2dO_bag";
    /// let token = Unverified::parse(text, Cleared::alone())?;
    /// let keys = KeyRing::new(1, &[7; 32])?;
    /// let nothing_found = token.open(&keys, None, &Asked::by("alice"), 1_790_000_000);
    /// assert_eq!(nothing_found, Err(Error::Gone));
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn open(
        &self,
        keys: &KeyRing,
        view: Option<&View>,
        asked: &Asked<'_>,
        now_unix_s: i64,
    ) -> Result<u64, Error> {
        let Fields {
            key_id,
            expiry,
            binding,
            position,
            ..
        } = self.frame.fields;
        let key = keys.view(key_id)?;
        let view = view
            .filter(|view| *view.row().handle.as_bytes() == binding && asked.owns(view))
            .ok_or(Error::Gone)?;
        // Kind, key id and expiry stand in the row as well, and must be the same.
        let as_minted = view.fields_at(position) == self.frame.fields;
        if !self.frame.is_sealed(key, view.bound()) || !as_minted {
            return Err(Error::Forged);
        }
        if expiry.has_passed(now_unix_s) {
            return Err(Error::Expired);
        }
        asked.agrees_with(view)?;
        if position >= view.row().rows {
            return Err(Error::Range { position });
        }
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digest, Kind, ViewRow};

    fn view() -> View {
        View::new(ViewRow {
            handle: ViewHandle::from_bytes([0xA7; 8]),
            kind: Kind::Page,
            owner: "alice".into(),
            snapshot: "s-42".into(),
            query: Digest::query(""),
            order: Digest::order(""),
            result_version: 1,
            max_bytes: 1,
            max_tokens: 1,
            rows: 1_000,
            expires_unix_s: 1_800_000_000,
            key_id: 1,
        })
        .unwrap()
    }

    fn open(text: &str, keys: &KeyRing, view: &View) -> Result<u64, Error> {
        let token = Unverified::parse(text, Cleared::alone())?;
        token.open(keys, Some(view), &Asked::by("alice"), 1_790_000_000)
    }

    /// No view mints these, so they are sealed by hand with the real key.
    #[test]
    fn a_well_sealed_position_past_the_end_is_out_of_range() {
        let (keys, view) = (KeyRing::new(1, &[7; 32]).unwrap(), view());
        for position in [1_000, 1_001, crate::MAX_ROWS - 1] {
            let text = view
                .fields_at(position)
                .seal(keys.view(1).unwrap(), view.bound());
            assert_eq!(open(&text, &keys, &view), Err(Error::Range { position }));
        }
    }

    #[test]
    fn fields_that_disagree_with_the_row_are_forged_even_when_sealed() {
        let mut keys = KeyRing::new(1, &[7; 32]).unwrap();
        keys.add(2, &[8; 32]).unwrap();
        let view = view();
        let good = view.fields_at(5);
        let later = crate::expiry::Expiry::at_or_after(1_900_000_000).unwrap();
        for fields in [
            Fields { key_id: 2, ..good },
            Fields {
                kind: Kind::Segment,
                ..good
            },
            Fields {
                expiry: later,
                ..good
            },
        ] {
            let text = fields.seal(keys.view(fields.key_id).unwrap(), view.bound());
            assert_eq!(open(&text, &keys, &view), Err(Error::Forged), "{fields:?}");
        }
    }
}
