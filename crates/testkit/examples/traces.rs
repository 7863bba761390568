//! Prints a trace made for tests: `hostile`, or `races N` with N races of which one is worth
//! reading.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let trace = match words[..] {
        ["hostile"] => testkit::hostile::trace(),
        ["races", n] => testkit::many_races::trace(n.parse().expect("a number")).into_bytes(),
        _ => panic!("expected `hostile` or `races N`"),
    };
    std::io::stdout().write_all(&trace)
}
