//! Bytes of any content as states of each kernel and of a plan's run.
//!
//! The promise: nothing panics; a state that restores is saved as the same bytes, and
//! goes on: with finite results, and alike before and after another save.
//!
//! A checksum is hard to guess, so the bytes are tried a second time with the checksums
//! and the plan's hash put right, to come to the fields behind them.

use toolgate_kernels::{Columns, Cross, Ema, Kernel, Numbers, Output, Plan, Run, Sma};

const PLAN: &str = r#"{"inputs":["close"],"nodes":[
    {"id":"a","kernel":"sma","input":"close","period":3},
    {"id":"b","kernel":"ema","input":"a","period":4,"seed":"sma"},
    {"id":"c","kernel":"ema","input":"close","period":5,"seed":"adjusted"},
    {"id":"x","kernel":"cross","fast":"b","slow":"c"}],"outputs":["x","a","b","c"]}"#;

/// States count up to 2^62 bars, so from just below there a run cannot go on for long.
const MOST_BARS: u64 = 1 << 61;

/// Checks one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn check(data: &[u8]) {
    average::<Sma>(data);
    average::<Ema>(data);
    cross(data);
    let plan = Plan::from_json(PLAN).unwrap();
    run(&plan, data);

    let summed = summed(data);
    average::<Sma>(&summed);
    average::<Ema>(&summed);
    cross(&summed);
    run(&plan, &put_right(&plan, data));
}

fn average<K>(state: &[u8])
where
    K: for<'a> Kernel<Slice<'a> = &'a [f64], Input = f64, Output = f64, Column = Numbers>,
{
    let Ok(mut kernel) = K::restore(state) else {
        return;
    };
    assert_eq!(kernel.snapshot(), state);
    if kernel.bars() > MOST_BARS {
        return;
    }
    let xs = [1.5, -0.0, 1e300, -f64::MAX, 5e-324, f64::MAX, 100.25];
    let mut out = Numbers::default();
    kernel.push_slice(&xs, &mut out).unwrap();
    let mut again = K::restore(state).unwrap();
    for (x, found) in xs.iter().zip(out.iter()) {
        assert_eq!(
            again.peek(*x).unwrap().map(f64::to_bits),
            found.map(f64::to_bits)
        );
        assert_eq!(
            again.push(*x).unwrap().map(f64::to_bits),
            found.map(f64::to_bits)
        );
        assert!(found.is_none_or(f64::is_finite));
        again = K::restore(&again.snapshot()).unwrap();
    }
    assert_eq!(again.snapshot(), kernel.snapshot());
}

fn cross(state: &[u8]) {
    let Ok(mut kernel) = Cross::restore(state) else {
        return;
    };
    assert_eq!(kernel.snapshot(), state);
    let before = kernel.bars();
    kernel.push((1.0, 2.0)).unwrap();
    assert!(kernel.push((2.0, 1.0)).unwrap().is_some());
    assert_eq!(kernel.bars(), before + 2);
}

fn run(plan: &Plan, state: &[u8]) {
    let Ok(mut run) = plan.restore(state) else {
        return;
    };
    assert_eq!(run.save(), state);
    let Some(start) = run.last_time_ms().unwrap_or(0).checked_add(10) else {
        return;
    };
    if start > i64::MAX - 10 || run.bars() > MOST_BARS {
        return;
    }
    let times: Vec<i64> = (start..start + 7).collect();
    let close = [3.0, -1.0, 1e308, 0.25, 0.5, -1e308, 7.0];
    let chunk = |rows: std::ops::Range<usize>, run: &mut Run| {
        let columns = [("close", &close[rows.clone()])];
        run.push(&Columns {
            time_ms: &times[rows],
            columns: &columns,
        })
        .unwrap()
    };
    let mut other = plan.restore(state).unwrap();
    let out = chunk(0..7, &mut run);
    for (_, output) in out.iter() {
        if let Output::Numbers(numbers) = output {
            assert!(numbers.iter().flatten().all(f64::is_finite));
        }
    }
    chunk(0..3, &mut other);
    let mut other = plan.restore(&other.save()).unwrap();
    chunk(3..7, &mut other);
    assert_eq!(run.save(), other.save());
    assert_eq!(run.summary(), other.summary());
}

/// The bytes with the checksum that fits them in place of the last four.
fn summed(state: &[u8]) -> Vec<u8> {
    let mut state = state.to_vec();
    sum(&mut state);
    state
}

fn sum(state: &mut [u8]) {
    if let Some((body, last)) = state.split_last_chunk_mut::<4>() {
        *last = crc32fast::hash(body).to_le_bytes();
    }
}

/// The bytes with the plan's hash, and right checksums for each kernel and the whole.
fn put_right(plan: &Plan, state: &[u8]) -> Vec<u8> {
    let mut state = state.to_vec();
    if state.len() < 62 {
        return state;
    }
    state[6..38].copy_from_slice(&plan.hash());
    let mut at = 62;
    for _ in 0..4 {
        let Some(length) = state[at..]
            .first_chunk::<4>()
            .map(|bytes| u32::from_le_bytes(*bytes))
        else {
            break;
        };
        let end = (at + 4).saturating_add(length as usize);
        let Some(kernel) = state.get_mut(at + 4..end) else {
            break;
        };
        sum(kernel);
        at = end;
    }
    sum(&mut state);
    state
}
