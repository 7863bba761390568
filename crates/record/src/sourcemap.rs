//! Source maps, version 3 (ECMA-426). They lead from a place in a served script to the source file
//! that it was built from.
//!
//! Decoding takes time and memory linear in the map: what several sources share is kept once, and the name
//! of a source is computed when it is asked for. A malformed mapping ends the mappings at that point and is
//! no error: a map is only a help, and a server may send anything as one.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use crate::notes::{cut, cut_str};

/// The deepest nesting of index maps that is followed.
const DEEPEST: u32 = 4;

/// The longest name of a file or of an identifier, in bytes. Longer ones are cut.
const NAME: usize = 1000;

/// A function that turns the path of a source into the name of a file.
type Name = dyn Fn(&str) -> String + Send + Sync;

/// A map from places in a script to places in its sources.
pub struct SourceMap {
    sources: Vec<ListedSource>,
    /// The paths that stand before those of sources, one for each map in an index map.
    roots: Vec<String>,
    name: Box<Name>,
    /// The sources that a debugger should skip, because they belong to libraries.
    ignored: BTreeSet<u32>,
    /// The original names of identifiers.
    names: Vec<Arc<str>>,
    /// Ascending by place in the script; lines and columns from 0.
    segments: Vec<Segment>,
}

struct ListedSource {
    root: u32,
    path: Box<str>,
}

/// A place in an original source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The name of the file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Whether the map says that a debugger should skip the file.
    pub ignored: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    line: u32,
    column: u32,
    source: u32,
    source_line: u32,
    source_column: u32,
    /// The original name of the identifier at this place, as an index into the names.
    name: Option<u32>,
}

#[derive(Deserialize)]
struct Json {
    #[serde(default)]
    sources: Vec<Option<String>>,
    #[serde(default, rename = "sourceRoot")]
    source_root: Option<String>,
    #[serde(default)]
    names: Vec<String>,
    /// The indices of the sources that a debugger should skip.
    #[serde(default, rename = "ignoreList", alias = "x_google_ignoreList")]
    ignore_list: Vec<usize>,
    #[serde(default)]
    mappings: String,
    #[serde(default)]
    sections: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    offset: Offset,
    map: Json,
}

#[derive(Deserialize)]
struct Offset {
    line: u32,
    column: u32,
}

