//! The times of a series, and which short form says them in the fewest tokens.

use super::cost::Cost;
use crate::column::ColumnType;
use crate::step;
use crate::time::{DAY_MS, HOUR_MS, MINUTE_MS, month_start};

/// How many steps are kept count of.
const SLOTS: usize = 4;

/// What is known of the values of a column that may be the time of a series.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    last_ms: Option<i64>,
    disordered: bool,
    /// Hours, days and months as rows come: the anchors each form would need.
    hours: u64,
    days: u64,
    months: u64,
    /// Rows that a minute, an hour, a day of their own cannot say.
    off_minute: bool,
    off_hour: bool,
    off_day: bool,
    /// The times in full, and as times of day.
    full: Cost,
    clocks: Cost,
    rows: u64,
    steps: Vec<Pace>,
}

/// A step that may lie between most rows.
#[derive(Clone, Copy, Debug)]
struct Pace {
    step_ms: i64,
    votes: u64,
    /// What the anchors would cost that rows surely need not have.
    spared: Cost,
}

impl Times {
    /// Takes the time of the next row, and what it costs in full.
    pub(super) fn take(&mut self, time_ms: i64, full: Cost) {
        let last_ms = self.last_ms.replace(time_ms);
        self.rows += 1;
        if self.disordered || last_ms.is_some_and(|last_ms| time_ms < last_ms) {
            // Such rows are a table's, whatever comes.
            self.disordered = true;
            return;
        }
        let moves = |unit_ms: i64| {
            last_ms.is_none_or(|last_ms| last_ms.div_euclid(unit_ms) != time_ms.div_euclid(unit_ms))
        };
        self.hours += u64::from(moves(HOUR_MS));
        if moves(DAY_MS) {
            self.days += 1;
            self.months += u64::from(last_ms.and_then(month_start) != month_start(time_ms));
        }
        self.off_minute |= time_ms.rem_euclid(MINUTE_MS) != 0;
        self.off_hour |= time_ms.rem_euclid(HOUR_MS) != 0;
        self.off_day |= time_ms.rem_euclid(DAY_MS) != 0;
        self.full.add(full);
        self.clocks.add(if time_ms.rem_euclid(MINUTE_MS) == 0 {
            Cost::of("00:00")
        } else if time_ms.rem_euclid(1_000) == 0 {
            Cost::of("00:00:00")
        } else {
            Cost::of("00:00:00.000")
        });
        if let Some(last_ms) = last_ms {
            self.pace(last_ms, time_ms, full);
        }
    }

    /// Counts the step between two rows, by the algorithm of Misra and Gries.
    fn pace(&mut self, last_ms: i64, time_ms: i64, full: Cost) {
        let step_ms = time_ms - last_ms;
        if step_ms == 0 {
            return;
        }
        let fresh = Pace {
            step_ms,
            votes: 0,
            spared: Cost::ZERO,
        };
        let steps = &mut self.steps;
        let known = steps.iter().position(|pace| pace.step_ms == step_ms);
        let at = match known.or_else(|| steps.iter().position(|pace| pace.votes == 0)) {
            Some(at) => at,
            None if steps.len() < SLOTS => {
                steps.push(fresh);
                steps.len() - 1
            }
            None => {
                steps.iter_mut().for_each(|pace| pace.votes -= 1);
                return;
            }
        };
        let pace = &mut steps[at];
        if known.is_none() {
            *pace = fresh;
        }
        pace.votes += 1;
        if !step::needs_anchor(step_ms, Some(last_ms), time_ms) {
            pace.spared.add(full.and(Cost::ANCHOR));
        }
    }

    /// Whether no time was earlier than the one before.
    pub(super) fn ordered(&self) -> bool {
        !self.disordered
    }

    /// The form with cells that costs the fewest tokens, of those that can say every time:
    /// times in full, unless a short form saves a quarter of their tokens, since its anchors
    /// are lines to keep in mind, and has no more bytes. The cost is that of all cells and anchors, and
    /// of what the header has more than for times in full.
    pub(super) fn short(&self, pages: u64) -> (ColumnType, Cost) {
        let two = Cost::of("00").times(self.rows);
        let (day, hour, month) = ("2026-09-08", "2026-09-08T01Z", "2026-09");
        let forms = [
            (ColumnType::Clock, true, self.clocks, self.days, day),
            (ColumnType::Hour, !self.off_hour, two, self.days, day),
            (ColumnType::Minute, !self.off_minute, two, self.hours, hour),
            (ColumnType::Day, !self.off_day, two, self.months, month),
        ];
        // The type has a letter more.
        let header = self.lines().and(Cost::LETTER);
        let mut best = (ColumnType::Time, self.full);
        let enough = self.full.quarters / 4 * 3;
        for (kind, can, cells, anchors, anchor) in forms {
            // Every page begins with an anchor.
            let anchors = anchors.saturating_add(pages - 1);
            let anchor = Cost::of(anchor).and(Cost::ANCHOR);
            let cost = cells.and(anchor.times(anchors)).and(header.times(pages));
            let cheaper = cost.quarters < best.1.quarters && cost.quarters <= enough;
            if can && cheaper && cost.bytes <= self.full.bytes {
                best = (kind, cost);
            }
        }
        best
    }

    /// The step that needs the fewest anchors, and the cost of its anchors and header text.
    pub(super) fn stepped(&self, pages: u64) -> Option<(i64, Cost)> {
        let pace = self.steps.iter().max_by_key(|pace| pace.spared.quarters)?;
        let all = self.full.and(Cost::ANCHOR.times(self.rows));
        let mut word = String::from("=+");
        step::push_duration(&mut word, pace.step_ms);
        let header = self.lines().and(Cost::of(&word)).times(pages);
        let starts = Cost::of("2026-09-08T01:30:05Z").and(Cost::ANCHOR);
        let starts = starts.times(pages - 1);
        Some((
            pace.step_ms,
            all.without(pace.spared).and(header).and(starts),
        ))
    }

    /// What a header with anchors has more: the count of lines.
    fn lines(&self) -> Cost {
        let most = self.rows.saturating_mul(2);
        Cost::of("lines=").and(Cost::of(itoa::Buffer::new().format(most)))
    }
}
