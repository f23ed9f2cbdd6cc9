//! Whatever the rows, the layout of their survey prints them all, on every page, and in no more
//! bytes than plain columns need.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{
    Column, ColumnType, Decimal, Document, Layout, Meta, Miss, Payload, Preference, Survey, Table,
    Value,
};

fn instant() -> impl Strategy<Value = i64> {
    prop_oneof![
        (qrp1::MIN_TIME_MS..=qrp1::MAX_TIME_MS),
        (0i64..3000).prop_map(|days| days * 86_400_000),
        (0i64..3000).prop_map(|minutes| minutes * 60_000),
    ]
}

/// What most rows have in a column.
#[derive(Clone, Debug)]
enum Habit {
    /// One of a few values.
    Pool(Vec<Value>),
    /// A start and a step.
    Line(i64, i64),
}

/// One cell before its row is known.
#[derive(Clone, Debug)]
enum Draw {
    Habit(prop::sample::Index),
    Value(Value),
}

/// A column: its name, type, habit, and the miss rule that may be declared.
#[derive(Clone, Debug)]
struct Sketch {
    name: String,
    kind: ColumnType,
    habit: Habit,
    /// How many cells of ten keep to the habit, and how many miss.
    steady: u32,
    missing: u32,
    declared: Option<Miss>,
}

fn kind() -> impl Strategy<Value = ColumnType> {
    prop_oneof![
        1 => Just(ColumnType::Bool),
        1 => Just(ColumnType::I64),
        1 => Just(ColumnType::U64),
        1 => Just(ColumnType::F64),
        1 => (0u8..=38).prop_map(|scale| ColumnType::Decimal { scale }),
        3 => Just(ColumnType::Str),
        1 => Just(ColumnType::Time),
    ]
}

fn step(kind: ColumnType) -> BoxedStrategy<i64> {
    let any = prop_oneof![4 => -3i64..4, 1 => any::<i64>()];
    let time = prop::sample::select(vec![1, 1_000, 60_000, 3_600_000, 86_400_000, 604_800_000]);
    match kind {
        ColumnType::Time => {
            prop_oneof![3 => time.clone(), 1 => time.prop_map(|step| -step)].boxed()
        }
        _ => any.boxed(),
    }
}

fn habit(kind: ColumnType) -> BoxedStrategy<Habit> {
    let pool = prop::collection::vec(documents::value_of(kind), 1..4).prop_map(Habit::Pool);
    let start = prop_oneof![-20i64..2_000, Just(i64::MAX - 3), Just(i64::MIN + 3)];
    let line = (start, step(kind)).prop_map(|(start, step)| Habit::Line(start, step));
    match kind {
        ColumnType::Bool | ColumnType::F64 | ColumnType::Str => pool.boxed(),
        ColumnType::Time => {
            let line = (instant(), step(kind));
            let line = line.prop_map(|(start, step)| Habit::Line(start, step));
            prop_oneof![1 => pool, 3 => line].boxed()
        }
        _ => prop_oneof![pool, line].boxed(),
    }
}

fn declared() -> impl Strategy<Value = Option<Miss>> {
    prop::option::weighted(
        0.2,
        prop::sample::select(vec![
            Miss::null(),
            Miss::absent(),
            Miss::null().and_absent(),
        ]),
    )
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let steady = prop::sample::select(vec![0, 5, 8, 9, 10]);
    let missing = prop::sample::select(vec![0, 0, 0, 1, 5, 10]);
    kind().prop_flat_map(move |kind| {
        (
            documents::string(),
            habit(kind),
            steady.clone(),
            missing.clone(),
            declared(),
        )
            .prop_map(move |(name, habit, steady, missing, declared)| Sketch {
                name,
                kind,
                habit,
                steady,
                missing,
                declared,
            })
    })
}

fn draw(sketch: &Sketch) -> BoxedStrategy<Draw> {
    let habit = any::<prop::sample::Index>().prop_map(Draw::Habit);
    let miss = prop::sample::select(vec![Value::Null, Value::Null, Value::Absent]);
    prop_oneof![
        3 * sketch.steady => habit,
        3 * (10 - sketch.steady) + 1 - u32::from(sketch.steady == 10) => documents::value_of(sketch.kind).prop_map(Draw::Value),
        4 * sketch.missing => miss.prop_map(Draw::Value),
    ]
    .boxed()
}

impl Sketch {
    fn value(&self, ordinal: usize, draw: Draw) -> Value {
        let index = match draw {
            Draw::Value(value) => return value,
            Draw::Habit(index) => index,
        };
        let (start, step) = match &self.habit {
            Habit::Pool(values) => return values[index.index(values.len())].clone(),
            Habit::Line(start, step) => (*start, *step),
        };
        let far = step.wrapping_mul(i64::try_from(ordinal).unwrap());
        let number = start.wrapping_add(far);
        match self.kind {
            ColumnType::U64 => Value::U64(number.cast_unsigned()),
            ColumnType::Decimal { scale } => Value::Decimal(Decimal::new(number.into(), scale)),
            ColumnType::Time => Value::Time(
                start
                    .saturating_add(far)
                    .clamp(qrp1::MIN_TIME_MS, qrp1::MAX_TIME_MS),
            ),
            _ => Value::I64(number),
        }
    }
}

