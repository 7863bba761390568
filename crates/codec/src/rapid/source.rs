//! Converts the location field of a line to and from a source position.

use trace::{Source, SourceId, Trace, TraceBuilder};

use crate::text::source::split;

/// The name of the file whose lines stand for numeric locations.
const NUMBERED: &[u8] = b"std";

/// Returns the source position that a location field stands for.
pub(super) fn parse(field: &[u8], builder: &mut TraceBuilder) -> Option<SourceId> {
    if field.is_empty() || field == b"0" {
        return None;
    }
    let (file, line, column) = if let Some(line) = number(field) {
        (NUMBERED, line, None)
    } else if let Some((file, line, column)) = position(field) {
        (file, line, column)
    } else {
        (field, 0, None)
    };
    let file = builder.text(file);
    Some(builder.source(Source { file, line, column }))
}

fn position(field: &[u8]) -> Option<(&[u8], u32, Option<u32>)> {
    let parts = split(field)?;
    let column = match parts.column {
        Some(digits) => Some(number(digits)?),
        None => None,
    };
    Some((parts.file, number(parts.line)?, column))
}

/// Parses a number in its canonical spelling.
fn number(digits: &[u8]) -> Option<u32> {
    let value: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (value.to_string().as_bytes() == digits).then_some(value)
}

/// Returns the location field for a source position.
pub(super) fn spell(trace: &Trace, source: Option<SourceId>) -> Vec<u8> {
    let Some(source) = source else { return b"0".to_vec() };
    let Source { file, line, column } = trace.source(source);
    let file = trace.text(file);
    let mut field = file.to_vec();
    match (line, column) {
        (line, None) if file == NUMBERED => field = line.to_string().into_bytes(),
        (0, None) if position(file).is_none() && number(file).is_none() => {}
        (line, None) => field.extend(format!(":{line}").bytes()),
        (line, Some(column)) => field.extend(format!(":{line}:{column}").bytes()),
    }
    field
}
