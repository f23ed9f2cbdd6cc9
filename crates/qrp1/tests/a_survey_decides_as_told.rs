//! The decisions of a survey on clear cases.
#![allow(clippy::unwrap_used)]

use qrp1::{Cell, ColumnType, Decimal, ErrorCode, Miss, Preference, Survey};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn survey<const N: usize>(
    names: [&str; N],
    rows: impl IntoIterator<Item = [Cell<'static>; N]>,
) -> Survey {
    let mut survey = Survey::new(names);
    for row in rows {
        survey.add(&row).unwrap();
    }
    survey
}

fn line<const N: usize>(
    names: [&str; N],
    rows: impl IntoIterator<Item = [Cell<'static>; N]>,
) -> String {
    layout(&survey(names, rows), Preference::default())
}

fn layout(survey: &Survey, preference: Preference) -> String {
    survey.layout(&preference).unwrap().to_line()
}

fn words(n: i64) -> Cell<'static> {
    let words = ["north", "south", "east", "west", "centre"];
    Cell::Str(words[usize::try_from(n * n * 7 % 5).unwrap()])
}

#[test]
fn candles_closed_but_the_last() {
    let rows = (0..500).map(|n| {
        let close = Cell::F64(100.0 + (n * 37 % 11) as f64 / 4.0);
        [Cell::Time(n * HOUR_MS), close, Cell::Bool(n < 499)]
    });
    let survey = survey(["time", "close", "closed"], rows);
    let all = Preference::default();
    assert_eq!(
        layout(&survey, all),
        "series|columns=time:th,close:f,closed:b=t"
    );
    let none = Preference {
        hoists: false,
        ..all
    };
    assert_eq!(
        layout(&survey, none),
        "series|columns=time:th,close:f,closed:b"
    );
    let sparse = Preference {
        anchors_only: true,
        ..all
    };
    assert_eq!(
        layout(&survey, sparse),
        "series|columns=time:t=+1h,close:f,closed:b=t"
    );
}

#[test]
fn ids_that_count_on() {
    let ids = |id: fn(i64) -> i64| {
        line(
            ["id", "region"],
            (0..300).map(move |n| [Cell::I64(id(n)), words(n)]),
        )
    };
    assert_eq!(ids(|n| n + 1), "table|columns=id:i=1+1,region");
    assert_eq!(ids(|n| 1_000 - 2 * n), "table|columns=id:i=1000-2,region");
    // Two late gaps: the line before them is that of most rows.
    assert_eq!(
        ids(|n| n + 1 + i64::from(n > 270) * 5 + i64::from(n > 290)),
        "table|columns=id:i=1+1,region"
    );
    // Two early gaps: the line behind them, which the first rows are off.
    assert_eq!(
        ids(|n| n + 1 + i64::from(n > 9) * 5 + i64::from(n > 20)),
        "table|columns=id:i=7+1,region"
    );
    // A gap in the middle leaves half of the rows off every line.
    assert_eq!(
        ids(|n| n + 1 + i64::from(n > 150) * 5),
        "table|columns=id:i,region"
    );
    assert_eq!(ids(|n| n * n), "table|columns=id:i,region");
}

#[test]
fn sequences_of_other_types() {
    let rows = (0..40i64).map(|n| {
        let tick = Decimal::new(i128::from(1_000 + 5 * n), 2);
        [
            Cell::U64(7 + n.unsigned_abs()),
            Cell::Decimal(tick),
            words(n),
        ]
    });
    let ticks = survey(["n", "tick", "region"], rows);
    let all = Preference::default();
    assert_eq!(
        layout(&ticks, all),
        "table|columns=n:u=7+1,tick:d2=10+0.05,region"
    );
    let constants = Preference {
        sequences: false,
        ..all
    };
    assert_eq!(
        layout(&ticks, constants),
        "table|columns=n:u,tick:d2,region"
    );
}

#[test]
fn statuses_that_are_nearly_all_ok() {
    let status = |n: i64| Cell::Str(if n % 100 == 57 { "failed" } else { "ok" });
    let of = |status: fn(i64) -> Cell<'static>| {
        line(
            ["status", "region"],
            (0..400).map(move |n| [status(n), words(n)]),
        )
    };
    assert_eq!(of(status), "table|columns=status=ok,region");
    assert_eq!(
        of(|n| Cell::Str(if n % 3 == 0 { "failed" } else { "ok" })),
        "table|columns=status,region"
    );
}

