//! The three real logs.
use droidracer::{analyse, log::parse, rules::RuleSet, trailer::Trailer};

#[test]
fn remindme() {
    for name in [
        "droidracer/remindme.abc_log.txt",
        "em-explorer/aarddict.abc_log.txt",
        "em-explorer/music.abc_log.txt",
    ] {
        let Some(path) = testkit::shared_data::shared_data(name) else { return };
        let bytes = std::fs::read(path).unwrap();
        let (log, d) = parse(&bytes).unwrap();
        println!("{d:?}");
        let (analysis, d) = analyse(&log, RuleSet::ALL);
        println!("{d:?}");
        println!("{}", analysis.counters);
        std::fs::write(
            format!("/tmp/dr-{}", name.replace('/', "_")),
            Trailer::new(&analysis, &log.names).to_string(),
        )
        .unwrap();
    }
}
