//! The conformance suite fails, and by the right promise, for stores with one
//! defect each: a suite that cannot fail proves nothing.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolgate_store::conformance::{Harness, MemoryHarness, PROMISES, Report, block_on, run};
use toolgate_store::{
    BoxFuture, ClaimRequest, Claimed, Created, Failure, Fence, IdempotencyKey, Lease, LeaseStatus,
    NewSnapshot, NewTask, NewView, Outcome, Owner, Release, ResultVersion, Seal, Segment,
    SnapshotId, SnapshotInfo, SnapshotProgress, SnapshotStore, Step, StepReceipt, Store,
    StoreError, StoredSegment, TaskId, TaskInfo, TaskState, TaskStore, View, ViewHandle, ViewStore,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    IgnoresFences,
    SwallowsStaleFinishes,
    LosesCheckpoints,
    LosesProgress,
    CommitsHalfAStep,
    SkipsCommits,
    DoublesClaims,
    FollowsIds,
    IgnoresKinds,
    IgnoresHeartbeats,
    NeverExhausts,
    RetriesUnknownOutcomes,
    ForgetsReleases,
    ForgetsCancels,
    ForgetsRestarts,
    ForgetsOwnersOfSnapshots,
    ForgetsOwnersOfTasks,
    ForgetsOwnersOfViews,
    ServesUnsealed,
    TrustsHashes,
    TrustsSeals,
    FindsTheRowBehind,
    ForgetsKeys,
    NeverExpires,
    OverwritesViews,
    ReplacesOutcomes,
    AcceptsAnyAppend,
    AppendsPartOfABatch,
    RefusesRepeats,
    StartsSnapshotsOver,
    SharesIds,
    RefusesEmptySnapshots,
    LosesSnapshotOfTask,
    ActsBeforeItRuns,
    CountsAttemptsForLife,
}

/// What a defect remembers.
#[derive(Default)]
struct Memory {
    fences: HashMap<TaskId, Fence>,
    claimed: Vec<Claimed>,
    highest: u64,
    segments: HashMap<SnapshotId, Vec<Segment>>,
    views: HashMap<ViewHandle, View>,
    outcomes: HashMap<TaskId, Outcome>,
    keys: u64,
    /// Claims and the limit of them.
    attempts: HashMap<TaskId, (u32, u32)>,
}

/// A good store behind one defect.
struct Broken {
    good: Arc<dyn Store>,
    defect: Defect,
    memory: Mutex<Memory>,
}

impl Broken {
    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn lease(&self, lease: &Lease) -> Lease {
        let mut lease = lease.clone();
        if self.has(Defect::IgnoresFences)
            && let Some(fence) = self.memory.lock().unwrap().fences.get(&lease.task)
        {
            lease.fence = *fence;
        }
        lease
    }

    /// Counts a claim, and says whether it was allowed when steps give nothing back.
    fn attempts_left(&self, task: TaskId) -> bool {
        let mut memory = self.memory.lock().unwrap();
        let (claims, limit) = memory.attempts.get_mut(&task).unwrap();
        *claims += 1;
        *claims <= *limit
    }

    /// The suite's records are alice's: so a store that forgets owners serves hers.
    fn owner(&self, defect: Defect, owner: &Owner) -> Owner {
        if self.has(defect) {
            Owner::new("alice").unwrap()
        } else {
            owner.clone()
        }
    }
}

impl SnapshotStore for Broken {
    fn create_snapshot<'a>(
        &'a self,
        new: &'a NewSnapshot,
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>> {
        Box::pin(async move {
            let mut new = new.clone();
            if self.has(Defect::NeverExpires) {
                new.ttl_ms *= 1_000;
            }
            let empty = SnapshotProgress {
                segments: 0,
                rows: 0,
                bytes: 0,
                sealed: false,
            };
            match self.good.create_snapshot(&new).await {
                Ok(_) if self.has(Defect::StartsSnapshotsOver) => Ok(empty),
                Err(StoreError::IdTaken { .. }) if self.has(Defect::SharesIds) => Ok(empty),
                created => created,
            }
        })
    }

