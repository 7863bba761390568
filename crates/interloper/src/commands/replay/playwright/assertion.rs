//! What an emitted test asserts: what the recorded order shows and the other order does not.

use std::fmt::Write;

use replay::{Difference, Differences};

use super::Address;
use super::text::quoted;

/// The longest text that a test compares, in characters.
const LONGEST: usize = 1000;
/// How many assertions are tried.
const MOST: usize = 8;

/// One assertion, which may need an observer from the start of the test on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assertion {
    /// Lines that observe the page.
    pub(super) observer: String,
    /// The statement, which calls `expect`.
    pub(super) code: String,
}

/// The assertions that hold in the recorded order and not in the other, the best first. Not every difference can
/// be asserted: the number of listeners that ran, for instance, cannot be seen from outside.
pub(super) fn all(differences: &Differences, address: &Address) -> Vec<Assertion> {
    let Differences { errors, lost, document, requests, storage } = differences;
    let mut found: Vec<Assertion> = Vec::new();
    found.extend(errors.iter().filter_map(error));
    found.extend(lost.iter().filter_map(typed));
    let is_attribute = |one: &&Difference| one.what.contains(" @");
    found.extend(document.iter().filter(|one| !is_attribute(one)).flat_map(element));
    found.extend(document.iter().filter(is_attribute).flat_map(element));
    found.extend(storage.iter().filter_map(|one| stored(one, address)));
    found.extend(requests.iter().filter_map(|one| request(one, address)));
    found.dedup();
    found.truncate(MOST);
    found
}

fn plain(code: String) -> Assertion {
    Assertion { observer: String::new(), code }
}

/// An error that only the other order shows.
fn error(one: &Difference) -> Option<Assertion> {
    if one.recorded.is_some() {
        return None;
    }
    // Playwright tells the message of an exception without its name.
    let message = match one.what.split_once(": ") {
        Some((name, message)) if name.ends_with("Error") && !name.contains(' ') => message,
        _ => &one.what,
    };
    Some(Assertion {
        observer: "const errors: string[] = [];
page.on('pageerror', (error) => errors.push(error.message));
page.on('console', (message) => {
if (message.type() === 'error') errors.push(message.text());
});"
        .to_owned(),
        code: format!("expect(errors.join('\\n')).not.toContain({});", quoted(message)),
    })
}

/// What the user typed.
fn typed(one: &Difference) -> Option<Assertion> {
    let (selector, text) = (selector(&one.what)?, one.recorded.as_ref()?);
    let value = match text.as_str() {
        "true" | "false" => return None,
        text => quoted(text),
    };
    Some(plain(format!("await expect({}).toHaveValue({value});", locator(&selector))))
}

/// A text, an attribute, the value of a field or the display of an element.
fn element(one: &Difference) -> Vec<Assertion> {
    let Some((path, aspect)) = one.what.rsplit_once(' ') else { return Vec::new() };
    let Some(selector) = selector(path) else { return Vec::new() };
    let place = locator(&selector);
    let recorded = one.recorded.as_deref();
    if recorded.is_some_and(|text| text.chars().count() > LONGEST) {
        return Vec::new();
    }
    let code = match (aspect, recorded) {
        ("text", Some(text)) => vec![
            format!("await expect({place}).toHaveText({});", quoted(text)),
            format!("await expect({place}).toContainText({});", quoted(text)),
        ],
        ("text", None) => vec![
            format!("await expect({place}).toHaveCount(0);"),
            format!("await expect({place}).toHaveText('');"),
        ],
        ("value", Some("true")) => vec![format!("await expect({place}).toBeChecked();")],
        ("value", Some("false")) => vec![format!("await expect({place}).not.toBeChecked();")],
        ("value", Some(text)) => {
            vec![format!("await expect({place}).toHaveValue({});", quoted(text))]
        }
        ("display", Some("none")) => vec![format!("await expect({place}).toBeHidden();")],
        ("display", None) => vec![format!("await expect({place}).toBeVisible();")],
        ("@class", Some(tokens)) if tokens.contains(' ') => Vec::new(),
        ("@class", Some(token)) => {
            vec![format!("await expect({place}).toHaveClass({});", quoted(token))]
        }
        (name, recorded) => match (name.strip_prefix('@'), recorded) {
            (Some(name), Some(value)) => {
                let (name, value) = (quoted(name), quoted(value));
                vec![format!("await expect({place}).toHaveAttribute({name}, {value});")]
            }
            (Some(name), None) => vec![
                format!("await expect({place}).not.toHaveAttribute({});", quoted(name)),
                format!("await expect({place}).toHaveCount(0);"),
            ],
            _ => Vec::new(),
        },
    };
    code.into_iter().map(plain).collect()
}