#[test]
fn columns_of_misses() {
    let of = |note: fn(i64) -> Cell<'static>| {
        line(
            ["note", "region"],
            (0..50).map(move |n| [note(n), words(n)]),
        )
    };
    assert_eq!(of(|_| Cell::Null), "table|columns=note:s!=,region");
    assert_eq!(of(|_| Cell::Absent), "table|columns=note:s?=,region");
    assert_eq!(of(|_| Cell::Str("")), "table|columns=note:s~=,region");
    // The commonest of three has the empty cell.
    let mixed = |n: i64| {
        [
            Cell::Null,
            Cell::Absent,
            Cell::Absent,
            Cell::Str(""),
            words(n),
        ][usize::try_from(n % 5).unwrap()]
    };
    assert_eq!(of(mixed), "table|columns=note:s?!,region");
    let empty = |n: i64| {
        [Cell::Null, Cell::Str(""), Cell::Str(""), words(n)][usize::try_from(n % 4).unwrap()]
    };
    assert_eq!(of(empty), "table|columns=note:s~!,region");
}

#[test]
fn declared_types_and_misses() {
    let survey = Survey::new(["score", "at"])
        .with_type("score", ColumnType::Decimal { scale: 2 })
        .and_then(|survey| survey.with_miss("score", Miss::null()))
        .and_then(|survey| survey.with_type("at", ColumnType::Time));
    assert_eq!(
        layout(&survey.unwrap(), Preference::default()),
        "table|columns=score:d2!,at:t"
    );
    let empty = Survey::new(["time", "n"])
        .with_type("time", ColumnType::Time)
        .unwrap();
    assert_eq!(
        layout(&empty, Preference::default()),
        "series|columns=time:t,n"
    );
    for kind in [
        ColumnType::Hour,
        ColumnType::Offset,
        ColumnType::Decimal { scale: 39 },
    ] {
        let error = Survey::new(["a"]).with_type("a", kind).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Layout);
    }
    assert_eq!(
        Survey::new(["a"])
            .with_miss("b", Miss::null())
            .unwrap_err()
            .code(),
        ErrorCode::Layout
    );
}

#[test]
fn a_time_that_goes_back_makes_a_table() {
    let rows = (0..60).map(|n| [Cell::Time((1_000 - n) * DAY_MS), words(n)]);
    assert_eq!(
        line(["day", "region"], rows),
        "table|columns=day:t=1972-09-27-1d,region"
    );
    let rows = (0..60).map(|n| {
        [
            if n == 30 {
                Cell::Null
            } else {
                Cell::Time(n * n * DAY_MS)
            },
            words(n),
        ]
    });
    assert_eq!(line(["day", "region"], rows), "table|columns=day:t!,region");
    let survey = survey(["day", "n"], [[Cell::Time(0), Cell::I64(1)]]);
    let survey = survey.with_miss("day", Miss::null()).unwrap();
    assert_eq!(
        layout(&survey, Preference::default()),
        "table|columns=day:t!,n:i"
    );
}

#[test]
fn times_in_their_cheapest_form() {
    let of = |time: fn(i64) -> i64| {
        line(
            ["time", "region"],
            (0..200).map(move |n| [Cell::Time(time(n)), words(n)]),
        )
    };
    assert_eq!(of(|n| n * DAY_MS), "series|columns=time:td,region");
    assert_eq!(of(|n| n * HOUR_MS), "series|columns=time:th,region");
    assert_eq!(of(|n| n * 60_000), "series|columns=time:tm,region");
    assert_eq!(of(|n| n * 1_800_000), "series|columns=time:tc,region");
    assert_eq!(of(|n| n * 1_700), "series|columns=time:tc,region");
    // With an anchor for every row, short times are hardly cheaper than times in full.
    assert_eq!(of(|n| n * 40 * DAY_MS), "series|columns=time:t,region");
    assert_eq!(of(|n| n * 49 * HOUR_MS), "series|columns=time:t,region");
}

