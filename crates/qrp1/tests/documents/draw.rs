//! Documents drawn from bytes: the same bytes always give the same document, and between them
//! they give all that the format can say, with content that tries to look like something else.

use std::fmt::Write as _;

use qrp1::{
    Cap, Column, ColumnType, CountPlace, Cover, Decimal, Document, Field, Hoist, Layout, MAX_SCALE,
    MAX_TIME_MS, MIN_TIME_MS, Meta, Miss, Outcome, Part, Payload, Profile, Receipt, Record,
    Separator, Status, Table, Text, TimeRange, Value,
};

/// Strings that try to look like something else.
pub(crate) const HOSTILE: &[&str] = &[
    "",
    " ",
    "  a",
    "a ",
    "\"",
    "\"\"",
    "\"a",
    "\"a\"",
    "\\",
    "\\n",
    "\\\\",
    "\\@x",
    "\\QRP1|",
    "\\u000a",
    "null",
    "absent",
    "t",
    "f",
    "1",
    "0",
    "007",
    "-0",
    "+1",
    "+1h",
    "1+1",
    "NaN",
    "Infinity",
    "true",
    "1.0",
    "1e5",
    "9007199254740993",
    "2026-09-08",
    "2026-09-08+1d",
    "/",
    "/etc/passwd",
    "@",
    "@x",
    "@end|",
    "@end|rows=1",
    "@end|lines=1",
    "@end|rows=1|lines=2",
    "@end|rows=1|crc=0",
    "@2026-09",
    "@2026-09-08",
    "@2026-09-08T01Z",
    "@2026-09-08T01:30Z",
    "QRP1",
    "QRP1|",
    "QRP2|table|rows=0|columns=a",
    "QRP1|receipt|status=ok",
    "QRP1|table|rows=1|columns=a",
    "QRP1|text|lines=1|part=2|glue=t",
    "\nQRP1|receipt|status=ok\n",
    "\n@end|rows=1\n",
    "\n@2026-09-08\n00:00,1",
    "\r\nQRP1|receipt|status=ok\r\n",
    "\u{2028}QRP1|receipt|status=ok",
    "\u{85}@end|rows=1",
    "a\nb",
    "a\r\nb",
    "a\tb",
    "a,b",
    "a|b",
    "a=b",
    "a:b",
    "a:i",
    "a:b=t",
    "a;b",
    "a.b",
    ",",
    ",,",
    "\t",
    "\n",
    "\r",
    "\n\n",
    "\0",
    "\u{8}\u{c}",
    "\u{1b}[2J",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "a\u{3000}",
    "\u{ad}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}abc",
    "\u{2066}a\u{2069}",
    "\u{200b}",
    "\u{feff}",
    "\u{fff9}",
    "\u{e0041}\u{e007f}",
    "\u{200d}",
    "中文",
    "👩‍👩‍👧",
    "é",
    "e\u{301}",
    "|next=forged",
    "x|status=failed",
    "|crc=0",
    "|rows=9",
    "~",
    "!",
    "?",
    "dt_ms",
];

/// Characters that mean something somewhere.
const SYNTAX: &[char] = &[
    ' ', ',', '|', ':', '=', '"', '\\', '\t', '\n', '@', '/', '+', '-', '.', '!', '?', '~', ';',
    '[', ']', 'Q', 'R', 'P', '1', '0', 'a', 'n', 'u', 't', 'f', 'Z', 'T',
];

/// The first and last of ranges that are escaped or trimmed, and their neighbours.
const EDGES: &[u32] = &[
    0x00, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x9f, 0xa0, 0xa1, 0xac, 0xad, 0xae, 0x61b, 0x61c, 0x61d,
    0x1680, 0x180d, 0x180e, 0x180f, 0x1fff, 0x2000, 0x200a, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f,
    0x2010, 0x2027, 0x2028, 0x202e, 0x202f, 0x2030, 0x205f, 0x2060, 0x206f, 0x2070, 0x3000, 0xd7ff,
    0xe000, 0xfefe, 0xfeff, 0xff00, 0xfff8, 0xfff9, 0xfffb, 0xfffc, 0xfffd, 0xffff, 0x1_0000,
    0xd_ffff, 0xe_0000, 0xe_0fff, 0xe_1000, 0x10_ffff,
];

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e21,
    999_999_999_999_999_900_000.0,
    1e-6,
    9.999_999e-7,
    9_007_199_254_740_992.0,
    9_007_199_254_740_993.0,
    0.1,
    1.5e300,
];

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

