//! The promises of the storage contract, as functions any back end can run.
//!
//! A back end supplies a [`Harness`] (a fresh store, and a way to let time pass)
//! and gets one test a promise from
//! [`conformance_tests!`](crate::conformance_tests), or runs them all with
//! [`run`]:
//!
//! ```
//! use toolgate_store::conformance::{MemoryHarness, block_on, run};
//!
//! let report = block_on(run(async || MemoryHarness::new()));
//! assert!(report.broken.is_empty(), "{report}");
//! ```
//!
//! Promises named `f01_` and so on answer faults that users of task queues
//! reported; the README lists them. New promises may come with any release, so
//! a back end that breaks one finds out when it updates.

mod cancels;
mod claims;
mod faults;
mod harness;
mod outcomes;
mod owners;
mod races;
mod scene;
mod snapshots;
mod steps;
mod tasks;
mod verdict;
mod views;

use std::fmt;

pub use harness::{Harness, MemoryHarness};
pub use pollster::block_on;
pub use verdict::{Broken, Verdict};

use crate::future::BoxFuture;

/// One promise of the contract.
///
/// ```
/// use toolgate_store::conformance::{MemoryHarness, PROMISES, Promise, block_on};
///
/// let Promise { topic, name, check } = PROMISES[0];
/// assert_eq!((topic, name), ("snapshots", "a_sealed_snapshot_reads_back_as_written"));
/// assert!(block_on(check(&MemoryHarness::new())).is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Promise {
    /// What it is about, such as `steps`.
    pub topic: &'static str,
    /// What is promised, in words, as a function name.
    pub name: &'static str,
    /// Checks it on a fresh store.
    pub check: for<'a> fn(&'a dyn Harness) -> BoxFuture<'a, Verdict>,
}

/// Declares the list of promises once: makes [`PROMISES`] and the macro that
/// turns each into a test.
macro_rules! promises {
    ($($topic:ident: $($name:ident),+ $(,)?;)+) => {
        /// Every promise.
        ///
        /// ```
        /// assert!(toolgate_store::conformance::PROMISES.len() > 50);
        /// ```
        pub const PROMISES: &[Promise] = &[$($(
            Promise {
                topic: stringify!($topic),
                name: stringify!($name),
                check: |harness| Box::pin($topic::$name(harness)),
            },
        )+)+];

        /// Makes one `#[test]` of each promise, for a back end's own tests.
        ///
        /// Takes an expression of an async function or closure that makes a fresh
        /// [`Harness`](crate::conformance::Harness), and optionally the path of a
        /// function that runs a future to its end, for back ends that need a
        /// runtime ([`block_on`](crate::conformance::block_on) unless given).
        ///
        /// ```
        /// mod my_back_end {
        ///     use toolgate_store::conformance::MemoryHarness;
        ///     toolgate_store::conformance_tests!(async || MemoryHarness::new());
        /// }
        /// # assert_eq!(toolgate_store::conformance::PROMISES[0].topic, "snapshots");
        /// ```
        #[macro_export]
        macro_rules! conformance_tests {
            ($factory:expr) => {
                $crate::conformance_tests!($factory, $crate::conformance::block_on);
            };
            ($factory:expr, $block_on:path) => {
                $($(
                    #[test]
                    fn $name() -> $crate::conformance::Verdict {
                        $block_on($crate::conformance::check(stringify!($name), $factory))
                    }
                )+)+
            };
        }
    };
}

