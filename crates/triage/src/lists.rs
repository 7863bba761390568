//! Lists of known functions and locations of platforms. They ship with the product, and a user can
//! extend them.
//!
//! A line holds one entry, and `#` starts a comment:
//!
//! ```text
//! commutes F            a race with an access inside function F commutes
//! commutes F G          a race with one access inside F and the other inside G commutes
//! commutes-location X   all races on location X commute
//! framework F           function F belongs to the platform, unless the trace says otherwise
//! may-cover X           races on location X of the platform or of a library may cover others
//! recycled X            location X belongs to an object that the platform recycles
//! destroys F            function F ends the life of an object
//! library FILE          a file with this path belongs to a library
//! ```
//!
//! Names are compared without instance numbers ([`plain`]). In a pattern, `*` matches any bytes. A
//! pattern may start at any dot of a name, so `View.invalidate` also matches
//! `android.view.View.invalidate`. A pattern after `framework` starts at the beginning of the name,
//! so that a program's own package `org.example.android` does not count as the platform. A pattern after
//! `library` is compared with a path without its query, and may start after any slash.

use std::fmt;

use order::Model;
use trace::{LocationId, LocationKind, Trace};

use crate::name::plain;

const COMMUTING: &str = include_str!("../data/commuting.list");
const FRAMEWORK: &str = include_str!("../data/framework.list");
const MAY_COVER: &str = include_str!("../data/may-cover.list");
const RECYCLED: &str = include_str!("../data/recycled.list");
const DESTROYS: &str = include_str!("../data/destroys.list");
const LIBRARY: &str = include_str!("../data/library.list");

/// The entries of all lists.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    pub(crate) commutes: Vec<Commuting>,
    pub(crate) commuting_locations: Vec<Pattern>,
    pub(crate) framework: Vec<Pattern>,
    pub(crate) may_cover: Vec<Pattern>,
    pub(crate) recycled: Vec<Pattern>,
    pub(crate) destroys: Vec<Pattern>,
    pub(crate) library: Vec<Pattern>,
}

/// A function that commutes with another function, or with everything.
#[derive(Clone, Debug)]
pub(crate) struct Commuting {
    pub(crate) function: Pattern,
    pub(crate) other: Option<Pattern>,
}

impl Lists {
    /// Returns lists without entries.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Returns the lists that ship with the product.
    pub fn builtin() -> Self {
        let mut lists = Self::empty();
        for text in [COMMUTING, FRAMEWORK, MAY_COVER, RECYCLED, DESTROYS, LIBRARY] {
            lists.extend(text).expect("the shipped lists are well-formed");
        }
        lists
    }

    /// Adds the entries of `text`. Fails at the first line that is no entry; the entries before it
    /// stay added.
    pub fn extend(&mut self, text: &str) -> Result<(), ListError> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() && !self.add(&words) {
                return Err(ListError { line: number + 1, text: line.trim().to_owned() });
            }
        }
        Ok(())
    }

    fn add(&mut self, words: &[&str]) -> bool {
        match *words {
            ["commutes", f] => {
                self.commutes.push(Commuting { function: Pattern::new(f), other: None });
            }
            ["commutes", f, g] => {
                let other = Some(Pattern::new(g));
                self.commutes.push(Commuting { function: Pattern::new(f), other });
            }
            ["commutes-location", x] => self.commuting_locations.push(Pattern::new(x)),
            ["framework", f] => self.framework.push(Pattern::new(f)),
            ["may-cover", x] => self.may_cover.push(Pattern::new(x)),
            ["recycled", x] => self.recycled.push(Pattern::new(x)),
            ["destroys", f] => self.destroys.push(Pattern::new(f)),
            ["library", file] => self.library.push(Pattern(file.as_bytes().to_vec())),
            _ => return false,
        }
        true
    }

    /// Returns whether races on `location` may cover others. On Android, races on fields of the
    /// framework may not, unless a list names them (EventRacer Android, §7.3.1). A location without
    /// a declared kind counts as the program's own.
    pub fn may_cover(&self, trace: &Trace, model: &Model, location: LocationId) -> bool {
        model.orders_events()
            || trace.location_kind(location) != Some(LocationKind::Framework)
            || self.synchronises(trace, location)
    }

    /// Returns whether a list states that code synchronises by `location`.
    pub(crate) fn synchronises(&self, trace: &Trace, location: LocationId) -> bool {
        any(&self.may_cover, trace.names().locations.get(location))
    }
}

