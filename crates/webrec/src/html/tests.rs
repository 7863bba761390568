use super::*;

fn rewritten(html: &str) -> (String, Vec<Wanted>, Vec<record::Note>) {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let url = Url::parse("http://localhost/shop/page.html").expect("a URL");
    let markup =
        Markup { scripts: &scripts, notes: &notes, url: Some(&url), file: "shop/page.html" };
    let (text, wanted) = markup.rewrite(html);
    (text, wanted, notes.all())
}

#[test]
fn markup_without_code_stays_as_it_is() {
    for html in [
        "",
        "<!doctype html><p CLASS=x>a &amp; b<br/></P><!-- <script>a.b</script> -->",
        "<script type=text/template><b>a.b</b></script><textarea><script>x.y</script></textarea>",
        "<script type=application/json>{\"a\":1}</script><script nomodule>a.b</script>",
        "<a href=\"java.html\" title='onclick=a.b'>x</a><script>  </script>",
        "<script src=\"\"></script><p on=a.b on-x>",
    ] {
        assert_eq!(rewritten(html).0, html);
    }
}

#[test]
fn scripts_and_attributes_are_rewritten_in_their_place() {
    let html = "<body onload=\"a.b &amp;&amp; 'x'\">\n<script>c.d</script><p onclick=e.f>\
                <a href='javascript:g.h(%22%25%22)'>x</a><script type=module>i.j</script>";
    let (text, _, notes) = rewritten(html);
    assert!(notes.is_empty(), "{notes:?}");
    assert!(text.starts_with("<body onload=\"__il.p("), "{text}");
    assert!(text.contains(".b &amp;&amp; 'x'\">\n<script>__il.p("), "{text}");
    assert!(text.contains("<p onclick=\"__il.p("), "{text}");
    assert!(text.contains("<a href='javascript:__il.p("), "{text}");
    assert!(text.contains(".h(\"%25\")"), "{text}");
    assert!(text.ends_with(".j</script>"), "{text}");
    assert_eq!(text.matches("__il.p(").count(), 5, "{text}");
}

#[test]
fn the_addresses_of_scripts_are_resolved() {
    let html = "<base href=/js/><script src=a.js integrity='sha256-x' async></script>\
                <script type=module src='b.js?x&amp;y'></script>\
                <link rel=modulepreload href=b.js integrity=sha256-y>\
                <link rel=stylesheet href=b.css integrity=sha256-y>";
    let (text, wanted, _) = rewritten(html);
    let want = |url: &str, module| Wanted { url: url.into(), module };
    assert_eq!(
        wanted,
        [want("http://localhost/js/a.js", false), want("http://localhost/js/b.js?x&y", true)]
    );
    assert_eq!(text.matches("integrity").count(), 1, "{text}");
    assert!(text.contains("<script src=a.js  async>"), "{text}");
}

#[test]
fn scripts_in_addresses_are_rewritten() {
    let (text, wanted, _) = rewritten("<script src='data:,a.b%3B'></script>");
    let address = text.split('\'').nth(1).expect("a value");
    let code = data_url::content(address).expect("data");
    assert!(code.starts_with(b"__il.p(") && code.ends_with(b".b;"), "{code:?}");
    assert!(wanted.is_empty());
}

#[test]
fn documents_in_attributes_are_rewritten_too() {
    let html = "<iframe srcdoc=\"<script>a.b</script><p onclick='c.d &amp;amp;&amp;amp; 1'>\">";
    let (text, _, _) = rewritten(html);
    assert_eq!(text.matches("__il.p(").count(), 2, "{text}");
    assert!(text.contains(".d &amp;amp;&amp;amp; 1"), "{text}");
    let mut nested = "<script>a.b</script>".to_string();
    for _ in 0..6 {
        nested = format!("<iframe srcdoc=\"{}\">", Quote::Double.wrap(&nested));
    }
    let (_, _, notes) = rewritten(&nested);
    assert_eq!(notes[0].code, "deep-srcdoc");
}

#[test]
fn code_that_does_not_parse_is_unchanged_and_noted() {
    let html = "<p>\n<script>a b</script><svg><script>c.d</script></svg>";
    let (text, _, notes) = rewritten(html);
    assert_eq!(text, html);
    let said: Vec<_> = notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(said, ["svg-script", "unparsable-script"]);
    assert!(notes[1].text.starts_with("shop/page.html:2: 1:"), "{notes:?}");
}

/// Random markup: the edits never panic, and without code nothing changes.
#[test]
fn any_markup_comes_out() {
    let pieces = [
        "<",
        ">",
        "script",
        "</script>",
        "<script>",
        " onclick=",
        "\"",
        "'",
        "a.b",
        "&amp;",
        "é",
        "<!--",
        "-->",
        " srcdoc=",
        "<iframe",
        "<svg>",
        "javascript:",
        " href=",
        "\n",
        "%2",
        "=",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let count = random.usize(..20);
        let html: String = (0..count).map(|_| pieces[random.usize(..pieces.len())]).collect();
        let (text, _, _) = rewritten(&html);
        if !text.contains("__il") {
            assert_eq!(text, html);
        }
    }
}
