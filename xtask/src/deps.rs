//! The dependency rules: arrows point one way, and the core stays free of what it must not know.

use std::collections::BTreeSet;

use crate::check::CORE;
use crate::features::packages;
use crate::step::{Failure, Outcome, cargo, locked, read};

/// Crates that only a store back end may bring.
const BACK_ENDS: [&str; 9] = [
    "toolgate-postgres",
    "toolgate-sqlite",
    "deadpool-postgres",
    "diesel",
    "libsqlite3-sys",
    "rusqlite",
    "sqlx",
    "sqlx-core",
    "tokio-postgres",
];

pub(crate) fn check() -> Outcome {
    let members: BTreeSet<String> = packages()?
        .into_iter()
        .map(|package| package.name)
        .collect();
    let siblings = |of: &str| {
        members
            .iter()
            .filter(|name| *name != of)
            .cloned()
            .collect::<Vec<_>>()
    };
    for name in CORE {
        forbid(name, &[siblings(name), vec!["tokio".to_owned()]].concat())?;
    }
    forbid("toolgate-store", &siblings("toolgate-store"))?;
    forbid("toolgate-runtime", &BACK_ENDS.map(str::to_owned))?;
    Ok(())
}

/// Fails if `name`, with all its features and on any platform, depends on one of `forbidden`.
fn forbid(name: &str, forbidden: &[String]) -> Outcome {
    let tree = [
        "tree",
        "--package",
        name,
        "--edges",
        "normal,build",
        "--all-features",
    ];
    let shape = ["--target", "all", "--prefix", "none", "--format", "{p}"];
    let tree = read(&mut cargo(&[&tree[..], &shape, locked()].concat()))?;
    let tree = names(&tree);
    if !tree.contains(name) {
        return Err(Failure::new(format!(
            "cargo tree does not name {name} itself"
        )));
    }
    let found: Vec<&str> = forbidden
        .iter()
        .map(String::as_str)
        .filter(|one| tree.contains(one))
        .collect();
    if let Some(first) = found.first() {
        return Err(Failure::new(format!(
            "{name} must not depend on {}; `cargo tree -e normal,build --all-features -p {name} -i {first}` \
             shows the way",
            found.join(", "),
        )));
    }
    println!(
        "{name}: {} crates, none of the {} forbidden ones",
        tree.len(),
        forbidden.len()
    );
    Ok(())
}

/// The names in the output of `cargo tree --format {p}`: the first word of each line.
fn names(tree: &str) -> BTreeSet<&str> {
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_first_words() {
        let tree = "toolgate-fuzz v0.1.0 (/here)\n\nbytes v1.12.2\nbytes v1.12.2 (*)\n";
        assert_eq!(names(tree), BTreeSet::from(["bytes", "toolgate-fuzz"]));
    }

    #[test]
    fn what_is_there_is_found() {
        let error = forbid("xtask", &["tokio".to_owned(), "serde_json".to_owned()]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("xtask must not depend on serde_json;"),
            "{error}"
        );
        assert!(forbid("xtask", &["tokio".to_owned()]).is_ok());
    }
}
