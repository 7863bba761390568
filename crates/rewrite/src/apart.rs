//! Rewriting in another process.
//!
//! The parser recurses, and reads some sources again and again: a source of some kilobytes can make it take
//! gigabytes of stack or heap, or minutes, and nothing in it bounds that. A process can be bounded. So a
//! recorder gives sources to a process that runs [`serve`], by a [`request`], and ends that process if it takes
//! too long; the system ends it if it takes too much memory.
//!
//! A message is two parts, each after its length in four bytes: a JSON text, and a text that is the source or
//! the code.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Kind, Options, Site, SiteKind, Unparsable, rewrite_within};

/// The largest part of a message, in bytes.
const LONGEST: u32 = 1 << 30;
/// The stack on which a source is rewritten. A source that needs more ends the process.
const STACK: usize = 1 << 30;

/// What to do with a source.
#[derive(Serialize, Deserialize)]
struct Request {
    kind: char,
    strict: bool,
    direct: bool,
    url: String,
    start: (u32, u32),
    script: u64,
    first_site: u32,
    params: Vec<String>,
    global: String,
}

/// What became of a source. The names of functions are listed once.
#[derive(Serialize, Deserialize)]
enum Answer {
    Rewritten { functions: Vec<String>, sites: Vec<Row> },
    Unparsable { message: String, line: u32, column: u32 },
}

/// A site: its line and column, the index of its function, the place of the function's name, its kind, and
/// whether its value is only tested.
type Row = (u32, u32, u32, Option<(u32, u32)>, u8, bool);

const KINDS: [SiteKind; 6] = [
    SiteKind::Get,
    SiteKind::Set,
    SiteKind::Update,
    SiteKind::Read,
    SiteKind::Write,
    SiteKind::New,
];

/// A source with hooks, and its sites.
pub type Code = (String, Vec<Site>);

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

fn send(to: &mut impl Write, json: &[u8], text: &str) -> io::Result<()> {
    for part in [json, text.as_bytes()] {
        let length = u32::try_from(part.len()).ok().filter(|&length| length <= LONGEST);
        to.write_all(&length.ok_or_else(|| invalid("too long"))?.to_le_bytes())?;
        to.write_all(part)?;
    }
    to.flush()
}

/// Receives a message. Returns none at the end of the input.
fn receive(from: &mut impl Read) -> io::Result<Option<(Vec<u8>, String)>> {
    let mut part = || -> io::Result<Option<Vec<u8>>> {
        let mut length = [0; 4];
        match from.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            done => done?,
        }
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(invalid("too long"));
        }
        let mut part = Vec::new();
        from.take(length.into()).read_to_end(&mut part)?;
        if part.len() < length as usize {
            Err(ErrorKind::UnexpectedEof.into())
        } else {
            Ok(Some(part))
        }
    };
    let Some(json) = part()? else { return Ok(None) };
    let text = part()?.ok_or(ErrorKind::UnexpectedEof)?;
    Ok(Some((json, String::from_utf8(text).map_err(|_| invalid("no text"))?)))
}

/// Returns the message that asks a process that runs [`serve`] to rewrite a source.
pub fn request(source: &str, options: &Options<'_>) -> io::Result<Vec<u8>> {
    let (strict, direct) = match options.kind {
        Kind::Eval { strict, direct } => (strict, direct),
        _ => (false, false),
    };
    let request = Request {
        kind: options.kind.letter(),
        strict,
        direct,
        url: options.url.to_owned(),
        start: options.start,
        script: options.script,
        first_site: options.first_site,
        params: options.params.iter().map(ToString::to_string).collect(),
        global: options.global.to_owned(),
    };
    let mut message = Vec::new();
    send(&mut message, &serde_json::to_vec(&request)?, source)?;
    Ok(message)
}

