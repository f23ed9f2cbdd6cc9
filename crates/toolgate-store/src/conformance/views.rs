//! Promises about views.

use std::time::Duration;

use super::harness::Harness;
use super::scene::Scene;
use super::verdict::{Broken, Verdict, refused, same};
use crate::view::{NewView, ViewHandle};

const HANDLE: ViewHandle = ViewHandle([0xff; 8]);
const LIFE: u64 = 60;

fn view(scene: &Scene<'_>, bytes: &'static str) -> Result<NewView, Broken> {
    Ok(NewView::new(
        scene.alice.clone(),
        HANDLE,
        Duration::from_secs(LIFE),
        bytes,
    )?)
}

pub(super) async fn a_view_reads_back_as_written(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    refused(scene.store.view(&scene.alice, HANDLE).await, "not_found")?;
    let put = scene.store.put_view(&view(&scene, "query")?).await?;
    let read = scene.store.view(&scene.alice, HANDLE).await?;
    same(&read, &put)?;
    same(
        (read.handle, read.bytes.as_ref()),
        (HANDLE, b"query".as_slice()),
    )?;
    same(read.expires_at_ms - read.created_at_ms, 60_000)
}

pub(super) async fn a_view_sent_again_changes_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.store.put_view(&view(&scene, "query")?).await?;
    scene.pass(LIFE * 2 / 3).await;
    let before = scene.store.view(&scene.alice, HANDLE).await?;
    same(scene.store.put_view(&view(&scene, "query")?).await?, before)?;
    // Not even its expiry.
    scene.pass(LIFE * 2 / 3).await;
    refused(scene.store.view(&scene.alice, HANDLE).await, "expired")
}

pub(super) async fn another_view_under_a_handle_conflicts(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.store.put_view(&view(&scene, "query")?).await?;
    refused(
        scene.store.put_view(&view(&scene, "other")?).await,
        "conflict",
    )?;
    let read = scene.store.view(&scene.alice, HANDLE).await?;
    same(read.bytes.as_ref(), b"query".as_slice())
}

pub(super) async fn a_view_expires_for_readers_and_writers(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.store.put_view(&view(&scene, "query")?).await?;
    scene.pass(LIFE / 2).await;
    scene.store.view(&scene.alice, HANDLE).await?;
    scene.pass(LIFE).await;
    refused(scene.store.view(&scene.alice, HANDLE).await, "expired")?;
    refused(
        scene.store.put_view(&view(&scene, "query")?).await,
        "expired",
    )
}