fn rows(sketches: Vec<Sketch>, most: usize) -> BoxedStrategy<(Vec<Sketch>, Vec<Vec<Value>>)> {
    let draws: Vec<_> = sketches.iter().map(draw).collect();
    (prop::collection::vec(draws, 0..=most), any::<bool>())
        .prop_map(move |(draws, sorted)| {
            let row = |(ordinal, draws): (usize, Vec<Draw>)| {
                let cells = draws.into_iter().zip(&sketches);
                cells
                    .map(|(draw, sketch)| sketch.value(ordinal, draw))
                    .collect()
            };
            let mut rows: Vec<Vec<Value>> = draws.into_iter().enumerate().map(row).collect();
            if sorted && sketches[0].kind == ColumnType::Time {
                rows.sort_by_key(|row| match row[0] {
                    Value::Time(time_ms) => time_ms,
                    _ => i64::MIN,
                });
            }
            (sketches.clone(), rows)
        })
        .boxed()
}

fn table(most: usize) -> impl Strategy<Value = (Vec<Sketch>, Vec<Vec<Value>>)> {
    prop::collection::vec(sketch(), 1..6)
        .prop_map(|mut sketches| {
            let mut names = std::collections::HashSet::new();
            sketches.retain(|sketch| names.insert(sketch.name.clone()));
            sketches
        })
        .prop_flat_map(move |sketches| rows(sketches, most))
}

fn preference() -> impl Strategy<Value = Preference> {
    let often = || prop::bool::weighted(0.8);
    (often(), often(), any::<bool>()).prop_map(|(hoists, sequences, anchors_only)| Preference {
        hoists,
        sequences,
        anchors_only,
    })
}

fn survey(sketches: &[Sketch], rows: &[Vec<Value>], typed: bool) -> Survey {
    let mut survey = Survey::new(sketches.iter().map(|sketch| sketch.name.as_str()));
    for sketch in sketches {
        if let Some(miss) = sketch.declared {
            survey = survey.with_miss(&sketch.name, miss).unwrap();
        }
        if typed {
            survey = survey.with_type(&sketch.name, sketch.kind).unwrap();
        }
    }
    for row in rows {
        let cells: Vec<_> = row.iter().map(Value::as_cell).collect();
        survey.add(&cells).unwrap();
    }
    survey
}

fn text(layout: &Layout, rows: &[Vec<Value>], from: Option<u64>) -> String {
    let meta = from.map_or(Meta::new(), |from| Meta::new().with_from(from));
    let table = Table {
        meta,
        layout: layout.clone(),
        rows: rows.to_vec(),
    };
    let payload = Payload::from(table);
    let text = payload.to_text().unwrap();
    assert_eq!(
        Document::parse(&text),
        Ok(Document::new([payload])),
        "{text}"
    );
    text
}

/// The same columns without hoists, the times in full.
fn plain(layout: &Layout) -> Layout {
    let columns = layout.columns().iter().map(|column| {
        let kind = match column.column_type() {
            ColumnType::Clock | ColumnType::Hour | ColumnType::Minute | ColumnType::Day => {
                ColumnType::Time
            }
            kind => kind,
        };
        Column::new(column.name(), kind).with_miss(column.miss())
    });
    if layout.is_series() {
        Layout::series(None, columns).unwrap()
    } else {
        Layout::table(columns).unwrap()
    }
}

fn check(
    (sketches, rows): &(Vec<Sketch>, Vec<Vec<Value>>),
    preference: &Preference,
    typed: bool,
    page: usize,
) -> Result<(), TestCaseError> {
    let layout = survey(sketches, rows, typed).layout(preference).unwrap();
    let back = Layout::from_line(&layout.to_line());
    prop_assert_eq!(back.as_ref(), Ok(&layout));
    let surveyed = text(&layout, rows, None);
    let plain = text(&plain(&layout), rows, None);
    prop_assert!(
        surveyed.len() <= plain.len(),
        "{} > {} bytes:\n{}\n{}",
        surveyed.len(),
        plain.len(),
        surveyed,
        plain
    );
    for (at, some) in rows.chunks(page).enumerate() {
        text(&layout, some, Some((at * page) as u64));
    }
    // The page behind the last row.
    text(&layout, &[], Some(rows.len() as u64));
    for (column, sketch) in layout.columns().iter().zip(sketches) {
        if let Some(declared) = sketch.declared {
            prop_assert!(column.miss().allows_null() || !declared.allows_null());
            prop_assert!(column.miss().allows_absent() || !declared.allows_absent());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn few_rows(table in table(24), preference in preference(), typed: bool, page in 1usize..20) {
        check(&table, &preference, typed, page)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn many_rows(table in table(900), preference in preference(), page in 100usize..400) {
        check(&table, &preference, false, page)?;
    }
}