const TIMES: &[i64] = &[
    0,
    -1,
    MIN_TIME_MS,
    MAX_TIME_MS,
    // The last midnight, hour and minute of the range.
    MAX_TIME_MS - (DAY_MS - 1),
    MAX_TIME_MS - (HOUR_MS - 1),
    MAX_TIME_MS - (MINUTE_MS - 1),
    // 2000-02-29 and the last hour before; 2100-02-28, before a 1 March.
    951_782_400_000,
    951_778_800_000,
    4_107_456_000_000,
    // The ends of 2026 and of one of its months.
    1_798_757_999_999,
    1_788_220_800_000,
];

/// Choices taken from bytes. When the bytes run out, every choice is the first one.
#[derive(Debug)]
pub(crate) struct Draw {
    bytes: Vec<u8>,
    /// How many are taken.
    at: usize,
    /// Names given so far, for content that repeats them.
    names: Vec<String>,
}

impl Draw {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            at: 0,
            names: Vec::new(),
        }
    }

    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number from 0 to `n` - 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n <= 256 {
            usize::from(self.byte()) % n
        } else {
            usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % n
        }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn unsigned(&mut self) -> u64 {
        match self.below(8) {
            0..=3 => self.byte().into(),
            4 => self.pick(&[u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 53]),
            5 => 10u64.pow(u32::from(self.byte() % 20)) - u64::from(self.byte() % 2),
            _ => self.word() >> self.below(64),
        }
    }

    fn signed(&mut self) -> i64 {
        let size = self.unsigned().cast_signed();
        if self.one_in(3) {
            size.wrapping_neg()
        } else {
            size
        }
    }

    fn wide(&mut self) -> i128 {
        match self.below(8) {
            0..=4 => self.signed().into(),
            5 => self.pick(&[i128::MAX, i128::MIN, i128::MIN + 1, 10i128.pow(38), -1]),
            _ => {
                let high = i128::from(self.word().cast_signed()) << 64;
                (high | i128::from(self.word())) >> self.below(127)
            }
        }
    }

    fn float(&mut self) -> f64 {
        match self.below(6) {
            0..=2 => {
                let places = i32::from(self.byte() % 6);
                let word = self.word().to_le_bytes();
                let whole = i32::from_le_bytes([word[0], word[1], word[2], 0]);
                let sign = if word[3] % 4 == 3 { -1.0 } else { 1.0 };
                sign * f64::from(whole) / 10f64.powi(places)
            }
            3 => self.pick(FLOATS),
            4 => self.unsigned() as f64,
            _ => f64::from_bits(self.word()),
        }
    }

    fn time(&mut self) -> i64 {
        let time_ms = match self.below(4) {
            0 => self.pick(TIMES),
            1 => {
                let span = MAX_TIME_MS.abs_diff(MIN_TIME_MS) + 1;
                MIN_TIME_MS + (self.word() % span).cast_signed()
            }
            _ => {
                let unit_ms = self.pick(&[MINUTE_MS, HOUR_MS, DAY_MS, SECOND_MS, 1]);
                1_788_825_600_000 + unit_ms * i64::from(self.byte())
            }
        };
        let unit_ms = self.pick(&[1, SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]);
        floor(time_ms, unit_ms)
    }

    fn char(&mut self) -> char {
        let code = match self.below(4) {
            0 => u32::from(self.byte()),
            1 | 2 => self.pick(EDGES),
            _ => u32::from_le_bytes([self.byte(), self.byte(), self.byte() % 0x11, 0]),
        };
        char::from_u32(code).unwrap_or('\u{fffd}')
    }

    pub(crate) fn text(&mut self) -> String {
        let hostile = |draw: &mut Self| draw.pick(HOSTILE).to_owned();
        match self.below(16) {
            0..=2 => format!("w{}", self.byte()),
            3..=7 => hostile(self),
            8 => hostile(self) + &hostile(self),
            9 => {
                let length = self.below(9);
                hostile(self) + &(0..length).map(|_| self.char()).collect::<String>()
            }
            10 | 11 => {
                let length = self.below(12);
                (0..length).map(|_| self.pick(SYNTAX)).collect()
            }
            12 => {
                let length = self.below(9);
                (0..length).map(|_| self.char()).collect()
            }
            13 => format!(
                "{}@end|{}={}|lines={}|crc={}",
                self.pick(&["\n", "", "x\n"]),
                self.pick(&["rows", "lines"]),
                self.byte() % 4,
                self.byte() % 6,
                self.unsigned() >> 32,
            ),
            // What reads as an exception, where a value may hold one.
            _ => {
                let name = match self.below(self.names.len() + 1) {
                    0 => "a".to_owned(),
                    at => self.names[at - 1].clone(),
                };
                let before = self.pick(&["\t", ",", "", "x\t", "x,", "\"\t", "\n"]);
                let quote = self.pick(&["", "", "\""]);
                let value = self.pick(&["", "t", "f", "1", "x", "null", "\"", "2026-09-08"]);
                format!("{before}{quote}{name}{quote}={value}")
            }
        }
    }

    /// A name that is not among those given since `start`.
    fn name(&mut self, start: usize) -> String {
        let mut name = match self.below(3) {
            0 => format!("c{}", self.byte() % 8),
            _ => self.text(),
        };
        while self.names[start..].contains(&name) {
            // The longest of them grows, so this ends.
            let _ = write!(name, "{}", self.names.len());
        }
        self.names.push(name.clone());
        name
    }

    fn kind(&mut self, offsets: bool) -> ColumnType {
        match self.below(if offsets { 10 } else { 9 }) {
            0 => ColumnType::I64,
            1 | 2 => ColumnType::Str,
            3 => ColumnType::Bool,
            4 => ColumnType::F64,
            5 => ColumnType::U64,
            6 => ColumnType::Decimal { scale: 2 },
            7 => ColumnType::Decimal {
                scale: self.byte() % (MAX_SCALE + 1),
            },
            8 => ColumnType::Time,
            _ => ColumnType::Offset,
        }
    }

    fn miss(&mut self, kind: ColumnType) -> Miss {
        let text = Miss::empty_text();
        let all = [
            Miss::none(),
            Miss::none(),
            Miss::null(),
            Miss::absent(),
            Miss::null().and_absent(),
            Miss::absent().and_null(),
            text,
            text.and_null(),
            text.and_absent(),
            text.and_null().and_absent(),
        ];
        let fit = if kind == ColumnType::Str { 10 } else { 6 };
        self.pick(&all[..fit])
    }

    pub(crate) fn value(&mut self, kind: ColumnType) -> Value {
        match kind {
            ColumnType::Bool => Value::Bool(self.below(2) == 1),
            ColumnType::I64 => Value::I64(self.signed()),
            ColumnType::U64 => Value::U64(self.unsigned()),
            ColumnType::F64 => Value::F64(self.float()),
            ColumnType::Decimal { scale } => Value::Decimal(Decimal::new(self.wide(), scale)),
            ColumnType::Str => Value::Str(self.text()),
            _ => Value::Time(self.time()),
        }
    }

    fn cell(&mut self, column: &Column) -> Value {
        let miss = column.miss();
        match self.below(6) {
            4 if miss.allows_null() => Value::Null,
            5 if miss.allows_absent() => Value::Absent,
            4 | 5 if column.column_type() == ColumnType::Str => Value::from(""),
            _ => self.value(column.column_type()),
        }
    }

    fn column(&mut self, start: usize, offsets: bool, hoists: bool) -> Column {
        let name = self.name(start);
        let kind = self.kind(offsets);
        let column = Column::new(name, kind).with_miss(self.miss(kind));
        let form = self.below(8);
        if !hoists || form < 4 || kind == ColumnType::Offset {
            return column;
        }
        let sequences = matches!(
            kind,
            ColumnType::I64 | ColumnType::U64 | ColumnType::Decimal { .. } | ColumnType::Time
        );
        if form < 6 || !sequences {
            let value = self.cell(&column);
            return column.with_constant(value);
        }
        let step = match self.below(4) {
            0 => self.pick(&[
                1,
                10,
                -1,
                1_000,
                DAY_MS,
                HOUR_MS,
                90 * MINUTE_MS,
                -7 * DAY_MS,
            ]),
            1 => self.pick(&[i64::MAX, -i64::MAX, SECOND_MS, 1]),
            // A step and the one back have the same size in the text.
            _ => self.signed().max(-i64::MAX),
        };
        let start = self.value(kind);
        column.with_sequence(start, if step == 0 { 1 } else { step })
    }

    /// Columns with at least `cells` of them not hoisted.
    fn columns(&mut self, start: usize, cells: usize, offsets: bool, hoists: bool) -> Vec<Column> {
        let count = cells + self.below(4);
        let mut columns: Vec<Column> = (0..count)
            .map(|_| self.column(start, offsets, hoists))
            .collect();
        let mut bare = columns.iter().filter(|c| c.hoist().is_none()).count();
        while bare < cells {
            columns.push(self.column(start, offsets, false));
            bare += 1;
        }
        columns
    }

    fn counts(&mut self) -> CountPlace {
        self.pick(&[CountPlace::Header, CountPlace::End])
    }

    pub(crate) fn layout(&mut self) -> Layout {
        let separator = self.pick(&[Separator::Tab, Separator::Comma]);
        let counts = self.counts();
        let start = self.names.len();
        let layout = if self.below(5) < 2 {
            Layout::table(self.columns(start, 1, false, true))
        } else {
            self.series(start)
        };
        let layout = layout.unwrap().with_counts(counts);
        if layout.profile() == Profile::Seed {
            return layout;
        }
        layout.with_separator(separator).unwrap()
    }

    fn series(&mut self, start: usize) -> Result<Layout, qrp1::Error> {
        let form = self.below(12);
        let seed = form == 0;
        let stepped = form >= 9;
        let name = if seed || self.one_in(8) {
            let name = "dt_ms".to_owned();
            self.names.push(name.clone());
            name
        } else {
            self.name(start)
        };
        let kind = match form {
            0..=2 => ColumnType::Offset,
            3 | 4 => ColumnType::Clock,
            5 => ColumnType::Hour,
            6 => ColumnType::Minute,
            7 => ColumnType::Day,
            _ => ColumnType::Time,
        };
        let mut time = Column::new(name, kind);
        if stepped {
            let step_ms = match self.below(4) {
                0 => HOUR_MS,
                1 => self.pick(&[1, 1_500, MINUTE_MS, 90 * MINUTE_MS, 4 * HOUR_MS, i64::MAX]),
                2 => DAY_MS * self.pick(&[1, 2, 6, 7, 8, 30, 31, 365]),
                _ => self.signed().saturating_abs().max(1),
            };
            time = time.with_step_ms(step_ms);
        }
        let offsets = !seed && self.one_in(4);
        let others = self.columns(start, usize::from(stepped), offsets, !seed);
        let columns: Vec<Column> = std::iter::once(time).chain(others).collect();
        let counted = |column: &Column| column.column_type() == ColumnType::Offset;
        let t0_ms = columns.iter().any(counted).then(|| self.time());
        let layout = Layout::series(t0_ms, columns)?;
        if seed {
            layout.with_profile(Profile::Seed)
        } else {
            Ok(layout)
        }
    }

    /// The time of a row, not before the one above.
    fn row_time(&mut self, first: &Column, last_ms: Option<i64>) -> i64 {
        let unit_ms = match first.column_type() {
            ColumnType::Hour => HOUR_MS,
            ColumnType::Minute => MINUTE_MS,
            ColumnType::Day => DAY_MS,
            _ => 1,
        };
        let Some(last_ms) = last_ms else {
            return floor(self.time(), unit_ms);
        };
        let step_ms = match first.hoist() {
            Some(Hoist::Step { step_ms }) => *step_ms,
            _ => unit_ms,
        };
        let later_ms = match self.below(8) {
            0..=3 => step_ms,
            4 => 0,
            5 => step_ms.saturating_mul(self.byte().into()),
            6 => self.pick(&[HOUR_MS, DAY_MS, 31 * DAY_MS, 366 * DAY_MS]),
            _ => i64::from(self.byte()) * self.pick(&[1, SECOND_MS, MINUTE_MS]),
        };
        let time_ms = last_ms.checked_add(floor(later_ms, unit_ms));
        time_ms
            .filter(|time_ms| *time_ms <= MAX_TIME_MS)
            .unwrap_or(last_ms)
    }

    /// At most `most` rows of a layout, the first of them at an ordinal.
    pub(crate) fn rows(&mut self, layout: &Layout, most: usize, from: u64) -> Vec<Vec<Value>> {
        let mut last_ms = None;
        let mut rows = Vec::new();
        for n in 0..self.below(most + 1) as u64 {
            let mut row = Vec::new();
            for (index, column) in layout.columns().iter().enumerate() {
                if index == 0 && layout.is_series() {
                    let time_ms = self.row_time(column, last_ms);
                    last_ms = Some(time_ms);
                    row.push(Value::Time(time_ms));
                    continue;
                }
                let said = column
                    .hoist()
                    .and_then(|hoist| said(hoist, from.saturating_add(n)));
                row.push(match said {
                    Some(value) if self.below(3) < 2 => value,
                    _ => self.cell(column),
                });
            }
            rows.push(row);
        }
        rows
    }

    fn maybe(&mut self) -> Option<String> {
        self.one_in(7).then(|| self.text())
    }

    /// The facts that every kind has.
    fn meta(&mut self) -> Meta {
        let mut meta = Meta::new().with_crc(self.one_in(3));
        meta.name = self.maybe();
        meta.source = self.maybe();
        meta.snapshot = self.maybe();
        meta.digest = self.maybe();
        meta.task = self.maybe();
        meta.hint = self.maybe();
        if self.one_in(6) {
            let (a, b) = (self.time(), self.time());
            meta.range = Some(TimeRange {
                start_ms: a.min(b),
                end_ms: a.max(b),
            });
        }
        if self.one_in(5) {
            meta.result = Some(self.unsigned());
        }
        if self.one_in(6) {
            let longest = "x".repeat(64);
            for _ in 0..=self.below(2) {
                let name = self.pick(&["note", "0", "-", "_", "trace-id", "crc", &longest]);
                let name = name.to_owned();
                let value = self.text();
                meta.extensions.insert(name, value);
            }
        }
        meta
    }

    /// The facts of how much this is, given the rows or lines that are counted against them.
    fn share(&mut self, mut meta: Meta, from: Option<u64>, counted: Option<u64>) -> Meta {
        let covers = [Cover::Page, Cover::Sample, Cover::Summary, Cover::Partial];
        meta.from = from;
        meta.cover = match self.below(7) {
            0..=1 => None,
            6 if from.unwrap_or(0) == 0 => Some(Cover::All),
            _ => Some(self.pick(&covers)),
        };
        if meta.cover != Some(Cover::All) {
            meta.next = self.maybe();
        }
        if self.one_in(3) {
            meta.total = match counted {
                None => Some(self.unsigned()),
                Some(count) if meta.cover == Some(Cover::All) => Some(count),
                Some(count) => {
                    let end = from.unwrap_or(0).checked_add(count);
                    end.map(|end| end.saturating_add(self.unsigned()))
                }
            };
        }
        meta
    }

    fn from(&mut self) -> Option<u64> {
        match self.below(6) {
            0..=2 => None,
            3 | 4 => Some(self.byte().into()),
            // The rows behind it have ordinals too.
            _ => Some(self.unsigned().min(u64::MAX - 1_000)),
        }
    }

    fn cap(&mut self) -> Option<Cap> {
        self.pick(&[
            None,
            None,
            Some(Cap::Bytes),
            Some(Cap::Tokens),
            Some(Cap::Rows),
        ])
    }

    fn table(&mut self) -> Table {
        let layout = self.layout();
        let mut from = self.from();
        // A page can begin only where every sequence has a value.
        let reached = |from: u64| {
            layout
                .columns()
                .iter()
                .filter_map(Column::hoist)
                .all(|hoist| matches!(hoist, Hoist::Step { .. }) || said(hoist, from).is_some())
        };
        if from.is_some_and(|from| !reached(from)) {
            from = Some(from.unwrap_or(0) % 3).filter(|from| reached(*from));
        }
        let rows = self.rows(&layout, 4, from.unwrap_or(0));
        let mut meta = self.meta();
        meta.cap = self.cap();
        let meta = self.share(meta, from, Some(rows.len() as u64));
        Table { meta, layout, rows }
    }

    fn record(&mut self) -> Record {
        let meta = self.meta();
        let meta = self.share(meta, None, None);
        let mut record = Record::new(meta);
        record.counts = self.counts();
        let start = self.names.len();
        for _ in 0..self.below(5) {
            let name = self.name(start);
            let kind = self.kind(false);
            let field = if self.one_in(6) {
                Field::null(name, kind)
            } else {
                Field::new(name, self.value(kind))
            };
            record.fields.push(field);
        }
        record
    }

    fn long_text(&mut self) -> Text {
        let lines: Vec<String> = (0..self.below(5)).map(|_| self.text()).collect();
        let mut meta = self.meta();
        meta.cap = self.cap();
        let from = self.from();
        let part = self.one_in(3).then(|| {
            let number = self.unsigned().max(1);
            let more = self.unsigned();
            Part {
                number,
                of: self.one_in(2).then_some(number.saturating_add(more)),
                glued: number > 1 && self.one_in(2),
            }
        });
        let mut body = lines.join("\n");
        // What goes on with a line has some of it.
        if part.is_some_and(|part| part.glued) && (body.is_empty() || body.starts_with('\n')) {
            body.insert(0, '~');
        }
        let counted = part.map(|_| body.split('\n').count() as u64);
        let mut text = Text::new(self.share(meta, from, counted), body);
        text.part = part;
        text.counts = self.counts();
        text.escaped |= self.one_in(4);
        text
    }

    fn receipt(&mut self) -> Receipt {
        let status = self.pick(&[
            Status::Ok,
            Status::Failed,
            Status::Pending,
            Status::Partial,
            Status::OutcomeUnknown,
        ]);
        let longest = "x".repeat(64);
        let code = self.pick(&["failed", "cursor_expired", "0", "_", &longest]);
        let coded = status == Status::Failed || self.one_in(3);
        let meta = self.meta();
        Receipt {
            outcome: Outcome {
                status,
                code: coded.then(|| code.to_owned()),
                reason: self.maybe(),
            },
            meta: self.share(meta, None, None),
        }
    }

    pub(crate) fn payload(&mut self) -> Payload {
        match self.below(8) {
            0..=4 => self.table().into(),
            5 => self.record().into(),
            6 => self.long_text().into(),
            _ => self.receipt().into(),
        }
    }

    pub(crate) fn document(&mut self) -> Document {
        let payloads: Vec<Payload> = (0..=self.below(3)).map(|_| self.payload()).collect();
        Document::new(payloads)
    }
}

fn floor(time_ms: i64, unit_ms: i64) -> i64 {
    time_ms - time_ms.rem_euclid(unit_ms)
}

/// What a header says of the row at an ordinal, by the specification.
fn said(hoist: &Hoist, ordinal: u64) -> Option<Value> {
    let (start, step) = match hoist {
        Hoist::Constant(value) => return Some(value.clone()),
        Hoist::Sequence { start, step } => (start, *step),
        _ => return None,
    };
    let far = i128::from(step) * i128::from(ordinal);
    match start {
        Value::I64(start) => (i128::from(*start) + far).try_into().ok().map(Value::I64),
        Value::U64(start) => (i128::from(*start) + far).try_into().ok().map(Value::U64),
        Value::Decimal(start) => {
            let mantissa = start.mantissa().checked_add(far)?;
            Some(Value::Decimal(Decimal::new(mantissa, start.scale())))
        }
        Value::Time(start_ms) => i64::try_from(i128::from(*start_ms) + far)
            .ok()
            .filter(|time_ms| (MIN_TIME_MS..=MAX_TIME_MS).contains(time_ms))
            .map(Value::Time),
        _ => None,
    }
}
