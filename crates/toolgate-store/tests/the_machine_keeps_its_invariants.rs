//! Whatever is done to a task in whatever order: fences only grow, ends are
//! final, steps are contiguous, attempts stay within their limit, and only the
//! holder of the current lease moves a task.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use proptest::prelude::*;
use toolgate_store::{
    CancelDuty, ClaimDuty, CommitDuty, Failure, Fence, FinishDuty, Release, ReleaseDuty,
    RestartDuty, ResultVersion, StoreError, TaskMachine, TaskState,
};

#[derive(Debug, Clone)]
enum Op {
    Pass(i64),
    Claim(i64),
    Heartbeat(u64),
    Commit(u64, i32),
    Release(u64, Option<u64>),
    Restart(u64, i32),
    Finish(u64, TaskState),
    Cancel,
}

/// A lease is named by how many fences it lies behind the current one.
fn behind() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0_u64), 1 => 1..4_u64, 1 => Just(u64::MAX)]
}

fn op() -> impl Strategy<Value = Op> {
    let ended = prop_oneof![
        Just(TaskState::Succeeded),
        Just(TaskState::Failed),
        Just(TaskState::OutcomeUnknown),
        Just(TaskState::Cancelled),
    ];
    prop_oneof![
        6 => (0..150_i64).prop_map(Op::Pass),
        6 => (1..200_i64).prop_map(Op::Claim),
        3 => behind().prop_map(Op::Heartbeat),
        8 => (behind(), -2..2_i32).prop_map(|(fence, by)| Op::Commit(fence, by)),
        3 => (behind(), prop::option::of(0..300_u64)).prop_map(|(fence, by)| Op::Release(fence, by)),
        1 => (behind(), -1..2_i32).prop_map(|(fence, by)| Op::Restart(fence, by)),
        1 => (behind(), ended).prop_map(|(fence, state)| Op::Finish(fence, state)),
        1 => Just(Op::Cancel),
    ]
}

/// What one operation gave: the state to store, or nothing.
fn apply(task: TaskMachine, now_ms: i64, op: &Op) -> Result<Option<TaskMachine>, StoreError> {
    // `u64::MAX` behind stands for a fence that was never given.
    let fence = |behind: u64| match behind {
        u64::MAX => task.fence.next(),
        behind => Fence(task.fence.0.saturating_sub(behind)),
    };
    Ok(match *op {
        Op::Pass(_) => None,
        Op::Claim(lease_ms) => match task.claim(now_ms, lease_ms) {
            ClaimDuty::Run(next) | ClaimDuty::Exhaust(next) | ClaimDuty::Cancel(next) => Some(next),
            ClaimDuty::Wait(_) | ClaimDuty::Drop => None,
        },
        Op::Heartbeat(behind) => Some(task.heartbeat(now_ms, fence(behind))?),
        Op::Commit(behind, by) => {
            let ordinal = task.next_step.saturating_add_signed(by);
            match task.commit(now_ms, fence(behind), ordinal)? {
                CommitDuty::Write(next) => {
                    assert_eq!(ordinal, task.next_step, "a step out of order was accepted");
                    Some(next)
                }
                CommitDuty::Compare => {
                    assert!(ordinal < task.next_step);
                    None
                }
            }
        }
        Op::Release(behind, delay) => {
            let failure = Failure::new("again", "try again").unwrap();
            let release = delay.map_or_else(Release::stop, |delay| {
                Release::retry(Duration::from_millis(delay), failure).unwrap()
            });
            match task.release(now_ms, fence(behind), &release)? {
                ReleaseDuty::Requeue(next)
                | ReleaseDuty::Exhaust(next)
                | ReleaseDuty::Cancel(next) => Some(next),
                ReleaseDuty::Done => None,
            }
        }
        Op::Restart(behind, by) => {
            let from = ResultVersion(task.result_version.0.saturating_add_signed(by));
            match task.restart(now_ms, fence(behind), from)? {
                RestartDuty::Clear(next) => Some(next),
                RestartDuty::Done => None,
            }
        }
        Op::Finish(behind, state) => match task.finish(now_ms, fence(behind), state)? {
            FinishDuty::Write(next) => Some(next),
            FinishDuty::Compare => None,
        },
        Op::Cancel => match task.cancel(now_ms)? {
            CancelDuty::Cancel(next) | CancelDuty::Flag(next) => Some(next),
            CancelDuty::Done => None,
        },
    })
}