#[test]
fn steps_only_where_they_are_regular() {
    let of = |time: fn(i64) -> i64| {
        let survey = survey(
            ["time", "region"],
            (0..200).map(move |n| [Cell::Time(time(n)), words(n)]),
        );
        layout(
            &survey,
            Preference {
                anchors_only: true,
                ..Preference::default()
            },
        )
    };
    assert_eq!(
        of(|n| n * HOUR_MS + n / 60 * DAY_MS),
        "series|columns=time:t=+1h,region"
    );
    assert_eq!(of(|n| n * DAY_MS), "series|columns=time:t=+1d,region");
    assert_eq!(of(|n| n * n * HOUR_MS), "series|columns=time:t,region");
    // A gap every other row: an anchor each time costs more than hours do.
    assert_eq!(
        of(|n| (n + n / 2) * HOUR_MS),
        "series|columns=time:th,region"
    );
}

#[test]
fn commas_in_many_strings_ask_for_tabs() {
    let of = |text: fn(i64) -> Cell<'static>| {
        line(
            ["time", "text"],
            (0..100).map(move |n| [Cell::Time(n * n * DAY_MS), text(n)]),
        )
    };
    assert_eq!(of(words), "series|columns=time:t,text");
    let named = |n: i64| {
        if n % 3 == 0 {
            Cell::Str("Doe, Jane")
        } else {
            words(n)
        }
    };
    assert_eq!(of(named), "series|sep=tab|columns=time:t,text");
    assert_eq!(
        of(|n| if n == 3 {
            Cell::Str("Doe, Jane")
        } else {
            words(n)
        }),
        "series|columns=time:t,text"
    );
    // Tabs are escaped whatever the separator; and a constant in the header needs no tab.
    let tabs =
        |n: i64| Cell::Str(["a\tb, c", "a\tb, d", "a\tb, e"][usize::try_from(n % 3).unwrap()]);
    assert_eq!(of(tabs), "series|columns=time:t,text");
    assert_eq!(
        of(|_| Cell::Str("Doe, Jane")),
        "series|columns=time:t,text=\"Doe, Jane\""
    );
}

#[test]
fn one_row_and_one_column_keep_their_cells() {
    assert_eq!(
        line(["a", "b"], [[Cell::I64(1), Cell::Null]]),
        "table|columns=a:i,b:s!"
    );
    assert_eq!(
        line(["a"], (0..50).map(|n| [Cell::I64(n)])),
        "table|columns=a:i"
    );
    // All columns could go; the cheapest one stays.
    let rows = (0..50).map(|n| [Cell::Str("constant"), Cell::I64(n), Cell::Bool(true)]);
    assert_eq!(
        line(["a", "b", "c"], rows),
        "table|columns=a=constant,b:i=0+1,c:b"
    );
}

#[test]
fn a_hoist_that_would_make_the_rest_dearer_is_left() {
    // Without the flag, most rows would be blank and say "null".
    let rows = (0..50).map(|n| {
        [
            Cell::Bool(true),
            if n == 9 { Cell::I64(n * n) } else { Cell::Null },
        ]
    });
    let survey = survey(["flag", "n"], rows);
    assert_eq!(
        layout(&survey, Preference::default()),
        "table|columns=flag:b,n:i!="
    );
    // Without the flag, every path would come first and need quotes.
    let path = |n: i64| {
        Cell::Str(["/etc/hosts", "/etc/passwd", "/srv/www"][usize::try_from(n % 3).unwrap()])
    };
    let rows = (0..50).map(|n| [Cell::Bool(true), path(n)]);
    assert_eq!(line(["flag", "path"], rows), "table|columns=flag:b,path");
}

