//! Answers requests: from a path and a query to a view.
//!
//! A request is `PATH?QUERY` below `/api/1/`, as docs/explorer.md lists them. Answers are JSON, or a table in
//! columns. An error is JSON too: a code, a message and what to do.

use serde::Serialize;
use serde_json::json;

use crate::page;
use crate::session::{Analysed, Run, Session};
use crate::views::{
    compare, events, locations, operations, race, rails, run, search, source, statistics, suppress,
};

/// An answer.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub media: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

const JSON: &str = "application/json; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const BYTES: &str = "application/octet-stream";

/// An error that the page shows.
struct Failure {
    status: u16,
    code: &'static str,
    message: String,
    hint: &'static str,
}

type Outcome = Result<Answer, Failure>;

/// Answers one request.
pub fn answer(session: &Session, path: &str, query: &str) -> Answer {
    let parts: Vec<&str> = path.split('/').collect();
    respond(session, &parts, &Query(query)).unwrap_or_else(|failure| {
        let Failure { status, code, message, hint } = failure;
        let body = json!({ "code": code, "message": message, "hint": hint });
        Answer { status, media: JSON, body: body.to_string().into_bytes() }
    })
}

fn respond(session: &Session, parts: &[&str], query: &Query<'_>) -> Outcome {
    match parts {
        ["runs"] => {
            if let Some(run) = query.number("refresh") {
                session.refresh(run as usize);
            }
            Ok(view(&run::list(session)))
        }
        ["overview"] => Ok(view(&compare::overview(session))),
        ["diff"] => {
            let run = |name| query.number(name).map(|id| load(session, id as usize));
            match (run("a"), run("b")) {
                (Some(a), Some(b)) => Ok(view(&compare::view(&*a?, &*b?))),
                _ => Err(malformed("a comparison needs two runs, as in ?a=0&b=1")),
            }
        }
        ["explain", name] => {
            let is_it = |topic: &&page::Topic| topic.name.eq_ignore_ascii_case(name);
            let topic = session.topics.iter().find(is_it);
            found(topic.map(|topic| page::blocks(&topic.page)), "page")
        }
        [id, rest @ ..] => {
            let id = id.parse().map_err(|_| absent("run"))?;
            of_run(session, id, &*load(session, id)?, rest, query)
        }
        [] => Err(absent("view")),
    }
}

fn of_run(session: &Session, id: usize, run: &Run, parts: &[&str], query: &Query<'_>) -> Outcome {
    let analysed = || run.analysed().ok_or_else(no_trace);
    let number = |text: &str| text.parse().map_err(|_| malformed("a number was expected"));
    match parts {
        [] => Ok(view(&run::view(session, run, id))),
        ["groups"] => Ok(Answer { status: 200, media: BYTES, body: run.groups().to_vec() }),
        ["races"] => {
            let fingerprint = query.text("fingerprint").unwrap_or_default();
            let n = query.number("n").unwrap_or(1) as usize;
            let race = run.race(&fingerprint, n).ok_or_else(|| absent("race"))?;
            found(race::view(session, run, id, race), "race")
        }
        ["races", race, "markdown"] => {
            let text =
                race::markdown(session, run, id, number(race)?).ok_or_else(|| absent("race"))?;
            Ok(Answer { status: 200, media: TEXT, body: text.into_bytes() })
        }
        ["suppression"] => {
            let keys = query.text("keys").unwrap_or_default();
            let keys: Vec<&str> = keys.split(',').collect();
            let race =
                query.number("race").ok_or_else(|| malformed("a suppression needs a race"))?;
            found(suppress::view(run, race, &keys), "race or key")
        }
        ["races", race] => found(race::view(session, run, id, number(race)?), "race"),
        ["rails"] => {
            let (Some(a), Some(b)) = (query.number("a"), query.number("b")) else {
                return Err(malformed("rails need two operations, as in ?a=3&b=8"));
            };
            found(rails::rails(analysed()?, a, b), "operation")
        }
        ["events"] => Ok(Answer { status: 200, media: BYTES, body: events::table(analysed()?) }),
        ["events", event] => found(events::one(run, analysed()?, number(event)?), "event"),
        ["locations"] => Ok(view(&locations::list(&run.report, analysed()?))),
        ["locations", location, "accesses"] => {
            let selected = query.number("with");
            Ok(view(&locations::accesses(analysed()?, number(location)?, selected)))
        }
        ["operations"] => {
            let run: &Analysed = analysed()?;
            let (from, to) = (query.number("from").unwrap_or(0), query.number("to"));
            Ok(view(&operations::list(run.trace(), from, to.unwrap_or(u32::MAX), operations::MOST)))
        }
        ["pictures", operation] => {
            let picture = run.picture(number(operation)?).ok_or_else(|| absent("picture"))?;
            let (media, body) = (picture.format.media(), picture.bytes.clone());
            Ok(Answer { status: 200, media, body })
        }
        ["source"] => {
            let (Some(file), Some(line)) = (query.text("file"), query.number("line")) else {
                return Err(malformed("a source needs a file and a line"));
            };
            let at = report::model::SourceEntry { file, line: line.max(1), column: None };
            found(source::excerpt(&*run.sources, &at), "file")
        }
        ["search"] => Ok(view(&search::find(run, &query.text("q").unwrap_or_default()))),
        ["statistics"] => Ok(view(&statistics::view(run))),
        _ => Err(absent("view")),
    }
}

fn load(session: &Session, id: usize) -> Result<std::sync::Arc<Run>, Failure> {
    session.run(id).map_err(|message| Failure {
        status: 422,
        code: "unreadable",
        message,
        hint: "The other runs can still be explored.",
    })
}

fn view(view: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(view).expect("views can be serialised");
    Answer { status: 200, media: JSON, body }
}

fn found(view: Option<impl Serialize>, what: &'static str) -> Outcome {
    view.map(|found| self::view(&found)).ok_or_else(|| absent(what))
}

fn absent(what: &'static str) -> Failure {
    Failure {
        status: 404,
        code: "absent",
        message: format!("This run has no such {what}."),
        hint: "The link may be to another recording.",
    }
}

fn malformed(message: &str) -> Failure {
    Failure { status: 400, code: "malformed", message: message.to_owned(), hint: "" }
}

fn no_trace() -> Failure {
    Failure {
        status: 404,
        code: "no-trace",
        message: "A report alone has no trace.".to_owned(),
        hint: "Explore the recording itself to see its timeline, orders and locations.",
    }
}

/// The query of a request, such as `a=3&b=8`.
struct Query<'a>(&'a str);

impl Query<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|&(key, _)| key == name).map(|(_, value)| decoded(value));
        values.next()?
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.text(name)?.parse().ok()
    }
}

/// Decodes `%XX` and `+`. Returns none if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let query = Query("q=a%20b+c&n=7&bad=%f0&cut=%4");
        assert_eq!(query.text("q").as_deref(), Some("a b c"));
        assert_eq!(query.number("n"), Some(7));
        assert_eq!(query.text("bad"), None);
        assert_eq!(query.text("cut"), None);
        assert_eq!(query.text("absent"), None);
    }
}
