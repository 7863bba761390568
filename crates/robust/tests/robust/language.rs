//! Tests of the language: accepted programs, errors, and the formatter.

use proptest::prelude::*;
use robust::lang::{Error, elaborate, error, format, parse};
use robust::reduce::{self, reduce};
use robust::{Criterion, Engine, Options, Verdict, check};
use testkit::evp::random_program;

fn errors(text: &str) -> Vec<Error> {
    check("bad.evp", text, &Options::default()).expect_err("the program is wrong")
}

/// The one error of `text`: its code, the source it points at, and its words.
fn error_of(text: &str) -> (&'static str, &str, String) {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = &errors[0];
    assert!(!error.advice.is_empty());
    (error.code.name, &text[error.span.range()], format!("{}; {}", error.message, error.advice))
}

#[test]
fn unknown_procedure() {
    let (code, at, words) = error_of("procedure send() { async[any] sned(); }");
    assert_eq!((code, at), (error::UNKNOWN_NAME.name, "sned"));
    assert!(words.contains("did you mean `send`?"), "{words}");
}

#[test]
fn post_in_an_unbounded_loop() {
    let text = "procedure e() { while * { async[any] p(); } } procedure p() {}";
    let (code, at, words) = error_of(text);
    assert_eq!((code, at), (error::UNBOUNDED_ASYNC.name, "async[any] p();"));
    assert!(words.contains("repeat"), "{words}");
    let bounded = text.replace("while *", "repeat 3");
    assert!(check("good.evp", &bounded, &Options::default()).is_ok());
    let options = Options { engine: Engine::Explore, ..Options::default() };
    assert!(check("good.evp", text, &options).is_ok(), "brute force needs no bound");
}

#[test]
fn post_through_recursion() {
    let text =
        "procedure e() { call f(); } procedure f() { async[any] p(); call f(); } procedure p() {}";
    let (code, at, _) = error_of(text);
    assert_eq!((code, at), (error::UNBOUNDED_ASYNC.name, "call f();"));
}

#[test]
fn driver_that_names_nothing() {
    let (code, at, words) = error_of("procedure e() {} driver { }");
    assert_eq!((code, at), (error::BAD_DRIVER.name, "driver { }"));
    assert!(words.contains("driver { a: send; }"), "{words}");
}

#[test]
fn driver_that_waits_for_itself() {
    let text = "procedure e() {} driver { a: e after b.end; b: e after a.start; }";
    assert_eq!(error_of(text).0, error::BAD_DRIVER.name);
}

#[test]
fn domain_too_large() {
    let (code, at, words) = error_of("var n: 0..1000000; procedure e() { n := 1; }");
    assert_eq!((code, at), (error::TOO_LARGE.name, "0..1000000"));
    assert!(words.contains("`int`"), "{words}");
}

#[test]
fn other_mistakes_are_said_where_they_are() {
    let cases = [
        ("var x procedure e() {}", error::SYNTAX.name, "procedure"),
        ("procedure e() { x := true; }", error::UNKNOWN_NAME.name, "x"),
        ("var x; procedure e() { x := 1; }", error::TYPE_MISMATCH.name, "1"),
        ("var x, x; procedure e() { x := true; }", error::DUPLICATE_NAME.name, "x"),
        ("procedure e() { call p(); } procedure p(a) {}", error::WRONG_ARGUMENTS.name, "p"),
        ("var a: [bool; 2]; procedure e() { a[2] := true; }", error::OUT_OF_RANGE.name, "2"),
        ("var n: 0..3; procedure e() { n := 4; }", error::OUT_OF_RANGE.name, "4"),
        ("procedure e() { var a: [bool; 2]; }", error::BAD_DECLARATION.name, "[bool; 2]"),
        ("procedure e() { § }", error::SYNTAX.name, "§"),
    ];
    for (text, code, at) in cases {
        let first = &errors(text)[0];
        assert_eq!((first.code.name, &text[first.span.range()]), (code, at), "{text}");
        let diagnostic = first.diagnostic(text);
        assert!(diagnostic.message.contains(&first.advice));
    }
}

#[test]
fn several_mistakes_are_reported_together() {
    assert_eq!(errors("procedure e() { x := true; y := 1; call p(); }").len(), 3);
    assert_eq!(errors("procedure e() { x ; y := ; }").len(), 2);
}

#[test]
fn misspelt_words_are_named_where_they_stand() {
    let cases = [
        ("procedure e() { asinc[any] p(); } procedure p() {}", "asinc", "`async`"),
        ("procedure e() { async[mian] p(); } procedure p() {}", "mian", "`main`"),
        ("procedure e() { retrun; }", "retrun", "`return`"),
        ("procedure e() { whlie true { } }", "whlie", "`while`"),
        ("var x; procdure e() { var y; y := x; }", "procdure", "`procedure`"),
        ("procedure e() { p(); } procedure p() {}", "p", "`call p(…)`"),
    ];
    for (text, at, advice) in cases {
        let (code, found, words) = error_of(text);
        assert_eq!((code, found), (error::SYNTAX.name, at), "{text}");
        assert!(words.contains(advice), "{text}: {words}");
    }
    let text = "var a: [bool; 2]; procedure e() { var i: 0..1; a[i] := true; }";
    assert!(check("good.evp", text, &Options::default()).is_ok(), "an element is no keyword");
}

