//! Every script of a recording: rewritten once, its text and its sites kept.
//!
//! Rewriting is one at a time, because sites are numbered densely over all scripts: the hooks
//! index arrays by them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rewrite::{Kind, Options, Unparsable, rewrite};

use crate::sourcemap::SourceMap;

/// Where a script stands, and what its places are called.
#[derive(Clone)]
pub(crate) struct Place {
    /// What the file is called.
    pub(crate) file: Arc<str>,
    /// Where in the file the script starts: line and column, from 1.
    pub(crate) start: (u32, u32),
    /// Leads further, to what the file was made of.
    pub(crate) map: Option<Arc<SourceMap>>,
}

impl Place {
    /// A file that is the script.
    pub(crate) fn whole(file: &str) -> Place {
        Place { file: file.into(), start: (1, 1), map: None }
    }
}

/// A place in an original source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The function around it; empty at the top level.
    pub(crate) function: Arc<str>,
}

struct Script {
    text: Arc<str>,
    place: Place,
    first_site: u32,
}

#[derive(Default)]
struct Table {
    scripts: Vec<Script>,
    sites: Vec<rewrite::Site>,
}

/// The scripts of a recording.
#[derive(Default)]
pub(crate) struct Scripts {
    table: Mutex<Table>,
}

impl Scripts {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rewrites a script and remembers it.
    pub(crate) fn rewrite(
        &self,
        source: &str,
        kind: Kind,
        params: &[&str],
        place: Place,
    ) -> Result<String, Unparsable> {
        let mut table = self.table();
        let first_site = table.sites.len() as u32;
        let options = Options {
            start: place.start,
            script: table.scripts.len() as u32,
            first_site,
            params,
            ..Options::new(kind, &place.file)
        };
        let rewritten = rewrite(source, options)?;
        table.sites.extend(rewritten.sites);
        table.scripts.push(Script { text: source.into(), place, first_site });
        Ok(rewritten.code)
    }

    /// The original text of a script.
    pub(crate) fn text(&self, script: usize) -> Option<Arc<str>> {
        self.table().scripts.get(script).map(|script| Arc::clone(&script.text))
    }

    /// Where a site is in the original sources.
    pub(crate) fn spot(&self, site: u32) -> Option<Spot> {
        let table = self.table();
        let found = table.sites.get(site as usize)?;
        let after = table.scripts.partition_point(|script| script.first_site <= site);
        let place = &table.scripts.get(after.checked_sub(1)?)?.place;
        let (line, column) = (found.line, found.column);
        let function = Arc::clone(&found.function);
        let mapped = place.map.as_ref().and_then(|map| map.find(line, column));
        Some(match mapped {
            Some((file, line, column)) => Spot { file, line, column, function },
            None => Spot { file: Arc::clone(&place.file), line, column, function },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_leads_to_its_place_in_the_file() {
        let scripts = Scripts::default();
        let place = Place { start: (10, 9), ..Place::whole("index.html") };
        scripts.rewrite("a.b;\n(() => c.d)()", Kind::Script, &[], place).expect("parses");
        scripts.rewrite("x.y", Kind::Script, &[], Place::whole("app.js")).expect("parses");
        let lines: Vec<_> = (0..)
            .map_while(|site| scripts.spot(site))
            .map(|spot| (spot.file.to_string(), spot.line, spot.column))
            .collect();
        assert!(lines.contains(&("index.html".into(), 10, 9)), "{lines:?}");
        assert!(lines.contains(&("index.html".into(), 11, 8)), "{lines:?}");
        let functions = (0..).map_while(|site| scripts.spot(site)).map(|spot| spot.function);
        assert!(functions.into_iter().any(|name| &*name == "anonymous at index.html:11"));
        assert!(lines.contains(&("app.js".into(), 1, 1)), "{lines:?}");
        assert_eq!(scripts.text(1).as_deref(), Some("x.y"));
        assert!(scripts.rewrite("x y", Kind::Script, &[], Place::whole("bad.js")).is_err());
        assert_eq!(scripts.text(2), None);
    }
}