    fn append_segments<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        segments: &'a [Segment],
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::AppendsPartOfABatch) {
                for segment in segments {
                    self.good.append_segment(owner, id, segment).await?;
                }
            }
            let mut segments = segments.to_vec();
            if self.has(Defect::TrustsHashes) {
                for segment in &mut segments {
                    let bytes = segment.bytes().clone();
                    *segment = Segment::new(segment.ordinal(), segment.rows(), bytes)?;
                }
            }
            let appended = match self.good.append_segments(owner, id, &segments).await {
                Err(StoreError::Conflict { .. } | StoreError::Invalid { .. })
                    if self.has(Defect::AcceptsAnyAppend) =>
                {
                    return Ok(SnapshotProgress {
                        segments: 1,
                        rows: 1,
                        bytes: 1,
                        sealed: false,
                    });
                }
                appended => appended?,
            };
            let mut memory = self.memory.lock().unwrap();
            let stored = memory.segments.entry(id).or_default();
            if self.has(Defect::RefusesRepeats)
                && segments.iter().any(|segment| stored.contains(segment))
            {
                return Err(StoreError::invalid(
                    "ordinal",
                    "the next one",
                    "a stored one",
                ));
            }
            stored.extend(segments);
            Ok(appended)
        })
    }

    fn seal_snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        seal: &'a Seal,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::RefusesEmptySnapshots) && seal.segments == 0 {
                return Err(StoreError::invalid("segments", "one or more", "none"));
            }
            let sealed = self.good.seal_snapshot(owner, id, seal).await;
            if self.has(Defect::TrustsSeals) && sealed.is_err() {
                let segments = self
                    .memory
                    .lock()
                    .unwrap()
                    .segments
                    .get(&id)
                    .cloned()
                    .unwrap_or_default();
                return self
                    .good
                    .seal_snapshot(owner, id, &Seal::of(&segments))
                    .await;
            }
            sealed
        })
    }

    fn snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>> {
        Box::pin(async move {
            let owner = self.owner(Defect::ForgetsOwnersOfSnapshots, owner);
            self.good.snapshot(&owner, id).await
        })
    }

    fn segment<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        ordinal: u32,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let found = self.good.segment(owner, id, ordinal).await;
            if self.has(Defect::ServesUnsealed) && found == Err(StoreError::NotSealed) {
                let segment = self.memory.lock().unwrap().segments[&id][0].clone();
                return Ok(StoredSegment {
                    first_row: 0,
                    segment,
                });
            }
            found
        })
    }

    fn segment_at<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        row: u64,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let behind = u64::from(self.has(Defect::FindsTheRowBehind));
            self.good
                .segment_at(owner, id, row.saturating_sub(behind))
                .await
        })
    }
}

impl TaskStore for Broken {
    fn create_task<'a>(&'a self, new: &'a NewTask) -> BoxFuture<'a, Result<Created, StoreError>> {
        if self.has(Defect::ActsBeforeItRuns) {
            drop(block_on(self.good.create_task(new)));
        }
        Box::pin(async move {
            let mut new = new.clone();
            match self.defect {
                Defect::NeverExhausts => new.max_attempts = 1_000,
                Defect::NeverExpires => new.ttl_ms *= 1_000,
                Defect::ForgetsKeys => {
                    let mut memory = self.memory.lock().unwrap();
                    memory.keys += 1;
                    new.key = IdempotencyKey::new(&format!("fresh-{}", memory.keys)).unwrap();
                }
                _ => {}
            }
            {
                let mut memory = self.memory.lock().unwrap();
                let limit = (0, new.max_attempts);
                memory.attempts.entry(new.id).or_insert(limit);
            }
            match self.good.create_task(&new).await {
                Err(StoreError::IdTaken { .. }) if self.has(Defect::SharesIds) => {
                    let task = self.good.task(&new.owner, new.id).await?;
                    Ok(Created {
                        task,
                        is_new: false,
                    })
                }
                created => created,
            }
        })
    }

