//! Checks that the picture of a report in the README shows what the binary prints.

use std::path::Path;
use std::process::Command;

/// A search box whose responses may arrive in the wrong order.
const TRACE: &str = "corpus/web/stale-response.trace";
/// Where the source files are that the trace names.
const SOURCES: &str = "corpus/web";
const PICTURE: &str = "docs/report.svg";

/// `INTERLOPER_BLESS=1 cargo test -p interloper --test picture` draws it again.
#[test]
fn the_readme_shows_a_real_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(["check", TRACE, "--source-root", SOURCES, "--color", "always"])
        .current_dir(&root)
        .output()
        .expect("the binary runs");
    let report = String::from_utf8(output.stdout).expect("UTF-8");
    let screen =
        format!("\x1b[1m$ interloper check {TRACE} --source-root {SOURCES}\x1b[0m\n{report}");
    let drawn = anstyle_svg::Term::new().palette(anstyle_svg::WIN10_CONSOLE).render_svg(&screen);

    let path = root.join(PICTURE);
    if std::env::var_os("INTERLOPER_BLESS").is_some() {
        std::fs::write(&path, &drawn).expect("docs is writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == drawn,
        "{PICTURE} is not what interloper prints now; INTERLOPER_BLESS=1 draws it again"
    );
}