fn holds_a_lease(op: &Op) -> Option<u64> {
    match *op {
        Op::Heartbeat(behind)
        | Op::Commit(behind, _)
        | Op::Release(behind, _)
        | Op::Restart(behind, _)
        | Op::Finish(behind, _) => Some(behind),
        Op::Pass(_) | Op::Claim(_) | Op::Cancel => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..Default::default() })]

    #[test]
    fn random_operations_never_break_an_invariant(
        ops in prop::collection::vec(op(), 1..80),
        max_attempts in 1..5_u32,
        ttl_ms in prop_oneof![Just(1_000_000_i64), 1..3_000_i64],
    ) {
        let mut now_ms = 0;
        let mut task = TaskMachine::new(now_ms, ttl_ms, max_attempts).unwrap();
        for op in &ops {
            if let Op::Pass(by) = op {
                now_ms += by;
            }
            let applied = apply(task, now_ms, op);
            if now_ms >= ttl_ms {
                // After the end of its life nothing moves a task.
                let nothing = matches!(&applied, Ok(None) | Err(StoreError::Expired { .. }));
                prop_assert!(nothing, "{:?} gave {:?}", op, applied);
            }
            let Ok(Some(next)) = applied else { continue };
            prop_assert!(next.fence >= task.fence, "a fence fell");
            prop_assert!(next.fence.0 - task.fence.0 <= 1, "a fence jumped");
            prop_assert!(!task.state.is_terminal(), "{:?} moved an ended task", op);
            prop_assert!(next.attempts <= next.max_attempts);
            if matches!(op, Op::Commit(..)) {
                prop_assert_eq!(next.attempts, 1, "a step leaves only its own claim counted");
            }
            prop_assert!(next.result_version >= task.result_version);
            prop_assert!(next.cancel_requested >= task.cancel_requested, "a cancel was forgotten");
            prop_assert_eq!(next.updated_at_ms, now_ms);
            prop_assert_eq!(next.expires_at_ms, task.expires_at_ms);
            if next.result_version == task.result_version {
                prop_assert!(next.next_step == task.next_step || next.next_step == task.next_step + 1);
            } else {
                prop_assert_eq!(next.next_step, 0);
            }
            if let Some(behind) = holds_a_lease(op) {
                prop_assert_eq!(behind.min(task.fence.0), 0, "a stale lease moved the task");
                prop_assert_eq!(task.state, TaskState::Running, "a lease no one holds moved it");
            }
            if let Op::Claim(lease_ms) = op {
                prop_assert!(task.ready_at_ms <= now_ms, "a held task was given");
                prop_assert_eq!(next.fence, task.fence.next());
                if next.state == TaskState::Running {
                    prop_assert_eq!(next.ready_at_ms, now_ms + lease_ms);
                    prop_assert_eq!(next.attempts, task.attempts + 1);
                    prop_assert!(!next.cancel_requested);
                }
            }
            task = next;
        }
    }

    /// Each write sent again straight away leaves the task as it is.
    #[test]
    fn a_write_sent_again_changes_nothing(ops in prop::collection::vec(op(), 1..40)) {
        let mut now_ms = 0;
        let mut task = TaskMachine::new(now_ms, 1_000_000, 3).unwrap();
        for op in &ops {
            if let Op::Pass(by) = op {
                now_ms += by;
            }
            let Ok(Some(next)) = apply(task, now_ms, op) else { continue };
            let held = task.fence;
            match *op {
                Op::Heartbeat(_) => prop_assert_eq!(next.heartbeat(now_ms, held), Ok(next)),
                Op::Commit(..) => {
                    let again = next.commit(now_ms, held, task.next_step);
                    prop_assert_eq!(again, Ok(CommitDuty::Compare));
                }
                Op::Release(..) => {
                    let again = next.release(now_ms, held, &Release::stop());
                    prop_assert_eq!(again, Ok(ReleaseDuty::Done));
                }
                Op::Restart(..) => {
                    let again = next.restart(now_ms, held, task.result_version);
                    prop_assert_eq!(again, Ok(RestartDuty::Done));
                }
                Op::Finish(_, state) => {
                    prop_assert_eq!(next.finish(now_ms, held, state), Ok(FinishDuty::Compare));
                }
                Op::Cancel => prop_assert_eq!(next.cancel(now_ms), Ok(CancelDuty::Done)),
                Op::Claim(_) | Op::Pass(_) => {}
            }
            task = next;
        }
    }
}
