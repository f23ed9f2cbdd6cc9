//! A table or a series: rows that share columns.

use crate::layout::Layout;
use crate::meta::Meta;
use crate::value::Value;

/// Rows with their layout and their facts. It is a series when its layout is one.
///
/// ```
/// use qrp1::{Column, ColumnType, Document, Layout, Meta, Payload, Table, Value};
///
/// let layout = Layout::table([Column::new("level", ColumnType::Str), Column::new("n", ColumnType::I64)])?;
/// let table = Table {
///     meta: Meta::new(),
///     layout,
///     rows: vec![vec![Value::from("error"), Value::from(12i64)]],
/// };
/// let text = Payload::from(table.clone()).to_text()?;
/// assert_eq!(text, "QRP1|table|rows=1|columns=level,n:i\nerror\t12\n");
/// assert_eq!(Document::parse(&text)?.payloads(), [Payload::Table(table)]);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Where the rows come from and how much of the whole they are.
    pub meta: Meta,
    /// The columns and how rows are written.
    pub layout: Layout,
    /// The rows, each with one value a column.
    pub rows: Vec<Vec<Value>>,
}
