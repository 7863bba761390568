//! Every script of a recording: rewritten once, its text and its sites kept.
//!
//! Rewriting is one at a time, because sites are numbered densely over all scripts: the hooks
//! index arrays by them. A file that is served again with the same text, as when a page is loaded
//! anew, is the same script with the same sites.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

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
    /// The last script of each file and kind, by its number, and its rewritten text.
    files: HashMap<(Arc<str>, Kind), (usize, Arc<str>)>,
}

/// The scripts of a recording.
#[derive(Default)]
pub(crate) struct Scripts {
    table: Mutex<Table>,
}

impl Table {
    fn rewrite(
        &mut self,
        source: &str,
        kind: Kind,
        params: &[&str],
        place: Place,
    ) -> Result<String, Unparsable> {
        let first_site = self.sites.len() as u32;
        let options = Options {
            start: place.start,
            script: self.scripts.len() as u32,
            first_site,
            params,
            ..Options::new(kind, &place.file)
        };
        let rewritten = rewrite(source, options)?;
        self.sites.extend(rewritten.sites);
        self.scripts.push(Script { text: source.into(), place, first_site });
        Ok(rewritten.code)
    }

    /// The rewritten text of a file, if its last text was this.
    fn known(&self, file: &(Arc<str>, Kind), source: &str) -> Option<Arc<str>> {
        let (script, code) = self.files.get(file)?;
        (*self.scripts[*script].text == *source).then(|| Arc::clone(code))
    }
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
        self.table().rewrite(source, kind, params, place)
    }

    /// Rewrites a script that is a file, and finds its source map meanwhile.
    pub(crate) fn rewrite_file(
        &self,
        source: &str,
        kind: Kind,
        file: &str,
        map: impl FnOnce() -> Option<SourceMap> + Send,
    ) -> Result<Arc<str>, Unparsable> {
        let place = Place::whole(file);
        let key = (Arc::clone(&place.file), kind);
        if let Some(code) = self.table().known(&key, source) {
            return Ok(code);
        }
        thread::scope(|scope| {
            let map = scope.spawn(map);
            let (script, code) = {
                let mut table = self.table();
                let code: Arc<str> = table.rewrite(source, kind, &[], place)?.into();
                (table.scripts.len() - 1, code)
            };
            let map = map.join().ok().flatten();
            let mut table = self.table();
            table.scripts[script].place.map = map.map(Arc::new);
            table.files.insert(key, (script, Arc::clone(&code)));
            Ok(code)
        })
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

    #[test]
    fn a_file_that_comes_again_is_the_same_script() {
        let scripts = Scripts::default();
        let asked = std::sync::atomic::AtomicU32::new(0);
        let map = || {
            asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            None
        };
        let rewritten = |text, kind, file| scripts.rewrite_file(text, kind, file, map);
        let first = rewritten("a.b", Kind::Script, "a.js").expect("parses");
        assert_eq!(rewritten("a.b", Kind::Script, "a.js").expect("parses"), first);
        assert_eq!(scripts.text(1), None);
        for (text, kind, file) in [
            ("a.c", Kind::Script, "a.js"),
            ("a.b", Kind::Module, "a.js"),
            ("a.b", Kind::Script, "b.js"),
        ] {
            assert_ne!(rewritten(text, kind, file).expect("parses"), first);
        }
        assert_eq!(scripts.text(3).as_deref(), Some("a.b"));
        assert_eq!(asked.into_inner(), 4, "a map is read once");
    }
}
