//! Every rule of the specification names the files of vectors that show it, and every vector is of
//! the form that the schema states.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

const SPEC: &str = include_str!("../SPEC.md");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The vectors of each file.
fn files() -> BTreeMap<String, Vec<Json>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".json") && name != "vector.schema.json" {
            let text = std::fs::read_to_string(&path).unwrap();
            files.insert(name.clone(), serde_json::from_str(&text).expect(&name));
        }
    }
    files
}

fn word<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} of {json}"))
}

/// The number of each section with the files that its `Vectors:` paragraph lists.
fn sections() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut sections = BTreeMap::new();
    let mut open = None;
    let mut listing = false;
    for line in SPEC.lines() {
        if let Some(title) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            let number = title.split(' ').next().unwrap().trim_end_matches('.');
            assert!(number.starts_with(|c: char| c.is_ascii_digit()), "{title}");
            assert!(sections.insert(number, BTreeSet::new()).is_none());
            (open, listing) = (Some(number), false);
            continue;
        }
        if line.starts_with("Vectors:") {
            let files = &sections[open.expect("in a section")];
            assert!(files.is_empty(), "one list in section {open:?}");
            listing = true;
        } else if line.is_empty() {
            listing = false;
        }
        if listing {
            let files = sections.get_mut(open.unwrap()).unwrap();
            let quoted = line.split('`').skip(1).step_by(2);
            files.extend(quoted.map(str::to_owned));
        }
    }
    sections
}

#[test]
fn each_section_lists_the_files_with_vectors_of_its_rules() {
    let sections = sections();
    let mut shown: BTreeMap<&str, BTreeSet<String>> = sections
        .keys()
        .map(|number| (*number, BTreeSet::new()))
        .collect();
    let files = files();
    for (file, vectors) in &files {
        for vector in vectors {
            let rule = word(vector, "rule");
            let section = shown.get_mut(rule);
            let section = section.unwrap_or_else(|| panic!("no section {rule}: {vector}"));
            section.insert(file.clone());
        }
    }
    assert_eq!(sections, shown);
}

#[test]
fn each_code_that_a_reader_gives_is_in_a_vector() {
    let table = SPEC.split("| code | meaning |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    let files = files();
    let shown: BTreeSet<&str> = files
        .values()
        .flatten()
        .filter_map(|vector| Some(word(vector.get("error")?, "code")))
        .collect();
    let known: BTreeSet<&str> = qrp1::ErrorCode::ALL.iter().map(|c| c.as_str()).collect();
    let mut listed = BTreeSet::new();
    for row in rows {
        let code = row.split('`').nth(1).expect(row);
        assert!(known.contains(code), "the crate has no {code}");
        // Another reader has other limits, so no text is refused for them everywhere.
        let apart = row.contains("a limit of the reader");
        assert_ne!(shown.contains(code), apart, "{row}");
        listed.insert(code);
    }
    assert!(listed.len() > 20, "{listed:?}");
    assert!(shown.is_subset(&listed), "{shown:?}");
}

/// Checks `json` against the part of JSON Schema that the schema of the vectors uses. Patterns are
/// left to whoever reads the strings.
fn check(json: &Json, schema: &Json, root: &Json) -> Result<(), String> {
    let fault = |what: &str| Err(format!("{what} in {json}"));
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$ref" => {
                let target = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(json, root.pointer(target).expect(target), root)?;
            }
            "type" => {
                let one = [rule.clone()];
                let names = rule.as_array().map_or(&one[..], Vec::as_slice);
                let name = match json {
                    Json::Null => "null",
                    Json::Bool(_) => "boolean",
                    Json::Number(_) => "integer",
                    Json::String(_) => "string",
                    Json::Array(_) => "array",
                    Json::Object(_) => "object",
                };
                if !names.iter().any(|allowed| allowed == name) {
                    return fault(&format!("not of type {rule}"));
                }
            }
            "const" if json != rule => return fault(&format!("not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(json) => {
                return fault(&format!("none of {rule}"));
            }
            "minimum" if json.as_u64() < rule.as_u64() => return fault("too small"),
            "minItems" if json.as_array().map(Vec::len) < count(rule) => return fault("too few"),
            "maxItems" if json.as_array().map(Vec::len) > count(rule) => return fault("too many"),
            "required" => {
                for key in rule.as_array().unwrap() {
                    if json.get(key.as_str().unwrap()).is_none() {
                        return fault(&format!("no {key}"));
                    }
                }
            }
            "properties" | "additionalProperties" => {
                let named = schema.get("properties");
                for (key, value) in json.as_object().into_iter().flatten() {
                    match (named.and_then(|named| named.get(key)), keyword.as_str()) {
                        (Some(of), "properties") => check(value, of, root)?,
                        (None, "additionalProperties") if rule == &Json::Bool(false) => {
                            return fault(&format!("unknown {key}"));
                        }
                        (None, "additionalProperties") => check(value, rule, root)?,
                        _ => {}
                    }
                }
            }
            "items" => {
                for item in json.as_array().into_iter().flatten() {
                    check(item, rule, root)?;
                }
            }
            "oneOf" => {
                let tried = rule.as_array().unwrap().iter();
                if tried.filter(|of| check(json, of, root).is_ok()).count() != 1 {
                    return fault("not of exactly one form");
                }
            }
            "const" | "enum" | "minimum" | "minItems" | "maxItems" => {}
            "$schema" | "$defs" | "title" | "description" | "pattern" => {}
            other => panic!("the schema uses {other}"),
        }
    }
    Ok(())
}

