//! Reads a TOML file key by key, so that every error names its position.
//!
//! The keys that the code requests are the known ones. Any other key in the file is an error, which
//! suggests the nearest known key.

use std::ops::Range;

use anyhow::{Result, anyhow};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::suggest;

/// A TOML file.
pub(crate) struct Document {
    name: String,
    text: String,
}

impl Document {
    pub(crate) fn new(name: String, text: String) -> Self {
        Self { name, text }
    }

    /// Returns the table that is the whole file.
    pub(crate) fn root(&self) -> Result<Table<'_>> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', "; ");
            self.error(&error.span().unwrap_or(0..0), message)
        })?;
        Ok(Table::new(self, table.span(), table.into_inner()))
    }

    fn error(&self, span: &Range<usize>, message: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}: {message}", self.place(span))
    }

    /// Returns the file, line and column of a span; lines and columns count from 1.
    fn place(&self, span: &Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        format!("{}:{line}:{column}", self.name)
    }
}

/// A table of a document, from which keys are taken one by one.
pub(crate) struct Table<'a> {
    document: &'a Document,
    span: Range<usize>,
    left: DeTable<'a>,
    asked: Vec<&'static str>,
}

/// A value and its position.
pub(crate) struct Found<'a, T> {
    pub(crate) value: T,
    document: &'a Document,
    span: Range<usize>,
}

impl<T> Found<'_, T> {
    /// Returns an error about this value.
    pub(crate) fn error(&self, message: impl std::fmt::Display) -> anyhow::Error {
        self.document.error(&self.span, message)
    }
}

impl<'a> Table<'a> {
    fn new(document: &'a Document, span: Range<usize>, left: DeTable<'a>) -> Self {
        Self { document, span, left, asked: Vec::new() }
    }

    /// Returns the file and line where the table begins.
    pub(crate) fn origin(&self) -> String {
        let place = self.document.place(&self.span);
        place.rsplit_once(':').map_or(place.clone(), |(line, _)| line.to_owned())
    }

    /// Returns an error about the table as a whole.
    pub(crate) fn error(&self, message: impl std::fmt::Display) -> anyhow::Error {
        self.document.error(&self.span, message)
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Result<Option<Found<'a, String>>> {
        self.take(key, "a string", as_string)
    }

    pub(crate) fn count(&mut self, key: &'static str) -> Result<Option<usize>> {
        let found = self.take(key, "a number, 0 or more", |value| match value {
            DeValue::Integer(n) => usize::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        })?;
        Ok(found.map(|found| found.value))
    }

    pub(crate) fn date(&mut self, key: &'static str) -> Result<Option<report::suppress::Date>> {
        let found = self.take(key, "a day such as 2030-01-31", |value| match value {
            DeValue::Datetime(found) if found.time.is_none() => found.date,
            _ => None,
        })?;
        Ok(found.map(|found| {
            let date = found.value;
            report::suppress::Date { year: date.year, month: date.month, day: date.day }
        }))
    }

    pub(crate) fn strings(&mut self, key: &'static str) -> Result<Vec<Found<'a, String>>> {
        self.list(key, "a list of strings", as_string)
    }

    pub(crate) fn tables(&mut self, key: &'static str) -> Result<Vec<Table<'a>>> {
        let found = self.list(key, "tables, each written [[…]]", |value| match value {
            DeValue::Table(table) => Some(table),
            _ => None,
        })?;
        Ok(found.into_iter().map(|f| Self::new(f.document, f.span, f.value)).collect())
    }

    /// Fails if the table contains a key that was not requested.
    pub(crate) fn finish(self) -> Result<()> {
        let first = self.left.iter().min_by_key(|(key, _)| key.span().start);
        let Some((key, _)) = first else { return Ok(()) };
        let name = key.get_ref().as_ref();
        let hint = match suggest::nearest(name, self.asked.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => format!("known are {}", self.asked.join(", ")),
        };
        Err(self.document.error(&key.span(), format!("unknown key {name}; {hint}")))
    }

    fn take<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(DeValue<'a>) -> Option<T>,
    ) -> Result<Option<Found<'a, T>>> {
        self.asked.push(key);
        let Some(value) = self.left.remove(key) else { return Ok(None) };
        found(self.document, value, key, expected, read).map(Some)
    }

    fn list<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(DeValue<'a>) -> Option<T>,
    ) -> Result<Vec<Found<'a, T>>> {
        let array = self.take(key, expected, |value| match value {
            DeValue::Array(array) => Some(array),
            _ => None,
        })?;
        let items = array.into_iter().flat_map(|array| array.value);
        items.map(|item| found(self.document, item, key, expected, &read)).collect()
    }
}

fn found<'a, T>(
    document: &'a Document,
    value: Spanned<DeValue<'a>>,
    key: &str,
    expected: &str,
    read: impl Fn(DeValue<'a>) -> Option<T>,
) -> Result<Found<'a, T>> {
    let span = value.span();
    let value = read(value.into_inner())
        .ok_or_else(|| document.error(&span, format!("{key} is {expected}")))?;
    Ok(Found { value, document, span })
}

fn as_string(value: DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.into_owned()),
        _ => None,
    }
}
