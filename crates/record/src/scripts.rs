//! The scripts of a recording. Each is rewritten once, and its text and its sites are kept.
//!
//! Scripts are rewritten one at a time, because sites are numbered densely over all scripts: the
//! hooks index arrays by them. Code that comes again at the same place with the same text, as when a
//! page is reloaded, is the same script with the same sites. So memory grows with the different
//! scripts, and not with how often they run.
//!
//! A program asks for the original text of a script by the script's number, which is in the rewritten code.
//! The numbers are drawn at random, so that only a program that got the code can ask: a page must not read
//! the scripts of another origin.
//!
//! A rewritten script is returned before its source map is read, because the map may take much
//! longer. A lookup of a place in the script waits for the map.

use std::hash::BuildHasher;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rewrite::{Kind, Options, Unparsable, apart::Code, rewrite};

use crate::sourcemap::{Original, SourceMap};

/// Rewrites scripts, one after the other.
pub trait Rewriter: Send {
    /// Returns a script with hooks, and its sites.
    fn rewrite(&mut self, source: &str, options: Options<'_>) -> Result<Code, Unparsable>;
}

/// Rewrites scripts in this process.
struct Here;

impl Rewriter for Here {
    fn rewrite(&mut self, source: &str, options: Options<'_>) -> Result<Code, Unparsable> {
        rewrite(source, options).map(|done| (done.code, done.sites))
    }
}

impl Default for Box<dyn Rewriter> {
    fn default() -> Self {
        Box::new(Here)
    }
}

/// How many bytes the texts of all scripts and their rewritten code may take together. A program may make
/// code without end.
const MOST: usize = 2 << 30;

/// The place of a script: its file, and the position in the file at which it starts.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The name of the file.
    pub file: Arc<str>,
    /// The line and column in the file at which the script starts, both from 1.
    pub start: (u32, u32),
}

impl Place {
    /// The place of a script that is a whole file.
    pub fn whole(file: &str) -> Place {
        Place { file: file.into(), start: (1, 1) }
    }
}

/// A place in an original source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The name of the file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The function around the place. Empty at the top level.
    pub function: Arc<str>,
    /// Whether the value that is read here is only tested.
    pub tested: bool,
    /// Whether the source map says that the file belongs to a library.
    pub library: bool,
}

/// What determines a rewritten script.
#[derive(PartialEq, Eq, Hash)]
struct Source<'s> {
    text: &'s str,
    kind: Kind,
    params: &'s [&'s str],
    place: &'s Place,
}

struct Script {
    text: Arc<str>,
    kind: Kind,
    params: Box<[String]>,
    place: Place,
    /// The rewritten text.
    code: Arc<str>,
    first_site: u32,
    /// The source map, which leads to the sources that the file was built from.
    map: Option<SourceMap>,
    /// Whether the source map is still being read.
    is_awaited: bool,
}

impl Script {
    fn is_of(&self, source: &Source<'_>) -> bool {
        *self.text == *source.text
            && self.kind == source.kind
            && self.place == *source.place
            && self.params.iter().map(String::as_str).eq(source.params.iter().copied())
    }
}

#[derive(Default)]
struct Table {
    rewriter: Box<dyn Rewriter>,
    scripts: Vec<Script>,
    sites: Vec<rewrite::Site>,
    /// The scripts by their sources: the hash of the source and the script's number.
    known: HashTable<(u64, usize)>,
    hasher: DefaultHashBuilder,
    /// The scripts by the numbers that their code has.
    numbers: HashMap<u64, usize>,
    /// The bytes of the texts and of the rewritten code.
    bytes: usize,
}

/// Draws a number that nobody can guess, and that is exact in JavaScript.
fn unguessable() -> Result<u64, Unparsable> {
    let drawn = getrandom::u64().map_err(|error| Unparsable {
        message: format!("the system has no random numbers: {error}"),
        line: 1,
        column: 1,
    })?;
    Ok(drawn >> 12)
}

/// The scripts of a recording, shared by the threads that rewrite and the one that writes.
#[derive(Default)]
pub struct Scripts {
    table: Mutex<Table>,
    /// Notified when a map was read or given up.
    settled: Condvar,
}

/// A script whose source map has not been read yet. Dropping this without [`Awaited::settle`] means
/// that the script has no map. Until then, lookups of places in the script wait.
pub struct Awaited<'s> {
    scripts: &'s Scripts,
    script: usize,
}

impl Awaited<'_> {
    /// The text of the script.
    pub fn text(&self) -> Arc<str> {
        Arc::clone(&self.scripts.table().scripts[self.script].text)
    }

    /// Gives the script its source map, or none.
    pub fn settle(self, map: Option<SourceMap>) {
        self.scripts.table().scripts[self.script].map = map;
    }
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.scripts.table().scripts[self.script].is_awaited = false;
        self.scripts.settled.notify_all();
    }
}

