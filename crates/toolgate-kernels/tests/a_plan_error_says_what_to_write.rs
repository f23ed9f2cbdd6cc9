//! Each fault of a plan has its own code, names its place, and says what to write.
#![allow(clippy::unwrap_used, reason = "a test")]

use toolgate_kernels::{Error, MAX_PLAN_NODES, Plan, PlanFault};

const STARTING_PLAN: &str = r#"{"inputs":["close"],"nodes":[{"id":"sma20","kernel":"sma","input":"close","period":20},{"id":"sma50","kernel":"sma","input":"close","period":50},{"id":"ema12","kernel":"ema","input":"close","period":12,"seed":"sma"},{"id":"x","kernel":"cross","fast":"sma20","slow":"sma50"}],"outputs":["sma20","sma50","ema12","x"]}"#;

#[test]
fn the_starting_plan_is_taken_as_it_stands() {
    let plan = Plan::from_json(STARTING_PLAN).unwrap();
    assert_eq!(
        plan.outputs().collect::<Vec<_>>(),
        ["sma20", "sma50", "ema12", "x"]
    );
    assert_eq!(plan.warm_up(), 49);
    assert_eq!(plan.warm_up_of("ema12"), Some(11));
    assert_eq!(
        Plan::from_json(plan.to_json()).unwrap().to_json(),
        plan.to_json()
    );
}

#[test]
fn warm_up_adds_up_along_the_longest_way() {
    let plan = Plan::from_json(
        r#"{"inputs":["close"],"outputs":["d"],"nodes":[
            {"id":"d","kernel":"cross","fast":"c","slow":"a"},
            {"id":"c","kernel":"ema","input":"b","period":9,"seed":"sma"},
            {"id":"b","kernel":"ema","input":"a","period":5,"seed":"first"},
            {"id":"a","kernel":"sma","input":"close","period":20}]}"#,
    )
    .unwrap();
    assert_eq!(plan.warm_up(), 19 + 8);
}

