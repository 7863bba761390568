//! The columns of the table, and a buffer for some rows of them.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::schema::types::Type;

/// The text columns, in the order in which they are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Thread,
    Process,
    Event,
    Kind,
    Object,
    Object2,
    Posting,
    Value,
    EventType,
    EventName,
    Provenance,
    File,
    LocationKind,
}

/// The number columns, in the order in which they are stored, after the text columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Op,
    Delay,
    Async,
    Sync,
    At,
    SourceId,
    Line,
    Column,
}

pub(super) const TEXTS: [&str; 13] = [
    "thread",
    "process",
    "event",
    "kind",
    "object",
    "object2",
    "posting",
    "value",
    "event_type",
    "event_name",
    "provenance",
    "file",
    "location_kind",
];
pub(super) const NUMBERS: [&str; 8] =
    ["op", "delay", "async", "sync", "at", "source_id", "line", "column"];

/// The table's schema. A row may lack a value in any column.
pub(super) fn schema() -> Result<Arc<Type>> {
    let column = |name: &str, kind: PhysicalType, logical: Option<LogicalType>| {
        Type::primitive_type_builder(name, kind)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let texts =
        TEXTS.iter().map(|n| column(n, PhysicalType::BYTE_ARRAY, Some(LogicalType::String)));
    let numbers = NUMBERS.iter().map(|n| column(n, PhysicalType::INT64, None));
    let fields = texts.chain(numbers).collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("operations").with_fields(fields).build().map(Arc::new)
}

/// The values of one column for some rows, in Parquet's form: the level of a row is 1 if it has a
/// value.
#[derive(Default)]
pub(super) struct Values<T> {
    pub(super) values: Vec<T>,
    pub(super) levels: Vec<i16>,
}

impl<T> Values<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    /// Returns one `Option` for each row.
    pub(super) fn rows(self) -> impl Iterator<Item = Option<T>> {
        let mut values = self.values.into_iter();
        self.levels.into_iter().map(move |level| if level == 1 { values.next() } else { None })
    }
}

/// Some rows of the table.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) texts: [Values<ByteArray>; TEXTS.len()],
    pub(super) numbers: [Values<i64>; NUMBERS.len()],
}

impl Rows {
    /// Adds a row. Columns that the row does not set have no value.
    pub(super) fn push(&mut self, row: Row) {
        for (column, text) in self.texts.iter_mut().zip(row.texts) {
            column.push(text.map(|text| ByteArray::from(text.into_bytes())));
        }
        for (column, number) in self.numbers.iter_mut().zip(row.numbers) {
            column.push(number);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers[0].levels.len()
    }
}

/// One row of the table.
#[derive(Clone, Default)]
pub(super) struct Row {
    pub(super) texts: [Option<String>; TEXTS.len()],
    pub(super) numbers: [Option<i64>; NUMBERS.len()],
}

impl Row {
    pub(super) fn text(&self, column: Text) -> Option<&str> {
        self.texts[column as usize].as_deref()
    }

    pub(super) fn number(&self, column: Number) -> Option<i64> {
        self.numbers[column as usize]
    }

    pub(super) fn set_text(&mut self, column: Text, text: Option<String>) {
        self.texts[column as usize] = text;
    }

    pub(super) fn set_number(&mut self, column: Number, number: Option<i64>) {
        self.numbers[column as usize] = number;
    }
}
