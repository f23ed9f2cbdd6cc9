//! Pages: rows of a snapshot or of a result, under caps, through cursors.

use qrp1::{Caps, Cell, ColumnType, Cover, Layout, Meta, Miss, PageWriter, Push};
use toolgate_cursor::{Asked, Cleared, Digest, Duty, Kind, Unverified, View, ViewHandle, ViewRow};
use toolgate_store::{
    NewView, Owner, ResultVersion, SnapshotId, StoreError, StoredSegment, TaskId, TaskInfo,
    TaskState,
};
use toolgate_tokens::TokenCounter;

use crate::answer::{check_ended, pending};
use crate::batch::{Batch, TIME_COLUMN, ValueKind, Values};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::segment::decode_segment;
use crate::snapshot::{Snapshot, TimeForm};

/// How large a page may be, header and all; the tighter cap is named on the page.
///
/// ```
/// let caps = toolgate_runtime::PageCaps::default();
/// assert_eq!((caps.max_bytes, caps.max_tokens), (Some(16_384), Some(4_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCaps {
    /// The most bytes of UTF-8. Default: 16,384.
    pub max_bytes: Option<usize>,
    /// The most tokens, by the runtime's counter. Default: 4,000.
    pub max_tokens: Option<usize>,
}

impl Default for PageCaps {
    fn default() -> Self {
        Self {
            max_bytes: Some(16_384),
            max_tokens: Some(4_000),
        }
    }
}

/// Which rows to page through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// The result rows of a task.
    Result(TaskId),
    /// The pinned rows of a snapshot.
    Snapshot(SnapshotId),
}

impl core::fmt::Display for Rows {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Result(task) => write!(f, "result {task}"),
            Self::Snapshot(snapshot) => write!(f, "snapshot {snapshot}"),
        }
    }
}

/// A page as it goes to a model.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_runtime::{Batch, Column, Error, Locator, MemorySource, Page, Rows, Runtime, Values};
/// # use toolgate_store::{MemoryStore, Owner};
/// # use toolgate_tokens::Estimate;
/// # pollster::block_on(async {
/// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
/// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
/// # let keys = KeyRing::new(1, &[7; 32])?;
/// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
/// #     .source("memory", MemorySource::new().with("bars", bars)).build();
/// # let owner = Owner::new("alice")?;
/// let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
/// let page: Page = runtime.first_page(&owner, Rows::Snapshot(pinned.id), None).await?;
/// assert!(page.text.starts_with("QRP1|"));
/// assert_eq!((page.rows, page.total, page.next), (0..3, 3, None));
/// assert!(page.tokens <= 4_000);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// QRP1 text.
    pub text: String,
    /// The cursor of the next page, which stands in the text too; `None` on the last page.
    pub next: Option<String>,
    /// The ordinals of the rows on it, from 0.
    pub rows: core::ops::Range<u64>,
    /// Rows in all.
    pub total: u64,
    /// The tokens of the text.
    pub tokens: usize,
}

/// The runtime's counter, as a page asks it.
struct Counted<'c>(&'c dyn TokenCounter);

impl qrp1::TokenCounter for Counted<'_> {
    fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.0.count_up_to(text, limit)
    }

    fn at_most(&self, text: &str) -> usize {
        *self.0.bounds(text).end()
    }
}

