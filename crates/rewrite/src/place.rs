//! Places in a source: lines, UTF-16 offsets, and the table of sites.

/// The kind of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// A property, element or length is read.
    Get,
    /// A property, element or length is written or deleted.
    Set,
    /// A property is read and written.
    Update,
    /// A variable is read.
    Read,
    /// A variable is written.
    Write,
    /// An object is made.
    New,
}

impl SiteKind {
    /// The readable name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            SiteKind::Get => "get",
            SiteKind::Set => "set",
            SiteKind::Update => "update",
            SiteKind::Read => "read",
            SiteKind::Write => "write",
            SiteKind::New => "new",
        }
    }
}

/// A place in the original whose accesses, or whose new objects, are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The line in the original's file, from 1.
    pub line: u32,
    /// The column in the original's file, in UTF-16 code units from 1.
    pub column: u32,
    /// The function around the site, by name or by place. Empty at the top level.
    pub function: std::sync::Arc<str>,
    /// The line and column of the identifier that names the function, if an identifier does.
    pub function_at: Option<(u32, u32)>,
    /// What happens at the site.
    pub kind: SiteKind,
    /// Whether the value that is read here is only tested.
    pub tested: bool,
}

/// Converts byte offsets to lines, columns and UTF-16 offsets.
pub(crate) struct Places<'s> {
    source: &'s str,
    /// Byte offset of the start of each line. ECMAScript's four line terminators end a line.
    lines: Vec<u32>,
    /// For each character outside ASCII, the offset of its end, and by how much the number of bytes
    /// exceeds the number of UTF-16 units up to there.
    wide: Vec<(u32, u32)>,
}

impl<'s> Places<'s> {
    pub(crate) fn new(source: &'s str) -> Places<'s> {
        let bytes = source.as_bytes();
        let mut lines = vec![0];
        let mut wide = Vec::new();
        let mut more = 0;
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' => lines.push(at as u32 + 1),
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => lines.push(at as u32 + 1),
                byte if byte >= 0x80 => {
                    let char = source[at..].chars().next().expect("a character starts here");
                    more += (char.len_utf8() - char.len_utf16()) as u32;
                    at += char.len_utf8();
                    wide.push((at as u32, more));
                    if matches!(char, '\u{2028}' | '\u{2029}') {
                        lines.push(at as u32);
                    }
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        Places { source, lines, wide }
    }

    /// Converts a byte offset to an offset in UTF-16 code units.
    pub(crate) fn utf16(&self, offset: u32) -> u32 {
        let after = self.wide.partition_point(|&(end, _)| end <= offset);
        offset - after.checked_sub(1).map_or(0, |last| self.wide[last].1)
    }

    /// Returns the line and column of a byte offset, both from 1. An offset beyond the end counts
    /// as the end.
    pub(crate) fn line_column(&self, offset: u32) -> (u32, u32) {
        let offset = offset.min(self.source.len() as u32);
        let line = self.lines.partition_point(|&start| start <= offset);
        (line as u32, self.utf16(offset) - self.utf16(self.lines[line - 1]) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_agree_with_counting() {
        let source = "aé\r\n𝒳b\rc\u{2028}d\n";
        let places = Places::new(source);
        for (offset, _) in source.char_indices() {
            let before = &source[..offset];
            assert_eq!(places.utf16(offset as u32), before.encode_utf16().count() as u32);
            let normal = before.replace("\r\n", "\n").replace(['\r', '\u{2028}'], "\n");
            let line = normal.matches('\n').count() as u32 + 1;
            let inside_break = source[offset..].starts_with('\n') && before.ends_with('\r');
            if !inside_break {
                assert_eq!(places.line_column(offset as u32).0, line, "at {offset}");
            }
        }
        assert_eq!(places.line_column(5), (2, 1));
        assert_eq!(places.line_column(9), (2, 3));
    }
}
