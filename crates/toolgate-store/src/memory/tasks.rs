//! Tasks in memory.

use std::collections::HashMap;

use bytes::Bytes;

use super::budget::{Budget, RECORD_COST, bytes_of};
use super::queue::{Queue, Ticket};
use super::rows::Rows;
use super::shelf::{Shelf, Shelved};
use super::{MemoryStore, Swept};
use crate::claim::{ClaimRequest, Claimed};
use crate::error::{Record, StoreError};
use crate::future::BoxFuture;
use crate::hash::ContentHash;
use crate::id::{SnapshotId, TaskId};
use crate::lease::{Lease, LeaseStatus};
use crate::name::{IdempotencyKey, Owner, TaskKind};
use crate::new_task::{Created, NewTask};
use crate::outcome::{Failure, Outcome};
use crate::release::Release;
use crate::segment::StoredSegment;
use crate::step::{Progress, ResultVersion, Step, StepReceipt};
use crate::task::{
    CancelDuty, ClaimDuty, CommitDuty, FinishDuty, ReleaseDuty, RestartDuty, TaskMachine, TaskState,
};
use crate::task_info::TaskInfo;
use crate::task_store::TaskStore;

#[derive(Debug)]
struct Task {
    id: TaskId,
    key: IdempotencyKey,
    kind: TaskKind,
    digest: ContentHash,
    request: Bytes,
    snapshot: Option<SnapshotId>,
    seq: u64,
    created_at_ms: i64,
    machine: TaskMachine,
    progress: Progress,
    checkpoint: Option<Bytes>,
    results: Rows,
    /// The digest of each committed step, beside `results`.
    step_digests: Vec<ContentHash>,
    outcome: Option<Outcome>,
    last_failure: Option<Failure>,
}

/// Room for two failures, charged at creation, so that a task can be failed,
/// released and cancelled in a full store.
const FAILURE_COST: u64 = 1_536;

impl Shelved for Task {
    fn cost(&self) -> u64 {
        FAILURE_COST
            + bytes_of(self.request.len())
            + checkpoint_cost(self.checkpoint.as_ref())
            + self.outcome.as_ref().map_or(0, outcome_cost)
            + self.results.cost()
    }

    fn empty(&mut self) {
        self.request = Bytes::new();
        self.checkpoint = None;
        self.outcome = None;
        self.last_failure = None;
        self.results = Rows::default();
        self.step_digests = Vec::new();
    }
}

fn checkpoint_cost(checkpoint: Option<&Bytes>) -> u64 {
    checkpoint.map_or(0, |checkpoint| bytes_of(checkpoint.len()))
}

/// What an outcome costs beyond [`FAILURE_COST`].
fn outcome_cost(outcome: &Outcome) -> u64 {
    match outcome {
        Outcome::Succeeded { summary } => bytes_of(summary.len()),
        Outcome::Failed(_) | Outcome::OutcomeUnknown(_) | Outcome::Cancelled(_) => 0,
    }
}

impl Task {
    fn ticket(&self, owner: &Owner) -> Ticket {
        Ticket {
            ready_at_ms: self.machine.ready_at_ms,
            seq: self.seq,
            owner: owner.clone(),
            task: self.id,
        }
    }

    fn info(&self) -> TaskInfo {
        let mut info = TaskInfo::new(self.id, self.kind.clone(), &self.machine);
        info.snapshot = self.snapshot;
        info.progress = self.progress;
        info.result_rows = self.results.rows();
        info.result_bytes = self.results.bytes();
        info.outcome.clone_from(&self.outcome);
        info.last_failure.clone_from(&self.last_failure);
        info.created_at_ms = self.created_at_ms;
        info
    }

    fn claimed(&self, owner: &Owner) -> Claimed {
        let lease = Lease {
            owner: owner.clone(),
            task: self.id,
            fence: self.machine.fence,
        };
        let mut claimed = Claimed::new(
            lease,
            self.kind.clone(),
            self.request.clone(),
            &self.machine,
        );
        claimed.snapshot = self.snapshot;
        claimed.checkpoint.clone_from(&self.checkpoint);
        claimed.progress = self.progress;
        claimed
    }

    /// The results, when `version` is the current one.
    fn results(&self, version: ResultVersion) -> Result<&Rows, StoreError> {
        let current = self.machine.result_version;
        if version == current {
            return Ok(&self.results);
        }
        Err(StoreError::OtherVersion {
            asked: version,
            current,
        })
    }
}

#[derive(Debug)]
pub(super) struct Tasks {
    shelf: Shelf<TaskId, Task>,
    keys: HashMap<Owner, HashMap<IdempotencyKey, TaskId>>,
    queue: Queue,
    next_seq: u64,
}