fn plan(nodes: &str) -> String {
    format!(r#"{{"inputs":["close","high"],"nodes":[{nodes}],"outputs":["a"]}}"#)
}

fn node(rest: &str) -> String {
    plan(&format!(r#"{{"id":"a",{rest}}}"#))
}

#[track_caller]
fn check(json: &str, fault: PlanFault, place: &str, found: &str, instead: &str) {
    let error = Plan::from_json(json).unwrap_err();
    let expected = Error::Plan {
        fault,
        place: place.to_owned(),
        found: found.to_owned(),
        instead: instead.to_owned(),
    };
    assert_eq!(error, expected);
    assert_eq!(error.code(), fault.code());
}

#[test]
fn text_that_is_not_a_plan() {
    use PlanFault::{Empty, MissingField, NotJson, WrongType};
    for json in [
        "",
        "{",
        "nonsense",
        "{} {}",
        "{\"inputs\":[\"\\ud800\"],\"nodes\":1,\"outputs\":1}",
    ] {
        assert_eq!(
            Plan::from_json(json).unwrap_err().code(),
            NotJson.code(),
            "{json}"
        );
    }
    check(
        "[]",
        WrongType,
        "the plan",
        "found a list",
        "write an object: {\"inputs\": [...], \"nodes\": [...], \"outputs\": [...]}",
    );
    check(
        r#"{"nodes":[],"outputs":[]}"#,
        MissingField,
        "the plan",
        "the field `inputs` is missing",
        r#"add "inputs": ["close"]"#,
    );
    check(
        r#"{"inputs":[],"nodes":[],"outputs":[]}"#,
        Empty,
        "inputs",
        "the list is empty",
        "write at least one entry",
    );
    check(
        r#"{"inputs":"close","nodes":[],"outputs":[]}"#,
        WrongType,
        "inputs",
        "found a string",
        "write a list: [...]",
    );
}

#[test]
fn fields() {
    use PlanFault::{DuplicateField, MissingField, UnknownField};
    check(
        &node(r#""kernel":"sma","input":"close","perod":20"#),
        UnknownField,
        "nodes[0] (`a`)",
        "there is no field `perod`",
        "write `period` (there are: id, kernel, input, period)",
    );
    check(
        &node(r#""kernel":"sma","input":"close","period":20,"seed":"sma""#),
        UnknownField,
        "nodes[0] (`a`)",
        "there is no field `seed`",
        "leave it out (there are: id, kernel, input, period)",
    );
    check(
        &node(r#""kernal":"sma","input":"close","period":20"#),
        UnknownField,
        "nodes[0] (`a`)",
        "there is no field `kernal`",
        "write `kernel` (there are: id, kernel, input, period, seed, fast, slow)",
    );
    check(
        &node(r#""kernel":"cross","fast":"close""#),
        MissingField,
        "nodes[0] (`a`)",
        "the field `slow` is missing",
        "add \"slow\": \"close\" or \"slow\": 30",
    );
    check(
        &node(r#""kernel":"ema","input":"close","period":20"#),
        MissingField,
        "nodes[0] (`a`)",
        "the field `seed` is missing",
        "add \"seed\": \"sma\" (starts from the mean of the first values, as charting tools do), \
         \"first\" or \"adjusted\"",
    );
    check(
        &node(r#""kernel":"sma","input":"close","period":20,"period":21"#),
        DuplicateField,
        "nodes[0]",
        "the field `period` is written twice",
        "write it once",
    );
}

#[test]
fn values() {
    use PlanFault::{BadValue, UnknownKernel, WrongType};
    for period in ["0", "1000001", "-5", "20.0", "2e1", "99999999999999999999"] {
        check(
            &node(&format!(
                r#""kernel":"sma","input":"close","period":{period}"#
            )),
            BadValue,
            "nodes[0] (`a`), field `period`",
            &format!("`{period}` is not a period"),
            "write a whole number from 1 to 1000000, as digits only",
        );
    }
    check(
        &node(r#""kernel":"sma","input":"close","period":"20""#),
        WrongType,
        "nodes[0] (`a`), field `period`",
        "found a string",
        "write 20 without quotes",
    );
    check(
        &node(r#""kernel":"sma","input":5,"period":20"#),
        WrongType,
        "nodes[0] (`a`), field `input`",
        "found a number",
        "write the name of an input or a node",
    );
    check(
        &node(r#""kernel":"ema","input":"close","period":20,"seed":"frist""#),
        BadValue,
        "nodes[0] (`a`), field `seed`",
        "`frist` is not a seed",
        "write `first` (there are: sma, first, adjusted)",
    );
    check(
        &node(r#""kernel":"macd""#),
        UnknownKernel,
        "nodes[0] (`a`), field `kernel`",
        "`macd` is not a kernel",
        "write one of: sma, ema, cross",
    );
    let both = "write two different names, or a name and a number";
    check(
        &node(r#""kernel":"cross","fast":1,"slow":2"#),
        BadValue,
        "nodes[0] (`a`)",
        "both sides are numbers, which never cross",
        both,
    );
    check(
        &node(r#""kernel":"cross","fast":"close","slow":"close""#),
        BadValue,
        "nodes[0] (`a`)",
        "both sides are the same line, which never crosses itself",
        both,
    );
    check(
        &node(r#""kernel":"cross","fast":"close","slow":1e999"#),
        BadValue,
        "nodes[0] (`a`), field `slow`",
        "the number is too large",
        "write a level that fits a 64-bit float",
    );
}

#[test]
fn names() {
    use PlanFault::{BadName, DuplicateName, NotNumbers, UnknownName};
    check(
        &node(r#""kernel":"sma","input":"close","period":2"#).replace("\"a\",", "\"a\\nb`c\","),
        BadName,
        "nodes[0], field `id`",
        "`a\\nb?c` is not a name",
        "write 1 to 64 bytes of letters, digits, `_`, `-`, `.`, `:` and `/`",
    );
    // A character that turns the direction of the text is shown, and not done.
    check(
        &node(r#""kernel":"sma","input":"close","period":2"#)
            .replace("\"a\",", "\"a\u{202e}b\u{200b}\","),
        BadName,
        "nodes[0], field `id`",
        "`a\\u{202e}b\\u{200b}` is not a name",
        "write 1 to 64 bytes of letters, digits, `_`, `-`, `.`, `:` and `/`",
    );
    check(
        &node(r#""kernel":"sma","input":"hihg","period":2"#),
        UnknownName,
        "nodes[0] (`a`), field `input`",
        "`hihg` is neither an input nor a node",
        "write `high` (there are: close, high, a)",
    );
    check(
        &node(r#""kernel":"sma","input":"close","period":2"#).replace(r#"["a"]"#, r#"["close"]"#),
        UnknownName,
        "outputs[0]",
        "`close` is not a node",
        "write one of: a",
    );
    check(
        &node(r#""kernel":"sma","input":"close","period":2"#).replace(r#"["a"]"#, r#"["a","a"]"#),
        DuplicateName,
        "outputs[1]",
        "`a` is listed twice",
        "list it once",
    );
    let sma = r#"{"id":"a","kernel":"sma","input":"close","period":2}"#;
    check(
        &plan(&format!("{sma},{sma}")),
        DuplicateName,
        "nodes[1] (`a`)",
        "the id is taken by nodes[0] (`a`)",
        "write another id",
    );
    check(
        &plan(&sma.replace("\"a\"", "\"high\"")),
        DuplicateName,
        "nodes[0] (`high`)",
        "the id is the name of an input",
        "write another id",
    );
    check(
        &plan(
            r#"{"id":"x","kernel":"cross","fast":"close","slow":9},
               {"id":"a","kernel":"sma","input":"x","period":2}"#,
        ),
        NotNumbers,
        "nodes[1] (`a`), field `input`",
        "`x` is a cross, which gives events",
        "write the name of an input or of a node that gives numbers",
    );
}

#[test]
fn circles_are_named() {
    let sma = |id: &str, input: &str| {
        format!(r#"{{"id":"{id}","kernel":"sma","input":"{input}","period":2}}"#)
    };
    // `d` is not in the circle, it only reads from it.
    let nodes = [sma("d", "b"), sma("a", "c"), sma("b", "a"), sma("c", "b")].join(",");
    check(
        &plan(&nodes),
        PlanFault::Cycle,
        "nodes[2] (`b`)",
        "it reads itself: b <- a <- c <- b",
        "let one of them read an input instead",
    );
    check(
        &plan(&sma("a", "a")),
        PlanFault::Cycle,
        "nodes[0] (`a`)",
        "it reads itself: a <- a",
        "let one of them read an input instead",
    );
}

#[test]
fn limits() {
    let many = |count: usize, period: u32| {
        let nodes: Vec<String> = (0..count)
            .map(|n| format!(r#"{{"id":"a{n}","kernel":"sma","input":"close","period":{period}}}"#))
            .collect();
        plan(&nodes.join(",")).replace("\"a\"]", "\"a0\"]")
    };
    assert!(Plan::from_json(&many(MAX_PLAN_NODES, 20)).is_ok());
    let error = Plan::from_json(&many(MAX_PLAN_NODES + 1, 20)).unwrap_err();
    assert_eq!(error.code(), "plan_too_large");
    let error = Plan::from_json(&many(9, 1_000_000)).unwrap_err();
    assert_eq!(error.code(), "plan_state_too_large");
    assert!(Plan::from_json(&many(8, 1_000_000)).is_ok());
}

/// A chain written backwards, as long as a plan can be.
#[test]
fn a_long_chain_in_the_wrong_order() {
    let nodes: Vec<String> = (0..MAX_PLAN_NODES)
        .rev()
        .map(|n| {
            let input = if n == 0 {
                "close".to_owned()
            } else {
                format!("a{}", n - 1)
            };
            format!(r#"{{"id":"a{n}","kernel":"sma","input":"{input}","period":2}}"#)
        })
        .collect();
    let json = plan(&nodes.join(",")).replace("\"a\"]", "\"a255\"]");
    assert_eq!(
        Plan::from_json(&json).unwrap().warm_up(),
        MAX_PLAN_NODES as u64
    );
}

#[test]
fn levels_keep_every_bit() {
    // serde_json by default reads some of these one place off.
    for level in [
        "0.1",
        "8.41",
        "122.416294033786585",
        "2.2250738585072014e-308",
        "-3.5e-7",
    ] {
        let json = node(&format!(
            r#""kernel":"cross","fast":"close","slow":{level}"#
        ));
        let plan = Plan::from_json(&json).unwrap();
        let slow = plan.to_json().split("\"slow\":").nth(1).unwrap();
        let slow: f64 = slow.split('}').next().unwrap().parse().unwrap();
        assert_eq!(slow.to_bits(), level.parse::<f64>().unwrap().to_bits());
        assert_eq!(Plan::from_json(plan.to_json()).unwrap(), plan);
    }
}

#[test]
fn long_and_odd_names_in_errors_are_cut_and_plain() {
    let long = "x".repeat(1_000);
    let error = Plan::from_json(&node(&format!(r#""kernel":"{long}\u0007\u001b""#)))
        .unwrap_err()
        .to_string();
    assert!(
        error.len() < 250 && error.chars().all(|c| !c.is_control()),
        "{error}"
    );
}
