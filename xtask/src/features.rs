//! Each feature of a core crate and of the facade compiles alone, and so does the crate without any.

use crate::check::CORE;
use crate::step::{Failure, Outcome, cargo, locked, read, run};

/// The crate that passes features on.
const FACADE: &str = "toolgate";

/// A member of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) features: Vec<String>,
}

/// The members, as cargo sees them.
pub(crate) fn packages() -> Outcome<Vec<Package>> {
    let args = [
        &["metadata", "--no-deps", "--format-version", "1"],
        locked(),
    ]
    .concat();
    parse(&read(&mut cargo(&args))?)
        .ok_or_else(|| Failure::new("cannot read the output of cargo metadata"))
}

fn parse(metadata: &str) -> Option<Vec<Package>> {
    let metadata: serde_json::Value = serde_json::from_str(metadata).ok()?;
    let package = |value: &serde_json::Value| {
        Some(Package {
            name: value.get("name")?.as_str()?.to_owned(),
            features: value
                .get("features")?
                .as_object()?
                .keys()
                .cloned()
                .collect(),
        })
    };
    metadata
        .get("packages")?
        .as_array()?
        .iter()
        .map(package)
        .collect()
}

pub(crate) fn check() -> Outcome {
    let packages = packages()?;
    for name in CORE.into_iter().chain([FACADE]) {
        let package = packages
            .iter()
            .find(|package| package.name == name)
            .ok_or_else(|| Failure::new(format!("the workspace has no crate {name}")))?;
        alone(name, None)?;
        for feature in package
            .features
            .iter()
            .filter(|feature| *feature != "default")
        {
            alone(name, Some(feature))?;
        }
    }
    Ok(())
}

/// Clippy rather than a plain check, so that a warning, for example of code that only another
/// feature uses, is a failure.
fn alone(name: &str, feature: Option<&str>) -> Outcome {
    let mut args = vec![
        "clippy",
        "--quiet",
        "--package",
        name,
        "--lib",
        "--no-default-features",
    ];
    if let Some(feature) = feature {
        args.extend(["--features", feature]);
    }
    args.extend(locked());
    run(cargo(&args).args(["--", "-D", "warnings"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let json =
            r#"{"packages":[{"name":"a","version":"1","features":{"default":["x"],"x":[]}}]}"#;
        let packages = parse(json).unwrap();
        assert_eq!(packages.len(), 1);
        assert_eq!(packages[0].name, "a");
        assert_eq!(packages[0].features, ["default", "x"]);
        assert!(parse("{}").is_none());
    }
}
