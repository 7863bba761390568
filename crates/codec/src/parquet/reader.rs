//! Reads a trace from a table.

use bytes::Bytes;
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use trace::{
    Attributes, Diagnostic, Enqueue, LocationKind, Op, OpKind, Place, Posting, Provenance, Source,
    TextId, TraceBuilder,
};

use super::columns::{NUMBERS, Number, Row, TEXTS, Text, Values};
use super::text::unspell;
use super::{GROUP, INVOKE_SYNC, MODEL_KEY};
use crate::completeness::DAMAGED_TABLE;
use crate::{Completeness, Loaded, ReadError};

const EXPECTED: &str = "a Parquet file with the columns that `convert` writes";

/// The largest number of rows of a row group. Some bytes can stand for any number of equal rows, so the
/// size of a file does not bound them.
const MOST_ROWS: usize = 1 << 20;

/// Reads a table that [`super::write`] wrote, or one with the same columns.
///
/// The crate that decodes tables panics on some damaged ones. It runs on a thread of its own, whose panic
/// is an error like any other ([`crate::is_contained`]).
pub fn read(bytes: Bytes) -> std::result::Result<Loaded, ReadError> {
    let broken = |what: String| ReadError::new(Place::Whole, what, EXPECTED);
    let thread = std::thread::Builder::new().name(crate::CONTAINED.to_owned());
    let thread = thread.spawn(move || read_here(bytes));
    let thread = thread.map_err(|error| broken(format!("no thread to read it: {error}")))?;
    thread.join().unwrap_or_else(|_| Err(broken("the table is damaged".to_owned())))
}

fn read_here(bytes: Bytes) -> std::result::Result<Loaded, ReadError> {
    let expected = EXPECTED;
    let broken = |error: ParquetError| ReadError::new(Place::Whole, error.to_string(), expected);
    let file = SerializedFileReader::new(bytes).map_err(broken)?;
    let mut builder = TraceBuilder::new();
    let metadata = file.metadata().file_metadata();
    let pairs = metadata.key_value_metadata().into_iter().flatten();
    if let Some(model) = pairs.filter(|p| p.key == MODEL_KEY).find_map(|p| p.value.as_ref()) {
        builder.set_model(&unspell(model.as_bytes()));
    }
    let mut completeness = Completeness::whole();
    let mut number = 0_u32;
    for group in 0..file.num_row_groups() {
        let rows = match file.get_row_group(group).and_then(|group| rows(group.as_ref())) {
            Ok(rows) => rows,
            Err(error) if number > 0 => {
                let message =
                    format!("row group {group}: {error}; operations 0..{number} were read");
                let at = Place::Operation(number);
                completeness = Completeness::damaged(Diagnostic::new(&DAMAGED_TABLE, at, message));
                break;
            }
            Err(error) => return Err(broken(error)),
        };
        for row in rows {
            row.and_then(|row| push(&mut builder, &row)).ok_or_else(|| {
                let what = format!("row {number} is no operation");
                ReadError::new(Place::Operation(number), what, expected)
            })?;
            number += 1;
        }
    }
    let (trace, diagnostics) = builder.finish();
    Ok(Loaded::new(trace, diagnostics, completeness))
}

/// Reads the columns of a group, and returns its rows one by one. Fails if the length of a column differs
/// from the group's number of rows. A row whose text is no UTF-8 is none.
fn rows(group: &dyn RowGroupReader) -> Result<impl Iterator<Item = Option<Row>> + use<>> {
    let texts = TEXTS.iter().map(|name| column::<ByteArrayType>(group, name));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let numbers = NUMBERS.iter().map(|name| column::<Int64Type>(group, name));
    let numbers = numbers.collect::<Result<Vec<_>>>()?;
    let count = numbers.first().map_or(0, |column| column.levels.len());
    let mut texts: Vec<_> = texts.into_iter().map(Values::rows).collect();
    let mut numbers: Vec<_> = numbers.into_iter().map(Values::rows).collect();
    Ok((0..count).map(move |_| {
        let mut row = Row::default();
        for (to, column) in row.texts.iter_mut().zip(&mut texts) {
            let text = column.next().flatten();
            *to = text.map(|text| text.as_utf8().map(ToOwned::to_owned)).transpose().ok()?;
        }
        for (to, column) in row.numbers.iter_mut().zip(&mut numbers) {
            *to = column.next().flatten();
        }
        Some(row)
    }))
}

fn column<T: DataType>(group: &dyn RowGroupReader, name: &str) -> Result<Values<T::T>> {
    let schema = group.metadata().schema_descr();
    let index = (0..schema.num_columns()).find(|&i| schema.column(i).name() == name);
    let index = index.ok_or_else(|| ParquetError::General(format!("no column {name}")))?;
    let mut reader = T::get_column_reader(group.get_column_reader(index)?)
        .filter(|_| schema.column(index).max_def_level() == 1)
        .filter(|_| schema.column(index).max_rep_level() == 0)
        .ok_or_else(|| ParquetError::General(format!("column {name} is of another type")))?;
    let mut column = Values { values: Vec::new(), levels: Vec::new() };
    let claimed = group.metadata().num_rows();
    if !usize::try_from(claimed).is_ok_and(|claimed| claimed <= MOST_ROWS) {
        let what = format!("a row group claims {claimed} rows, more than {MOST_ROWS}");
        return Err(ParquetError::General(what));
    }
    while column.levels.len() <= MOST_ROWS
        && reader.read_records(GROUP, Some(&mut column.levels), None, &mut column.values)?.0 > 0
    {
    }
    let rows = column.levels.len();
    if i64::try_from(rows) != Ok(claimed) {
        let what = format!("column {name} has {rows} rows, its group claims {claimed}");
        return Err(ParquetError::General(what));
    }
    Ok(column)
}

