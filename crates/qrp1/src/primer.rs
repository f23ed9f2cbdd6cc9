//! What a model or a program that has never met the format needs to be told.

/// A few lines for a tool's description, from which any model reads the format; fewer than
/// 120 tokens of o200k_base or cl100k_base.
///
/// ```
/// assert!(qrp1::PRIMER.starts_with("QRP1 text:"));
/// ```
pub const PRIMER: &str = "\
QRP1 text: a header line QRP1|kind|key=value|..., then rows, one a line, of the cells that \
columns=name:type,... names. Types: s text, i u integers, f dN numbers, b t/f, t time; td th tm tc \
day, hour, minute, clock under the @date line above. name:type=value stands for every row, \
=start+step counts up; exceptions end a row as name=value. Empty cell: ! null, ? absent, ~ \"\". \
next is the next page's cursor.";

/// The media type of the format, always in UTF-8.
///
/// ```
/// assert_eq!(qrp1::MEDIA_TYPE, "text/vnd.qrp1");
/// ```
pub const MEDIA_TYPE: &str = "text/vnd.qrp1";

/// The extension of files, without a dot.
///
/// ```
/// assert_eq!(format!("candles.{}", qrp1::FILE_EXTENSION), "candles.qrp1");
/// ```
pub const FILE_EXTENSION: &str = "qrp1";
