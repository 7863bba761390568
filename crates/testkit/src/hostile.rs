//! A trace in which every name and value is an attempt at injection.

use std::fmt::Write;

/// Attempts at injection, by the place where they would act. All of them must be shown as text.
pub const ATTACKS: &[&str] = &[
    "<script>window.pwned=1</script>",
    "\"><img src=x onerror=window.pwned=1>",
    "' onmouseover='window.pwned=1' x='",
    "</title></style></textarea><svg onload=window.pwned=1>",
    "<!-- ]]> --> <?x?> &lt;b&gt; &#60;",
    "javascript:window.pwned=1",
    "https://evil.example/x.js?a=b#c",
    "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}31m",
    "\u{202e}gpj.exe\u{2066}\u{200f}\u{feff}",
    "line\r\n::error file=x::pwned\n::set-env name=PATH::/tmp",
    "``` ` | [click](https://evil.example) ![x](https://evil.example/x.png) @octocat #1",
    "</code></summary></details><h1>pwned</h1>",
    "{0} {{1}} [link](1) \\[x\\] %s %n $(id) ${x}",
    "\u{0}\u{1}\u{8}\u{b}\u{fffe}\u{ffff}\u{7f}",
    "../../../../../../../../etc/passwd",
];

/// The length of the longest string, in bytes.
const LONG: usize = 10 << 20;

/// A trace with a race for each attack, with the attack in every name and value, and a race whose
/// location, value and function are ten megabytes long.
pub fn trace() -> Vec<u8> {
    let mut out = String::from("interloper-trace 1\n");
    for (i, attack) in ATTACKS.iter().enumerate() {
        let word = escaped(attack);
        // The numbers make the names of the races different.
        let _ = write!(
            out,
            "q{i}{word} attach q{i}{word}\n\
             a{i}{word} enqueue m{i}{word} q{i}{word} src={word}:1\n\
             b{i}{word} enqueue n{i}{word} q{i}{word} src={word}:2\n\
             q{i}{word} begin m{i}{word} type={word} name=m{word}\n\
             q{i}{word} enter f{i}{word} src={word}:3\n\
             q{i}{word} write x{i}{word} value={word} src={word}:4:5\n\
             q{i}{word} leave\n\
             q{i}{word} end m{i}{word}\n\
             q{i}{word} begin n{i}{word} type={word} name=n{word}\n\
             q{i}{word} enter g{i}{word} src={word}:6\n\
             q{i}{word} read x{i}{word} value={word} src={word}:7\n\
             q{i}{word} leave\n\
             q{i}{word} end n{i}{word}\n"
        );
    }
    let long = "<b>A</b>".repeat(LONG / 8);
    let _ = write!(
        out,
        "s enter {long}\ns write {long} value={long}\ns leave\nt write {long} value={long}\n"
    );
    out.into_bytes()
}

/// Escapes a text as a word of the notation.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && !b"#=%".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
