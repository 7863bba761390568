//! Rewrites sources for programs in other languages, such as the tests in Node. It reads one JSON
//! request a line from standard input and writes one JSON answer a line to standard output.
//!
//! Request: `{"source", "kind": "script"|"module"|"eval"|"handler"|"body", "strict", "direct",
//! "url", "script", "site"}`. Answer: `{"code", "sites": [[line, column, function, kind]]}`, or
//! `{"unparsable", "line", "column"}`. With the argument `map`, answers carry a source map, too.

use std::io::{BufRead as _, Write as _};

use rewrite::{Kind, Options, rewrite};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let map = std::env::args().any(|argument| argument == "map");
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&request, map))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(request: &Value, map: bool) -> Value {
    let flag = |name: &str| request[name].as_bool().unwrap_or(false);
    let number = |name: &str| request[name].as_u64().unwrap_or(0);
    let source = request["source"].as_str().unwrap_or_default();
    let kind = match request["kind"].as_str() {
        Some("module") => Kind::Module,
        Some("eval") => Kind::Eval { strict: flag("strict"), direct: flag("direct") },
        Some("handler") => Kind::Handler,
        Some("body") => Kind::FunctionBody,
        _ => Kind::Script,
    };
    let url = request["url"].as_str().unwrap_or("app.js");
    let options = Options {
        script: number("script"),
        first_site: number("site") as u32,
        ..Options::new(kind, url)
    };
    match rewrite(source, options) {
        Ok(done) => {
            let sites: Vec<Value> = done
                .sites
                .iter()
                .map(|site| json!([site.line, site.column, *site.function, site.kind.name()]))
                .collect();
            let map = map.then(|| done.map.to_json(&done.code, source, url));
            json!({ "code": done.code, "sites": sites, "map": map })
        }
        Err(error) => {
            json!({ "unparsable": error.message, "line": error.line, "column": error.column })
        }
    }
}
