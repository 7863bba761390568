//! Reads an [`ActionLog`] from bytes.
//!
//! The file has no magic number and no version, so only its declared lengths can be checked: each
//! is compared with the remaining bytes before anything is allocated. VARS, SCOPES and ACTIONS must
//! be complete, because without them the order is unknown. Every other anomaly becomes a
//! diagnostic, one for each kind, which states how often and where first it occurred.

use std::fmt;

use trace::{Code, Diagnostic, Place};

use crate::codes;
use crate::ids::{OpId, ScopeId, ValueId, VarId};
use crate::log::{ActionLog, Arc, Command, Numbering, OpKind, OpRecord};
use crate::strings::StringTable;

/// The reason why bytes are not an action log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The position of the reader in the file.
    pub offset: u64,
    /// The problem at this position.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a whole EventRacer log: at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads a log, and returns it with diagnostics for its anomalies.
pub fn read(bytes: &[u8]) -> Result<(ActionLog, Vec<Diagnostic>), ReadError> {
    let mut cursor = Cursor { bytes, at: 0 };
    let mut anomalies = Anomalies::default();
    let vars = read_strings(&mut cursor, "VARS", &mut anomalies)?;
    let scopes = read_strings(&mut cursor, "SCOPES", &mut anomalies)?;
    let actions = read_actions(&mut cursor, &vars, &mut anomalies)?;
    let js = read_optional_strings(&mut cursor, "JS", &mut anomalies);
    let values = read_optional_strings(&mut cursor, "VALUES", &mut anomalies);
    let complete = js.is_some() && values.is_some();
    if complete && cursor.remaining() > 0 {
        anomalies.note(&codes::TRAILING_BYTES, cursor.at, || {
            format!("{} bytes after the VALUES section", bytes.len() - cursor.at)
        });
    }
    let values = values.unwrap_or_default();
    check_texts(&actions, &scopes, complete.then_some(&values), &mut anomalies);

    let mut log = actions.into_log(&mut anomalies);
    (log.vars, log.scopes, log.js, log.values) = (vars, scopes, js.unwrap_or_default(), values);
    log.complete = complete;
    Ok((log, anomalies.into_diagnostics()))
}

/// Returns whether bytes look like a log: two sections of strings, then plausible counts of ops and
/// arcs, with at least one op. The format has no magic number, and without the last condition a
/// file of zeros would count as a log.
pub fn looks_like(bytes: &[u8]) -> bool {
    let mut cursor = Cursor { bytes, at: 0 };
    let mut is_section = || {
        let length = cursor.count("a length", 1).ok()?;
        let strings = &bytes[cursor.at..cursor.at + length];
        cursor.at += length;
        let buckets = cursor.i32("a bucket count").ok()?;
        Some(buckets >= 0 && strings.last().is_none_or(|&last| last == 0))
    };
    let sections = [is_section(), is_section()];
    let counts = (cursor.i32("ops"), cursor.i32("arcs"));
    sections == [Some(true); 2] && matches!(counts, (Ok(1..), Ok(0..)))
}

/// A position in the file.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.at as u64, message: message.into() }
    }

    fn i32(&mut self, what: &str) -> Result<i32, ReadError> {
        let Some((head, _)) = self.bytes[self.at..].split_first_chunk() else {
            return Err(self.error(format!("the file ends where {what} should stand")));
        };
        self.at += 4;
        Ok(i32::from_le_bytes(*head))
    }

    /// Reads a declared count of items of `size` bytes each, and checks it against the remaining
    /// bytes.
    fn count(&mut self, what: &str, size: usize) -> Result<usize, ReadError> {
        let at = self.at;
        let declared = self.i32(what)?;
        usize::try_from(declared).ok().filter(|&count| count <= self.remaining() / size).ok_or_else(
            || ReadError {
                offset: at as u64,
                message: format!("{what} is {declared}, but {} bytes remain", self.remaining()),
            },
        )
    }

    /// Reads the next `count` items of `N` integers each. The count must have been checked.
    fn integers<const N: usize>(
        &mut self,
        count: usize,
        what: &str,
    ) -> Result<impl ExactSizeIterator<Item = [i32; N]> + use<'a, N>, ReadError> {
        let size = count * N * 4;
        let Some(slice) = self.bytes.get(self.at..self.at + size) else {
            return Err(self.error(format!("the file ends inside {what}")));
        };
        self.at += size;
        Ok(slice.chunks_exact(N * 4).map(|item| {
            std::array::from_fn(|i| {
                i32::from_le_bytes([item[4 * i], item[4 * i + 1], item[4 * i + 2], item[4 * i + 3]])
            })
        }))
    }
}