    fn claim<'a>(
        &'a self,
        ask: &'a ClaimRequest,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>> {
        Box::pin(async move {
            let mut ask = ask.clone();
            if self.has(Defect::IgnoresKinds) {
                ask.kinds = ["plan.run", "other", "third"]
                    .map(|kind| kind.parse().unwrap())
                    .into();
            }
            let mut given = self.good.claim(&ask).await?;
            if self.has(Defect::CountsAttemptsForLife) {
                let mut kept = Vec::new();
                for claimed in given {
                    if self.attempts_left(claimed.lease.task) {
                        kept.push(claimed);
                    } else {
                        let failure = Failure::attempts_exhausted(claimed.attempt, None);
                        let outcome = Outcome::Failed(failure);
                        self.good.finish(&claimed.lease, &outcome).await?;
                    }
                }
                given = kept;
            }
            let mut memory = self.memory.lock().unwrap();
            for claimed in &mut given {
                memory
                    .fences
                    .insert(claimed.lease.task, claimed.lease.fence);
                if self.has(Defect::LosesCheckpoints) {
                    claimed.checkpoint = None;
                }
                if self.has(Defect::LosesSnapshotOfTask) {
                    claimed.snapshot = None;
                }
            }
            if self.has(Defect::FollowsIds) {
                let highest = memory.highest;
                given.retain(|claimed| claimed.lease.task.as_u64() >= highest);
                let ids = given.iter().map(|claimed| claimed.lease.task.as_u64());
                memory.highest = ids.fold(highest, u64::max);
            }
            if self.has(Defect::DoublesClaims) {
                let again = std::mem::replace(&mut memory.claimed, given.clone());
                given.extend(again);
            }
            Ok(given)
        })
    }

    fn heartbeat<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<LeaseStatus, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::IgnoresHeartbeats) {
                return Ok(LeaseStatus {
                    until_ms: i64::MAX,
                    cancel_requested: false,
                });
            }
            self.good.heartbeat(&self.lease(lease)).await
        })
    }

    fn commit_step<'a>(
        &'a self,
        lease: &'a Lease,
        step: &'a Step,
    ) -> BoxFuture<'a, Result<StepReceipt, StoreError>> {
        Box::pin(async move {
            let mut step = step.clone();
            match self.defect {
                Defect::CommitsHalfAStep => step.checkpoint = "".into(),
                Defect::LosesProgress => step.progress = toolgate_store::Progress::default(),
                Defect::SkipsCommits => {
                    let status = self.good.heartbeat(lease).await?;
                    return Ok(StepReceipt {
                        next_step: step.ordinal() + 1,
                        until_ms: status.until_ms,
                        cancel_requested: status.cancel_requested,
                    });
                }
                Defect::TrustsHashes => {
                    let result = &step.result;
                    let bytes = result.bytes().clone();
                    step.result = Segment::new(result.ordinal(), result.rows(), bytes)?;
                }
                _ => {}
            }
            self.good.commit_step(&self.lease(lease), &step).await
        })
    }

    fn release<'a>(
        &'a self,
        lease: &'a Lease,
        release: &'a Release,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::ForgetsReleases) {
                return Ok(TaskState::Queued);
            }
            self.good.release(&self.lease(lease), release).await
        })
    }

    fn restart<'a>(
        &'a self,
        lease: &'a Lease,
        from: ResultVersion,
    ) -> BoxFuture<'a, Result<ResultVersion, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::ForgetsRestarts) {
                return Ok(from.next());
            }
            self.good.restart(&self.lease(lease), from).await
        })
    }

    fn finish<'a>(
        &'a self,
        lease: &'a Lease,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            if self.has(Defect::RetriesUnknownOutcomes)
                && matches!(outcome, Outcome::OutcomeUnknown(_))
            {
                let failure = Failure::new("again", "unknown, so tried again")?;
                let retry = Release::retry(Duration::ZERO, failure)?;
                return self.good.release(lease, &retry).await.map(|_| ());
            }
            let finished = self.good.finish(&self.lease(lease), outcome).await;
            match &finished {
                Err(StoreError::StaleFence { .. }) if self.has(Defect::SwallowsStaleFinishes) => {
                    Ok(())
                }
                Err(StoreError::Finished { .. } | StoreError::Conflict { .. })
                    if self.has(Defect::ReplacesOutcomes) =>
                {
                    self.memory
                        .lock()
                        .unwrap()
                        .outcomes
                        .insert(lease.task, outcome.clone());
                    Ok(())
                }
                _ => finished,
            }
        })
    }

    fn cancel<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>> {
        Box::pin(async move {
            if self.has(Defect::ForgetsCancels) {
                return self.good.task(owner, task).await.map(|info| info.state);
            }
            self.good.cancel(owner, task).await
        })
    }

    fn task<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskInfo, StoreError>> {
        Box::pin(async move {
            let owner = self.owner(Defect::ForgetsOwnersOfTasks, owner);
            let mut info = self.good.task(&owner, task).await?;
            if let Some(outcome) = self.memory.lock().unwrap().outcomes.get(&task) {
                info.state = outcome.state();
                info.outcome = Some(outcome.clone());
            }
            Ok(info)
        })
    }

    fn result_segment<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
        version: ResultVersion,
        ordinal: u32,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let owner = self.owner(Defect::ForgetsOwnersOfTasks, owner);
            self.good
                .result_segment(&owner, task, version, ordinal)
                .await
        })
    }

    fn result_segment_at<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
        version: ResultVersion,
        row: u64,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let behind = u64::from(self.has(Defect::FindsTheRowBehind));
            self.good
                .result_segment_at(owner, task, version, row.saturating_sub(behind))
                .await
        })
    }
}

