//! Checks that each format shows the names of a hostile trace as text. The browser's part is in
//! `tests/browser`.

use std::sync::OnceLock;

use report::Report;
use serde_json::Value;

use crate::{json_of, report_of, sarif_of, text_of};

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| report_of(&testkit::hostile::trace()))
}

/// Checks that a format contains no control or invisible character.
fn assert_plain(output: &str) {
    let acts = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200f}' | '\u{feff}')
    };
    assert_eq!(output.find(acts), None, "{:?}", output.chars().find(|&c| acts(c)));
}

#[test]
fn the_report_stays_small() {
    let report = report();
    assert_eq!(report.races.len(), testkit::hostile::ATTACKS.len() + 1);
    assert!(json_of(report).len() < 200_000);
    let long = report.races.last().unwrap();
    assert!(long.location.ends_with("… (10485760 bytes)"), "{}", long.location);
}

#[test]
fn json_validates_and_reads_back() {
    let report = report();
    let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("the schema is JSON");
    let json: Value = serde_json::from_str(&json_of(report)).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &json));
    let again = Report::from_json(json_of(report).as_bytes()).expect("a report");
    assert_eq!(json_of(&again), json_of(report));
}

#[test]
fn a_terminal_gets_text() {
    let text = text_of(report());
    assert_plain(&text);
    assert!(text.contains("<script>window.pwned=1</script>"));
}

#[test]
fn html_has_our_elements_only() {
    let html = report::html::render(report(), None);
    assert_plain(&html);
    let known = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3",
        "h4", "p", "dl", "div", "dt", "dd", "nav", "ol", "ul", "li", "a", "span", "code", "main",
        "article", "section", "details", "summary", "b",
    ];
    for tag in html.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = &name[..name.find(|c: char| !c.is_alphanumeric() && c != '!').unwrap()];
        assert!(known.contains(&name), "<{}", &tag[..tag.len().min(60)]);
        let inside = &tag[..tag.find('>').expect("every tag ends")];
        let unquoted: String = inside.split('"').step_by(2).collect();
        assert!(!unquoted.contains(" on"), "<{inside}");
    }
    let targets = html.split("href=\"").skip(1);
    assert!(targets.clone().count() > 20);
    assert!(targets.into_iter().all(|rest| rest.starts_with('#')));
    assert!(html.contains("&lt;script&gt;window.pwned=1&lt;/script&gt;"));
}

#[test]
fn sarif_messages_have_no_links_but_ours() {
    let sarif = sarif_of(report());
    assert_plain(&sarif);
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let text = result["message"]["text"].as_str().unwrap();
        let opened = text
            .match_indices('[')
            .filter(|&(at, _)| {
                let before = &text[..at];
                (before.len() - before.trim_end_matches('\\').len()) % 2 == 0
            })
            .count();
        assert_eq!(opened, 1, "{text}");
        if let Some(uri) =
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str()
        {
            assert!(!uri.starts_with("javascript:"), "{uri}");
            assert!(uri.bytes().all(|b| b.is_ascii_graphic() && !b"<>\"`{}|\\^".contains(&b)));
        }
    }
}

#[test]
fn junit_is_xml_of_text() {
    let xml = report::junit::render(report());
    assert_plain(&xml);
    assert!(!xml.contains(['\u{fffe}', '\u{ffff}']));
    assert_eq!(xml.matches("<testcase ").count(), xml.matches("</testcase>").count());
    assert!(!xml.contains("<script>") && !xml.contains("]]>"));
}

/// Every line is one command of the product: no name begins or ends one.
#[test]
fn github_gets_our_commands_only() {
    let commands = report::github::render(report());
    assert_plain(&commands);
    let lines: Vec<&str> = commands.lines().collect();
    assert_eq!(lines.len(), 11);
    for line in &lines[..10] {
        let levels = ["::warning ", "::error "];
        let command = levels.iter().find_map(|level| line.strip_prefix(level)).expect(line);
        let (properties, _) = command.split_once("::").expect("a message");
        for property in properties.split(',') {
            let (name, _) = property.split_once('=').expect("a property");
            assert!(["file", "line", "col", "title"].contains(&name), "{line}");
        }
    }
    assert!(lines[10].starts_with("::notice title=interloper::"));
}

/// Names are in code only: outside it, Markdown contains no text from the trace.
#[test]
fn markdown_keeps_names_in_code() {
    let markdown = report::markdown::render(report(), usize::MAX);
    assert_plain(&markdown);
    let mut outside = String::new();
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let ticks: String = line.chars().take_while(|&c| c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && line.ends_with("text") => fence = Some(ticks),
            None => {
                outside.push_str(line);
                outside.push('\n');
            }
        }
    }
    assert_eq!(fence, None);
    for attack in ["<script>", "<img", "<svg", "<h1>", "](https", "pwned=1>"] {
        assert!(markdown.contains(attack), "{attack} is shown");
        assert!(!outside.contains(attack), "{attack} acts in\n{outside}");
    }
    assert_eq!(outside.matches("<details>").count(), report().open_problems().len());
    assert_eq!(outside.matches("</details>").count(), report().open_problems().len());
}
