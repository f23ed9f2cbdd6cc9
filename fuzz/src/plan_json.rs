//! Texts of any content as plans.
//!
//! The promise: nothing panics; a plan that parses prints text that parses to an equal
//! plan and prints the same; it runs; and a fault is told in plain words of bounded
//! length.

use toolgate_kernels::{Columns, MAX_PLAN_BYTES, Plan};

/// Checks one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let plan = match Plan::from_json(&text) {
        Ok(plan) => plan,
        Err(error) => {
            let told = error.to_string();
            assert!(error.code().starts_with("plan_"), "{told}");
            assert!(told.chars().all(|c| !c.is_control()), "{told}");
            // A list of a dozen names and a circle of all nodes are the longest parts.
            assert!(told.len() <= MAX_PLAN_BYTES, "{}", told.len());
            return;
        }
    };
    // Long periods print no other way than short ones, and take long to warm up.
    let again = Plan::from_json(plan.to_json()).unwrap();
    assert_eq!(again, plan);
    assert_eq!(again.to_json(), plan.to_json());
    assert_eq!(again.hash(), plan.hash());
    assert_eq!(again.warm_up(), plan.warm_up());

    let times: Vec<i64> = (0..20).collect();
    let values: Vec<f64> = times
        .iter()
        .map(|bar| [1.0, 3.0, 2.0][*bar as usize % 3])
        .collect();
    let columns: Vec<(&str, &[f64])> = plan
        .inputs()
        .iter()
        .map(|name| (name.as_str(), values.as_slice()))
        .collect();
    let mut run = plan.start();
    let out = run
        .push(&Columns {
            time_ms: &times,
            columns: &columns,
        })
        .unwrap();
    for (id, output) in out.iter() {
        let first = match output {
            toolgate_kernels::Output::Numbers(numbers) => {
                numbers.validity().iter().position(|set| set)
            }
            toolgate_kernels::Output::Events { validity, .. } => {
                validity.iter().position(|set| set)
            }
            _ => unreachable!("no other kind"),
        };
        let warm_up = plan.warm_up_of(id).unwrap();
        assert_eq!(
            first.map(|row| row as u64),
            Some(warm_up).filter(|bars| *bars < 20)
        );
    }
    let state = run.save();
    assert!(state.len() as u64 <= plan.max_state_bytes());
    assert_eq!(again.restore(&state).unwrap().save(), state);
}
