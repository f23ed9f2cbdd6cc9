//! Peak memory while rows go through: written as a stream, read in small pieces, and written as
//! pages; after the first rows and after a hundred times as many.
//!
//! `cargo run -p toolgate-compare --release --bin memory` (on Linux, which tells the peak)

use qrp1::{
    Caps, Column, ColumnType, CountPlace, Event, Layout, Meta, PageWriter, Push, Reader, Step,
    TableStream,
};
use toolgate_compare::Error;
use toolgate_compare::candles::{Row, rows};

/// Rows that are written again and again.
const FEW: usize = 10_000;
const TIMES: usize = 100;
/// Bytes that the reader gets at once.
const PIECE: usize = 4_096;

fn main() -> Result<(), Error> {
    let rows = rows(FEW);
    println!("| rows through | peak memory (KiB) | of which before any row |");
    println!("|---:|---:|---:|");
    let before = peak_kib()?;
    for times in [1, TIMES] {
        stream(&rows, times)?;
        pages(&rows, times)?;
        println!("| {} | {} | {before} |", FEW * times, peak_kib()?);
    }
    Ok(())
}

fn columns() -> [Column; 7] {
    let number = |name: &str| Column::new(name, ColumnType::F64);
    [
        Column::new("dt_ms", ColumnType::I64),
        number("o"),
        number("h"),
        number("l"),
        number("c"),
        number("v"),
        Column::new("closed", ColumnType::Bool),
    ]
}

/// Writes one payload and reads it as it comes.
fn stream(rows: &[Row], times: usize) -> Result<(), Error> {
    let layout = Layout::table(columns())?.with_counts(CountPlace::End);
    let (mut out, mut reader) = (Vec::new(), Reader::new());
    let mut stream = TableStream::begin(&layout, Meta::new().with_crc(true), &mut out)?;
    let mut found = 0;
    for _ in 0..times {
        for row in rows {
            stream.push_row(row, &mut out)?;
            if out.len() >= PIECE {
                found += read(&mut reader, &out)?;
                out.clear();
            }
        }
    }
    stream.end(&mut out)?;
    found += read(&mut reader, &out)?;
    reader.finish()?;
    if found != rows.len() * times {
        return Err(format!("{found} rows were read").into());
    }
    Ok(())
}

/// Gives the reader a piece; the number of rows in it.
fn read(reader: &mut Reader, mut piece: &[u8]) -> Result<usize, Error> {
    let mut rows = 0;
    loop {
        let (step, used) = reader.read(piece)?;
        piece = &piece[used..];
        match step {
            Step::Event(Event::Row(_)) => rows += 1,
            Step::Event(_) => {}
            Step::NeedInput => return Ok(rows),
        }
    }
}

/// Writes pages under a cap in bytes.
fn pages(rows: &[Row], times: usize) -> Result<(), Error> {
    let layout = Layout::table(columns())?;
    let caps = Caps {
        max_bytes: Some(16_384),
        ..Caps::default()
    };
    for _ in 0..times {
        let mut next = 0;
        while next < rows.len() {
            let mut page = PageWriter::new(&layout, caps, None)?;
            for row in &rows[next..] {
                if page.push_row(row)? != Push::Taken {
                    break;
                }
            }
            next += page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?.cut.rows;
        }
    }
    Ok(())
}

/// The most memory this process has had.
fn peak_kib() -> Result<u64, Error> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = peak.and_then(|peak| peak.split_whitespace().next());
    Ok(digits.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