impl Tasks {
    pub(super) fn new(grace_ms: i64) -> Self {
        Self {
            shelf: Shelf::new(Record::Task, grace_ms),
            keys: HashMap::new(),
            queue: Queue::default(),
            next_seq: 0,
        }
    }

    pub(super) fn sweep(&mut self, budget: &Budget, now_ms: i64, swept: &mut Swept) {
        let Self {
            shelf, keys, queue, ..
        } = self;
        let expire = |owner: &Owner, task: &Task| queue.remove(&task.kind, &task.ticket(owner));
        let forget = |owner: &Owner, task: Task| {
            if let Some(owned) = keys.get_mut(owner) {
                owned.remove(&task.key);
                if owned.is_empty() {
                    keys.remove(owner);
                }
            }
        };
        shelf.sweep(budget, now_ms, swept, expire, forget);
    }

    fn create(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        new: &NewTask,
    ) -> Result<Created, StoreError> {
        self.sweep(budget, now_ms, &mut Swept::default());
        let digest = new.digest();
        if let Some(&id) = self
            .keys
            .get(&new.owner)
            .and_then(|owned| owned.get(&new.key))
        {
            let task = self.shelf.get(&new.owner, id, now_ms)?;
            if task.digest == digest {
                return Ok(Created {
                    task: task.info(),
                    is_new: false,
                });
            }
            return Err(StoreError::Conflict {
                what: Record::Task,
                expected: format!("request {}", task.digest.short()),
                found: format!("request {}", digest.short()),
            });
        }
        match self.shelf.get(&new.owner, new.id, now_ms) {
            Err(StoreError::NotFound { .. }) => {}
            _ => return Err(StoreError::IdTaken { what: Record::Task }),
        }
        let machine = TaskMachine::new(now_ms, new.ttl_ms, new.max_attempts)?;
        budget.take(RECORD_COST + FAILURE_COST + bytes_of(new.request.len()))?;
        let task = Task {
            id: new.id,
            key: new.key.clone(),
            kind: new.kind.clone(),
            digest,
            request: new.request.clone(),
            snapshot: new.snapshot,
            seq: self.next_seq,
            created_at_ms: now_ms,
            machine,
            progress: Progress::default(),
            checkpoint: None,
            results: Rows::default(),
            step_digests: Vec::new(),
            outcome: None,
            last_failure: None,
        };
        self.next_seq += 1;
        let info = task.info();
        self.queue.add(&task.kind, task.ticket(&new.owner));
        self.keys
            .entry(new.owner.clone())
            .or_default()
            .insert(new.key.clone(), new.id);
        self.shelf
            .insert(&new.owner, new.id, task, machine.expires_at_ms);
        Ok(Created {
            task: info,
            is_new: true,
        })
    }

    /// Applies a change to a task and keeps its ticket where the machine says.
    fn change<T>(
        &mut self,
        owner: &Owner,
        id: TaskId,
        now_ms: i64,
        change: impl FnOnce(&mut Task) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let task = self.shelf.get_mut(owner, id, now_ms)?;
        let before = (task.machine.state, task.machine.ready_at_ms);
        let old = task.ticket(owner);
        let changed = change(task)?;
        if before != (task.machine.state, task.machine.ready_at_ms) {
            self.queue.remove(&task.kind, &old);
            if !task.machine.state.is_terminal() {
                self.queue.add(&task.kind, task.ticket(owner));
            }
        }
        Ok(changed)
    }

    fn claim(&mut self, budget: &Budget, now_ms: i64, ask: &ClaimRequest) -> Vec<Claimed> {
        // Expired tasks leave the queue here.
        self.sweep(budget, now_ms, &mut Swept::default());
        let mut given = Vec::new();
        let most = usize::try_from(ask.max).unwrap_or(usize::MAX);
        // Each ticket met is moved behind `now_ms` or taken out, so this ends.
        while given.len() < most {
            let Some((kind, ticket)) = self.queue.first_ready(&ask.kinds, now_ms) else {
                break;
            };
            let (kind, ticket) = (kind.clone(), ticket.clone());
            let met = self.change(&ticket.owner, ticket.task, now_ms, |task| {
                match task.machine.claim(now_ms, ask.lease_ms) {
                    ClaimDuty::Run(next) => {
                        task.machine = next;
                        return Ok(Some(task.claimed(&ticket.owner)));
                    }
                    ClaimDuty::Exhaust(next) => exhaust(task, next),
                    ClaimDuty::Cancel(next) => cancel(task, next),
                    ClaimDuty::Wait(_) | ClaimDuty::Drop => {
                        return Err(StoreError::NotFound { what: Record::Task });
                    }
                }
                Ok(None)
            });
            match met {
                Ok(claimed) => given.extend(claimed),
                Err(_) => self.queue.remove(&kind, &ticket),
            }
        }
        given
    }

