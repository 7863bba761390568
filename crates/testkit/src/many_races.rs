//! A trace with any number of races, of which few are worth reading.

use std::fmt::Write;

/// The number of accesses of a location by each of its two threads.
const ACCESSES: usize = 31;

/// The number of races of each location.
const RACES: usize = ACCESSES * ACCESSES;

/// A trace with at least `races` races and one race to read: all but one location are written under
/// a lock, by two threads, with stacks and sources as a recorder gives them.
pub fn trace(races: usize) -> String {
    let mut out = String::from("interloper-trace 1\n");
    for location in 0..races.div_ceil(RACES) {
        let name = letters(location);
        for thread in ["loader", "main"] {
            let _ = writeln!(out, "{thread} lock L");
            let _ = writeln!(out, "{thread} enter Cache.put{name} src=src/Cache.java:{location}");
            for i in 0..ACCESSES {
                let line = location * ACCESSES + i + 1;
                let _ = writeln!(
                    out,
                    "{thread} write Cache.{name} value={i} src=src/Cache.java:{line}"
                );
            }
            let _ = writeln!(out, "{thread} leave\n{thread} unlock L");
        }
    }
    for thread in ["loader", "main"] {
        let _ =
            writeln!(out, "{thread} write Activity.state value={thread} src=src/Activity.java:7");
    }
    out
}

/// Spells a number in letters, because reports do not distinguish races by numbers in names.
fn letters(mut n: usize) -> String {
    let mut out = String::new();
    loop {
        out.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
        if n == 0 {
            return out;
        }
    }
}