fn count(rule: &Json) -> Option<usize> {
    rule.as_u64().and_then(|count| usize::try_from(count).ok())
}

#[test]
fn each_file_is_of_the_schema() {
    let schema = std::fs::read_to_string(folder().join("vector.schema.json")).unwrap();
    let schema: Json = serde_json::from_str(&schema).unwrap();
    let files = files();
    for (file, vectors) in &files {
        assert!(!vectors.is_empty(), "{file}");
        for vector in vectors {
            let form = check(vector, &schema["items"], &schema);
            assert_eq!(form, Ok(()), "{file}: {vector}");
            let inputs = ["text", "hex", "layout"];
            let inputs = inputs.iter().filter(|key| vector.get(key).is_some());
            assert_eq!(inputs.count(), 1, "{file}: {vector}");
        }
        let refused = vectors
            .iter()
            .filter(|vector| vector.get("error").is_some());
        if file.starts_with("must_fail_") {
            assert_eq!(refused.count(), vectors.len(), "{file}");
        }
    }
    // The check sees what is missing, what is too much, and what is of another form.
    for wrong in [
        r#"{"rule": "1", "text": "", "document": [{"kind": "receipt"}]}"#,
        r#"{"name": "n", "rule": "1", "document": [{"kind": "receipt"}]}"#,
        r#"{"name": "n", "rule": "1", "text": ""}"#,
        r#"{"name": "n", "rule": "1", "text": "", "document": []}"#,
        r#"{"name": "n", "rule": "1", "text": "", "document": [{"kind": "list"}]}"#,
        r#"{"name": "n", "rule": "1", "text": "", "document": [{"kind": "text", "x": 1}]}"#,
        r#"{"name": "n", "rule": "1", "text": "", "error": {"code": "crc", "line": 1}}"#,
        r#"{"name": "n", "rule": "1", "text": "", "error": {"code": "crc", "line": 0, "column": 1}}"#,
        r#"{"name": "n", "rule": "1", "hex": "00", "document": [{"kind": "receipt"}]}"#,
    ] {
        let wrong: Json = serde_json::from_str(wrong).unwrap();
        assert!(check(&wrong, &schema["items"], &schema).is_err(), "{wrong}");
    }
}

#[test]
fn each_row_of_a_vector_has_a_value_for_each_column() {
    for vector in files().values().flatten() {
        let payloads = vector.get("document").and_then(Json::as_array);
        for payload in payloads.into_iter().flatten() {
            let columns = payload["columns"].as_array().map(Vec::len);
            for row in payload["rows"].as_array().into_iter().flatten() {
                assert_eq!(row.as_array().map(Vec::len), columns, "{vector}");
            }
        }
    }
}
