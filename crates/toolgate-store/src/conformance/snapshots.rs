//! Promises about snapshots and their segments.

use std::time::Duration;

use super::harness::Harness;
use super::scene::{HOUR, Scene};
use super::verdict::{Verdict, ensure, refused, same};
use crate::hash::ContentHash;
use crate::segment::Segment;
use crate::snapshot::{NewSnapshot, Seal};

pub(super) async fn a_sealed_snapshot_reads_back_as_written(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.sealed(1, &[500, 500, 20]).await?;
    let info = scene.store.snapshot(&scene.alice, id).await?;
    same((info.id, info.segments, info.rows), (id, 3, 1_020))?;
    same(info.meta.as_ref(), b"meta 1".as_slice())?;
    same(info.digest, Seal::of(&segments).digest)?;
    same(
        info.bytes,
        segments
            .iter()
            .map(|segment| segment.bytes().len() as u64)
            .sum(),
    )?;
    same(info.expires_at_ms - info.created_at_ms, 3_600_000)?;
    for (segment, first_row) in segments.iter().zip([0, 500, 1_000]) {
        let stored = scene
            .store
            .segment(&scene.alice, id, segment.ordinal())
            .await?;
        same(&stored.segment, segment)?;
        same(stored.first_row, first_row)?;
    }
    refused(
        scene.store.segment(&scene.alice, id, 3).await,
        "out_of_range",
    )
}

pub(super) async fn an_unsealed_snapshot_is_not_readable(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.written(1, &[2]).await?;
    refused(scene.store.snapshot(&scene.alice, id).await, "not_sealed")?;
    refused(scene.store.segment(&scene.alice, id, 0).await, "not_sealed")?;
    refused(scene.store.segment(&scene.alice, id, 9).await, "not_sealed")?;
    refused(
        scene.store.segment_at(&scene.alice, id, 0).await,
        "not_sealed",
    )?;
    scene
        .store
        .seal_snapshot(&scene.alice, id, &Seal::of(&segments))
        .await?;
    same(scene.store.snapshot(&scene.alice, id).await?.rows, 2)
}

pub(super) async fn creating_a_snapshot_twice_is_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.written(1, &[2, 3]).await?;
    let progress = scene.store.create_snapshot(&scene.new_snapshot(1)?).await?;
    same(
        (progress.segments, progress.rows, progress.sealed),
        (2, 5, false),
    )?;
    let bytes = segments
        .iter()
        .map(|segment| segment.bytes().len() as u64)
        .sum();
    same(progress.bytes, bytes)?;
    scene
        .store
        .seal_snapshot(&scene.alice, id, &Seal::of(&segments))
        .await?;
    let progress = scene.store.create_snapshot(&scene.new_snapshot(1)?).await?;
    same(
        (progress.segments, progress.rows, progress.sealed),
        (2, 5, true),
    )
}

pub(super) async fn a_snapshot_id_in_use_is_refused(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.sealed(1, &[2]).await?;
    let other_meta = scene.new_snapshot(1)?.meta("other")?;
    refused(scene.store.create_snapshot(&other_meta).await, "id_taken")?;
    let other_ttl = NewSnapshot::new(scene.alice.clone(), id, Duration::from_secs(2 * HOUR))?;
    let other_ttl = other_ttl.meta("meta 1")?;
    refused(scene.store.create_snapshot(&other_ttl).await, "id_taken")?;
    same(scene.store.snapshot(&scene.alice, id).await?.rows, 2)
}

pub(super) async fn segments_are_contiguous_from_zero(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.written(1, &[]).await?;
    let append = async |ordinal| {
        let segment = Segment::new(ordinal, 1, format!("{ordinal}"))?;
        scene.store.append_segment(&scene.alice, id, &segment).await
    };
    refused(append(1).await, "invalid")?;
    same(append(0).await?.segments, 1)?;
    refused(append(2).await, "invalid")?;
    same(append(1).await?.segments, 2)
}

pub(super) async fn a_segment_sent_again_changes_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.written(1, &[2, 3]).await?;
    for segment in &segments {
        let progress = scene
            .store
            .append_segment(&scene.alice, id, segment)
            .await?;
        same((progress.segments, progress.rows), (2, 5))?;
    }
    scene
        .store
        .seal_snapshot(&scene.alice, id, &Seal::of(&segments))
        .await?;
    let progress = scene
        .store
        .append_segment(&scene.alice, id, &segments[0])
        .await?;
    same(
        (progress.segments, progress.rows, progress.sealed),
        (2, 5, true),
    )
}

pub(super) async fn another_segment_at_an_ordinal_conflicts(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.written(1, &[2, 3]).await?;
    let other_bytes = Segment::new(0, 2, "other")?;
    refused(
        scene
            .store
            .append_segment(&scene.alice, id, &other_bytes)
            .await,
        "conflict",
    )?;
    let other_rows = Segment::new(0, 1, segments[0].bytes().clone())?;
    refused(
        scene
            .store
            .append_segment(&scene.alice, id, &other_rows)
            .await,
        "conflict",
    )?;
    scene
        .store
        .seal_snapshot(&scene.alice, id, &Seal::of(&segments))
        .await?;
    same(
        &scene.store.segment(&scene.alice, id, 0).await?.segment,
        &segments[0],
    )
}

pub(super) async fn a_damaged_segment_is_refused(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.written(1, &[]).await?;
    let damaged = Segment::with_hash(0, 1, ContentHash::of(b"as sent"), "as arrived")?;
    refused(
        scene.store.append_segment(&scene.alice, id, &damaged).await,
        "corrupt",
    )?;
    let whole = Segment::with_hash(0, 1, ContentHash::of(b"as sent"), "as sent")?;
    same(
        scene
            .store
            .append_segment(&scene.alice, id, &whole)
            .await?
            .segments,
        1,
    )
}