impl Table {
    /// Returns the number of a script, and whether it is new.
    fn rewrite(&mut self, source: &Source<'_>) -> Result<(usize, bool), Unparsable> {
        let hash = self.hasher.hash_one(source);
        let is_it = |&(_, script): &(u64, usize)| self.scripts[script].is_of(source);
        if let Some(&(_, script)) = self.known.find(hash, is_it) {
            return Ok((script, false));
        }
        let &Source { text, kind, params, place } = source;
        let first_site = self.sites.len() as u32;
        let script = self.scripts.len();
        if self.bytes > MOST {
            return Err(Unparsable {
                message: format!("the recording has more than {} MB of code", MOST >> 20),
                line: 1,
                column: 1,
            });
        }
        let number = unguessable()?;
        let options = Options {
            start: place.start,
            script: number,
            first_site,
            params,
            ..Options::new(kind, &place.file)
        };
        let (code, sites) = self.rewriter.rewrite(text, options)?;
        self.bytes += text.len() + code.len();
        self.sites.extend(sites);
        self.scripts.push(Script {
            text: text.into(),
            kind,
            params: params.iter().map(ToString::to_string).collect(),
            place: place.clone(),
            code: code.into(),
            first_site,
            map: None,
            is_awaited: false,
        });
        self.known.insert_unique(hash, (hash, script), |&(hash, _)| hash);
        self.numbers.insert(number, script);
        Ok((script, true))
    }
}