/// Names, codes and places of all errors of `text`.
fn errors_of(text: &str) -> Vec<(&'static str, &str, (u32, u32))> {
    let place = |error: &Error| error.span.line_column(text);
    let all = errors(text);
    all.iter().map(|error| (error.code.name, &text[error.span.range()], place(error))).collect()
}

#[test]
fn a_syntax_error_hides_no_other_error() {
    let text = "var x;\nprocedure e() {\n    x := ;\n    y := true;\n    call q();\n}\n";
    let expected = [
        (error::SYNTAX.name, ";", (3, 10)),
        (error::UNKNOWN_NAME.name, "y", (4, 5)),
        (error::UNKNOWN_NAME.name, "q", (5, 10)),
    ];
    assert_eq!(errors_of(text), expected);
}

/// A name that a dropped declaration or statement may declare is not reported as missing.
#[test]
fn a_syntax_error_causes_no_other_error() {
    let text = "var flag: ;\nprocedure e() { flag := true; other := true; }";
    let expected =
        [(error::SYNTAX.name, ";", (1, 11)), (error::UNKNOWN_NAME.name, "other", (2, 31))];
    assert_eq!(errors_of(text), expected);
    for text in [
        "procedure e( { var y; y := true; call f(); }\nprocedure f() { call e(); }",
        "procedure e() { var y bool; y := true; }",
        "procedure e() {} driver { a e; }",
    ] {
        assert_eq!(errors_of(text).len(), 1, "{text}: {:?}", errors_of(text));
    }
}

#[test]
fn deep_nesting_is_refused_with_its_place() {
    let depth = 20_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let procedure = |body: String| format!("var x: [0..1; 2];\nprocedure e() {{ var y; {body} }}");
    for text in [
        procedure(nested("if y { ", "", "}")),
        procedure(nested("while y { ", "", "}")),
        procedure(nested("if y { } else ", "{ }", "")),
        procedure(format!("y := {};", nested("(", "y", ")"))),
        procedure(format!("y := {};", nested("!", "y", ""))),
        procedure(format!("y := {} == 0;", nested("x[", "0", "]"))),
        format!("var x: {};\nprocedure e() {{ }}", nested("[", "bool", "; 1]")),
    ] {
        let first = &errors(&text)[0];
        assert!(first.message.contains("at most 200 deep"), "{}", first.message);
        assert!(first.span.line_column(&text).1 > 1);
    }
    let depth = 90;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let branches = nested("if y { ", "x := y;", "}");
    let text =
        format!("var x; procedure e() {{ var y; {branches} y := {}; }}", nested("!(", "y", ")"));
    assert!(check("deep.evp", &text, &Options::default()).is_ok());
    let program = elaborate(&parse(&text).unwrap()).unwrap();
    for criterion in [Criterion::Determinism, Criterion::Serializability] {
        let sequential = reduce(&program, criterion, &reduce::Options::default()).unwrap();
        assert!(robust::core::print(&sequential.program).contains("$error"));
    }
}

/// Operators apply from left to right, whatever the shape of the tree.
#[test]
fn long_sums_have_the_value_of_their_terms() {
    let mut rng = fastrand::Rng::with_seed(1);
    for terms in (2..40).chain([20_000]) {
        let mut value = 7_i64;
        let mut text = "7".to_owned();
        for _ in 1..terms {
            let (term, minus) = (rng.i64(0..100), rng.bool());
            value += if minus { -term } else { term };
            text.push_str(if minus { " - " } else { " + " });
            text.push_str(&term.to_string());
        }
        let text = format!("var n: int := {text}; procedure e() {{ var m: int; m := n; }}");
        let file = parse(&text).unwrap();
        assert_eq!(elaborate(&file).unwrap().globals[0].init, value, "{terms} terms");
        let again = parse(&format(&file, &text)).unwrap();
        assert_eq!(elaborate(&again).unwrap().globals[0].init, value, "{terms} terms");
    }
}

#[test]
fn sums_of_many_terms_are_checked_and_printed() {
    let terms = |term: &str, operator: &str| vec![term; 20_000].join(operator);
    for body in [
        format!("y := {} == 20000; x := y;", terms("1", " + ")),
        format!("y := {}; x := y;", terms("y", " || ")),
        format!("n := {}; y := n == 1; x := y;", terms("n", " * ")),
    ] {
        let text = format!("var x; procedure e() {{ var y; var n: 0..1; {body} }}");
        let report = check("sum.evp", &text, &Options::default()).unwrap();
        assert_eq!(report.status(), robust::Status::Proved, "{}", report.text());
        let file = parse(&text).unwrap();
        assert!(parse(&format(&file, &text)).is_ok());
        let program = elaborate(&file).unwrap();
        let options = reduce::Options::default();
        let sequential = reduce(&program, Criterion::Determinism, &options).unwrap();
        assert!(robust::core::print(&sequential.program).len() > 20_000);
        assert!(robust::reach::horn::smt(&sequential).len() > 20_000);
    }
}

