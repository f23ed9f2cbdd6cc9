//! The bytes of a run.
//!
//! | bytes | field |
//! |---|---|
//! | 0..4 | magic `TGPS` |
//! | 4..6 | format version, u16 |
//! | 6..38 | SHA-256 of the plan |
//! | 38..46 | bars taken, u64 |
//! | 46..62 | the times of the first and the last bar, i64; 0 before there is one |
//! | then | for each step: the length, u32, and the state of its kernel |
//! | then | for each output: its summary |
//! | last 4 | CRC-32 of all bytes before it |
//!
//! All numbers are little-endian. Parameters are not repeated: the hash stands for them.

use super::{Run, StepKernel};
use crate::plan::{Body, Work};
use crate::state::{self, MAX_BARS, corrupt};
use crate::summary::{Span, Tally};
use crate::{Cross, Ema, Error, Kernel, Plan, Sma};

const MAGIC: [u8; 4] = *b"TGPS";
const FORMAT: u16 = 1;
const HEADER_BYTES: u64 = 62;

pub(super) fn max_bytes(body: &Body) -> u64 {
    let kernels = body.steps.iter().map(|step| {
        4 + match step.work {
            Work::Sma { period } => Sma::state_bytes(period),
            Work::Ema { .. } => Ema::state_bytes(),
            Work::Cross => Cross::state_bytes(),
        }
    });
    let tallies = body
        .outputs
        .iter()
        .map(|at| Tally::new(body.steps[*at].work.gives_numbers()).bytes());
    HEADER_BYTES + kernels.chain(tallies).sum::<u64>() + 4
}

pub(super) fn write(run: &Run) -> Vec<u8> {
    let body = run.plan.body();
    // The most that it can be, unless windows are long and may not be full.
    let bytes = usize::try_from(max_bytes(body)).unwrap_or(usize::MAX);
    let mut out = Vec::with_capacity(bytes.min(16 * 1024));
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&body.hash);
    out.extend_from_slice(&run.bars.to_le_bytes());
    let (first, last) = run.times_ms.unwrap_or((0, 0));
    out.extend_from_slice(&first.to_le_bytes());
    out.extend_from_slice(&last.to_le_bytes());
    for kernel in &run.kernels {
        let at = out.len();
        out.extend_from_slice(&[0; 4]);
        match kernel {
            StepKernel::Sma(sma) => sma.snapshot_into(&mut out),
            StepKernel::Ema(ema) => ema.snapshot_into(&mut out),
            StepKernel::Cross(cross) => cross.snapshot_into(&mut out),
        }
        // A plan's states have 64 MiB at most.
        let bytes = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
        out[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
    }
    for tally in &run.tallies {
        tally.write(&mut out);
    }
    state::seal(&mut out, 0);
    out
}

pub(super) fn read(plan: Plan, bytes: &[u8]) -> Result<Run, Error> {
    let mut reader = state::open(bytes, MAGIC, "a plan state (`TGPS`)", FORMAT)?;
    let hash: [u8; 32] = reader.array()?;
    if hash != plan.hash() {
        let short = |hash: [u8; 32]| {
            hash.iter()
                .take(8)
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        return Err(Error::StatePlan {
            found: short(hash),
            expected: short(plan.hash()),
        });
    }
    let at = reader.at();
    let bars = reader.u64()?;
    if bars > MAX_BARS {
        return Err(corrupt(
            at,
            "a bar count over 2^62",
            "the number of bars taken",
        ));
    }
    let at = reader.at();
    let (first, last) = (reader.i64()?, reader.i64()?);
    let apart = i128::from(last) - i128::from(first);
    if if bars == 0 {
        (first, last) != (0, 0)
    } else {
        apart < i128::from(bars - 1)
    } {
        return Err(corrupt(
            at,
            "impossible times",
            "rising times, and 0 before the first bar",
        ));
    }
    let times_ms = (bars > 0).then_some((first, last));

    let mut run = Run::start(plan);
    let body = run.plan.body();
    for (kernel, step) in run.kernels.iter_mut().zip(&body.steps) {
        let length = reader.u32()?;
        let at = reader.at();
        let bytes = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        let same = match kernel {
            StepKernel::Sma(sma) => {
                let fresh = std::mem::replace(sma, Sma::restore(bytes)?);
                fresh.period() == sma.period()
            }
            StepKernel::Ema(ema) => {
                let fresh = std::mem::replace(ema, Ema::restore(bytes)?);
                (fresh.period(), fresh.seed()) == (ema.period(), ema.seed())
            }
            StepKernel::Cross(cross) => {
                *cross = Cross::restore(bytes)?;
                true
            }
        };
        if !same || kernel.bars() != bars.saturating_sub(step.input_warm_up) {
            return Err(corrupt(
                at,
                "the state of another node",
                "the state of the plan's node",
            ));
        }
    }
    for (tally, at) in run.tallies.iter_mut().zip(&body.outputs) {
        let step = &body.steps[*at];
        let span = Span {
            count: bars.saturating_sub(step.warm_up),
            bars,
            first_time_ms: first,
            last_time_ms: last,
        };
        *tally = Tally::read(
            &mut reader,
            step.work.gives_numbers(),
            &span,
            run.kernels[*at].last(),
        )?;
    }
    reader.end()?;
    run.bars = bars;
    run.times_ms = times_ms;
    Ok(run)
}