impl Runtime {
    /// The first page of some rows, under caps; every later page of the same view keeps
    /// them. `None` takes the [settings](crate::Settings::caps).
    ///
    /// # Errors
    /// [`Error::TaskPending`], [`Error::Cancelled`], [`Error::TaskFailed`] or
    /// [`Error::OutcomeUnknown`] for a task
    /// without a result; [`Error::Store`] with `not_found` (also for another owner's) or
    /// `expired`; [`Error::Format`] with `row_too_large` when not one row fits.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Locator, MemorySource, PageCaps, Rows, Runtime, Stepped, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner, ResultVersion};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
    /// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// let page = runtime.first_page(&owner, Rows::Snapshot(pinned.id), None).await?;
    /// assert!(page.text.ends_with("|columns=time:tc,close:f?\n@1970-01-01\n00:00,1\n00:01,3\n00:02,5\n"));
    /// assert_eq!(page.next, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn first_page(
        &self,
        owner: &Owner,
        rows: Rows,
        caps: Option<PageCaps>,
    ) -> Result<Page, Error> {
        let (target, _) = self.target(owner, rows).await?;
        target.check_finished()?;
        let caps = caps.unwrap_or(self.settings().caps);
        let view = self.new_view(owner, rows, &target, caps).await?;
        self.page_at(owner, &target, &view, 0).await
    }

    /// The page that a cursor leads to. The same cursor gives the same bytes as long as the
    /// snapshot lives.
    ///
    /// Checks come in this order: the task or snapshot is there and the caller's, the task
    /// has not failed, and only then the cursor.
    ///
    /// # Errors
    /// As [`Runtime::first_page`], and [`Error::Cursor`] for a cursor that is malformed,
    /// miscopied, forged, expired, gone, or of other rows. None of them is answered with
    /// other data.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Locator, MemorySource, PageCaps, Rows, Runtime, Stepped, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner, ResultVersion};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0); 100]);
    /// # let bars = Batch::new((0..100).collect(), vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// let rows = Rows::Snapshot(pinned.id);
    /// let caps = PageCaps { max_bytes: Some(400), max_tokens: None };
    /// let first = runtime.first_page(&owner, rows, Some(caps)).await?;
    /// let cursor = first.next.expect("not all rows fit");
    /// let second = runtime.next_page(&owner, rows, &cursor).await?;
    /// assert_eq!(second.rows.start, first.rows.end);
    /// assert_eq!(runtime.next_page(&owner, rows, &cursor).await?, second);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn next_page(&self, owner: &Owner, rows: Rows, cursor: &str) -> Result<Page, Error> {
        let (target, cleared) = self.target(owner, rows).await?;
        let token = Unverified::parse(cursor, cleared)?;
        let Duty::LookUpView(handle) = token.duty(&self.parts.keys)?;
        let view = self.find_view(owner, handle).await?;
        let snapshot = target.snapshot.id.to_string();
        let asked = Asked::by(owner.as_str())
            .query(Digest::query(target.query(rows)))
            .order(Digest::order(ORDER))
            .snapshot(&snapshot)
            .result_version(u64::from(target.version.0));
        let position = token.open(&self.parts.keys, view.as_ref(), &asked, self.now_unix_s())?;
        target.check_finished()?;
        let view = view.ok_or(toolgate_cursor::Error::Gone)?;
        self.page_at(owner, &target, &view, position).await
    }

    /// Looks up what is paged through, and so proves what comes before a look at a cursor:
    /// it is there and the owner's, and has not failed.
    async fn target(&self, owner: &Owner, rows: Rows) -> Result<(Target, Cleared), Error> {
        match rows {
            Rows::Snapshot(id) => {
                let snapshot = self.snapshot(owner, id).await?;
                let target = Target {
                    rows: snapshot.rows,
                    version: ResultVersion(0),
                    task: None,
                    snapshot,
                };
                Ok((target, Cleared::alone()))
            }
            Rows::Result(task) => {
                let info = self.store().task(owner, task).await?;
                // A failure outranks everything that may be wrong besides, also a snapshot
                // that has expired since. The look-up named the owner.
                let cleared = Cleared::beside(|| Ok(()), || check_ended(&info))?;
                let snapshot = info.snapshot.ok_or(StoreError::NotFound {
                    what: toolgate_store::Record::Snapshot,
                })?;
                let snapshot = self.snapshot(owner, snapshot).await?;
                let target = Target {
                    rows: info.result_rows,
                    version: info.result_version,
                    task: Some(info),
                    snapshot,
                };
                Ok((target, cleared))
            }
        }
    }

    async fn new_view(
        &self,
        owner: &Owner,
        rows: Rows,
        target: &Target,
        caps: PageCaps,
    ) -> Result<View, Error> {
        let settings = self.settings();
        let ttl_s = i64::try_from(settings.view_ttl.as_secs()).unwrap_or(i64::MAX);
        let snapshot_end_s = target.snapshot.expires_at_ms.div_euclid(1_000);
        let size = |cap: Option<usize>| cap.map_or(u64::MAX, |cap| cap as u64);
        let view = View::new(ViewRow {
            handle: ViewHandle::from_bytes(self.draw()?),
            kind: Kind::Page,
            owner: owner.as_str().to_owned(),
            snapshot: target.snapshot.id.to_string(),
            query: Digest::query(target.query(rows)),
            order: Digest::order(ORDER),
            result_version: u64::from(target.version.0),
            max_bytes: size(caps.max_bytes),
            max_tokens: size(caps.max_tokens),
            rows: target.rows,
            expires_unix_s: self.now_unix_s().saturating_add(ttl_s).min(snapshot_end_s),
            key_id: self.parts.keys.newest(),
        })?;
        // The row outlives its cursors by as much again, so that an old cursor is told
        // that it has expired and not that it never was.
        let handle = toolgate_store::ViewHandle(*view.row().handle.as_bytes());
        let ttl = settings.view_ttl.saturating_mul(2);
        let new = NewView::new(owner.clone(), handle, ttl, view.to_bytes())?;
        self.store().put_view(&new).await?;
        Ok(view)
    }

    /// The view of this handle among the owner's; `None` when there is none any more.
    async fn find_view(&self, owner: &Owner, handle: ViewHandle) -> Result<Option<View>, Error> {
        let handle = toolgate_store::ViewHandle(*handle.as_bytes());
        match self.store().view(owner, handle).await {
            Ok(row) => Ok(Some(View::from_bytes(&row.bytes)?)),
            Err(StoreError::NotFound { .. } | StoreError::Expired { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the page from `position` on. Reads only the segments that it needs.
    async fn page_at(
        &self,
        owner: &Owner,
        target: &Target,
        view: &View,
        position: u64,
    ) -> Result<Page, Error> {
        let cap = |size: u64| usize::try_from(size).ok().filter(|_| size != u64::MAX);
        let caps = Caps {
            max_bytes: cap(view.row().max_bytes),
            max_tokens: cap(view.row().max_tokens),
            max_rows: Some(MAX_PAGE_ROWS),
        };
        let counter = Counted(&*self.parts.counter);
        let mut rows = self.rows_from(owner, target, position).await?;
        let layout = layout(&rows, target.snapshot.times)?;
        let mut writer = PageWriter::new(&layout, caps, Some(&counter))?;
        let mut reach = position + rows.rows() as u64;
        while fill(&mut writer, &rows)? == Filled::Part && reach < target.rows {
            rows = self.rows_from(owner, target, reach).await?;
            reach += rows.rows() as u64;
        }
        let mut next = None;
        let page = writer.finish(|cut| {
            let rows = position..position + cut.rows as u64;
            next = view
                .next(&self.parts.keys, rows)?
                .map(|cursor| cursor.as_str().to_owned());
            Ok::<_, Error>(target.meta(position, cut, next.as_deref()))
        })?;
        Ok(Page {
            next,
            rows: position..position + page.cut.rows as u64,
            total: target.rows,
            // A page far below its cap has not been counted yet.
            tokens: page
                .tokens
                .unwrap_or_else(|| self.parts.counter.count(&page.text)),
            text: page.text,
        })
    }

    /// The rows from `row` to the end of its segment; at least one.
    async fn rows_from(&self, owner: &Owner, target: &Target, row: u64) -> Result<Batch, Error> {
        let stored = self.segment_at(owner, target, row).await?;
        let rows = decode_segment(stored.segment.bytes())?;
        let skip = row
            .checked_sub(stored.first_row)
            .and_then(|skip| usize::try_from(skip).ok());
        let rows = rows.slice(skip.unwrap_or(usize::MAX)..usize::MAX);
        if rows.rows() == 0 {
            return Err(Error::SegmentCorrupt {
                reason: "it has fewer rows than it says",
            });
        }
        Ok(rows)
    }

    async fn segment_at(
        &self,
        owner: &Owner,
        target: &Target,
        row: u64,
    ) -> Result<StoredSegment, Error> {
        let store = self.store();
        Ok(match &target.task {
            Some(task) => {
                store
                    .result_segment_at(owner, task.id, target.version, row)
                    .await?
            }
            None => store.segment_at(owner, target.snapshot.id, row).await?,
        })
    }
}

/// Rows come in the order of their time.
const ORDER: &str = "time";

/// The most rows one page may hold when there is no cap.
const MAX_PAGE_ROWS: usize = 100_000;

/// Whether a page has room left.
#[derive(PartialEq)]
enum Filled {
    Part,
    Full,
}

/// Writes rows until the page is full or they end.
fn fill(writer: &mut PageWriter<'_>, rows: &Batch) -> Result<Filled, Error> {
    let mut cells = Vec::with_capacity(1 + rows.columns().len());
    for (row, time_ms) in rows.time_ms().iter().enumerate() {
        cells.clear();
        cells.push(Cell::Time(*time_ms));
        cells.extend(rows.columns().iter().map(|column| match &column.values {
            Values::Numbers(values) => values[row].map_or(Cell::Absent, Cell::F64),
            Values::Flags(values) => values[row].map_or(Cell::Absent, Cell::Bool),
            Values::Texts(values) => values[row].as_deref().map_or(Cell::Absent, Cell::Str),
        }));
        if writer.push(&cells)? != Push::Taken {
            return Ok(Filled::Full);
        }
    }
    Ok(Filled::Part)
}

/// How rows of these columns are written. All segments of a snapshot or result have the
/// same columns, so all its pages are written alike.
fn layout(rows: &Batch, times: TimeForm) -> Result<Layout, Error> {
    let mut columns = vec![qrp1::Column::new(TIME_COLUMN, times.column_type())];
    columns.extend(rows.columns().iter().map(|column| {
        let kind = match column.values.kind() {
            ValueKind::Numbers => ColumnType::F64,
            ValueKind::Flags => ColumnType::Bool,
            ValueKind::Texts => ColumnType::Str,
        };
        qrp1::Column::new(&column.name, kind).with_miss(Miss::absent())
    }));
    Ok(Layout::series(None, columns)?)
}

/// What is paged through.
struct Target {
    snapshot: Snapshot,
    task: Option<TaskInfo>,
    version: ResultVersion,
    rows: u64,
}

impl Target {
    /// Refuses a task that still runs.
    fn check_finished(&self) -> Result<(), Error> {
        match &self.task {
            Some(task) if task.state != TaskState::Succeeded => Err(pending(task)),
            _ => Ok(()),
        }
    }

    fn query(&self, rows: Rows) -> String {
        match rows {
            // All pages of results of one snapshot are one query each; the task is in it.
            Rows::Result(task) => format!("result of {task}"),
            Rows::Snapshot(_) => "all rows".to_owned(),
        }
    }

    fn meta(&self, position: u64, cut: qrp1::Cut, next: Option<&str>) -> Meta {
        let all = position == 0 && cut.rows as u64 == self.rows;
        let mut meta = Meta::new()
            .with_source(self.snapshot.locator.to_string())
            .with_snapshot(self.snapshot.id.to_string())
            .with_cover(if all { Cover::All } else { Cover::Page })
            .with_from(position)
            .with_total(self.rows);
        if let Some(task) = &self.task {
            meta = meta
                .with_task(task.id.to_string())
                .with_result(u64::from(self.version.0));
        }
        if let Some(cap) = cut.cap {
            meta = meta.with_cap(cap);
        }
        if let Some(next) = next {
            meta = meta.with_next(next);
        }
        meta
    }
}