/// Returns whether one of `patterns` matches `name` from its beginning or from one of its dots.
pub(crate) fn any(patterns: &[Pattern], name: &[u8]) -> bool {
    let name = plain(name);
    patterns.iter().any(|pattern| pattern.matches(&name))
}

/// Returns whether one of `patterns` matches a path, without its query, from its beginning or from one
/// of its slashes.
pub(crate) fn any_file(patterns: &[Pattern], path: &[u8]) -> bool {
    let end = path.iter().position(|byte| b"?#".contains(byte)).unwrap_or(path.len());
    let path = &path[..end];
    let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/');
    let mut starts = std::iter::once(0).chain(slashes.map(|(i, _)| i + 1));
    starts.any(|at| patterns.iter().any(|pattern| pattern.matches_all(&path[at..])))
}

/// A line of a list that is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError {
    /// The line number, from 1.
    pub line: usize,
    /// The text of the line.
    pub text: String,
}

/// Prints the line number and the error, to follow the name of the file and a colon.
impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {:?} is no entry; expected `commutes F [G]`, `commutes-location X`, `framework F`, \
             `may-cover X`, `recycled X`, `destroys F` or `library FILE`",
            self.line, self.text
        )
    }
}

impl std::error::Error for ListError {}

/// A pattern of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<u8>);

impl Pattern {
    fn new(text: &str) -> Self {
        Self(plain(text.as_bytes()))
    }

    /// Returns whether the pattern matches a plain name from its beginning or from one of its dots.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let dots = name.iter().enumerate().filter(|&(_, &byte)| byte == b'.');
        std::iter::once(0).chain(dots.map(|(i, _)| i + 1)).any(|at| self.matches_all(&name[at..]))
    }

    /// Returns whether the pattern matches a plain name from its beginning.
    pub(crate) fn matches_all(&self, name: &[u8]) -> bool {
        // After a mismatch, matching resumes at the last star, which then matches one byte more.
        let (mut p, mut n, mut star) = (0, 0, None);
        while n < name.len() {
            if self.0.get(p) == Some(&b'*') {
                star = Some((p, n));
                p += 1;
            } else if self.0.get(p) == Some(&name[n]) {
                (p, n) = (p + 1, n + 1);
            } else if let Some((at, covered)) = star {
                star = Some((at, covered + 1));
                (p, n) = (at + 1, covered + 1);
            } else {
                return false;
            }
        }
        self.0[p..].iter().all(|&byte| byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_start_at_dots_and_stars_stand_for_anything() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name.as_bytes());
        assert!(matches("View.invalidate", "android.view.View.invalidate"));
        assert!(!matches("View.invalidate", "MyView.invalidate"));
        assert!(!matches("View.invalidate", "View.invalidateAll"));
        assert!(matches("View.invalidate*", "View.invalidateAll"));
        assert!(matches("*.on*Destroy*", "A.onPreDestroyed"));
        assert!(!matches("*.on*Destroy*", "A.onPreDestr"));
        assert!(matches("*", ""));
        assert!(!Pattern::new("android.*").matches_all(b"org.example.android.View"));
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let mut lists = Lists::empty();
        let text = "# mine\nrecycled Row.*\n\nrecycles Cell.*  # misspelt\n";
        let error = lists.extend(text).unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (4, "recycles Cell.*"));
        assert_eq!(lists.recycled, [Pattern::new("Row.*")]);
    }

    #[test]
    fn files_of_libraries_are_known_by_their_paths() {
        let lists = Lists::builtin();
        for file in [
            "node_modules/.vite/deps/react-dom_client.js?v=1f",
            "/shop/node_modules/a/b.js",
            "js/jquery-3.7.1.js",
            "assets/vendor/calendar.js",
            "@vite/client",
            "app.min.js",
        ] {
            assert!(any_file(&lists.library, file.as_bytes()), "{file}");
        }
        for file in ["app.js", "src/vendors.ts", "my-jquery-plugin.js", "shop/client"] {
            assert!(!any_file(&lists.library, file.as_bytes()), "{file}");
        }
    }

    #[test]
    fn every_shipped_list_has_entries() {
        let lists = Lists::builtin();
        assert!(lists.commutes.iter().any(|entry| entry.other.is_some()));
        assert!(lists.commutes.iter().any(|entry| entry.other.is_none()));
        for list in [
            &lists.commuting_locations,
            &lists.framework,
            &lists.may_cover,
            &lists.recycled,
            &lists.destroys,
            &lists.library,
        ] {
            assert!(!list.is_empty());
        }
    }
}
