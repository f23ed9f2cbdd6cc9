//! Every input in `corpus/<target>/` still keeps the promise of its target, on an ordinary build.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use toolgate_fuzz::TARGETS;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The paths in a folder, sorted; none if there is no such folder.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}

/// The names of the paths without their last extension.
fn stems(paths: &[PathBuf]) -> BTreeSet<String> {
    paths
        .iter()
        .filter_map(|path| path.file_stem())
        .map(|stem| stem.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn no_target_is_forgotten() {
    let listed: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed.len(), TARGETS.len(), "a target is listed twice");

    let mut modules = paths(&folder("src"));
    modules.retain(|path| path.extension() == Some(OsStr::new("rs")) && !path.ends_with("lib.rs"));
    assert_eq!(listed, stems(&modules), "TARGETS, and the modules in src");

    let programs = paths(&folder("src/bin"));
    assert_eq!(
        listed,
        stems(&programs),
        "TARGETS, and the programs in src/bin"
    );

    for program in programs {
        let text = std::fs::read_to_string(&program).unwrap();
        assert!(
            text.contains("#![cfg_attr(fuzzing, no_main)]"),
            "{} lacks #![cfg_attr(fuzzing, no_main)], so it does not link under libFuzzer",
            program.display(),
        );
    }

    let corpora = paths(&folder("corpus"));
    assert_eq!(
        listed,
        stems(&corpora),
        "TARGETS, and the folders in corpus"
    );
}

#[test]
fn every_input_passes() {
    let mut faults = Vec::new();
    for (name, check) in TARGETS {
        let inputs = paths(&folder("corpus").join(name));
        println!("{name}: {} inputs", inputs.len());
        if inputs.is_empty() {
            faults.push(format!("{name}: no inputs"));
        }
        for input in inputs {
            let data = std::fs::read(&input).unwrap();
            if catch_unwind(|| check(&data)).is_err() {
                faults.push(format!("{name}: {}", input.display()));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "these inputs break a promise: {faults:#?}"
    );
}
