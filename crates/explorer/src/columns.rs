//! A table in columns: a JSON header, then arrays of little-endian numbers.
//!
//! The bytes are the length of the header (four bytes), the header padded with spaces to a multiple of
//! eight after that length, and the columns in the order in which the header names them, each padded to a
//! multiple of eight. A page reads the columns without parsing them.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// A table under construction.
#[derive(Default)]
pub(crate) struct Columns {
    header: Map<String, Value>,
    names: Vec<Value>,
    bytes: Vec<u8>,
}

impl Columns {
    /// Adds a field to the header.
    pub(crate) fn field(&mut self, name: &str, value: impl Serialize) {
        let value = serde_json::to_value(value).expect("views can be serialised");
        self.header.insert(name.to_owned(), value);
    }

    /// Adds a column of 32-bit numbers.
    pub(crate) fn u32s(&mut self, name: &str, values: impl Iterator<Item = u32>) {
        let start = self.bytes.len();
        self.bytes.extend(values.flat_map(u32::to_le_bytes));
        self.close(name, "u32", (self.bytes.len() - start) / 4);
    }

    /// Adds a column of floating-point numbers.
    pub(crate) fn f64s(&mut self, name: &str, values: impl Iterator<Item = f64>) {
        let start = self.bytes.len();
        self.bytes.extend(values.flat_map(f64::to_le_bytes));
        self.close(name, "f64", (self.bytes.len() - start) / 8);
    }

    fn close(&mut self, name: &str, of: &str, length: usize) {
        self.names.push(json!({ "name": name, "of": of, "length": length }));
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// Returns the bytes of the table.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.header.insert("columns".to_owned(), Value::Array(self.names));
        let mut header = serde_json::to_vec(&self.header).expect("a map of values");
        header.resize((header.len() + 4).next_multiple_of(8) - 4, b' ');
        let length = u32::try_from(header.len()).expect("a header of less than 4 GiB");
        let mut out = length.to_le_bytes().to_vec();
        out.extend(header);
        out.extend(self.bytes);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight() {
        let mut table = Columns::default();
        table.field("kinds", ["a", "b"]);
        table.u32s("begin", [1, 2, 3].into_iter());
        table.f64s("at", [0.5].into_iter());
        let bytes = table.finish();
        let header = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        assert_eq!((header + 4) % 8, 0);
        let value: Value = serde_json::from_slice(&bytes[4..4 + header]).expect("JSON");
        assert_eq!(value["columns"][0], json!({ "name": "begin", "of": "u32", "length": 3 }));
        let at = header + 4 + 16;
        assert_eq!(bytes[at..], 0.5f64.to_le_bytes());
    }
}