impl Scripts {
    /// Creates a table of scripts that `rewriter` rewrites. By default, this process does.
    pub fn rewritten_by(rewriter: Box<dyn Rewriter>) -> Self {
        let table = Mutex::new(Table { rewriter, ..Table::default() });
        Self { table, settled: Condvar::new() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rewrites a script, and keeps its text and its sites.
    pub fn rewrite(
        &self,
        text: &str,
        kind: Kind,
        params: &[&str],
        place: &Place,
    ) -> Result<Arc<str>, Unparsable> {
        let mut table = self.table();
        let (script, _) = table.rewrite(&Source { text, kind, params, place })?;
        Ok(Arc::clone(&table.scripts[script].code))
    }

    /// Rewrites a script that is a whole file. For a new one, the caller is to find the source map.
    pub fn rewrite_file(
        &self,
        text: &str,
        kind: Kind,
        file: &str,
    ) -> Result<(Arc<str>, Option<Awaited<'_>>), Unparsable> {
        let place = &Place::whole(file);
        let mut table = self.table();
        let (script, is_new) = table.rewrite(&Source { text, kind, params: &[], place })?;
        table.scripts[script].is_awaited |= is_new;
        let code = Arc::clone(&table.scripts[script].code);
        Ok((code, is_new.then(|| Awaited { scripts: self, script })))
    }

    /// Waits until every source map was read or given up, for at most `longest`. Returns whether
    /// that is so.
    pub fn settle(&self, longest: Duration) -> bool {
        let is_awaited = |table: &mut Table| table.scripts.iter().any(|script| script.is_awaited);
        let waited = self.settled.wait_timeout_while(self.table(), longest, is_awaited);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// The original text of a script, by the number that its code has.
    pub fn text(&self, number: u64) -> Option<Arc<str>> {
        let table = self.table();
        let script = *table.numbers.get(&number)?;
        Some(Arc::clone(&table.scripts[script].text))
    }

    /// Returns where a site is in the original sources. Waits until the source map of its script
    /// was read or given up.
    pub fn spot(&self, site: u32) -> Option<Spot> {
        let mut table = self.table();
        let after = table.scripts.partition_point(|script| script.first_site <= site);
        let script = after.checked_sub(1)?;
        while table.scripts[script].is_awaited {
            table = self.settled.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
        let Script { place, map, .. } = &table.scripts[script];
        let found = table.sites.get(site as usize)?;
        let (line, column, tested) = (found.line, found.column, found.tested);
        let original = map.as_ref().zip(found.function_at);
        let original = original.and_then(|(map, (line, column))| map.name(line, column));
        let function = original.unwrap_or_else(|| Arc::clone(&found.function));
        let mapped = map.as_ref().and_then(|map| map.find(line, column));
        let place = || Original { file: Arc::clone(&place.file), line, column, ignored: false };
        let Original { file, line, column, ignored } = mapped.unwrap_or_else(place);
        Some(Spot { file, line, column, function, tested, library: ignored })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number in the code of a script.
    fn number(code: &str) -> u64 {
        let number = code.split(['(', ',']).nth(1).expect("a number");
        number.parse().expect("a number")
    }

    #[test]
    fn a_site_leads_to_its_place_in_the_file() {
        let scripts = Scripts::default();
        let place = Place { start: (10, 9), ..Place::whole("index.html") };
        scripts.rewrite("a.b;\n(() => c.d)()", Kind::Script, &[], &place).expect("parses");
        let code = scripts.rewrite("x.y", Kind::Script, &[], &Place::whole("app.js"));
        let code = code.expect("parses");
        let lines: Vec<_> = (0..)
            .map_while(|site| scripts.spot(site))
            .map(|spot| (spot.file.to_string(), spot.line, spot.column))
            .collect();
        assert!(lines.contains(&("index.html".into(), 10, 9)), "{lines:?}");
        assert!(lines.contains(&("index.html".into(), 11, 8)), "{lines:?}");
        let functions = (0..).map_while(|site| scripts.spot(site)).map(|spot| spot.function);
        assert!(functions.into_iter().any(|name| &*name == "anonymous at index.html:11"));
        assert!(lines.contains(&("app.js".into(), 1, 1)), "{lines:?}");
        assert_eq!(scripts.text(number(&code)).as_deref(), Some("x.y"));
        assert!(scripts.rewrite("x y", Kind::Script, &[], &Place::whole("bad.js")).is_err());
        for guess in 0..1000 {
            assert_eq!(scripts.text(guess), None);
        }
    }

    #[test]
    fn a_file_that_comes_again_is_the_same_script() {
        let scripts = Scripts::default();
        let rewritten = |text, kind, file| {
            let (code, awaited) = scripts.rewrite_file(text, kind, file).expect("parses");
            (code, awaited.is_some())
        };
        let (first, is_new) = rewritten("a.b", Kind::Script, "a.js");
        assert!(is_new);
        assert_eq!(rewritten("a.b", Kind::Script, "a.js"), (first.clone(), false));
        for (text, kind, file) in [
            ("a.c", Kind::Script, "a.js"),
            ("a.b", Kind::Module, "a.js"),
            ("a.b", Kind::Script, "b.js"),
        ] {
            let (code, is_new) = rewritten(text, kind, file);
            assert!(code != first && is_new);
            assert_eq!(scripts.text(number(&code)).as_deref(), Some(text));
        }
    }

    #[test]
    fn code_that_comes_again_has_the_same_sites() {
        let scripts = Scripts::default();
        let place = Place { start: (3, 1), ..Place::whole("index.html") };
        let handler = |text: &str, params: &[&str], place: &Place| {
            scripts.rewrite(text, Kind::Handler, params, place).expect("parses")
        };
        let first = handler("a.b", &["event"], &place);
        handler("c.d", &["event"], &place);
        let sites = scripts.table().sites.len();
        assert_eq!(handler("a.b", &["event"], &place), first);
        assert_eq!(scripts.table().sites.len(), sites);
        for (params, place) in [
            (&["event", "source"][..], place.clone()),
            (&["event"], Place { start: (4, 1), ..place }),
        ] {
            assert_ne!(handler("a.b", params, &place), first);
        }
    }

    #[test]
    fn a_place_waits_for_the_map_of_its_script() {
        let scripts = Scripts::default();
        let (_, awaited) = scripts.rewrite_file("a.b", Kind::Script, "a.js").expect("parses");
        let awaited = awaited.expect("a new script");
        assert_eq!(&*awaited.text(), "a.b");
        scripts.rewrite("c.d", Kind::Script, &[], &Place::whole("c.js")).expect("parses");
        let last = scripts.table().sites.len() as u32 - 1;
        assert_eq!(scripts.spot(last).map(|spot| spot.file), Some("c.js".into()));
        assert!(!scripts.settle(Duration::from_millis(1)));
        std::thread::scope(|scope| {
            let spot = scope.spawn(|| scripts.spot(0).expect("a site"));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!spot.is_finished());
            let map = r#"{"version":3,"sources":["a.ts"],"mappings":"AAME"}"#;
            awaited.settle(SourceMap::parse(map.as_bytes(), str::to_string));
            let spot = spot.join().expect("it comes");
            assert_eq!((&*spot.file, spot.line), ("a.ts", 7));
        });
        assert!(scripts.settle(Duration::from_secs(60)));
        let (_, awaited) = scripts.rewrite_file("e.f", Kind::Script, "e.js").expect("parses");
        drop(awaited);
        assert_eq!(scripts.spot(last + 1).map(|spot| spot.file), Some("e.js".into()));
    }
}
