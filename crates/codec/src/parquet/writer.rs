//! From a trace to the table.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArrayType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use trace::{Enqueue, LocationKind, Op, OpId, Trace};

use super::columns::{Number, Row, Rows, Text, schema};
use super::text::spell;
use super::{GROUP, INVOKE_SYNC, MODEL_KEY};

/// Writes a trace as a table.
pub fn write(trace: &Trace, out: impl Write + Send) -> io::Result<()> {
    write_table(trace, out).map_err(|error| match error {
        ParquetError::External(inner) => io::Error::other(inner),
        other => io::Error::other(other),
    })
}

fn write_table(trace: &Trace, out: impl Write + Send) -> Result<()> {
    let model = trace.model().map(|model| KeyValue::new(MODEL_KEY.to_owned(), spell(model)));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(model.map(|model| vec![model]))
        .build();
    let mut file = SerializedFileWriter::new(out, schema()?, Arc::new(properties))?;
    let mut rows = Rows::default();
    for op in trace.ops() {
        rows.push(row(trace, op));
        if rows.len() == GROUP {
            write_group(&mut file, &std::mem::take(&mut rows))?;
        }
    }
    if rows.len() > 0 {
        write_group(&mut file, &rows)?;
    }
    file.close().map(drop)
}

fn write_group<W: Write + Send>(file: &mut SerializedFileWriter<W>, rows: &Rows) -> Result<()> {
    let mut group = file.next_row_group()?;
    for column in &rows.texts {
        let mut writer = group.next_column()?.expect("the schema has this column");
        let typed = writer.typed::<ByteArrayType>();
        typed.write_batch(&column.values, Some(&column.levels), None)?;
        writer.close()?;
    }
    for column in &rows.numbers {
        let mut writer = group.next_column()?.expect("the schema has this column");
        let typed = writer.typed::<Int64Type>();
        typed.write_batch(&column.values, Some(&column.levels), None)?;
        writer.close()?;
    }
    group.close().map(drop)
}

fn row(trace: &Trace, id: OpId) -> Row {
    let names = trace.names();
    let thread = trace.thread_of(id);
    let op = trace.op(id);
    let objects = objects(trace, op);
    let mut row = Row::default();
    row.set_number(Number::Op, Some(i64::from(id.0)));
    row.set_text(Text::Thread, Some(spell(names.threads.get(thread))));
    row.set_text(Text::Process, Some(spell(names.processes.get(trace.thread(thread).process))));
    row.set_text(Text::Event, trace.event_of(id).map(|event| spell(names.events.get(event))));
    row.set_text(Text::Kind, Some(kind_word(op).to_owned()));
    row.set_text(Text::Object, objects[0].map(spell));
    row.set_text(Text::Object2, objects[1].map(spell));
    if let Op::Enqueue(enqueue) = op {
        set_posting(&mut row, enqueue);
    }
    if let Some((location, _)) = op.access() {
        row.set_text(
            Text::LocationKind,
            trace.location_kind(location).map(|k| kind_name(trace, k)),
        );
    }
    set_attributes(&mut row, trace, id);
    row
}

fn set_posting(row: &mut Row, enqueue: Enqueue) {
    row.set_text(Text::Posting, Some(enqueue.posting.word().to_owned()));
    row.set_number(Number::Delay, enqueue.posting.number());
    row.set_number(Number::Async, Some(i64::from(enqueue.is_async)));
    row.set_number(Number::Sync, Some(i64::from(enqueue.sync)));
}

fn set_attributes(row: &mut Row, trace: &Trace, id: OpId) {
    let attributes = trace.attributes(id);
    let text = |text: Option<trace::TextId>| text.map(|text| spell(trace.text(text)));
    row.set_text(Text::Value, text(attributes.value));
    row.set_text(Text::EventType, text(attributes.event_type));
    row.set_text(Text::EventName, text(attributes.event_name));
    row.set_text(Text::Provenance, attributes.provenance.map(|p| p.word().to_owned()));
    // Stored as the bits they are: Parquet's plain integers are signed.
    row.set_number(Number::At, attributes.at.map(u64::cast_signed));
    row.set_number(Number::SourceId, attributes.source_id.map(u64::cast_signed));
    if let Some(source) = attributes.source.map(|source| trace.source(source)) {
        row.set_text(Text::File, Some(spell(trace.text(source.file))));
        row.set_number(Number::Line, Some(i64::from(source.line)));
        row.set_number(Number::Column, source.column.map(i64::from));
    }
}

fn kind_name(trace: &Trace, kind: LocationKind) -> String {
    match kind {
        LocationKind::Other(text) => spell(trace.text(text)),
        kind => kind.word().expect("every other kind has a word").to_owned(),
    }
}

/// Returns the word for the kind of an operation: the notation's, except for a blocking invoke.
fn kind_word(op: Op) -> &'static str {
    if matches!(op, Op::Invoke { sync: true, .. }) { INVOKE_SYNC } else { op.kind().word() }
}

/// Returns the names that an operation mentions.
fn objects(trace: &Trace, op: Op) -> [Option<&[u8]>; 2] {
    let n = trace.names();
    let one = |name| [Some(name), None];
    match op {
        Op::Init | Op::Exit | Op::Leave => [None, None],
        Op::Fork(thread) | Op::Join(thread) => one(n.threads.get(thread)),
        Op::Notify(handle) | Op::Wait(handle) => one(n.handles.get(handle)),
        Op::Lock(lock) | Op::Unlock(lock) => one(n.locks.get(lock)),
        Op::Attach(queue) | Op::Loop(queue) => one(n.queues.get(queue)),
        Op::Enqueue(e) => [Some(n.events.get(e.event)), Some(n.queues.get(e.queue))],
        Op::EnqueueEnd(event) | Op::Remove(event) | Op::Begin(event) | Op::End(event) => {
            one(n.events.get(event))
        }
        Op::PostBarrier(barrier, queue) => {
            [Some(n.barriers.get(barrier)), Some(n.queues.get(queue))]
        }
        Op::RemoveBarrier(barrier) => one(n.barriers.get(barrier)),
        Op::Register(callback) | Op::Invoke { callback, .. } | Op::Unregister(callback) => {
            one(n.callbacks.get(callback))
        }
        Op::Enable(event) | Op::Trigger(event) => one(n.environment.get(event)),
        Op::Arc(from, to) => [Some(n.events.get(from)), Some(n.events.get(to))],
        Op::Read(location) | Op::Write(location) => one(n.locations.get(location)),
        Op::Enter(function) => one(n.functions.get(function)),
    }
}
