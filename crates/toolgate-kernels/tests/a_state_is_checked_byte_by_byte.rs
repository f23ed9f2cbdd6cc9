//! Restoring takes what was saved and refuses everything else by name.
#![allow(clippy::unwrap_used, reason = "a test")]

use toolgate_kernels::{Columns, Cross, Ema, Error, Kernel, Plan, Run, Seed, Sma};

const STARTING_PLAN: &str = r#"{"inputs":["close"],"nodes":[{"id":"sma20","kernel":"sma","input":"close","period":20},{"id":"sma50","kernel":"sma","input":"close","period":50},{"id":"ema12","kernel":"ema","input":"close","period":12,"seed":"sma"},{"id":"x","kernel":"cross","fast":"sma20","slow":"sma50"}],"outputs":["sma20","sma50","ema12","x"]}"#;

fn close(bars: usize) -> Vec<f64> {
    (0..bars)
        .map(|bar| [100.0, 101.5, 99.25, 100.75, 103.0][bar % 5] + (bar / 30 % 2) as f64)
        .collect()
}

fn run_of(plan: &Plan, bars: usize) -> Run {
    let mut run = plan.start();
    let times: Vec<i64> = (0..).take(bars).map(|bar| bar * 60_000).collect();
    run.push(&Columns {
        time_ms: &times,
        columns: &[("close", &close(bars))],
    })
    .unwrap();
    run
}

/// Every cut, every lengthening, and every other byte at every place.
fn attack<T>(state: &[u8], restore: impl Fn(&[u8]) -> Result<T, Error>) {
    assert!(restore(state).is_ok());
    for end in 0..state.len() {
        let code = restore(&state[..end]).err().unwrap().code();
        assert!(
            ["state_magic", "state_corrupt"].contains(&code),
            "cut at {end}: {code}"
        );
    }
    let longer: Vec<u8> = state.iter().copied().chain([0]).collect();
    assert_eq!(restore(&longer).err().unwrap().code(), "state_corrupt");
    for at in 0..state.len() {
        for change in 1..=255 {
            let mut changed = state.to_vec();
            changed[at] ^= change;
            let code = restore(&changed).err().unwrap().code();
            assert!(code.starts_with("state_"), "byte {at} changed: {code}");
        }
    }
}

/// With a checksum that fits, so that the fields themselves have to be checked.
fn forged(state: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut forged = state[..state.len() - 4].to_vec();
    forged[at..at + bytes.len()].copy_from_slice(bytes);
    let sum = crc32fast::hash(&forged);
    forged.extend_from_slice(&sum.to_le_bytes());
    forged
}

#[test]
fn of_kernels() {
    let mut sma = Sma::new(3).unwrap();
    let mut ema = Ema::new(3, Seed::Adjusted).unwrap();
    let mut cross = Cross::new();
    attack(&sma.snapshot(), Sma::restore);
    for x in close(5) {
        sma.push(x).unwrap();
        ema.push(x).unwrap();
        cross.push((x, 100.0)).unwrap();
    }
    attack(&sma.snapshot(), Sma::restore);
    attack(&ema.snapshot(), Ema::restore);
    attack(&cross.snapshot(), Cross::restore);
}

#[test]
fn of_a_run() {
    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    let state = run_of(&plan, 8).save();
    // Few changes a byte: the state is long.
    for at in 0..state.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = state.clone();
            changed[at] ^= change;
            assert!(plan.restore(&changed).is_err(), "byte {at}");
        }
        assert!(plan.restore(&state[..at]).is_err(), "cut at {at}");
    }
    attack(
        &Plan::from_json(STARTING_PLAN).unwrap().start().save()[..],
        |bytes| plan.restore(bytes),
    );
}

#[test]
fn equal_states_have_equal_bytes_and_sizes_are_as_promised() {
    // The same last values in rings that wrapped at different places.
    let mut short = Sma::new(4).unwrap();
    let mut long = Sma::new(4).unwrap();
    for x in close(9) {
        short.push(x).unwrap();
    }
    for x in close(9) {
        long = Sma::restore(&long.snapshot()).unwrap();
        long.push(x).unwrap();
    }
    assert_eq!(short.snapshot(), long.snapshot());
    for period in [1, 2, 50, 1_000] {
        let mut sma = Sma::new(period).unwrap();
        for x in close(2_000) {
            sma.push(x).unwrap();
        }
        assert!(sma.snapshot().len() <= 8 * period as usize + 128);
    }
}

#[test]
fn a_kernel_refuses_the_state_of_another() {
    let error = Sma::restore(&Ema::new(3, Seed::First).unwrap().snapshot()).unwrap_err();
    assert_eq!(
        error,
        Error::StateKernel {
            found: "`ema`".to_owned(),
            expected: "sma"
        }
    );
    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    assert_eq!(
        Sma::restore(&plan.start().save()).unwrap_err().code(),
        "state_magic"
    );
    assert_eq!(
        plan.restore(&Cross::new().snapshot()).unwrap_err().code(),
        "state_magic"
    );
}

#[test]
fn a_plan_refuses_the_state_of_another() {
    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    let other = Plan::from_json(&STARTING_PLAN.replace("\"period\":20", "\"period\":21")).unwrap();
    let error = other.restore(&run_of(&plan, 60).save()).unwrap_err();
    assert_eq!(error.code(), "state_plan");
    let hex = |plan: &Plan| {
        plan.hash()[..8]
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<String>()
    };
    assert!(error.to_string().contains(&hex(&plan)) && error.to_string().contains(&hex(&other)));
}

