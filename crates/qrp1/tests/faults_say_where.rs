//! Every fault of a text has its code, its line and its column.
#![allow(clippy::unwrap_used)]

use qrp1::{Document, ErrorCode, Limits};

/// Code, line, column, and the text that has the fault there.
const FAULTS: &[(&str, u64, u64, &str)] = &[
    ("truncated", 1, 1, ""),
    ("truncated", 1, 28, "QRP1|table|rows=0|columns=a"),
    ("truncated", 3, 1, "QRP1|table|rows=2|columns=a\nx\n"),
    ("truncated", 2, 2, "QRP1|table|rows=1|columns=a\nx"),
    ("truncated", 3, 1, "QRP1|table|end=t|columns=a\nx\n"),
    ("header_magic", 1, 1, "hello\n"),
    ("header_magic", 1, 1, "qrp1|receipt|status=ok\n"),
    ("header_magic", 1, 1, "\u{feff}QRP1|receipt|status=ok\n"),
    ("header_version", 1, 4, "QRP2|table|rows=0|columns=a\n"),
    ("header_kind", 1, 6, "QRP1|list|rows=0\n"),
    ("header_key", 1, 12, "QRP1|table|size=3|rows=0|columns=a\n"),
    ("header_key", 1, 12, "QRP1|table|rows\n"),
    ("header_key", 1, 12, "QRP1|table|lines=0|columns=a\n"),
    ("header_key", 1, 19, "QRP1|table|rows=0|rows=0|columns=a\n"),
    ("header_key", 1, 29, "QRP1|table|rows=0|columns=a|rows=1\n"),
    ("header_key", 1, 1, "QRP1|table|rows=0|end=t|columns=a\n"),
    ("header_value", 1, 17, "QRP1|table|rows=-1|columns=a\n"),
    ("header_value", 1, 17, "QRP1|table|rows=0x10|columns=a\n"),
    ("header_value", 1, 17, "QRP1|table|rows=3.7|columns=a\n"),
    (
        "header_value",
        1,
        18,
        "QRP1|table|cover=some|rows=0|columns=a\n",
    ),
    (
        "header_value",
        1,
        1,
        "QRP1|table|rows=2|from=1|total=2|columns=a\n",
    ),
    (
        "header_value",
        1,
        1,
        "QRP1|table|cover=all|rows=1|total=2|columns=a\n",
    ),
    (
        "header_value",
        1,
        1,
        "QRP1|table|cover=all|rows=0|next=c2|columns=a\n",
    ),
    (
        "header_value",
        1,
        19,
        "QRP1|table|source=|rows=0|columns=a\n",
    ),
    (
        "header_value",
        1,
        1,
        "QRP1|table|range=2026-09-09/2026-09-08|rows=0|columns=a\n",
    ),
    (
        "header_value",
        1,
        18,
        "QRP1|table|range=2026-09-08|rows=0|columns=a\n",
    ),
    ("header_missing", 1, 1, "QRP1|table|rows=0\n"),
    ("header_missing", 1, 1, "QRP1|table|columns=a\n"),
    ("header_missing", 1, 1, "QRP1|text\n"),
    ("header_missing", 1, 1, "QRP1|receipt\n"),
    ("header_missing", 1, 1, "QRP1|receipt|status=failed\n"),
    ("column", 1, 29, "QRP1|table|rows=0|columns=a:int\n"),
    ("column", 1, 29, "QRP1|table|rows=0|columns=b,\n"),
    ("layout", 1, 1, "QRP1|table|rows=0|columns=a,a\n"),
    ("layout", 1, 1, "QRP1|series|rows=0|columns=a:f\n"),
    ("layout", 1, 1, "QRP1|series|rows=0|columns=a:o\n"),
    (
        "layout",
        1,
        1,
        "QRP1|series|rows=0|t0=2026-09-08|columns=a:t\n",
    ),
    (
        "layout",
        1,
        1,
        "QRP1|series|profile=seed|rows=0|t0=2026-09-08|columns=dt:i64\n",
    ),
    ("row_width", 2, 3, "QRP1|table|rows=1|columns=a\nx\ty\n"),
    ("row_width", 2, 2, "QRP1|table|rows=1|columns=a,b\nx\n"),
    ("cell_type", 2, 3, "QRP1|table|rows=1|columns=a,b:i\nx\ty\n"),
    (
        "cell_type",
        2,
        1,
        "QRP1|table|rows=1|columns=a:i\n9223372036854775808\n",
    ),
    ("cell_type", 2, 1, "QRP1|table|rows=1|columns=a:u\n-1\n"),
    ("cell_type", 2, 1, "QRP1|table|rows=1|columns=a:b\ntrue\n"),
    ("cell_type", 2, 1, "QRP1|table|rows=1|columns=a:f\n1e999\n"),
    ("cell_type", 2, 1, "QRP1|table|rows=1|columns=a:f\n\"1\"\n"),
    ("cell_type", 2, 1, "QRP1|table|rows=1|columns=a:d2\n1.005\n"),
    (
        "cell_type",
        2,
        1,
        "QRP1|table|rows=1|columns=a:t\n2026-02-30\n",
    ),
    ("cell_miss", 2, 1, "QRP1|table|rows=1|columns=a,b\n\tx\n"),
    ("escape", 2, 3, "QRP1|table|rows=1|columns=a\n\"a\n"),
    ("escape", 2, 2, "QRP1|table|rows=1|columns=a\n\"\\q\"\n"),
    ("escape", 2, 4, "QRP1|table|rows=1|columns=a\n\"a\"b\n"),
    ("escape", 2, 1, "QRP1|table|rows=1|columns=a\n\u{202e}b\n"),
    ("escape", 1, 14, "QRP1|receipt|\u{1b}status=ok\n"),
    ("not_canonical", 1, 18, "QRP1|table|rows=00|columns=a\n"),
    (
        "not_canonical",
        1,
        28,
        "QRP1|table|range=2026-09-08T00:00Z/2026-09-09|rows=0|columns=a\n",
    ),
    (
        "not_canonical",
        1,
        19,
        "QRP1|table|source=\"log\"|rows=0|columns=a\n",
    ),
    ("not_canonical", 1, 28, "QRP1|table|rows=0|columns=a:s\n"),
    (
        "not_canonical",
        1,
        19,
        "QRP1|table|rows=0|sep=tab|columns=a\n",
    ),
    ("not_canonical", 2, 1, "QRP1|table|rows=1|columns=a:i\n+1\n"),
    (
        "not_canonical",
        2,
        1,
        "QRP1|table|rows=1|columns=a:i\n007\n",
    ),
    (
        "not_canonical",
        2,
        2,
        "QRP1|table|rows=1|columns=a:f\n1.0\n",
    ),
    (
        "not_canonical",
        2,
        1,
        "QRP1|table|rows=1|columns=a\n\"x\"\n",
    ),
    (
        "not_canonical",
        2,
        1,
        "QRP1|table|rows=1|columns=a:s!,b:s!\n\t\n",
    ),
    (
        "not_canonical",
        2,
        2,
        "QRP1|table|rows=1|columns=a\n\"\\u0041\\n\"\n",
    ),
    ("not_canonical", 2, 5, "QRP1|record|lines=1\nn:i=01\n"),
    ("not_canonical", 2, 1, "QRP1|text|lines=1\n\n"),
    ("not_canonical", 2, 1, "QRP1|text|lines=1\n\\x\n"),
    ("row_extra", 3, 1, "QRP1|table|rows=1|columns=a\nx\ny\n"),
    (
        "row_extra",
        4,
        1,
        "QRP1|table|end=t|columns=a\nx\ny\n@end|rows=1\n",
    ),
    (
        "rows_missing",
        3,
        1,
        "QRP1|table|rows=2|columns=a\nx\nQRP1|receipt|status=ok\n",
    ),
    (
        "rows_missing",
        3,
        1,
        "QRP1|table|end=t|columns=a\nx\n@end|rows=2\n",
    ),
    (
        "time_order",
        3,
        1,
        "QRP1|series|rows=2|columns=time:t\n2026-09-08\n2026-09-07\n",
    ),
    ("reserved", 1, 12, "QRP1|table|unit=1|rows=0|columns=a\n"),
    ("reserved", 1, 28, "QRP1|table|rows=0|columns=a.b\n"),
    ("layout", 1, 1, "QRP1|table|rows=0|columns=a=1\n"),
    ("reserved", 1, 29, "QRP1|table|rows=0|columns=a:[s]\n"),
    (
        "reserved",
        2,
        1,
        "QRP1|table|rows=1|columns=a\n@2026-09-08\n",
    ),
    ("reserved", 2, 1, "QRP1|table|rows=1|columns=a\n child\n"),
    (
        "end_line",
        3,
        1,
        "QRP1|table|rows=2|columns=a\nx\n@end|rows=1\n",
    ),
    (
        "end_line",
        3,
        1,
        "QRP1|table|end=t|columns=a\nx\n@end|lines=1\n",
    ),
    (
        "end_line",
        3,
        1,
        "QRP1|table|end=t|columns=a\nx\n@end|rows=x\n",
    ),
    ("crc", 2, 1, "QRP1|table|crc=1|rows=1|columns=a\nx\n"),
    (
        "anchor",
        2,
        1,
        "QRP1|series|rows=1|lines=1|columns=time:tc\n00:00\n",
    ),
    ("crc", 1, 1, "QRP1|receipt|crc=0|status=ok\n"),
    (
        "crc",
        3,
        1,
        "QRP1|table|end=t|columns=a\nx\n@end|rows=1|crc=0\n",
    ),
    ("column", 3, 1, "QRP1|record|lines=2\na=1\na=2\n"),
];