#[test]
fn fewer_tokens_are_no_reason_for_more_bytes() {
    // First in their lines the paths would need quotes: a token more, and nine bytes.
    let path = |n: i64| {
        Cell::Str(
            [
                r"/a\b\c\d\e\f\g\h",
                r"/b\b\c\d\e\f\g\h",
                r"/c\b\c\d\e\f\g\h",
            ][usize::try_from(n % 3).unwrap()],
        )
    };
    let rows = (0..50).map(|n| [Cell::Str("info"), path(n)]);
    assert_eq!(line(["level", "path"], rows), "table|columns=level,path");
}

#[test]
fn sequences_that_say_nothing_or_cannot_start_are_left() {
    // Two rows are a line whatever they are.
    let rows = (0..2).map(|n| [Cell::Time((90 - n) * DAY_MS), words(n)]);
    assert_eq!(line(["day", "region"], rows), "table|columns=day:t,region");
    // The line through these days begins before the year 0000.
    let day = |n: i64| {
        if n == 0 {
            Cell::Null
        } else {
            Cell::Time(qrp1::MIN_TIME_MS + (n - 1) * DAY_MS)
        }
    };
    let rows = (0..60).map(|n| [words(n), day(n)]);
    assert_eq!(line(["region", "day"], rows), "table|columns=region,day:t!");
}

#[test]
fn mixed_types_are_refused_and_leave_the_survey_as_it_was() {
    let decimal = |scale| Cell::Decimal(Decimal::new(5, scale));
    for (first, then, words) in [
        (Cell::I64(1), Cell::F64(1.0), ["an i64", "an f64"]),
        (Cell::I64(1), Cell::U64(1), ["an i64", "a u64"]),
        (Cell::Str("1"), Cell::Bool(true), ["a string", "a bool"]),
        (
            decimal(1),
            decimal(2),
            ["a decimal of scale 1", "a decimal of scale 2"],
        ),
        (
            Cell::Time(0),
            Cell::Time(i64::MAX),
            ["years 0000 to 9999", "outside"],
        ),
        (Cell::Null, decimal(39), ["0 to 38", "scale 39"]),
    ] {
        let mut survey = Survey::new(["n", "mixed"]);
        survey.add(&[Cell::I64(1), first]).unwrap();
        let before = layout(&survey, Preference::default());
        let error = survey.add(&[Cell::I64(900), then]).unwrap_err();
        assert_eq!(error.code(), ErrorCode::CellType);
        let said = error.to_string();
        assert!(said.contains("\"mixed\" of row 1"), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert_eq!(
            (survey.rows(), layout(&survey, Preference::default())),
            (1, before)
        );
        assert!(survey.add(&[Cell::I64(900), first]).is_ok());
    }
    assert_eq!(
        Survey::new(["a"]).add(&[]).unwrap_err().code(),
        ErrorCode::RowWidth
    );
    for names in [&[][..], &["a", "a"]] {
        let error = Survey::new(names.iter().copied())
            .layout(&Preference::default())
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::Layout);
    }
}

#[test]
fn a_sequence_that_a_later_page_could_not_start_is_left() {
    // The line ends at 0; a page from the last row on could not say where it starts.
    let left = |behind: u64| {
        let rows = (0..300 + behind).map(|n| {
            let n = if n < 300 { 299 - n } else { 1_000_000 };
            [Cell::U64(n), Cell::Str(if n % 3 == 0 { "x" } else { "y" })]
        });
        line(["left", "x"], rows)
    };
    assert_eq!(left(2), "table|columns=left:u,x");
    let rows = (0..300).map(|n| {
        [
            Cell::U64(300 - n),
            Cell::Str(if n % 2 == 0 { "x" } else { "y" }),
        ]
    });
    assert_eq!(line(["left", "x"], rows), "table|columns=left:u=300-1,x");
}