impl ViewStore for Broken {
    fn put_view<'a>(&'a self, new: &'a NewView) -> BoxFuture<'a, Result<View, StoreError>> {
        Box::pin(async move {
            let mut new = new.clone();
            if self.has(Defect::NeverExpires) {
                new.ttl_ms *= 1_000;
            }
            let put = self.good.put_view(&new).await;
            if self.has(Defect::OverwritesViews) && put.is_err() {
                let mut view = self.good.view(&new.owner, new.handle).await?;
                view.bytes = new.bytes.clone();
                self.memory
                    .lock()
                    .unwrap()
                    .views
                    .insert(new.handle, view.clone());
                return Ok(view);
            }
            put
        })
    }

    fn view<'a>(
        &'a self,
        owner: &'a Owner,
        handle: ViewHandle,
    ) -> BoxFuture<'a, Result<View, StoreError>> {
        Box::pin(async move {
            let owner = self.owner(Defect::ForgetsOwnersOfViews, owner);
            let view = self.good.view(&owner, handle).await?;
            Ok(self
                .memory
                .lock()
                .unwrap()
                .views
                .get(&handle)
                .cloned()
                .unwrap_or(view))
        })
    }
}

struct BrokenHarness {
    good: MemoryHarness,
    store: Arc<Broken>,
}

impl Harness for BrokenHarness {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    fn advance(&self, by: Duration) -> BoxFuture<'_, ()> {
        self.good.advance(by)
    }
}

fn report(defect: Defect) -> Report {
    block_on(run(async || {
        let good = MemoryHarness::new();
        let store = Broken {
            good: good.store(),
            defect,
            memory: Mutex::default(),
        };
        BrokenHarness {
            good,
            store: Arc::new(store),
        }
    }))
}