/// Reads the answer to a request.
pub fn answer(from: &mut impl Read) -> io::Result<Result<Code, Unparsable>> {
    let (json, code) = receive(from)?.ok_or(ErrorKind::UnexpectedEof)?;
    match serde_json::from_slice(&json)? {
        Answer::Rewritten { functions, sites } => {
            let functions: Vec<Arc<str>> = functions.into_iter().map(Arc::from).collect();
            let sites = sites.into_iter().map(|row| site(row, &functions));
            let sites = sites.collect::<Option<_>>().ok_or_else(|| invalid("no site"))?;
            Ok(Ok((code, sites)))
        }
        Answer::Unparsable { message, line, column } => {
            Ok(Err(Unparsable { message, line, column }))
        }
    }
}

fn site(
    (line, column, of, function_at, kind, tested): Row,
    functions: &[Arc<str>],
) -> Option<Site> {
    let function = Arc::clone(functions.get(of as usize)?);
    let kind = *KINDS.get(usize::from(kind))?;
    Some(Site { line, column, function, function_at, kind, tested })
}

/// Answers the requests that come from another process, until there are no more.
pub fn serve(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    while let Some((json, source)) = receive(from)? {
        let request: Request = serde_json::from_slice(&json)?;
        let kind = match request.kind {
            's' => Kind::Script,
            'm' => Kind::Module,
            'e' => Kind::Eval { strict: request.strict, direct: request.direct },
            'h' => Kind::Handler,
            'f' => Kind::FunctionBody,
            _ => return Err(invalid("no kind of a source")),
        };
        let params: Vec<&str> = request.params.iter().map(String::as_str).collect();
        let options = Options {
            kind,
            url: &request.url,
            start: request.start,
            script: request.script,
            first_site: request.first_site,
            params: &params,
            global: &request.global,
        };
        let (answer, code) = match rewrite_within(&source, options, STACK) {
            Ok(done) => (rows(&done.sites), done.code),
            Err(Unparsable { message, line, column }) => {
                (Answer::Unparsable { message, line, column }, String::new())
            }
        };
        send(to, &serde_json::to_vec(&answer)?, &code)?;
    }
    Ok(())
}

fn rows(sites: &[Site]) -> Answer {
    let mut functions: Vec<String> = Vec::new();
    let sites = sites.iter().map(|site| {
        // Sites of one function come one after the other.
        if functions.last().is_none_or(|last| **last != *site.function) {
            functions.push(site.function.to_string());
        }
        let kind = KINDS.iter().position(|kind| *kind == site.kind).expect("it is listed") as u8;
        let of = functions.len() as u32 - 1;
        (site.line, site.column, of, site.function_at, kind, site.tested)
    });
    let sites = sites.collect();
    Answer::Rewritten { functions, sites }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite;

    #[test]
    fn another_process_gives_the_same_code_and_sites() {
        let params = ["event"];
        let module = "export const a = () => b.c; async function f(...x) { await g[x]; new P }";
        for (source, kind) in [
            ("function f() { a.b ||= c; } (() => d.e++)()", Kind::Script),
            (module, Kind::Module),
            ("var x = y.z", Kind::Eval { strict: true, direct: true }),
            ("this.b", Kind::Handler),
            ("return event.a", Kind::FunctionBody),
            ("not a script", Kind::Script),
        ] {
            let options =
                Options { params: &params, script: 1 << 50, ..Options::new(kind, "a.js") };
            let (asked, mut answered) = (request(source, &options).expect("memory"), Vec::new());
            serve(&mut &asked[..], &mut answered).expect("memory");
            let apart = answer(&mut &answered[..]).expect("an answer");
            let here = rewrite(source, options).map(|done| (done.code, done.sites));
            assert_eq!(apart, here, "{source}");
        }
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for bytes in
            [&b"\x01\0"[..], b"\xff\xff\xff\xff", b"\x02\0\0\0{}\x01\0\0\0x", b"\x02\0\0\0{}"]
        {
            let served = serve(&mut &bytes[..], &mut io::sink());
            assert!(served.is_err() || bytes.len() < 4, "{bytes:?}");
        }
    }
}