/// Collects one diagnostic for each code: how often it occurred, and the first occurrence in full.
#[derive(Default)]
struct Anomalies {
    seen: Vec<(Diagnostic, u64)>,
}

impl Anomalies {
    fn note(&mut self, code: &'static Code, at: usize, message: impl FnOnce() -> String) {
        match self.seen.iter_mut().find(|(first, _)| first.code == code) {
            Some((_, count)) => *count += 1,
            None => {
                self.seen.push((Diagnostic::new(code, Place::Offset(at as u64), message()), 1));
            }
        }
    }

    fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> = Vec::with_capacity(self.seen.len());
        for (mut first, count) in self.seen {
            if count > 1 {
                first.message = format!("{} (the first of {count})", first.message);
            }
            diagnostics.push(first);
        }
        diagnostics
    }
}

fn read_strings(
    cursor: &mut Cursor<'_>,
    section: &str,
    anomalies: &mut Anomalies,
) -> Result<StringTable, ReadError> {
    let length = cursor.count(&format!("the length of section {section}"), 1)?;
    let start = cursor.at;
    cursor.at += length;
    cursor.i32(&format!("the bucket count of section {section}"))?;
    let bytes = &cursor.bytes[start..start + length];
    if bytes.last().is_some_and(|&last| last != 0) {
        anomalies.note(&codes::UNTERMINATED_STRINGS, start + length, || {
            format!("the last string of section {section} has no end")
        });
    }
    Ok(StringTable::from_bytes(bytes.to_vec()))
}

/// Reads a section that may be missing. Returns `None` if it is missing or truncated.
fn read_optional_strings(
    cursor: &mut Cursor<'_>,
    section: &str,
    anomalies: &mut Anomalies,
) -> Option<StringTable> {
    if cursor.remaining() == 0 {
        anomalies.note(&codes::MISSING_TABLE, cursor.at, || format!("no {section} section"));
        return None;
    }
    match read_strings(cursor, section, anomalies) {
        Ok(table) => Some(table),
        Err(error) => {
            let at = usize::try_from(error.offset).expect("an offset in a slice");
            anomalies.note(&codes::TRUNCATED_TABLE, at, || error.message);
            cursor.at = cursor.bytes.len();
            None
        }
    }
}

/// The size of an op's record before its commands, in bytes.
const RECORD_HEAD: usize = 12;

/// The ACTIONS section with op numbers as in the file, and the offset of each record.
struct Actions {
    records: Vec<(u32, OpRecord, usize)>,
    arcs: Vec<(u32, u32, i32)>,
    commands: Vec<Command>,
}

fn read_actions(
    cursor: &mut Cursor<'_>,
    vars: &StringTable,
    anomalies: &mut Anomalies,
) -> Result<Actions, ReadError> {
    let op_count = cursor.count("the number of ops", RECORD_HEAD)?;
    let arc_count = cursor.count("the number of arcs", 12)?;
    let arcs = read_arcs(cursor, arc_count, anomalies)?;
    let mut records = Vec::with_capacity(op_count);
    let mut commands =
        Vec::with_capacity(cursor.remaining().saturating_sub(op_count * RECORD_HEAD) / 8);
    for _ in 0..op_count {
        let at = cursor.at;
        let number = cursor.i32("the id of an op")?;
        let kind = cursor.i32("the type of an op")?;
        let command_count = cursor.count("the number of commands of an op", 8)?;
        let first = commands.len() as u32;
        let start = cursor.at;
        let raw = cursor.integers::<2>(command_count, "the commands of an op")?;
        let Ok(number) = u32::try_from(number) else {
            anomalies.note(&codes::NEGATIVE_OP, at, || format!("an op has id {number}"));
            continue;
        };
        commands.extend(raw.enumerate().map(|(i, [code, arg])| {
            let (command, odd) = decode(code, arg, vars);
            if let Some(odd) = odd {
                anomalies.note(odd, start + 8 * i, || {
                    format!("command {i} of op {number} is {code} with argument {arg}")
                });
            }
            command
        }));
        let kind = OpKind::from_code(kind).unwrap_or_else(|| {
            anomalies
                .note(&codes::UNKNOWN_OP_TYPE, at + 4, || format!("op {number} has type {kind}"));
            OpKind::Unknown
        });
        records.push((number, OpRecord { kind, first, end: commands.len() as u32 }, at));
    }
    Ok(Actions { records, arcs, commands })
}

