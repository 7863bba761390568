//! Excerpts of source files.

use report::model::{AccessEntry, SourceEntry};
use report::text::SourceFiles;
use serde::Serialize;

/// Some lines of a source file.
#[derive(Serialize)]
pub(crate) struct Excerpt {
    file: String,
    /// The number of the first line.
    start: u32,
    lines: Vec<String>,
    line: u32,
    column: Option<u32>,
    /// The operations of the causal chain that stand in these lines.
    marks: Vec<Mark>,
}

/// An operation in the margin of a line.
#[derive(Serialize)]
struct Mark {
    line: u32,
    op: u32,
}

/// The numbers of lines before and after the line of interest.
const AROUND: (u32, u32) = (5, 3);

/// The largest number of characters of a line, around the column of interest.
const WIDTH: usize = 400;

/// Returns the lines around a position, if the file may be shown.
pub(crate) fn excerpt(sources: &dyn SourceFiles, at: &SourceEntry) -> Option<Excerpt> {
    let text = sources.get(&at.file)?;
    let line = at.line.max(1);
    let start = line.saturating_sub(AROUND.0).max(1);
    let count = (line - start + AROUND.1 + 1) as usize;
    let lines = text.lines().skip(start as usize - 1).take(count);
    let mut column = at.column;
    let lines = lines.zip(start..).map(|(text, number)| {
        if number != line {
            return text.chars().take(WIDTH).collect();
        }
        // A minified file has one long line: show the part around the column.
        let from = at.column.map_or(0, |column| (column as usize).saturating_sub(WIDTH / 2));
        let from = if text.chars().count() <= WIDTH { 0 } else { from };
        column = column.map(|column| column - from as u32);
        text.chars().skip(from).take(WIDTH).collect()
    });
    let lines: Vec<String> = lines.collect();
    let is_there = lines.len() > (line - start) as usize;
    is_there.then(|| Excerpt {
        file: at.file.clone(),
        start,
        lines,
        line,
        column,
        marks: Vec::new(),
    })
}

/// Returns the lines around an access, with the operations that led to it.
pub(crate) fn of_access(sources: &dyn SourceFiles, access: &AccessEntry) -> Option<Excerpt> {
    let mut excerpt = excerpt(sources, access.source.as_ref()?)?;
    let end = excerpt.start + excerpt.lines.len() as u32;
    for cause in &access.causes {
        if let (Some(op), Some(source)) = (cause.op, &cause.source)
            && source.file == excerpt.file
            && (excerpt.start..end).contains(&source.line)
        {
            excerpt.marks.push(Mark { line: source.line, op });
        }
    }
    excerpt.marks.push(Mark { line: excerpt.line, op: access.op });
    Some(excerpt)
}
