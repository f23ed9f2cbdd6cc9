use crate::{Digest, Error, Kind, View};

/// What a call asks for beside its cursor, to be held against the view.
///
/// The owner is always given: it comes from the authenticated caller, never from
/// the call's arguments. Give every other part that the call or the server
/// states. A part that nobody states is taken from the view, because the cursor
/// alone says it: a call of `{"cursor": "E..."}` and no more asks no query.
///
/// ```
/// use toolgate_cursor::{Asked, Digest, Kind};
///
/// let asked = Asked::by("alice")
///     .kind(Kind::Page)
///     .query(Digest::query("level=error"))
///     .order(Digest::order("time"))
///     .snapshot("s-42")
///     .result_version(3);
/// assert_ne!(asked, Asked::by("alice"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Asked<'a> {
    owner: &'a str,
    kind: Kind,
    query: Option<Digest>,
    order: Option<Digest>,
    snapshot: Option<&'a str>,
    result_version: Option<u64>,
}

impl<'a> Asked<'a> {
    /// A call by `owner` for a [`Kind::Page`] cursor, that states nothing else.
    ///
    /// ```
    /// # use toolgate_cursor::{Asked, Kind};
    /// assert_eq!(Asked::by("alice"), Asked::by("alice").kind(Kind::Page));
    /// ```
    pub const fn by(owner: &'a str) -> Self {
        Self {
            owner,
            kind: Kind::Page,
            query: None,
            order: None,
            snapshot: None,
            result_version: None,
        }
    }

    /// The kind of cursor this call takes; [`Kind::Page`] when not given.
    ///
    /// ```
    /// # use toolgate_cursor::{Asked, Kind};
    /// assert_ne!(Asked::by("alice").kind(Kind::Segment), Asked::by("alice"));
    /// ```
    pub const fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The query the call states.
    ///
    /// ```
    /// # use toolgate_cursor::{Asked, Digest};
    /// assert_ne!(Asked::by("alice").query(Digest::query("")), Asked::by("alice"));
    /// ```
    pub const fn query(mut self, query: Digest) -> Self {
        self.query = Some(query);
        self
    }

    /// The order the call states.
    ///
    /// ```
    /// # use toolgate_cursor::{Asked, Digest};
    /// assert_ne!(Asked::by("alice").order(Digest::order("")), Asked::by("alice"));
    /// ```
    pub const fn order(mut self, order: Digest) -> Self {
        self.order = Some(order);
        self
    }

    /// The snapshot the call or the server states.
    ///
    /// ```
    /// # use toolgate_cursor::Asked;
    /// assert_ne!(Asked::by("alice").snapshot("s-1"), Asked::by("alice"));
    /// ```
    pub const fn snapshot(mut self, snapshot: &'a str) -> Self {
        self.snapshot = Some(snapshot);
        self
    }

    /// The result version the call or the server states.
    ///
    /// ```
    /// # use toolgate_cursor::Asked;
    /// assert_ne!(Asked::by("alice").result_version(0), Asked::by("alice"));
    /// ```
    pub const fn result_version(mut self, result_version: u64) -> Self {
        self.result_version = Some(result_version);
        self
    }

    pub(crate) fn owns(&self, view: &View) -> bool {
        view.row().owner == self.owner
    }

    /// The comparisons after the tag and the expiry, in their order.
    pub(crate) fn agrees_with(&self, view: &View) -> Result<(), Error> {
        let row = view.row();
        if row.kind != self.kind {
            Err(Error::Kind {
                expected: self.kind,
                found: row.kind,
            })
        } else if self.query.is_some_and(|query| query != row.query) {
            Err(Error::Query)
        } else if self.order.is_some_and(|order| order != row.order) {
            Err(Error::Order)
        } else if self
            .snapshot
            .is_some_and(|snapshot| snapshot != row.snapshot)
        {
            Err(Error::Snapshot)
        } else if self
            .result_version
            .is_some_and(|version| version != row.result_version)
        {
            Err(Error::ResultVersion)
        } else {
            Ok(())
        }
    }
}
