//! From a trace to the table.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArrayType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use trace::{Enqueue, LocationKind, Op, OpId, Posting, Provenance, Trace};

use super::columns::{Number, Row, Rows, Text, schema};
use super::text::spell;
use super::{GROUP, MODEL_KEY};

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
    let (kind, objects) = words(trace, op);
    let mut row = Row::default();
    row.set_number(Number::Op, Some(i64::from(id.0)));
    row.set_text(Text::Thread, Some(spell(names.threads.get(thread))));
    row.set_text(Text::Process, Some(spell(names.processes.get(trace.thread(thread).process))));
    row.set_text(Text::Event, trace.event_of(id).map(|event| spell(names.events.get(event))));
    row.set_text(Text::Kind, Some(kind.to_owned()));
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
    let (posting, number) = match enqueue.posting {
        Posting::Delayed(delay) => ("delay", Some(delay)),
        Posting::AtTime(time) => ("time", Some(time)),
        Posting::Front => ("front", None),
        Posting::Idle => ("idle", None),
        Posting::Input => ("input", None),
        Posting::Display => ("display", None),
        Posting::Ipc => ("ipc", None),
    };
    row.set_text(Text::Posting, Some(posting.to_owned()));
    row.set_number(Number::Delay, number);
    row.set_number(Number::Async, Some(i64::from(enqueue.is_async)));
    row.set_number(Number::Sync, Some(i64::from(enqueue.sync)));
}

fn set_attributes(row: &mut Row, trace: &Trace, id: OpId) {
    let attributes = trace.attributes(id);
    let text = |text: Option<trace::TextId>| text.map(|text| spell(trace.text(text)));
    row.set_text(Text::Value, text(attributes.value));
    row.set_text(Text::EventType, text(attributes.event_type));
    row.set_text(Text::EventName, text(attributes.event_name));
    let provenance = attributes.provenance.map(|provenance| match provenance {
        Provenance::User => "user".to_owned(),
        Provenance::Framework => "framework".to_owned(),
    });
    row.set_text(Text::Provenance, provenance);
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
        LocationKind::User => "user".to_owned(),
        LocationKind::Framework => "framework".to_owned(),
        LocationKind::Handler => "handler".to_owned(),
        LocationKind::Dom => "dom".to_owned(),
        LocationKind::Cookie => "cookie".to_owned(),
        LocationKind::Storage => "storage".to_owned(),
        LocationKind::Resource => "resource".to_owned(),
        LocationKind::Other(text) => spell(trace.text(text)),
    }
}

/// An operation's name and the names it mentions.
fn words(trace: &Trace, op: Op) -> (&'static str, [Option<&[u8]>; 2]) {
    let n = trace.names();
    let one = |kind: &'static str, name| (kind, [Some(name), None]);
    match op {
        Op::Init => ("init", [None, None]),
        Op::Exit => ("exit", [None, None]),
        Op::Leave => ("leave", [None, None]),
        Op::Fork(thread) => one("fork", n.threads.get(thread)),
        Op::Join(thread) => one("join", n.threads.get(thread)),
        Op::Notify(handle) => one("notify", n.handles.get(handle)),
        Op::Wait(handle) => one("wait", n.handles.get(handle)),
        Op::Lock(lock) => one("lock", n.locks.get(lock)),
        Op::Unlock(lock) => one("unlock", n.locks.get(lock)),
        Op::Attach(queue) => one("attach", n.queues.get(queue)),
        Op::Loop(queue) => one("loop", n.queues.get(queue)),
        Op::Enqueue(e) => ("enqueue", [Some(n.events.get(e.event)), Some(n.queues.get(e.queue))]),
        Op::EnqueueEnd(event) => one("enqueue_end", n.events.get(event)),
        Op::Remove(event) => one("remove", n.events.get(event)),
        Op::Begin(event) => one("begin", n.events.get(event)),
        Op::End(event) => one("end", n.events.get(event)),
        Op::PostBarrier(barrier, queue) => {
            ("post_barrier", [Some(n.barriers.get(barrier)), Some(n.queues.get(queue))])
        }
        Op::RemoveBarrier(barrier) => one("remove_barrier", n.barriers.get(barrier)),
        Op::Register(callback) => one("register", n.callbacks.get(callback)),
        Op::Invoke { callback, sync: false } => one("invoke", n.callbacks.get(callback)),
        Op::Invoke { callback, sync: true } => one("invoke_sync", n.callbacks.get(callback)),
        Op::Unregister(callback) => one("unregister", n.callbacks.get(callback)),
        Op::Enable(event) => one("enable", n.environment.get(event)),
        Op::Trigger(event) => one("trigger", n.environment.get(event)),
        Op::Arc(from, to) => ("arc", [Some(n.events.get(from)), Some(n.events.get(to))]),
        Op::Read(location) => one("read", n.locations.get(location)),
        Op::Write(location) => one("write", n.locations.get(location)),
        Op::Enter(function) => one("enter", n.functions.get(function)),
    }
}
