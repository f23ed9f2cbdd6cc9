//! A view row is the same after a store, and damaged bytes are never a row.

use proptest::prelude::*;
use toolgate_cursor::{Digest, Error, Kind, MAX_ROWS, View, ViewHandle, ViewRow};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{row, view};

fn any_row() -> impl Strategy<Value = ViewRow> {
    let kind = prop::sample::select(vec![Kind::Page, Kind::Result, Kind::Segment]);
    let id = "\\PC{1,60}|.{1,60}";
    (
        (
            any::<[u8; 8]>(),
            kind,
            id,
            id,
            any::<[u8; 16]>(),
            any::<[u8; 16]>(),
        ),
        (any::<u64>(), any::<u64>(), any::<u64>(), 0..=MAX_ROWS),
        (1_735_689_600_i64..=2_742_322_500, any::<u8>()),
    )
        .prop_map(|(ids, numbers, (expires_unix_s, key_id))| {
            let (handle, kind, owner, snapshot, query, order) = ids;
            let (result_version, max_bytes, max_tokens, rows) = numbers;
            ViewRow {
                handle: ViewHandle::from_bytes(handle),
                kind,
                owner,
                snapshot,
                query: Digest::from_bytes(query),
                order: Digest::from_bytes(order),
                result_version,
                max_bytes,
                max_tokens,
                rows,
                expires_unix_s,
                key_id,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_row(row in any_row()) {
        let view = View::new(row.clone()).unwrap();
        let bytes = view.to_bytes();
        let back = View::from_bytes(&bytes).unwrap();
        prop_assert_eq!(back.row(), &row);
        prop_assert_eq!(back.to_bytes(), bytes);
        prop_assert_eq!(back, view);
    }

    #[test]
    fn bytes_of_anything_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        prop_assert!(View::from_bytes(&bytes).is_err());
        let headed = [b"TGV\x01", &bytes[..]].concat();
        prop_assert!(View::from_bytes(&headed).is_err());
    }
}

#[test]
fn every_flip_truncation_and_extension_is_refused() {
    let bytes = view().to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut copy = bytes.clone();
        copy[bit / 8] ^= 1 << (bit % 8);
        let code = View::from_bytes(&copy).unwrap_err().code();
        let version = (24..32).contains(&bit);
        assert_eq!(
            code,
            if version {
                "cursor_view_version"
            } else {
                "cursor_view_bytes"
            }
        );
    }
    for len in 0..bytes.len() {
        assert_eq!(
            View::from_bytes(&bytes[..len]).unwrap_err().code(),
            "cursor_view_bytes"
        );
    }
    for byte in 0..=u8::MAX {
        let longer = [&bytes[..], &[byte]].concat();
        assert_eq!(
            View::from_bytes(&longer).unwrap_err().code(),
            "cursor_view_bytes"
        );
    }
    assert_eq!(
        View::from_bytes(&vec![0; 1 << 20]).unwrap_err().code(),
        "cursor_view_bytes"
    );
    let huge = [b"TGV\x01", &[0; 1 << 20][..]].concat();
    let too_long = Error::ViewBytes {
        at: 602,
        expected: "the end",
    };
    assert_eq!(View::from_bytes(&huge), Err(too_long));
}

#[test]
fn ids_and_rows_have_limits() {
    let longest = "x".repeat(255);
    let view = View::new(ViewRow {
        owner: longest.clone(),
        snapshot: longest,
        ..row()
    })
    .unwrap();
    assert_eq!(view.to_bytes().len(), 602);
    assert_eq!(View::from_bytes(&view.to_bytes()), Ok(view));

    let ids = Error::Field {
        field: "owner",
        expected: "1 to 255 bytes",
    };
    assert_eq!(
        View::new(ViewRow {
            owner: "x".repeat(256),
            ..row()
        }),
        Err(ids.clone())
    );
    assert_eq!(
        View::new(ViewRow {
            owner: String::new(),
            ..row()
        }),
        Err(ids)
    );
    let ids = Error::Field {
        field: "snapshot",
        expected: "1 to 255 bytes",
    };
    assert_eq!(
        View::new(ViewRow {
            snapshot: "x".repeat(256),
            ..row()
        }),
        Err(ids.clone())
    );
    assert_eq!(
        View::new(ViewRow {
            snapshot: String::new(),
            ..row()
        }),
        Err(ids)
    );
    let rows = Error::Field {
        field: "rows",
        expected: "at most 2^49",
    };
    assert_eq!(
        View::new(ViewRow {
            rows: MAX_ROWS + 1,
            ..row()
        }),
        Err(rows)
    );
}

/// Ids of other lengths cannot be shifted into one another.
#[test]
fn rows_that_run_together_differ() {
    let split = |owner: &str, snapshot: &str| {
        View::new(ViewRow {
            owner: owner.into(),
            snapshot: snapshot.into(),
            ..row()
        })
        .unwrap()
        .to_bytes()
    };
    assert_ne!(split("ab", "c"), split("a", "bc"));
}
