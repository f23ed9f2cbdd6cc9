//! QRP1: one header a page that states each fact of the JSON once, and the rows.

use qrp1::{
    Caps, Column, ColumnSlice, ColumnType, Cover, Layout, Meta, PageWriter, Profile, TimeRange,
};

use crate::Error;
use crate::candles::{Candle, START_MS, STEP_MS};
use crate::format::Format;
use crate::page::{CURSOR_CHARS, Page, cursor, pages};

/// The default profile: an hour cell a row under `@day` lines, a column of one value hoisted,
/// cursors of 64 characters.
pub const PLAIN: Format = Format {
    name: "QRP1, hour cells",
    print: |candles| print(candles, Form::Hours),
};

/// The same without time cells: anchors state times, at the start of pages and of days.
pub const ANCHORS: Format = Format {
    name: "QRP1, anchors only",
    print: |candles| print(candles, Form::Anchors),
};

/// The form that QRP1 began with, with the cursors that its article has.
pub const SEED: Format = Format {
    name: "QRP1, profile seed",
    print: |candles| print(candles, Form::Seed),
};

/// [`PLAIN`] with cursors as long as those of the other formats.
pub const PLAIN_LONG: Format = Format {
    name: "QRP1, hour cells, long cursors",
    print: |candles| print(candles, Form::HoursLong),
};

/// [`ANCHORS`] with cursors as long as those of the other formats.
pub const ANCHORS_LONG: Format = Format {
    name: "QRP1, anchors only, long cursors",
    print: |candles| print(candles, Form::AnchorsLong),
};

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Hours,
    HoursLong,
    Anchors,
    AnchorsLong,
    Seed,
}

/// What the JSON calls a column, and what the seed's form does.
const NUMBERS: [(&str, &str); 5] = [
    ("open", "o"),
    ("high", "h"),
    ("low", "l"),
    ("close", "c"),
    ("volume", "v"),
];

/// Candles as they are stored: column by column.
#[derive(Debug)]
pub struct Columns {
    times_ms: Vec<i64>,
    numbers: [Vec<f64>; 5],
    closed: Vec<bool>,
}

impl Columns {
    /// The columns of candles.
    #[must_use]
    pub fn new(candles: &[Candle]) -> Self {
        let column = |value: fn(&Candle) -> f64| candles.iter().map(value).collect();
        Self {
            times_ms: candles.iter().map(|candle| candle.time_ms).collect(),
            numbers: [
                column(|c| c.open),
                column(|c| c.high),
                column(|c| c.low),
                column(|c| c.close),
                column(|c| c.volume),
            ],
            closed: candles.iter().map(|candle| candle.closed).collect(),
        }
    }

    /// The columns as the writer takes them.
    #[must_use]
    pub fn slices(&self) -> Vec<ColumnSlice<'_>> {
        let times = ColumnSlice::times_ms(&self.times_ms);
        let numbers = self.numbers.iter().map(|n| ColumnSlice::f64s(n));
        let closed = ColumnSlice::bools(&self.closed);
        [times].into_iter().chain(numbers).chain([closed]).collect()
    }
}

/// The layout of [`PLAIN`].
///
/// # Errors
///
/// None that is expected: the columns fit together.
pub fn hours() -> Result<Layout, Error> {
    Ok(layout(Form::Hours)?)
}

fn layout(form: Form) -> Result<Layout, qrp1::Error> {
    let closed = Column::new("closed", ColumnType::Bool);
    let numbers = NUMBERS.map(|(plain, seed)| {
        let name = if form == Form::Seed { seed } else { plain };
        Column::new(name, ColumnType::F64)
    });
    let (time, closed, t0_ms) = match form {
        Form::Hours | Form::HoursLong => {
            let time = Column::new("time", ColumnType::Hour);
            (time, closed.with_constant(true), None)
        }
        Form::Anchors | Form::AnchorsLong => {
            let time = Column::new("time", ColumnType::Time).with_step_ms(STEP_MS);
            (time, closed.with_constant(true), None)
        }
        Form::Seed => {
            let time = Column::new("dt_ms", ColumnType::Offset);
            (time, closed, Some(START_MS))
        }
    };
    let columns = [time].into_iter().chain(numbers).chain([closed]);
    let layout = Layout::series(t0_ms, columns)?;
    if form == Form::Seed {
        layout.with_profile(Profile::Seed)
    } else {
        Ok(layout)
    }
}

fn print(candles: &[Candle], form: Form) -> Result<Vec<String>, Error> {
    let layout = layout(form)?;
    let mut first_row = 0;
    let mut texts = Vec::new();
    for (index, page) in pages(candles)?.into_iter().enumerate() {
        texts.push(print_page(&page, index, first_row, &layout, form)?);
        first_row += page.candles.len();
    }
    Ok(texts)
}

fn print_page(
    page: &Page<'_>,
    index: usize,
    first_row: usize,
    layout: &Layout,
    form: Form,
) -> Result<String, Error> {
    let columns = Columns::new(page.candles);
    let mut writer = PageWriter::new(layout, Caps::default(), None)?;
    writer.push_columns(&columns.slices(), 0)?;
    Ok(writer.finish(|_| facts(page, index, first_row, form))?.text)
}

/// What the JSON says beside the rows. That the order is ascending is said by the kind, the
/// size of the page by its rows, and whether there is more by the cursor.
fn facts(page: &Page<'_>, index: usize, first_row: usize, form: Form) -> Result<Meta, Error> {
    let (place, snapshot) = (&page.place, &page.snapshot);
    let mut meta = Meta::new()
        .with_range(TimeRange {
            start_ms: START_MS,
            end_ms: START_MS + (i64::try_from(place.total)? - 1) * STEP_MS,
        })
        .with_snapshot(&snapshot.id)
        .with_digest(&snapshot.digest)
        .with_cover(if place.has_more || first_row > 0 {
            Cover::Page
        } else {
            Cover::All
        })
        .with_from(first_row as u64)
        .with_total(place.total as u64)
        .with_crc(form != Form::Seed);
    let facts = source(page);
    if form == Form::Seed {
        // The article's header has a key for every fact of the JSON.
        let more = place.has_more.to_string();
        let complete = page.range.complete.to_string();
        let size = place.size.to_string();
        let apart = [
            ("as-of", snapshot.as_of.as_str()),
            ("complete", &complete),
            ("has-more", &more),
            ("order", place.order),
            ("page-size", &size),
        ];
        // As in the article, a cursor that is absent is said to be null.
        let absent = (!place.has_more).then_some(("next-cursor", "null"));
        let all = facts.into_iter().chain(apart).chain(absent);
        meta.extensions = all
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
    } else {
        meta = meta.with_source(facts.map(|(_, value)| value).join(" "));
        let as_of = snapshot.as_of.replace(":00.000Z", "Z");
        meta.extensions.insert("as-of".to_owned(), as_of);
    }
    if place.has_more {
        let short = matches!(form, Form::Hours | Form::Anchors);
        let chars = if short { 64 } else { CURSOR_CHARS };
        meta = meta.with_next(cursor(index + 1, chars));
    }
    Ok(meta)
}

fn source(page: &Page<'_>) -> [(&'static str, &'static str); 8] {
    let source = &page.source;
    [
        ("provider", source.provider),
        ("exchange", source.exchange),
        ("market", source.market),
        ("symbol", source.symbol),
        ("interval", source.interval),
        ("timezone", source.timezone),
        ("adjustment", source.adjustment),
        ("schema", source.schema),
    ]
}