promises! {
    snapshots:
        a_sealed_snapshot_reads_back_as_written,
        an_unsealed_snapshot_is_not_readable,
        creating_a_snapshot_twice_is_once,
        a_snapshot_id_in_use_is_refused,
        segments_are_contiguous_from_zero,
        a_segment_sent_again_changes_nothing,
        another_segment_at_an_ordinal_conflicts,
        a_damaged_segment_is_refused,
        a_batch_is_appended_whole_or_not_at_all,
        a_seal_must_match_what_is_stored,
        sealing_twice_is_once,
        a_sealed_snapshot_never_changes,
        every_row_is_found_by_its_position,
        an_empty_snapshot_can_be_sealed,
        a_snapshot_expires_for_readers_and_writers;
    owners:
        another_owners_snapshot_looks_absent,
        another_owners_task_looks_absent,
        another_owners_view_looks_absent,
        owners_may_use_the_same_ids,
        expiry_is_told_to_the_owner_only;
    tasks:
        a_created_task_can_be_read_and_claimed_at_once,
        the_same_key_and_request_make_one_task,
        the_same_key_with_another_request_conflicts,
        a_task_id_in_use_is_refused,
        a_task_expires_for_readers_and_workers;
    claims:
        a_claim_carries_all_a_worker_needs,
        a_claim_takes_only_its_kinds,
        a_claim_takes_the_longest_ready_first,
        a_claim_gives_no_more_than_asked,
        a_held_task_is_not_given_again,
        a_heartbeat_keeps_the_lease,
        a_commit_keeps_the_lease,
        a_lease_that_ran_out_but_was_not_taken_still_holds,
        a_release_keeps_the_steps_and_gives_the_attempt_back,
        nothing_is_written_after_a_release,
        a_retry_waits_and_uses_the_attempt_up,
        a_retry_of_the_last_attempt_fails_the_task,
        a_committed_step_gives_the_attempts_back;
    steps:
        a_step_is_written_whole,
        a_refused_step_changes_nothing,
        steps_are_contiguous_from_zero,
        a_step_sent_again_changes_nothing,
        another_step_at_an_ordinal_conflicts,
        the_next_worker_goes_on_from_the_last_checkpoint,
        every_result_row_is_found_by_its_position,
        results_can_be_read_while_the_task_runs,
        a_restart_begins_a_new_result_version,
        a_restart_sent_again_is_once;
    outcomes:
        every_outcome_is_told_as_given,
        an_end_is_final,
        finishing_twice_is_once,
        another_outcome_is_refused,
        an_unknown_outcome_is_never_tried_again;
    cancels:
        a_waiting_task_is_cancelled_at_once,
        a_running_task_learns_of_the_cancel,
        a_cancelled_task_is_not_rescued;
    views:
        a_view_reads_back_as_written,
        a_view_sent_again_changes_nothing,
        another_view_under_a_handle_conflicts,
        a_view_expires_for_readers_and_writers;
    faults:
        f01_a_rescue_never_overwrites_an_ended_task,
        f02_a_live_worker_is_never_doubled,
        f02_a_replaced_worker_can_write_nothing,
        f03_a_task_is_rescued_whoever_held_it,
        f04_a_poison_task_ends_after_its_attempts,
        f05_rescue_needs_no_start_up_pass,
        f06_only_the_clock_of_the_store_decides,
        f11_tasks_are_found_by_state_not_by_id,
        f12_every_write_can_be_sent_twice;
    races:
        a_call_dropped_before_it_runs_does_nothing,
        many_workers_claim_each_task_once,
        racing_creations_make_one_task,
        racing_appends_store_a_segment_once,
        racing_commits_store_a_step_once;
}

/// The promises a store does not keep.
#[derive(Debug, Clone)]
pub struct Report {
    /// How many were checked.
    pub checked: usize,
    /// Those that do not hold, and how.
    pub broken: Vec<(&'static str, Broken)>,
}

impl Report {
    /// Whether this promise was found broken.
    ///
    /// ```
    /// use toolgate_store::conformance::Report;
    ///
    /// let report = Report { checked: 1, broken: Vec::new() };
    /// assert!(!report.breaks("a_step_is_written_whole"));
    /// ```
    #[must_use]
    pub fn breaks(&self, name: &str) -> bool {
        self.broken.iter().any(|(broken, _)| *broken == name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} promises broken",
            self.broken.len(),
            self.checked
        )?;
        for (name, broken) in &self.broken {
            write!(f, "\n{name}: {broken}")?;
        }
        Ok(())
    }
}

/// Checks every promise, each on a harness of its own, and reports all that are broken.
pub async fn run<H: Harness>(factory: impl AsyncFn() -> H) -> Report {
    let mut report = Report {
        checked: 0,
        broken: Vec::new(),
    };
    for promise in PROMISES {
        let harness = factory().await;
        report.checked += 1;
        if let Err(broken) = (promise.check)(&harness).await {
            report.broken.push((promise.name, broken));
        }
    }
    report
}

/// Checks one promise by name.
///
/// # Errors
/// When the promise is broken, or there is none of this name.
///
/// ```
/// use toolgate_store::conformance::{MemoryHarness, block_on, check};
///
/// let verdict = block_on(check("a_step_is_written_whole", async || MemoryHarness::new()));
/// assert!(verdict.is_ok());
/// ```
pub async fn check<H: Harness>(name: &str, factory: impl AsyncFn() -> H) -> Verdict {
    let promise = PROMISES.iter().find(|promise| promise.name == name);
    let promise = promise.ok_or_else(|| Broken::new(format!("no promise is named {name}")))?;
    let harness = factory().await;
    (promise.check)(&harness).await
}
