//! The first answer: what a model needs to judge a result, in place of its rows.

use qrp1::{
    Column, ColumnType, Cover, Document, Field, Layout, Meta, Miss, Payload, Record, Table,
    TimeRange, Value,
};
use toolgate_kernels::{OutputSummary, Run};
use toolgate_store::{ResultVersion, TaskId};

use crate::checkpoint::ListedEvent;
use crate::error::Error;
use crate::snapshot::Snapshot;

/// What a summary is about.
pub(crate) struct Facts<'s> {
    pub(crate) snapshot: &'s Snapshot,
    pub(crate) task: TaskId,
    pub(crate) result_version: ResultVersion,
    pub(crate) unconfirmed: u64,
}

/// The summary as a document: totals, a line for each number output, the events.
pub(crate) fn document(
    facts: &Facts<'_>,
    run: &Run,
    events: &[ListedEvent],
) -> Result<String, Error> {
    let summary = run.summary();
    let mut meta = Meta::new()
        .with_name("result")
        .with_source(facts.snapshot.locator.to_string())
        .with_snapshot(facts.snapshot.id.to_string())
        .with_digest(facts.snapshot.digest.short())
        .with_task(facts.task.to_string())
        .with_result(u64::from(facts.result_version.0))
        .with_cover(Cover::Summary);
    if let (Some(start_ms), Some(end_ms)) = (summary.first_time_ms, summary.last_time_ms) {
        meta = meta.with_range(TimeRange { start_ms, end_ms });
    }
    let mut record = Record::new(meta)
        .with_field(Field::new("rows", facts.snapshot.rows))
        .with_field(Field::new("segments", u64::from(facts.snapshot.segments)));
    if facts.unconfirmed > 0 {
        record = record.with_field(Field::new("unconfirmed_rows_left_out", facts.unconfirmed));
    }
    let mut numbers = Vec::new();
    let mut total_events = 0;
    for output in &summary.outputs {
        match output {
            OutputSummary::Numbers { id, count, range } => {
                let mark = |mark: Option<toolgate_kernels::Mark>| match mark {
                    Some(mark) => [Value::F64(mark.value), Value::Time(mark.time_ms)],
                    None => [Value::Null, Value::Null],
                };
                let [first, _] = mark(range.map(|range| range.first));
                let [last, _] = mark(range.map(|range| range.last));
                let [min, min_time] = mark(range.map(|range| range.min));
                let [max, max_time] = mark(range.map(|range| range.max));
                let (id, count) = (Value::from(id.as_str()), Value::U64(*count));
                numbers.push(vec![id, count, first, last, min, min_time, max, max_time]);
            }
            OutputSummary::Events { id, up, down } => {
                total_events += up + down;
                record = record
                    .with_field(Field::new(format!("{id} up"), *up))
                    .with_field(Field::new(format!("{id} down"), *down));
            }
            // The worker refuses other kinds of output before it comes to a summary.
            _ => {}
        }
    }
    let has_events = summary
        .outputs
        .iter()
        .any(|o| matches!(o, OutputSummary::Events { .. }));
    let mut payloads = vec![Payload::from(record)];
    if !numbers.is_empty() {
        payloads.push(number_table(numbers)?.into());
    }
    if has_events {
        payloads.push(event_table(run, events, total_events)?.into());
    }
    Ok(Document::new(payloads).to_text()?)
}

fn number_table(rows: Vec<Vec<Value>>) -> Result<Table, Error> {
    let null = |name, kind| Column::new(name, kind).with_miss(Miss::null());
    let layout = Layout::table([
        Column::new("output", ColumnType::Str),
        Column::new("count", ColumnType::U64),
        null("first", ColumnType::F64),
        null("last", ColumnType::F64),
        null("min", ColumnType::F64),
        null("min_time", ColumnType::Time),
        null("max", ColumnType::F64),
        null("max_time", ColumnType::Time),
    ])?;
    let meta = Meta::new().with_name("outputs").with_cover(Cover::Summary);
    Ok(Table { meta, layout, rows })
}

fn event_table(run: &Run, events: &[ListedEvent], total: u64) -> Result<Table, Error> {
    let layout = Layout::series(
        None,
        [
            Column::new("time", ColumnType::Time),
            Column::new("output", ColumnType::Str),
            Column::new("direction", ColumnType::Str),
            Column::new("fast", ColumnType::F64),
            Column::new("slow", ColumnType::F64),
        ],
    )?;
    let names: Vec<&str> = run.plan().outputs().collect();
    let mut events = events.to_vec();
    events.sort_by_key(|event| (event.bar, event.output));
    let rows: Vec<Vec<Value>> = events
        .iter()
        .map(|event| {
            let name = names
                .get(usize::from(event.output))
                .copied()
                .unwrap_or_default();
            vec![
                Value::Time(event.time_ms),
                Value::from(name),
                Value::from(event.direction.name()),
                Value::F64(event.fast),
                Value::F64(event.slow),
            ]
        })
        .collect();
    let all = rows.len() as u64 == total;
    let cover = if all { Cover::All } else { Cover::Partial };
    let mut meta = Meta::new()
        .with_name("events")
        .with_cover(cover)
        .with_total(total);
    if !all {
        meta = meta.with_hint("the first events; read the pages of the task for all");
    }
    Ok(Table { meta, layout, rows })
}