/// Each defect, and the promise that must find it.
const CAUGHT: &[(Defect, &str)] = &[
    (
        Defect::AppendsPartOfABatch,
        "a_batch_is_appended_whole_or_not_at_all",
    ),
    (
        Defect::ActsBeforeItRuns,
        "a_call_dropped_before_it_runs_does_nothing",
    ),
    (
        Defect::IgnoresFences,
        "f02_a_replaced_worker_can_write_nothing",
    ),
    (
        Defect::SwallowsStaleFinishes,
        "f02_a_replaced_worker_can_write_nothing",
    ),
    (
        Defect::LosesCheckpoints,
        "the_next_worker_goes_on_from_the_last_checkpoint",
    ),
    (Defect::LosesProgress, "a_step_is_written_whole"),
    (
        Defect::CommitsHalfAStep,
        "the_next_worker_goes_on_from_the_last_checkpoint",
    ),
    (Defect::SkipsCommits, "a_step_is_written_whole"),
    (Defect::DoublesClaims, "many_workers_claim_each_task_once"),
    (Defect::FollowsIds, "f11_tasks_are_found_by_state_not_by_id"),
    (Defect::IgnoresKinds, "a_claim_takes_only_its_kinds"),
    (
        Defect::IgnoresHeartbeats,
        "f02_a_live_worker_is_never_doubled",
    ),
    (
        Defect::NeverExhausts,
        "f04_a_poison_task_ends_after_its_attempts",
    ),
    (
        Defect::RetriesUnknownOutcomes,
        "an_unknown_outcome_is_never_tried_again",
    ),
    (
        Defect::ForgetsReleases,
        "a_release_keeps_the_steps_and_gives_the_attempt_back",
    ),
    (
        Defect::ForgetsCancels,
        "a_running_task_learns_of_the_cancel",
    ),
    (
        Defect::ForgetsRestarts,
        "a_restart_begins_a_new_result_version",
    ),
    (
        Defect::ForgetsOwnersOfSnapshots,
        "another_owners_snapshot_looks_absent",
    ),
    (
        Defect::ForgetsOwnersOfTasks,
        "another_owners_task_looks_absent",
    ),
    (
        Defect::ForgetsOwnersOfViews,
        "another_owners_view_looks_absent",
    ),
    (
        Defect::ServesUnsealed,
        "an_unsealed_snapshot_is_not_readable",
    ),
    (Defect::TrustsHashes, "a_damaged_segment_is_refused"),
    (Defect::TrustsSeals, "a_seal_must_match_what_is_stored"),
    (
        Defect::FindsTheRowBehind,
        "every_row_is_found_by_its_position",
    ),
    (Defect::ForgetsKeys, "f12_every_write_can_be_sent_twice"),
    (
        Defect::NeverExpires,
        "a_snapshot_expires_for_readers_and_writers",
    ),
    (
        Defect::OverwritesViews,
        "another_view_under_a_handle_conflicts",
    ),
    (Defect::ReplacesOutcomes, "another_outcome_is_refused"),
    (
        Defect::AcceptsAnyAppend,
        "another_segment_at_an_ordinal_conflicts",
    ),
    (
        Defect::RefusesRepeats,
        "a_segment_sent_again_changes_nothing",
    ),
    (
        Defect::StartsSnapshotsOver,
        "creating_a_snapshot_twice_is_once",
    ),
    (Defect::SharesIds, "a_task_id_in_use_is_refused"),
    (
        Defect::RefusesEmptySnapshots,
        "an_empty_snapshot_can_be_sealed",
    ),
    (
        Defect::LosesSnapshotOfTask,
        "a_claim_carries_all_a_worker_needs",
    ),
    (
        Defect::CountsAttemptsForLife,
        "a_committed_step_gives_the_attempts_back",
    ),
];

#[test]
fn the_wrapper_without_a_defect_keeps_every_promise() {
    let report = report(Defect::None);
    assert!(report.broken.is_empty(), "{report}");
    assert_eq!(report.checked, PROMISES.len());
}

#[test]
fn each_defect_breaks_the_promise_that_names_it() {
    let mut seen = BTreeSet::new();
    for &(defect, promise) in CAUGHT {
        let report = report(defect);
        assert!(
            report.breaks(promise),
            "{defect:?} was not caught by {promise}: {report}"
        );
        assert!(
            report.broken.len() < PROMISES.len() * 9 / 10,
            "{defect:?} breaks all: {report}"
        );
        seen.extend(report.broken.iter().map(|(name, _)| *name));
    }
    // Every promise is shown to be able to fail.
    let unseen: Vec<_> = PROMISES
        .iter()
        .map(|promise| promise.name)
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(unseen.is_empty(), "never broken: {unseen:#?}");
}

#[test]
fn a_broken_promise_says_what_was_expected_and_where() {
    let report = report(Defect::LosesCheckpoints);
    let text = report.to_string();
    assert!(text.contains("promises broken"), "{text}");
    assert!(
        text.contains("expected Some(") && text.contains("found None"),
        "{text}"
    );
    assert!(text.contains("conformance/"), "{text}");
}
