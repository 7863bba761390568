//! A table in columns: a JSON header, then arrays of little-endian numbers.
//!
//! The bytes are the length of the header (four bytes), the header padded with spaces to a multiple of
//! eight after that length, and the columns in the order in which the header names them, each padded to a
//! multiple of eight. A page reads the columns without parsing them.
//!
//! | `of` | contents |
//! |---|---|
//! | `u32` | numbers |
//! | `u32-steps` | numbers, each as the difference from the one before, modulo 2³²: columns that grow evenly compress to almost nothing |
//! | `f64-steps` | floating-point numbers, each as the difference from the last one that is there; NaN for one that is not |
//! | `text` | strings: where each begins among the bytes, one more number for the end of the last, padding, and the bytes in UTF-8 |

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The value of a column where a row has none.
pub(crate) const NONE: u32 = u32::MAX;

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

    /// Adds a column of 32-bit numbers, most of which differ from the one before as that does from its own.
    pub(crate) fn steps(&mut self, name: &str, values: impl Iterator<Item = u32>) {
        let start = self.bytes.len();
        let mut last = 0u32;
        let steps = values.map(|value| value.wrapping_sub(std::mem::replace(&mut last, value)));
        self.bytes.extend(steps.flat_map(u32::to_le_bytes));
        self.close(name, "u32-steps", (self.bytes.len() - start) / 4);
    }

    /// Adds a column of times, of which some may be missing.
    pub(crate) fn times(&mut self, name: &str, values: impl Iterator<Item = Option<u64>>) {
        let start = self.bytes.len();
        let mut last = 0u64;
        let steps = values.map(|value| match value {
            // Differences are exact where the numbers themselves are not.
            Some(value) => {
                let step = value.wrapping_sub(std::mem::replace(&mut last, value)).cast_signed();
                f64::from((step >> 32) as i32) * 2f64.powi(32)
                    + f64::from(step.cast_unsigned() as u32)
            }
            None => f64::NAN,
        });
        self.bytes.extend(steps.flat_map(f64::to_le_bytes));
        self.close(name, "f64-steps", (self.bytes.len() - start) / 8);
    }

    /// Adds a column of strings.
    pub(crate) fn texts<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str> + Clone) {
        let mut end = 0usize;
        let ends = values.clone().map(|text| {
            end += text.len();
            end
        });
        let starts = std::iter::once(0).chain(ends);
        let starts =
            starts.map(|start| u32::try_from(start).expect("names of less than 4 GiB in all"));
        let before = self.bytes.len();
        self.bytes.extend(starts.flat_map(u32::to_le_bytes));
        let length = (self.bytes.len() - before) / 4 - 1;
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        values.for_each(|text| self.bytes.extend(text.as_bytes()));
        self.close(name, "text", length);
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
        let start = length.to_le_bytes().into_iter().chain(header);
        // In place, because a table can be large.
        self.bytes.splice(0..0, start);
        self.bytes
    }
}

/// Values by number, each once, in the order in which they first come.
pub(crate) struct Numbered<T> {
    numbers: HashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    pub(crate) fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            (self.values.len() - 1) as u32
        })
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
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
        table.steps("end", [5, 4, NONE].into_iter());
        table.times("at", [Some(3), None, Some(1)].into_iter());
        table.texts("name", ["ab", "", "é"].into_iter());
        let bytes = table.finish();
        let header = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        assert_eq!((header + 4) % 8, 0);
        let value: Value = serde_json::from_slice(&bytes[4..4 + header]).expect("JSON");
        assert_eq!(value["columns"][0], json!({ "name": "begin", "of": "u32", "length": 3 }));
        let at = header + 4 + 16;
        let steps: Vec<u8> = [5u32, 4u32.wrapping_sub(5), NONE.wrapping_sub(4)]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        assert_eq!(bytes[at..at + 12], steps);
        assert_eq!(bytes[at + 16..at + 24], 3f64.to_le_bytes());
        assert_eq!(bytes[at + 32..at + 40], (-2f64).to_le_bytes());
        let text = at + 40;
        let ends: Vec<u8> = [0u32, 2, 2, 4].into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(bytes[text..text + 16], ends);
        assert_eq!(&bytes[text + 16..text + 20], "abé".as_bytes());
        assert_eq!(bytes.len(), text + 24);
    }
}