    fn heartbeat(&mut self, now_ms: i64, lease: &Lease) -> Result<LeaseStatus, StoreError> {
        self.change(&lease.owner, lease.task, now_ms, |task| {
            task.machine = task.machine.heartbeat(now_ms, lease.fence)?;
            Ok(task.machine.lease_status())
        })
    }

    fn commit(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        lease: &Lease,
        step: &Step,
        digest: ContentHash,
    ) -> Result<StepReceipt, StoreError> {
        self.change(&lease.owner, lease.task, now_ms, |task| {
            let next = match task.machine.commit(now_ms, lease.fence, step.ordinal())? {
                CommitDuty::Write(next) => next,
                CommitDuty::Compare => {
                    let at = usize::try_from(step.ordinal()).unwrap_or(usize::MAX);
                    return match task.step_digests.get(at) {
                        Some(stored) if *stored == digest => Ok(task.machine.step_receipt()),
                        stored => Err(StoreError::Conflict {
                            what: Record::Step,
                            expected: stored.map_or_else(String::new, ContentHash::short),
                            found: digest.short(),
                        }),
                    };
                }
            };
            let old = checkpoint_cost(task.checkpoint.as_ref());
            let new = bytes_of(step.checkpoint.len()) + Rows::cost_of(&step.result);
            budget.exchange(old, new)?;
            task.machine = next;
            task.checkpoint = Some(step.checkpoint.clone());
            task.progress = step.progress;
            task.results.push(step.result.clone());
            task.step_digests.push(digest);
            Ok(next.step_receipt())
        })
    }

    fn release(
        &mut self,
        now_ms: i64,
        lease: &Lease,
        release: &Release,
    ) -> Result<TaskState, StoreError> {
        self.change(&lease.owner, lease.task, now_ms, |task| {
            let duty = task.machine.release(now_ms, lease.fence, release)?;
            if duty != ReleaseDuty::Done && release.failure.is_some() {
                task.last_failure.clone_from(&release.failure);
            }
            match duty {
                ReleaseDuty::Requeue(next) => task.machine = next,
                ReleaseDuty::Exhaust(next) => exhaust(task, next),
                ReleaseDuty::Cancel(next) => cancel(task, next),
                ReleaseDuty::Done => {}
            }
            Ok(task.machine.state)
        })
    }

    fn restart(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        lease: &Lease,
        from: ResultVersion,
    ) -> Result<ResultVersion, StoreError> {
        self.change(&lease.owner, lease.task, now_ms, |task| {
            if let RestartDuty::Clear(next) = task.machine.restart(now_ms, lease.fence, from)? {
                budget.give_back(checkpoint_cost(task.checkpoint.as_ref()) + task.results.cost());
                task.machine = next;
                task.checkpoint = None;
                task.progress = Progress::default();
                task.results = Rows::default();
                task.step_digests = Vec::new();
            }
            Ok(task.machine.result_version)
        })
    }

    fn finish(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        lease: &Lease,
        outcome: &Outcome,
    ) -> Result<(), StoreError> {
        self.change(&lease.owner, lease.task, now_ms, |task| {
            match task.machine.finish(now_ms, lease.fence, outcome.state())? {
                FinishDuty::Write(next) => {
                    budget.take(outcome_cost(outcome))?;
                    task.machine = next;
                    task.outcome = Some(outcome.clone());
                    Ok(())
                }
                FinishDuty::Compare if task.outcome.as_ref() == Some(outcome) => Ok(()),
                FinishDuty::Compare => Err(StoreError::Conflict {
                    what: Record::Task,
                    expected: format!("{} as stored", outcome.state()),
                    found: format!("{} with other content", outcome.state()),
                }),
            }
        })
    }

    fn cancel(&mut self, now_ms: i64, owner: &Owner, id: TaskId) -> Result<TaskState, StoreError> {
        self.change(owner, id, now_ms, |task| {
            match task.machine.cancel(now_ms)? {
                CancelDuty::Cancel(next) => cancel(task, next),
                CancelDuty::Flag(next) => task.machine = next,
                CancelDuty::Done => {}
            }
            Ok(task.machine.state)
        })
    }
}

fn exhaust(task: &mut Task, next: TaskMachine) {
    let failure = Failure::attempts_exhausted(next.attempts, task.last_failure.as_ref());
    task.machine = next;
    task.outcome = Some(Outcome::Failed(failure));
}

fn cancel(task: &mut Task, next: TaskMachine) {
    task.machine = next;
    task.outcome = Some(Outcome::Cancelled(Failure::cancelled()));
}

