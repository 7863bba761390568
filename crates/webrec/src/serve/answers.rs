//! The answers of a session: which recorded answer a request of a replay gets.
//!
//! The n-th request with a method and an address gets the n-th answer to such requests, or the last one if
//! there were fewer. A request whose address was never asked for gets the last answer to the same method
//! and path with the same names of query parameters, if only numbers of many digits and random letters differ,
//! because pages put random numbers and times into addresses. Every answer that is not the request's own is noted as approximate.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use replay::{Exchange, Session};

/// How many notes of each kind are kept.
const NOTES: usize = 100;

/// The requests so far.
#[derive(Default)]
struct Asked {
    /// How often each method and address was asked for.
    counts: HashMap<(String, String), u32>,
    /// The requests, without the values of parameters that no recorded address has.
    requests: BTreeMap<String, u32>,
    approximate: Vec<String>,
    missing: Vec<String>,
}

/// Finds the answers to requests, and counts the requests.
#[derive(Default)]
pub(crate) struct Answers {
    asked: Mutex<Asked>,
}

/// A request without the values of its query parameters.
fn shape(url: &str) -> (&str, Vec<&str>) {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let names = query.split('&').map(|part| part.split('=').next().unwrap_or_default());
    let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    (path, names)
}

/// Whether two addresses with the same names of parameters differ only in values that look like times or random
/// numbers.
fn is_only_busted(one: &str, other: &str) -> bool {
    let values = |url: &str| -> BTreeMap<String, String> {
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let parts = query.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
        parts.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let is_random = |value: &str| {
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let is_token =
            value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        is_token && value.len() >= 6 && digits * 3 >= value.len()
    };
    let (one, other) = (values(one), values(other));
    one.iter().all(|(name, value)| {
        let same = other.get(name);
        same == Some(value) || (is_random(value) && same.is_some_and(|same| is_random(same)))
    })
}

impl Answers {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answer to the next request with a method and an address, if there is any, with the number
    /// of the request among those that are alike.
    pub(crate) fn next<'s>(
        &self,
        session: &'s Session,
        method: &str,
        url: &str,
    ) -> (u32, Option<&'s Exchange>) {
        let mut asked = self.asked();
        let count = asked.counts.entry((method.into(), url.into())).or_default();
        *count += 1;
        let nth = *count - 1;
        let same = |one: &&Exchange| one.method == method && one.url == url;
        let own = session.exchanges.iter().filter(same).nth(nth as usize);
        let again = || session.exchanges.iter().rfind(same);
        let alike = || {
            let wanted = shape(url);
            let is_alike = |one: &&Exchange| {
                one.method == method && shape(&one.url) == wanted && is_only_busted(&one.url, url)
            };
            session.exchanges.iter().rfind(is_alike)
        };
        let request = format!("{method} {url}");
        let mut key = request.clone();
        let mut note = |list: fn(&mut Asked) -> &mut Vec<String>, text: String| {
            let list = list(&mut asked);
            if list.len() < NOTES {
                list.push(text);
            }
        };
        let found = if let Some(own) = own {
            Some(own)
        } else if let Some(again) = again() {
            note(|asked| &mut asked.approximate, format!("{request}: the last answer to it again"));
            Some(again)
        } else if let Some(alike) = alike() {
            let text = format!("{request}: the answer to {}", alike.url);
            note(|asked| &mut asked.approximate, text);
            let (path, names) = shape(url);
            key = format!("{method} {path}?{}", names.join("&"));
            Some(alike)
        } else {
            note(|asked| &mut asked.approximate, format!("{request}: status 504"));
            note(|asked| &mut asked.missing, request);
            None
        };
        *asked.requests.entry(key).or_default() += 1;
        (nth, found)
    }

    /// The requests so far, each with its number.
    pub(crate) fn requests(&self) -> BTreeMap<String, u32> {
        self.asked().requests.clone()
    }

    /// The requests that did not get an answer of their own, with what they got.
    pub(crate) fn approximate(&self) -> Vec<String> {
        self.asked().approximate.clone()
    }

    /// The requests to which the session has no answer.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.asked().missing.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_gets_its_own_answer_or_the_nearest() {
        let exchange = |method: &str, url: &str, status| Exchange {
            method: method.into(),
            url: url.into(),
            status,
            ..Exchange::default()
        };
        let session = Session {
            exchanges: vec![
                exchange("GET", "/a", 1),
                exchange("GET", "/a", 2),
                exchange("POST", "/a", 3),
                exchange("GET", "/b?q=1&_=1700000000007", 4),
                exchange("GET", "/b?_=0.4718281828&q=2", 5),
            ],
            ..Session::default()
        };
        let answers = Answers::default();
        let next = |method, url| {
            let (nth, found) = answers.next(&session, method, url);
            (nth, found.map(|found| found.status))
        };
        assert_eq!(next("GET", "/a"), (0, Some(1)));
        assert_eq!(next("GET", "/a"), (1, Some(2)));
        assert_eq!(answers.approximate(), Vec::<String>::new());
        assert_eq!(next("GET", "/a"), (2, Some(2)));
        assert_eq!(next("POST", "/a"), (0, Some(3)));
        assert_eq!(next("GET", "/b?q=1&_=1700000000099"), (0, Some(4)));
        assert_eq!(next("GET", "/b?q=3&_=1700000000099"), (0, None));
        assert_eq!(next("GET", "/b?q=1"), (0, None));
        assert_eq!(answers.approximate().len(), 4);
        assert_eq!(answers.missing(), ["GET /b?q=3&_=1700000000099", "GET /b?q=1"]);
        let requests = answers.requests();
        assert_eq!(requests["GET /b?_&q"], 1);
        assert_eq!(requests["GET /a"], 3);
    }
}