fn read_arcs(
    cursor: &mut Cursor<'_>,
    count: usize,
    anomalies: &mut Anomalies,
) -> Result<Vec<(u32, u32, i32)>, ReadError> {
    let start = cursor.at;
    let raw = cursor.integers::<3>(count, "the arcs")?;
    let mut arcs = Vec::with_capacity(count);
    for (i, [tail, head, duration]) in raw.enumerate() {
        let at = start + 12 * i;
        let (Ok(t), Ok(h)) = (u32::try_from(tail), u32::try_from(head)) else {
            anomalies.note(&codes::NEGATIVE_ARC, at, || format!("arc {i} is {tail} to {head}"));
            continue;
        };
        if t > h {
            anomalies.note(&codes::BACKWARD_ARC, at, || format!("arc {i} is {tail} to {head}"));
        }
        arcs.push((t, h, duration));
    }
    Ok(arcs)
}

/// Decodes a command, and returns it with the code of its anomaly, if any.
fn decode(code: i32, arg: i32, vars: &StringTable) -> (Command, Option<&'static Code>) {
    // A negative id keeps its bits: it lies outside every section, and equal ids stay equal.
    let id = arg.cast_unsigned() as usize;
    let access = |command: fn(VarId) -> Command| {
        if vars.is_start(id) {
            (command(VarId::new(id)), None)
        } else if vars.contains(id) {
            (command(VarId::new(id)), Some(&codes::INNER_STRING))
        } else {
            (Command::Void, Some(&codes::BAD_CELL))
        }
    };
    match code {
        0 => (Command::Enter(ScopeId::new(id)), None),
        1 => (Command::Exit, None),
        2 => access(Command::Read),
        3 => access(Command::Write),
        4 => (Command::Trigger(u32::try_from(arg).ok()), None),
        5 => (Command::Value(ValueId::new(id)), None),
        _ => (Command::Void, Some(&codes::UNKNOWN_COMMAND)),
    }
}

/// Notes scope and value ids that lie outside their sections.
///
/// Values are not checked if their section is missing: another diagnostic reports that.
fn check_texts(
    actions: &Actions,
    scopes: &StringTable,
    values: Option<&StringTable>,
    anomalies: &mut Anomalies,
) {
    for &(number, record, at) in &actions.records {
        let commands = &actions.commands[record.first as usize..record.end as usize];
        for (i, command) in commands.iter().enumerate() {
            let (section, table, id) = match (command, values) {
                (Command::Enter(scope), _) => ("SCOPES", scopes, scope.index()),
                (Command::Value(value), Some(values)) => ("VALUES", values, value.index()),
                _ => continue,
            };
            if !table.contains(id) {
                let id = (id as u32).cast_signed();
                anomalies.note(&codes::BAD_STRING, at + RECORD_HEAD + 8 * i, || {
                    format!("command {i} of op {number} names string {id} of section {section}")
                });
            }
        }
    }
}

impl Actions {
    fn into_log(self, anomalies: &mut Anomalies) -> ActionLog {
        let Self { records, arcs, commands } = self;
        let mut numbers = Vec::with_capacity(records.len() + 2 * arcs.len());
        numbers.extend(records.iter().map(|record| record.0));
        numbers.extend(arcs.iter().flat_map(|&(tail, head, _)| [tail, head]));
        let numbering = Numbering::of(numbers);
        let row = |number| numbering.row(number).expect("made from the numbers of the arcs");
        let arcs = arcs
            .iter()
            .map(|&(tail, head, duration)| Arc {
                tail: row(tail),
                head: row(head),
                delay: u32::try_from(duration).ok(),
            })
            .collect();
        note_duplicates(&records, &row, &numbering, anomalies);
        let records = records.into_iter().map(|(number, record, _)| (number, record)).collect();
        ActionLog { arcs, ..ActionLog::from_records(numbering, records, commands) }
    }
}

fn note_duplicates(
    records: &[(u32, OpRecord, usize)],
    row: &impl Fn(u32) -> OpId,
    numbering: &Numbering,
    anomalies: &mut Anomalies,
) {
    let mut seen = vec![false; numbering.rows()];
    for &(number, _, at) in records {
        if std::mem::replace(&mut seen[row(number).index()], true) {
            anomalies.note(&codes::DUPLICATE_OP, at, || format!("op {number} has two records"));
        }
    }
}