impl TaskStore for MemoryStore {
    fn create_task<'a>(&'a self, new: &'a NewTask) -> BoxFuture<'a, Result<Created, StoreError>> {
        Box::pin(async move {
            self.with_room(|now_ms| self.write_tasks().create(&self.budget, now_ms, new))
        })
    }

    fn claim<'a>(
        &'a self,
        ask: &'a ClaimRequest,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>> {
        Box::pin(async move {
            Ok(self
                .write_tasks()
                .claim(&self.budget, self.clock.now_ms(), ask))
        })
    }

    fn heartbeat<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<LeaseStatus, StoreError>> {
        Box::pin(async move { self.write_tasks().heartbeat(self.clock.now_ms(), lease) })
    }

    fn commit_step<'a>(
        &'a self,
        lease: &'a Lease,
        step: &'a Step,
    ) -> BoxFuture<'a, Result<StepReceipt, StoreError>> {
        Box::pin(async move {
            // Hashed before the lock is taken.
            step.result.verify()?;
            let digest = step.digest();
            self.with_room(|now_ms| {
                self.write_tasks()
                    .commit(&self.budget, now_ms, lease, step, digest)
            })
        })
    }

    fn release<'a>(
        &'a self,
        lease: &'a Lease,
        release: &'a Release,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>> {
        Box::pin(async move {
            self.write_tasks()
                .release(self.clock.now_ms(), lease, release)
        })
    }

    fn restart<'a>(
        &'a self,
        lease: &'a Lease,
        from: ResultVersion,
    ) -> BoxFuture<'a, Result<ResultVersion, StoreError>> {
        Box::pin(async move {
            self.write_tasks()
                .restart(&self.budget, self.clock.now_ms(), lease, from)
        })
    }

    fn finish<'a>(
        &'a self,
        lease: &'a Lease,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.with_room(|now_ms| {
                self.write_tasks()
                    .finish(&self.budget, now_ms, lease, outcome)
            })
        })
    }

    fn cancel<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>> {
        Box::pin(async move { self.write_tasks().cancel(self.clock.now_ms(), owner, task) })
    }

    fn task<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskInfo, StoreError>> {
        Box::pin(async move {
            let tasks = self.read_tasks();
            Ok(tasks.shelf.get(owner, task, self.clock.now_ms())?.info())
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
            let tasks = self.read_tasks();
            tasks
                .shelf
                .get(owner, task, self.clock.now_ms())?
                .results(version)?
                .get(ordinal)
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
            let tasks = self.read_tasks();
            tasks
                .shelf
                .get(owner, task, self.clock.now_ms())?
                .results(version)?
                .at_row(row)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::name::WorkerId;
    use crate::segment::Segment;

    /// A ticket too many would be found and dropped by a claim, but held until then.
    #[test]
    fn the_queue_holds_one_ticket_a_live_task() {
        let (budget, owner) = (Budget::new(1 << 20), Owner::new("alice").unwrap());
        let kind = TaskKind::new("work").unwrap();
        let mut tasks = Tasks::new(0);
        let hour = Duration::from_secs(3_600);
        for number in 0..4 {
            let key = IdempotencyKey::new(&format!("k{number}")).unwrap();
            let id = TaskId::from_u64(number).unwrap();
            let new = NewTask::new(owner.clone(), id, key, kind.clone(), "x", hour).unwrap();
            tasks.create(&budget, 0, &new).unwrap();
        }
        let lease = Duration::from_millis(100);
        let ask = ClaimRequest::new(WorkerId::new("w").unwrap(), [kind], lease).unwrap();
        let given = tasks.claim(&budget, 0, &ask.at_most(3).unwrap());
        let [a, b, c] = [0, 1, 2].map(|at| given[at].lease.clone());
        assert_eq!(tasks.queue.len(), 4);
        for now_ms in 1..20 {
            tasks.heartbeat(now_ms, &a).unwrap();
            let result = Segment::new(u32::try_from(now_ms).unwrap() - 1, 1, "r").unwrap();
            let step = Step::new(result, "c", Progress::default()).unwrap();
            tasks
                .commit(&budget, now_ms, &b, &step, step.digest())
                .unwrap();
        }
        tasks.release(20, &c, &Release::stop()).unwrap();
        assert_eq!(tasks.queue.len(), 4);
        tasks
            .finish(&budget, 21, &a, &Outcome::succeeded("done").unwrap())
            .unwrap();
        assert_eq!(tasks.queue.len(), 3);
        tasks.cancel(22, &owner, c.task).unwrap();
        assert_eq!(tasks.queue.len(), 2);
        tasks.sweep(&budget, 3_600_000, &mut Swept::default());
        assert_eq!(tasks.queue.len(), 0);
    }
}