pub(super) async fn a_batch_is_appended_whole_or_not_at_all(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, stored) = scene.written(1, &[2, 3]).await?;
    let new = |ordinal| Segment::new(ordinal, 1, format!("{ordinal}"));
    let damaged = Segment::with_hash(3, 1, ContentHash::of(b"as sent"), "as arrived")?;
    let append =
        async |batch: &[Segment]| scene.store.append_segments(&scene.alice, id, batch).await;
    refused(append(&[new(2)?, damaged]).await, "corrupt")?;
    refused(append(&[new(2)?, new(4)?]).await, "invalid")?;
    refused(append(&[new(3)?, new(4)?]).await, "invalid")?;
    refused(
        append(&[stored[0].clone(), new(1)?, new(2)?]).await,
        "conflict",
    )?;
    same(append(&[]).await?.segments, 2)?;
    // Sent again after a lost reply, with more: the stored part is skipped.
    let batch = [stored[1].clone(), new(2)?, new(3)?];
    for _ in 0..2 {
        let progress = append(&batch).await?;
        same((progress.segments, progress.rows), (4, 7))?;
    }
    let all = [stored[0].clone(), stored[1].clone(), new(2)?, new(3)?];
    same(
        scene
            .store
            .seal_snapshot(&scene.alice, id, &Seal::of(&all))
            .await?
            .rows,
        7,
    )?;
    same(append(&batch).await?.segments, 4)?;
    refused(append(&[new(3)?, new(4)?]).await, "conflict")
}

pub(super) async fn a_seal_must_match_what_is_stored(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.written(1, &[2, 3]).await?;
    let right = Seal::of(&segments);
    for wrong in [
        Seal {
            segments: 1,
            ..right
        },
        Seal {
            segments: 3,
            ..right
        },
        Seal { rows: 4, ..right },
        Seal {
            digest: ContentHash::of(b"other"),
            ..right
        },
        Seal::of(&segments[..1]),
    ] {
        refused(
            scene.store.seal_snapshot(&scene.alice, id, &wrong).await,
            "conflict",
        )?;
        refused(scene.store.snapshot(&scene.alice, id).await, "not_sealed")?;
    }
    same(
        scene
            .store
            .seal_snapshot(&scene.alice, id, &right)
            .await?
            .rows,
        5,
    )
}

pub(super) async fn sealing_twice_is_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, segments) = scene.sealed(1, &[2, 3]).await?;
    let first = scene.store.snapshot(&scene.alice, id).await?;
    let again = scene
        .store
        .seal_snapshot(&scene.alice, id, &Seal::of(&segments))
        .await?;
    same(again, first)?;
    let other = Seal::of(&segments[..1]);
    refused(
        scene.store.seal_snapshot(&scene.alice, id, &other).await,
        "conflict",
    )
}

pub(super) async fn a_sealed_snapshot_never_changes(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.sealed(1, &[2, 3]).await?;
    let before = scene.store.snapshot(&scene.alice, id).await?;
    let more = Segment::new(2, 1, "late")?;
    refused(
        scene.store.append_segment(&scene.alice, id, &more).await,
        "conflict",
    )?;
    let gap = Segment::new(7, 1, "later")?;
    refused(
        scene.store.append_segment(&scene.alice, id, &gap).await,
        "conflict",
    )?;
    same(scene.store.snapshot(&scene.alice, id).await?, before)
}

pub(super) async fn every_row_is_found_by_its_position(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let counts = [0, 5, 0, 0, 3, 1, 0];
    let (id, _) = scene.sealed(1, &counts).await?;
    for row in 0..9 {
        let stored = scene.store.segment_at(&scene.alice, id, row).await?;
        ensure(stored.holds(row), "the segment found does not hold the row")?;
        let before = &counts[..stored.segment.ordinal() as usize];
        same(
            stored.first_row,
            before.iter().copied().map(u64::from).sum(),
        )?;
    }
    refused(
        scene.store.segment_at(&scene.alice, id, 9).await,
        "out_of_range",
    )?;
    refused(
        scene.store.segment_at(&scene.alice, id, u64::MAX).await,
        "out_of_range",
    )
}

pub(super) async fn an_empty_snapshot_can_be_sealed(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.sealed(1, &[]).await?;
    let info = scene.store.snapshot(&scene.alice, id).await?;
    same((info.segments, info.rows, info.bytes), (0, 0, 0))?;
    refused(
        scene.store.segment(&scene.alice, id, 0).await,
        "out_of_range",
    )?;
    refused(
        scene.store.segment_at(&scene.alice, id, 0).await,
        "out_of_range",
    )
}

pub(super) async fn a_snapshot_expires_for_readers_and_writers(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (sealed, segments) = scene.sealed(1, &[2]).await?;
    let (open, _) = scene.written(2, &[2]).await?;
    scene.pass(HOUR - 60).await;
    scene.store.segment(&scene.alice, sealed, 0).await?;
    scene.pass(120).await;
    for id in [sealed, open] {
        refused(scene.store.snapshot(&scene.alice, id).await, "expired")?;
        refused(scene.store.segment(&scene.alice, id, 0).await, "expired")?;
        refused(scene.store.segment_at(&scene.alice, id, 0).await, "expired")?;
        refused(
            scene
                .store
                .append_segment(&scene.alice, id, &segments[0])
                .await,
            "expired",
        )?;
        let seal = Seal::of(&segments);
        refused(
            scene.store.seal_snapshot(&scene.alice, id, &seal).await,
            "expired",
        )?;
    }
    refused(
        scene.store.create_snapshot(&scene.new_snapshot(1)?).await,
        "expired",
    )
}
