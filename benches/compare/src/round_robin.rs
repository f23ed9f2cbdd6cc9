//! Timing of contenders in turns, so that what else the machine does strikes all of them alike.

use std::time::{Duration, Instant};

use crate::Error;

/// One contender: a piece of work, and how often it is done in one measurement.
struct Entry<'a> {
    work: Box<dyn FnMut() -> Result<(), Error> + 'a>,
    calls: u32,
    samples: Vec<f64>,
}

/// Contenders that are timed in turns.
#[derive(Default)]
pub struct RoundRobin<'a> {
    entries: Vec<Entry<'a>>,
}

/// What was measured of one contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The middle one of its measurements, in nanoseconds a call.
    pub median_ns: f64,
    /// The shortest of its measurements, in nanoseconds a call.
    pub best_ns: f64,
    /// The middle one of its ratios to the first contender in the same round: how many times as
    /// long it takes.
    pub ratio: f64,
}

impl std::fmt::Debug for RoundRobin<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoundRobin")
            .field("contenders", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl<'a> RoundRobin<'a> {
    /// The shortest time that one measurement takes, by repeating short work.
    pub const MIN_SAMPLE: Duration = Duration::from_millis(2);

    /// Adds a contender, after one call to see how long it takes.
    ///
    /// # Errors
    ///
    /// What the work says.
    pub fn add(&mut self, mut work: impl FnMut() -> Result<(), Error> + 'a) -> Result<(), Error> {
        work()?;
        let start = Instant::now();
        work()?;
        let once = start.elapsed().max(Duration::from_nanos(1));
        let calls = Self::MIN_SAMPLE.as_nanos().div_ceil(once.as_nanos());
        self.entries.push(Entry {
            work: Box::new(work),
            calls: u32::try_from(calls)?.max(1),
            samples: Vec::new(),
        });
        Ok(())
    }

    /// Measures each contender once a round, in an order that moves on by one from round to
    /// round. Before each measurement the work is done once untimed, since the contender before
    /// it left the caches to itself. Returns the timings in the order of [`add`](Self::add).
    ///
    /// ```
    /// use std::{thread::sleep, time::Duration};
    /// use toolgate_compare::round_robin::RoundRobin;
    ///
    /// let mut race = RoundRobin::default();
    /// for ms in [2, 10] {
    ///     race.add(move || Ok(sleep(Duration::from_millis(ms))))?;
    /// }
    /// let timings = race.run(3)?;
    /// assert_eq!(timings[0].ratio, 1.0);
    /// assert!(timings[1].best_ns >= 10e6);
    /// # Ok::<(), toolgate_compare::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the work says, or that there is no round.
    pub fn run(mut self, rounds: usize) -> Result<Vec<Timing>, Error> {
        let count = self.entries.len();
        for round in 0..rounds {
            for turn in 0..count {
                let Some(entry) = self.entries.get_mut((round + turn) % count) else {
                    continue;
                };
                (entry.work)()?;
                let start = Instant::now();
                for _ in 0..entry.calls {
                    (entry.work)()?;
                }
                let ns = start.elapsed().as_nanos() as f64;
                entry.samples.push(ns / f64::from(entry.calls));
            }
        }
        let first = self
            .entries
            .first()
            .map(|entry| entry.samples.clone())
            .unwrap_or_default();
        self.entries
            .into_iter()
            .map(|entry| {
                let ratios = entry.samples.iter().zip(&first).map(|(own, of)| own / of);
                let best = entry.samples.iter().copied().min_by(f64::total_cmp);
                Ok(Timing {
                    ratio: median(ratios.collect())?,
                    best_ns: best.ok_or("no round")?,
                    median_ns: median(entry.samples)?,
                })
            })
            .collect()
    }
}

/// The middle one; the higher of the two in the middle if the number is even.
fn median(mut samples: Vec<f64>) -> Result<f64, Error> {
    samples.sort_by(f64::total_cmp);
    let middle = samples.get(samples.len() / 2).copied();
    Ok(middle.ok_or("no round")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).unwrap(), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]).unwrap(), 3.0);
        assert!(median(Vec::new()).is_err());
    }

    #[test]
    fn everyone_is_measured_once_a_round_with_one_untimed_call() {
        let calls = std::cell::Cell::new(0u32);
        let mut race = RoundRobin::default();
        race.add(|| {
            calls.set(calls.get() + 1);
            std::thread::sleep(RoundRobin::MIN_SAMPLE);
            Ok(())
        })
        .unwrap();
        assert_eq!(race.run(5).unwrap().len(), 1);
        assert_eq!(calls.get(), 2 + 5 * 2);
    }

    #[test]
    fn a_failure_ends_the_race() {
        let mut race = RoundRobin::default();
        let mut left = 3;
        race.add(move || {
            left -= 1;
            if left == 0 {
                Err("stop".into())
            } else {
                Ok(())
            }
        })
        .unwrap();
        assert_eq!(race.run(1).unwrap_err().to_string(), "stop");
    }
}