fn push(builder: &mut TraceBuilder, row: &Row) -> Option<()> {
    let op = operation(builder, row)?;
    let attributes = attributes(builder, row);
    let thread = builder.names().threads.intern(&unspell(row.text(Text::Thread)?.as_bytes()));
    if let Some(process) = row.text(Text::Process) {
        let process = builder.names().processes.intern(&unspell(process.as_bytes()));
        builder.assign_process(thread, process);
    }
    if let (Some((location, _)), Some(kind)) = (op.access(), row.text(Text::LocationKind)) {
        let kind = LocationKind::from_word(kind.as_bytes())
            .unwrap_or_else(|| LocationKind::Other(builder.text(&unspell(kind.as_bytes()))));
        builder.set_location_kind(location, kind);
    }
    builder.push(thread, op, attributes);
    Some(())
}

fn attributes(builder: &mut TraceBuilder, row: &Row) -> Attributes {
    let mut text = |column: Text| -> Option<TextId> {
        row.text(column).map(|text| builder.text(&unspell(text.as_bytes())))
    };
    let (value, event_type) = (text(Text::Value), text(Text::EventType));
    let (event_name, file) = (text(Text::EventName), text(Text::File));
    let number = |column| row.number(column).and_then(|number| u32::try_from(number).ok());
    let source = file.map(|file| {
        let (line, column) = (number(Number::Line).unwrap_or(0), number(Number::Column));
        builder.source(Source { file, line, column })
    });
    let provenance =
        row.text(Text::Provenance).and_then(|word| Provenance::from_word(word.as_bytes()));
    Attributes {
        at: row.number(Number::At).map(i64::cast_unsigned),
        value,
        source,
        event_type,
        event_name,
        provenance,
        source_id: row.number(Number::SourceId).map(i64::cast_unsigned),
    }
}

fn posting(row: &Row) -> Option<Posting> {
    let number = row.number(Number::Delay);
    match row.text(Text::Posting) {
        None | Some(Posting::DELAY) => Some(Posting::Delayed(number.unwrap_or(0))),
        Some(Posting::TIME) => Some(Posting::AtTime(number?)),
        Some(word) => Posting::from_flag(word.as_bytes()),
    }
}

fn operation(builder: &mut TraceBuilder, row: &Row) -> Option<Op> {
    let names = builder.names();
    let object = || row.text(Text::Object).map(|name| unspell(name.as_bytes()));
    let second = || row.text(Text::Object2).map(|name| unspell(name.as_bytes()));
    let word = row.text(Text::Kind)?;
    let (kind, sync) = match word {
        INVOKE_SYNC => (OpKind::Invoke, true),
        word => (OpKind::from_word(word.as_bytes())?, false),
    };
    Some(match kind {
        OpKind::Init => Op::Init,
        OpKind::Exit => Op::Exit,
        OpKind::Leave => Op::Leave,
        OpKind::Fork => Op::Fork(names.threads.intern(&object()?)),
        OpKind::Join => Op::Join(names.threads.intern(&object()?)),
        OpKind::Notify => Op::Notify(names.handles.intern(&object()?)),
        OpKind::Wait => Op::Wait(names.handles.intern(&object()?)),
        OpKind::Lock => Op::Lock(names.locks.intern(&object()?)),
        OpKind::Unlock => Op::Unlock(names.locks.intern(&object()?)),
        OpKind::Attach => Op::Attach(names.queues.intern(&object()?)),
        OpKind::Loop => Op::Loop(names.queues.intern(&object()?)),
        OpKind::Enqueue => Op::Enqueue(Enqueue {
            event: names.events.intern(&object()?),
            queue: names.queues.intern(&second()?),
            posting: posting(row)?,
            is_async: row.number(Number::Async) == Some(1),
            sync: row.number(Number::Sync) == Some(1),
        }),
        OpKind::EnqueueEnd => Op::EnqueueEnd(names.events.intern(&object()?)),
        OpKind::Remove => Op::Remove(names.events.intern(&object()?)),
        OpKind::Begin => Op::Begin(names.events.intern(&object()?)),
        OpKind::End => Op::End(names.events.intern(&object()?)),
        OpKind::PostBarrier => {
            Op::PostBarrier(names.barriers.intern(&object()?), names.queues.intern(&second()?))
        }
        OpKind::RemoveBarrier => Op::RemoveBarrier(names.barriers.intern(&object()?)),
        OpKind::Register => Op::Register(names.callbacks.intern(&object()?)),
        OpKind::Invoke => Op::Invoke { callback: names.callbacks.intern(&object()?), sync },
        OpKind::Unregister => Op::Unregister(names.callbacks.intern(&object()?)),
        OpKind::Enable => Op::Enable(names.environment.intern(&object()?)),
        OpKind::Trigger => Op::Trigger(names.environment.intern(&object()?)),
        OpKind::Arc => Op::Arc(names.events.intern(&object()?), names.events.intern(&second()?)),
        OpKind::Read => Op::Read(names.locations.intern(&object()?)),
        OpKind::Write => Op::Write(names.locations.intern(&object()?)),
        OpKind::Enter => Op::Enter(names.functions.intern(&object()?)),
    })
}