#[test]
fn unbounded_data_that_summaries_leave_unknown_is_for_another_engine() {
    let text = "var n: int; procedure e() { havoc n; async[any] p(); }
                procedure p() { var m: int; m := n; assume m > 3; n := 0; }";
    let report = check("unbounded.evp", text, &Options::default()).unwrap();
    assert_eq!(report.status(), robust::Status::Unknown);
    assert!(report.text().contains("--engine chc"), "{}", report.text());
}

/// A task that runs for ever without an access has finitely many states.
#[test]
fn brute_force_decides_silent_loops_and_recursion() {
    for endless in [
        "while true { }",
        "while * { }",
        "while true { havoc y; }",
        "while true { y := !y; }",
        "call r(y);",
        "assume false;",
    ] {
        let text = format!(
            "var x; procedure e() {{ var y; async[any] p(); {endless} x := true; }}
             procedure p() {{ x := true; }} procedure r(a) {{ call r(!a); }}
             driver {{ a: e; }}"
        );
        let options = Options { engine: Engine::Explore, ..Options::default() };
        let report = check("endless.evp", &text, &options).unwrap();
        let expected = if endless == "while * { }" { "violat" } else { "proved" };
        assert!(report.text().contains(expected), "{endless}: {}", report.text());
        let reduced = check("endless.evp", &text, &Options::default()).unwrap();
        assert_eq!(reduced.status(), report.status(), "{endless}");
    }
}

/// Elements of an array and fields of a record are locations of their own.
#[test]
fn conflicts_are_per_element_and_field() {
    let text = |p: &str, q: &str| {
        format!(
            "enum Mode {{ idle, busy }}
             record Row {{ shown: bool, mode: Mode, ages: [0..3; 2] }}
             var rows: [Row; 2];
             procedure e() {{ async[any] p(0); async[any] q(1); }}
             procedure p(i: 0..1) {{ {p} }}
             procedure q(i: 0..1) {{ {q} }}"
        )
    };
    let violated = |p: &str, q: &str| {
        let options = Options { criteria: vec![Criterion::Determinism], ..Options::default() };
        let report = check("rows.evp", &text(p, q), &options).unwrap();
        matches!(report.verdict(Criterion::Determinism), Some(Verdict::Violated(_)))
    };
    assert!(!violated("rows[i].shown := true;", "rows[i].shown := true;"));
    assert!(violated("rows[1 - i].shown := true;", "rows[i].shown := true;"));
    assert!(!violated("rows[0].mode := busy;", "rows[0].shown := true;"));
    assert!(violated("rows[0].ages[i + 1] := 2;", "rows[0].ages[1] := rows[0].ages[0] + 1;"));
}

/// A task blocks, as at a failed `assume`, when a value leaves the range of its variable.
#[test]
fn a_task_that_leaves_a_range_stops() {
    let text = "var n: 0..2; var x;
                procedure e() { n := 2; async[any] p(); x := true; }
                procedure p() { n := n + 1; x := false; }";
    let report = check("range.evp", text, &Options::default()).unwrap();
    let Some(Verdict::Proved { .. }) = report.verdict(Criterion::Determinism) else {
        panic!("p never gets to its write of x: {}", report.text());
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn formatting_is_idempotent_and_changes_nothing(seed in any::<u64>()) {
        let text = random_program(seed, true);
        let file = parse(&text).unwrap();
        let once = format(&file, &text);
        let again = parse(&once).unwrap();
        prop_assert_eq!(&format(&again, &once), &once);
        let (before, after) = (elaborate(&file).unwrap(), elaborate(&again).unwrap());
        prop_assert_eq!(robust::core::print(&before), robust::core::print(&after));
    }

    #[test]
    fn no_text_makes_the_front_end_panic(text in "[a-z0-9 {}()\\[\\];:=.,<>!+*|&/§\n-]{0,80}") {
        let _ = check("any.evp", &text, &Options::default());
    }

    #[test]
    fn no_list_of_words_makes_the_front_end_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "var", "x", ":", "bool", ";", "procedure", "p", "(", ")", "{", "}", "driver", "if",
                "while", "*", ":=", "true", "async", "[", "main", "]", "call", "// c\n", "0", "..",
                "enum", "record", "after", "else", "return", "havoc", "assume", "repeat", "3",
            ]),
            0..40,
        )
    ) {
        let _ = check("any.evp", &words.join(" "), &Options::default());
    }
}

#[test]
fn comments_survive_formatting() {
    let text = "// top\nvar x; // trailing\nprocedure e() { // open\n // inside\n x := (true) ; // after\n}\n// end\n";
    let formatted = format(&parse(text).unwrap(), text);
    let expected = "// top\nvar x; // trailing\n\nprocedure e() { // open\n    // inside\n    x := true; // after\n}\n// end\n";
    assert_eq!(formatted, expected);
}