fn stored(one: &Difference, address: &Address) -> Option<Assertion> {
    let recorded = one.recorded.as_deref();
    let wanted = recorded.map_or_else(|| "null".to_owned(), quoted);
    if let Some((storage, key)) = one.what.strip_suffix(']').and_then(|what| what.split_once('[')) {
        let read = match storage {
            "localStorage" | "sessionStorage" => format!("{storage}.getItem(key)"),
            "cookie" => "document.cookie.split('; ').find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1) ?? null"
                .to_owned(),
            _ => return None,
        };
        let key = quoted(key);
        return Some(plain(format!(
            "expect(await page.evaluate((key) => {read}, {key})).toBe({wanted});"
        )));
    }
    match (one.what.as_str(), recorded) {
        ("address", Some(url)) => {
            Some(plain(format!("await expect(page).toHaveURL({});", address.code(url))))
        }
        ("title", Some(_)) => Some(plain(format!("await expect(page).toHaveTitle({wanted});"))),
        ("focus", Some(selector)) if !selector.is_empty() => {
            Some(plain(format!("await expect({}).toBeFocused();", locator(selector))))
        }
        _ => None,
    }
}

/// How often a request is sent.
fn request(one: &Difference, address: &Address) -> Option<Assertion> {
    let (method, url) = one.what.split_once(' ')?;
    let count: u32 = one.recorded.as_deref().unwrap_or("0").parse().ok()?;
    let (method, url) = (quoted(method), address.code(url));
    Some(Assertion {
        observer: format!(
            "let sent = 0;
page.on('request', (request) => {{
if (request.method() === {method} && request.url() === {url}) sent++;
}});"
        ),
        code: format!("expect(sent).toBe({count});"),
    })
}

/// The locator of a selector. A test may not use a selector of several elements, and a recorded step uses the
/// first of them.
pub(super) fn locator(selector: &str) -> String {
    let is_unique = selector.strip_prefix('#').is_some_and(is_name);
    let first = if is_unique { "" } else { ".first()" };
    format!("page.locator({}){first}", quoted(selector))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char))
}

/// The CSS selector of an element by its path in an observation, such as `ul#list>li:2`.
pub(super) fn selector(path: &str) -> Option<String> {
    let mut parts = path.split('>');
    let first = parts.next()?;
    let mut out = match first.split_once('#') {
        Some((tag, id)) if is_tag(tag) && is_name(id) => format!("#{id}"),
        Some((tag, id)) if is_tag(tag) => {
            format!("{tag}[id=\"{}\"]", id.replace('\\', "\\\\").replace('"', "\\\""))
        }
        None if is_tag(first) => first.to_owned(),
        _ => return None,
    };
    for part in parts {
        let (tag, number) = part.split_once(':')?;
        let number: u32 = number.parse().ok()?;
        if !is_tag(tag) {
            return None;
        }
        out.push_str(" > ");
        out.push_str(tag);
        // A document has one body and one head.
        if !matches!(tag, "body" | "head") {
            let _ = write!(out, ":nth-of-type({number})");
        }
    }
    Some(out)
}

fn is_tag(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_selectors() {
        for (path, wanted) in [
            ("p#total", Some("#total")),
            ("ul#list>li:2>a:1", Some("#list > li:nth-of-type(2) > a:nth-of-type(1)")),
            ("html>body:1>p:3", Some("html > body > p:nth-of-type(3)")),
            ("div#a.b\"c", Some("div[id=\"a.b\\\"c\"]")),
            ("p#x>li", None),
            ("", None),
        ] {
            assert_eq!(selector(path).as_deref(), wanted, "{path}");
        }
    }

    fn differs(what: &str, recorded: Option<&str>, flipped: Option<&str>) -> Difference {
        Difference {
            what: what.into(),
            recorded: recorded.map(str::to_owned),
            flipped: flipped.map(str::to_owned),
        }
    }

    #[test]
    fn the_recorded_order_is_asserted_and_errors_come_first() {
        let address = Address::of("http://h:81/shop/").expect("an address");
        let differences = Differences {
            errors: vec![
                differs("ReferenceError: cart is not defined", None, Some("1")),
                differs("old", Some("1"), None),
            ],
            lost: vec![
                differs("click on button#go (number 1)", Some("1"), Some("0")),
                differs("input#name", Some("Ada"), Some("saved")),
            ],
            document: vec![
                differs("p#total @hidden", None, Some("")),
                differs("p#total text", Some("7 €"), Some("4 €")),
            ],
            storage: vec![
                differs("localStorage[k]", Some("it's"), None),
                differs("address", Some("http://h:81/x?y"), Some("http://h:81/z")),
            ],
            requests: vec![differs("POST http://h:81/order", None, Some("1"))],
        };
        let code: Vec<_> = all(&differences, &address).into_iter().map(|one| one.code).collect();
        assert_eq!(
            code,
            [
                "expect(errors.join('\\n')).not.toContain('cart is not defined');",
                "await expect(page.locator('#name')).toHaveValue('Ada');",
                "await expect(page.locator('#total')).toHaveText('7 €');",
                "await expect(page.locator('#total')).toContainText('7 €');",
                "await expect(page.locator('#total')).not.toHaveAttribute('hidden');",
                "await expect(page.locator('#total')).toHaveCount(0);",
                "expect(await page.evaluate((key) => localStorage.getItem(key), 'k')).toBe('it\\'s');",
                "await expect(page).toHaveURL(at('/x?y'));",
            ]
        );
    }
}