#[test]
fn other_versions_are_named() {
    let state = Sma::new(3).unwrap().snapshot();
    assert_eq!(
        Sma::restore(&forged(&state, 4, &2_u16.to_le_bytes())).unwrap_err(),
        Error::StateVersion {
            what: "format",
            found: 2,
            expected: 1
        },
    );
    assert_eq!(
        Sma::restore(&forged(&state, 8, &9_u16.to_le_bytes())).unwrap_err(),
        Error::StateVersion {
            what: "kernel revision",
            found: 9,
            expected: 1
        },
    );
}

/// What a forger with the right checksum could try.
#[test]
fn impossible_fields_are_refused() {
    let mut sma = Sma::new(3).unwrap();
    for x in close(5) {
        sma.push(x).unwrap();
    }
    let state = sma.snapshot();
    let nan = f64::NAN.to_bits().to_le_bytes();
    let forgeries: &[(usize, &[u8])] = &[
        (6, &[77]),                             // a kernel
        (7, &[1]),                              // a policy
        (10, &[1]),                             // an option
        (11, &[1]),                             // a flag
        (12, &0_u32.to_le_bytes()),             // no period
        (12, &4_000_000_000_u32.to_le_bytes()), // a huge one
        (12, &4_u32.to_le_bytes()),             // another than the values
        (16, &2_u64.to_le_bytes()),             // fewer bars than values
        (16, &u64::MAX.to_le_bytes()),          // bars about to overflow
        (24, &nan),
        (32, &f64::INFINITY.to_bits().to_le_bytes()),
    ];
    for (at, bytes) in forgeries {
        let error = Sma::restore(&forged(&state, *at, bytes)).unwrap_err();
        assert!(
            ["state_corrupt", "state_kernel"].contains(&error.code()),
            "at {at}: {error}"
        );
    }

    let mut ema = Ema::new(3, Seed::Adjusted).unwrap();
    let empty = ema.snapshot();
    ema.push(1.5).unwrap();
    ema.push(2.5).unwrap();
    let state = ema.snapshot();
    let forgeries: &[(&[u8], usize, &[u8])] = &[
        (&state, 10, &[3]),
        (&state, 11, &[1]),
        (&state, 24, &nan),
        (&state, 32, &9.0_f64.to_bits().to_le_bytes()), // more than all weight
        (&state, 32, &1.0_f64.to_bits().to_le_bytes()), // that of one bar
        (&empty, 24, &1.0_f64.to_bits().to_le_bytes()), // a value from nowhere
        (&empty, 24, &(-0.0_f64).to_bits().to_le_bytes()),
    ];
    for (state, at, bytes) in forgeries {
        let error = Ema::restore(&forged(state, *at, bytes)).unwrap_err();
        assert_eq!(error.code(), "state_corrupt", "at {at}");
    }

    let state = Cross::new().snapshot();
    for sign in [1.0_f64, 2.0, -0.0, f64::NAN] {
        let forged = forged(&state, 24, &sign.to_bits().to_le_bytes());
        assert_eq!(
            Cross::restore(&forged).unwrap_err().code(),
            "state_corrupt",
            "{sign}"
        );
    }

    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    let state = run_of(&plan, 120).save();
    let tallies = state.len() - 4 - (3 * 104 + 16);
    let forgeries: &[(usize, &[u8])] = &[
        (38, &119_u64.to_le_bytes()),
        (38, &u64::MAX.to_le_bytes()),
        (54, &7_i64.to_le_bytes()),
        (62, &u32::MAX.to_le_bytes()),
        (tallies, &100_u64.to_le_bytes()),      // the count
        (tallies + 8, &20_u64.to_le_bytes()),   // the first bar
        (tallies + 32, &118_u64.to_le_bytes()), // the last bar
        (tallies + 48, &1.0_f64.to_bits().to_le_bytes()), // the last value
        (tallies + 72, &1e9_f64.to_bits().to_le_bytes()), // the least value
        (state.len() - 20, &99_u64.to_le_bytes()), // crosses up
    ];
    for (at, bytes) in forgeries {
        let error = plan.restore(&forged(&state, *at, bytes)).unwrap_err();
        assert_eq!(error.code(), "state_corrupt", "at {at}");
    }
}

/// A node's state that is sound on its own, in the place of another's.
#[test]
fn a_plan_refuses_the_state_of_another_node() {
    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    let state = run_of(&plan, 120).save();
    // The steps go by id here, so the first is `ema12`.
    let old = Ema::restore(&state[66..110]).unwrap();
    assert_eq!((old.period(), old.bars()), (12, 120));
    let other_period = forged(&state[66..110], 12, &13_u32.to_le_bytes());
    let other_seed = forged(&state[66..110], 10, &[1]);
    for other in [other_period, other_seed] {
        assert!(Ema::restore(&other).is_ok());
        let error = plan.restore(&forged(&state, 66, &other)).unwrap_err();
        assert_eq!(
            error,
            Error::StateCorrupt {
                at: 66,
                found: "the state of another node",
                expected: "the state of the plan's node",
            },
        );
    }
    let cross = Cross::new().snapshot();
    let error = plan.restore(&forged(&state, 66, &cross)).unwrap_err();
    assert_eq!(error.code(), "state_corrupt");
}

/// A length field that promises more than is there must not be believed.
#[test]
fn a_short_text_cannot_ask_for_much_memory() {
    let mut state = Sma::new(1_000_000).unwrap().snapshot();
    state = forged(&state, 16, &1_000_000_u64.to_le_bytes());
    assert_eq!(Sma::restore(&state).unwrap_err().code(), "state_corrupt");
}