#[test]
fn each_fault_has_its_code_and_place() {
    let mut wrong = Vec::new();
    for &(code, line, column, text) in FAULTS {
        let error = Document::parse(text).expect_err(text);
        let found = (error.code().as_str(), error.line(), error.column());
        if found != (code, Some(line), Some(column)) {
            wrong.push(format!("{code} {line} {column} {text:?}: {error}"));
        }
        assert!(
            !error.expected().is_empty() && !error.found().is_empty(),
            "{error}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_reading_code_is_shown_here() {
    let shown: Vec<&str> = FAULTS.iter().map(|fault| fault.0).collect();
    let elsewhere = [
        ErrorCode::Utf8,
        ErrorCode::Limit,
        ErrorCode::RowTooLarge,
        ErrorCode::Caps,
        ErrorCode::TypeMismatch,
    ];
    for code in ErrorCode::ALL {
        assert!(
            shown.contains(&code.as_str()) || elsewhere.contains(code),
            "{code}"
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_in_place() {
    let error =
        Document::parse_with(b"QRP1|text|lines=1\nab\xff\n", Limits::default()).unwrap_err();
    assert_eq!(
        (error.code(), error.line(), error.column()),
        (ErrorCode::Utf8, Some(2), Some(3))
    );
}

#[test]
fn limits_hold_before_memory_is_spent() {
    let limits = Limits {
        max_line_bytes: 50,
        max_columns: 2,
        ..Limits::default()
    };
    let parse = |text: &str| {
        Document::parse_with(text.as_bytes(), limits).map_err(|e| (e.code(), e.line()))
    };
    assert!(parse("QRP1|table|rows=0|columns=a,b\n").is_ok());
    assert_eq!(
        parse("QRP1|table|rows=0|columns=a,b,c\n"),
        Err((ErrorCode::Limit, Some(1)))
    );
    assert_eq!(
        parse("QRP1|record|lines=3\na=1\nb=1\nc=1\n"),
        Err((ErrorCode::Limit, Some(4)))
    );
    assert_eq!(parse(&"x".repeat(51)), Err((ErrorCode::Limit, Some(1))));
    // A count that is a lie costs nothing.
    let error = parse("QRP1|text|lines=18446744073709551615\n").unwrap_err();
    assert_eq!(error, (ErrorCode::Truncated, Some(2)));
}

#[test]
fn messages_quote_little_and_hide_nothing_dangerous() {
    let text = format!(
        "QRP1|table|rows=1|columns=a:i\n{}\n",
        "\u{1b}[31m".repeat(5000)
    );
    let message = Document::parse(&text).unwrap_err().to_string();
    assert!(
        message.len() < 400 && !message.contains('\u{1b}'),
        "{message}"
    );
}