impl SourceMap {
    /// Decodes a map; `name` turns the path of a source that it lists into the name of a file.
    /// Returns none for a text that maps nothing.
    pub fn parse(
        text: &[u8],
        name: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Option<SourceMap> {
        // Servers may put `)]}'` before JSON, to keep it from running as a script.
        let text = text.strip_prefix(b")]}'").unwrap_or(text);
        let json: Json = serde_json::from_slice(text).ok()?;
        let mut map = SourceMap {
            sources: Vec::new(),
            roots: Vec::new(),
            name: Box::new(name),
            ignored: BTreeSet::new(),
            names: Vec::new(),
            segments: Vec::new(),
        };
        map.add(json, (0, 0), 0);
        map.segments.sort_by_key(|segment| (segment.line, segment.column));
        (!map.segments.is_empty()).then_some(map)
    }

    fn add(&mut self, json: Json, at: (u32, u32), depth: u32) {
        let (first, root) = (self.sources.len() as u32, self.roots.len() as u32);
        let mut shared = json.source_root.unwrap_or_default();
        if !shared.is_empty() && !shared.ends_with('/') {
            shared.push('/');
        }
        self.roots.push(shared);
        let path = |source: Option<String>| source.unwrap_or_else(|| "unknown".to_owned());
        let listed =
            json.sources.into_iter().map(|it| ListedSource { root, path: path(it).into() });
        self.sources.extend(listed);
        let own = self.sources.len() as u32 - first;
        let ignored = json.ignore_list.iter().filter_map(|&at| u32::try_from(at).ok());
        self.ignored.extend(ignored.filter(|&at| at < own).map(|at| first + at));
        let first_name = self.names.len() as u32;
        self.names.extend(json.names.iter().map(|name| cut(name, NAME).into()));
        self.decode(json.mappings.as_bytes(), (first, first_name), at);
        for section in json.sections.into_iter().filter(|_| depth < DEEPEST) {
            let shift = if section.offset.line == 0 { at.1 } else { 0 };
            let column = section.offset.column.saturating_add(shift);
            let at = (at.0.saturating_add(section.offset.line), column);
            self.add(section.map, at, depth + 1);
        }
    }

    /// Returns the name of a source.
    fn file(&self, source: u32) -> Option<Arc<str>> {
        let ListedSource { root, path } = self.sources.get(source as usize)?;
        let root = self.roots.get(*root as usize)?;
        // A path of which only the start is named would be that of another file.
        let path = if root.len() > NAME { path.to_string() } else { format!("{root}{path}") };
        Some(cut(&(self.name)(cut_str(&path, NAME)), NAME).into())
    }

    /// Decodes mappings whose sources and names begin at the indices `first`.
    fn decode(&mut self, mappings: &[u8], (first, first_name): (u32, u32), at: (u32, u32)) {
        let (mut source, mut source_line, mut source_column) = (0_i64, 0_i64, 0_i64);
        let mut last_name = 0_i64;
        for (line, group) in (0_u32..).zip(mappings.split(|&byte| byte == b';')) {
            let mut column = 0_i64;
            for segment in group.split(|&byte| byte == b',') {
                let Some(fields) = numbers(segment) else { return };
                let [moved, rest @ ..] = fields.as_slice() else { continue };
                column += moved;
                let [to_source, to_line, to_column, to_name @ ..] = rest else { continue };
                let name = to_name.first().and_then(|to_name| {
                    last_name += to_name;
                    let name = first_name.checked_add(u32::try_from(last_name).ok()?)?;
                    ((name as usize) < self.names.len()).then_some(name)
                });
                source += to_source;
                source_line += to_line;
                source_column += to_column;
                let known = self.sources.len() as u64 - u64::from(first);
                let number = |n: i64| u32::try_from(n).ok();
                let (Some(own), Some(column), Some(source_line), Some(source_column)) =
                    (number(source), number(column), number(source_line), number(source_column))
                else {
                    return;
                };
                if u64::from(own) >= known {
                    return;
                }
                let shift = if line == 0 { at.1 } else { 0 };
                self.segments.push(Segment {
                    line: at.0.saturating_add(line),
                    column: column.saturating_add(shift),
                    source: first + own,
                    source_line,
                    source_column,
                    name,
                });
            }
        }
    }

    /// Returns the source of a place in the script (from 1): that of the last mapping at or before it on its
    /// line.
    pub fn find(&self, line: u32, column: u32) -> Option<Original> {
        let (line, column) = (line.checked_sub(1)?, column.checked_sub(1)?);
        let key = |segment: &Segment| (segment.line, segment.column);
        let after = self.segments.partition_point(|segment| key(segment) <= (line, column));
        let segment = self.segments.get(after.checked_sub(1)?)?;
        if segment.line != line {
            return None;
        }
        Some(Original {
            file: self.file(segment.source)?,
            line: segment.source_line.saturating_add(1),
            column: segment.source_column.saturating_add(1),
            ignored: self.ignored.contains(&segment.source),
        })
    }

    /// Returns the original name of the identifier that starts at a place in the script (from 1),
    /// if the map states it.
    pub fn name(&self, line: u32, column: u32) -> Option<Arc<str>> {
        let at = (line.checked_sub(1)?, column.checked_sub(1)?);
        let key = |segment: &Segment| (segment.line, segment.column);
        let found = self.segments.partition_point(|segment| key(segment) < at);
        let mut segments = self.segments[found..].iter().take_while(|segment| key(segment) == at);
        let name = segments.find_map(|segment| segment.name)?;
        self.names.get(name as usize).map(Arc::clone)
    }
}

/// Decodes the numbers of a segment in base 64 VLQ. None if the segment holds anything else.
fn numbers(segment: &[u8]) -> Option<Vec<i64>> {
    let mut numbers = Vec::with_capacity(5);
    let (mut value, mut shift) = (0_i64, 0);
    for &byte in segment {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        if shift > 30 {
            return None;
        }
        value |= i64::from(digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            numbers.push(if value & 1 == 1 { -(value >> 1) } else { value >> 1 });
            (value, shift) = (0, 0);
        }
    }
    Some(numbers)
}

/// Returns the address of the source map that a script names, in a comment at the end of its last
/// line. White space may follow the comment; a comment before other lines is not meant, because it
/// may be part of a text or of a file that was bundled.
pub fn mentioned(source: &str) -> Option<&str> {
    const KEY: &str = "sourceMappingURL=";
    let is_end = |char: char| matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let last = source.trim_end().rsplit(is_end).next().unwrap_or_default();
    let at = last.rfind(KEY)?;
    let before = last[..at].trim_end_matches([' ', '\t']);
    let rest = &last[at + KEY.len()..];
    let url = if before.ends_with("//#") || before.ends_with("//@") {
        rest
    } else if before.ends_with("/*#") || before.ends_with("/*@") {
        rest.strip_suffix("*/")?.trim_end()
    } else {
        return None;
    };
    let is_part = |char: char| char.is_whitespace() || matches!(char, '"' | '\'' | '`');
    (!url.is_empty() && !url.contains(is_part)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<SourceMap> {
        SourceMap::parse(text.as_bytes(), str::to_string)
    }

    #[test]
    fn places_are_found_and_what_is_malformed_is_not() {
        // The second line: columns 0 and 9 of the script are 2:4 and 5:0 of the source.
        let map = parse(
            r#"{"version":3,"sourceRoot":"src","sources":["a.ts"],
            "mappings":";AACI,SAGJ"}"#,
        )
        .expect("a map");
        let find = |line, column| {
            map.find(line, column).map(|it| (it.file.to_string(), it.line, it.column))
        };
        assert_eq!(find(1, 1), None);
        assert_eq!(find(2, 1), Some(("src/a.ts".into(), 2, 5)));
        assert_eq!(find(2, 9), Some(("src/a.ts".into(), 2, 5)));
        assert_eq!(find(2, 10), Some(("src/a.ts".into(), 5, 1)));
        assert_eq!(find(3, 1), None);
        for bad in ["", "[]", r#"{"sources":[],"mappings":"AAAA"}"#, r#"{"mappings":"!"}"#] {
            assert!(parse(bad).is_none(), "{bad}");
        }
        let far = r#"{"sources":["a"],"mappings":"gggggggggggggB"}"#;
        assert!(parse(far).is_none());
    }

    #[test]
    fn a_long_root_is_kept_once() {
        let sources = vec!["\"a\""; 100_000].join(",");
        let text = format!(
            r#"{{"sourceRoot":"{}","sources":[{sources}],"mappings":"AAAA"}}"#,
            "r".repeat(500_000)
        );
        let map = parse(&text).expect("a map");
        let kept: usize = map.roots.iter().map(String::len).sum();
        let paths: usize = map.sources.iter().map(|source| source.path.len()).sum();
        assert!(kept + paths < text.len());
        assert_eq!(map.find(1, 1).map(|it| it.file), Some("a".into()));
        let long = format!(r#"{{"sources":["{}é"],"mappings":"AAAA"}}"#, "s".repeat(999));
        let found = parse(&long).expect("a map").find(1, 1).expect("a place");
        assert_eq!(found.file.len(), 999);
    }

    #[test]
    fn numbers_beyond_the_largest_are_no_places() {
        let text = r#"{"sections":[{"offset":{"line":4294967295,"column":4294967295},
            "map":{"sources":["a"],"mappings":"A////DA////DA////D;AAAA"}},
            {"offset":{"line":0,"column":4294967295},"map":{"sections":[{"offset":{"line":0,
            "column":4294967295},"map":{"sources":["a"],"mappings":"gggggE,C,CAAA,CAAC"}}]}}]}"#;
        if let Some(map) = parse(text) {
            for line in [1, 2, u32::MAX] {
                for column in [1, 2, u32::MAX] {
                    drop(map.find(line, column));
                    drop(map.name(line, column));
                }
            }
        }
    }

    #[test]
    fn identifiers_have_their_original_names() {
        // Columns 0, 4 and 8 of the first line; the first and the last have names.
        let map =
            parse(r#"{"sources":["a.ts"],"names":["add","total"],"mappings":"AAAAA,IAAI,IAAIC"}"#)
                .expect("a map");
        let name = |column| map.name(1, column).map(|name| name.to_string());
        assert_eq!(name(1).as_deref(), Some("add"));
        assert_eq!((name(2), name(5)), (None, None));
        assert_eq!(name(9).as_deref(), Some("total"));
        // A name that the map does not list.
        let map = parse(r#"{"sources":["a.ts"],"names":[],"mappings":"AAAAA"}"#).expect("a map");
        assert_eq!(map.name(1, 1), None);
    }

    #[test]
    fn index_maps_are_shifted() {
        let map = parse(
            r#"{"sections":[{"offset":{"line":1,"column":3},
            "map":{"sources":["b.ts"],"mappings":"AAAA;AACA"}}]}"#,
        )
        .expect("a map");
        let line = |line, column| map.find(line, column).map(|it| (it.file.to_string(), it.line));
        assert_eq!(line(2, 4), Some(("b.ts".into(), 1)));
        assert_eq!(line(2, 3), None);
        assert_eq!(line(3, 1), Some(("b.ts".into(), 2)));
    }

    #[test]
    fn a_script_names_its_map_in_a_comment() {
        assert_eq!(mentioned("x\n//# sourceMappingURL=a.js.map\n"), Some("a.js.map"));
        assert_eq!(mentioned("x\n/*# sourceMappingURL=a.js.map */"), Some("a.js.map"));
        assert_eq!(mentioned("x //@ sourceMappingURL=a.js.map \t\r\n\n"), Some("a.js.map"));
        assert_eq!(mentioned("f('sourceMappingURL=a')"), None);
        assert_eq!(mentioned("f('//# sourceMappingURL=a')"), None);
        assert_eq!(mentioned("//# sourceMappingURL=a.js.map\nx"), None);
        assert_eq!(mentioned("/*# sourceMappingURL=a.js.map */ x"), None);
        assert_eq!(mentioned("//# sourceMappingURL=a b"), None);
        assert_eq!(mentioned("x"), None);
    }
}
