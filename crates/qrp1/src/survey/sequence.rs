//! Lines through the values of a column: a start and a step, found in one pass.

use super::cost::Cost;

/// How many lines a column keeps.
const SLOTS: usize = 4;

/// A line that may go through most values of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The value at ordinal 0.
    pub(super) start: i128,
    /// What a row has more than the row above: not 0, and its size fits an i64.
    pub(super) step: i64,
    /// Rows that surely lie on it.
    pub(super) rows: u64,
    /// What the cells of those rows cost.
    pub(super) cells: Cost,
    votes: u64,
}

impl Line {
    fn at(&self, ordinal: u64) -> Option<i128> {
        i128::from(self.step)
            .checked_mul(ordinal.into())?
            .checked_add(self.start)
    }
}

/// The lines of a column. A value that lies on none of them proposes the one through it and
/// the value before; votes decide which lines stay, as they do for constants.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequences {
    lines: Vec<Line>,
    last: Option<(u64, i128, Cost)>,
}

impl Sequences {
    /// Takes the value of the row at an ordinal, and what its cell costs.
    pub(super) fn take(&mut self, ordinal: u64, value: i128, cell: Cost) {
        let mut on_a_line = false;
        for line in &mut self.lines {
            if line.at(ordinal) == Some(value) {
                line.votes += 1;
                line.rows += 1;
                line.cells.add(cell);
                on_a_line = true;
            }
        }
        let last = self.last.replace((ordinal, value, cell));
        if on_a_line {
            return;
        }
        let Some(line) = last.and_then(|last| through(last, (ordinal, value, cell))) else {
            return;
        };
        if self.lines.len() < SLOTS {
            self.lines.push(line);
        } else if let Some(old) = self.lines.iter_mut().find(|line| line.votes == 0) {
            *old = line;
        } else {
            self.lines.iter_mut().for_each(|line| line.votes -= 1);
        }
    }

    pub(super) fn candidates(&self) -> &[Line] {
        &self.lines
    }
}

/// The line through two values, if there is one that can be written.
fn through(
    (above, from, cell_above): (u64, i128, Cost),
    (ordinal, to, cell): (u64, i128, Cost),
) -> Option<Line> {
    let rows = i128::from(ordinal - above);
    let far = to.checked_sub(from)?;
    if far == 0 || far % rows != 0 {
        return None;
    }
    let step = i64::try_from(far / rows).ok()?;
    if step == i64::MIN {
        return None;
    }
    let start = to.checked_sub(i128::from(step).checked_mul(ordinal.into())?)?;
    Some(Line {
        start,
        step,
        rows: 2,
        cells: cell_above.and(cell),
        votes: 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(values: impl IntoIterator<Item = i128>) -> (i128, i64, u64) {
        let mut sequences = Sequences::default();
        for (value, ordinal) in values.into_iter().zip(0..) {
            sequences.take(ordinal, value, Cost::of("1"));
        }
        let lines = sequences.candidates().iter();
        let line = lines.max_by_key(|line| line.rows).unwrap();
        assert_eq!(line.cells, Cost::of("1").times(line.rows));
        (line.start, line.step, line.rows)
    }

    #[test]
    fn a_line_is_found_with_exceptions_on_it_and_after_noise() {
        assert_eq!(best(1..=100), (1, 1, 100));
        let seventh = |n: i128| if n % 7 == 3 { -n } else { 5 - 2 * n };
        assert_eq!(best((0..700).map(seventh)), (5, -2, 600));
        let late = |n: i128| if n < 50 { n * n * 31 % 977 } else { n + 1_000 };
        assert_eq!(best((0..500).map(late)), (1_000, 1, 450));
    }

    #[test]
    fn what_cannot_be_written_is_not_proposed() {
        let mut sequences = Sequences::default();
        for (ordinal, value) in [(0, i128::MIN), (1, i128::MAX), (2, 0), (3, 0)] {
            sequences.take(ordinal, value, Cost::ZERO);
        }
        sequences.take(4, i128::from(i64::MIN), Cost::ZERO);
        assert!(sequences.candidates().is_empty());
    }
}
