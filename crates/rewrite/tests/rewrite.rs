//! The rewriter's guarantees about text: lines, maps, sites, errors, and sources of any shape. The
//! tests of `recorder/js/test`, in Node, check that rewritten programs behave the same.

use std::collections::BTreeSet;

use rewrite::{Kind, Options, Rewritten, SiteKind, Unparsable, contract, rewrite};

const KINDS: [Kind; 6] = [
    Kind::Script,
    Kind::Module,
    Kind::Eval { strict: false, direct: true },
    Kind::Eval { strict: true, direct: false },
    Kind::Handler,
    Kind::FunctionBody,
];

fn script(source: &str) -> Rewritten {
    rewrite(source, Options::new(Kind::Script, "app.js")).expect("it parses")
}

fn refused(source: &str, kind: Kind) -> Unparsable {
    rewrite(source, Options::new(kind, "app.js")).expect_err("it does not parse")
}

#[test]
fn errors_have_a_place() {
    let error = refused("let a = 1;\nlet é = ;\n", Kind::Script);
    assert_eq!((error.line, error.column), (2, 9), "{error}");
    assert!(error.to_string().starts_with("2:9: "), "{error}");
    assert!(!refused("return 1", Kind::Script).message.is_empty());
    assert!(rewrite("return a.b", Options::new(Kind::Handler, "")).is_ok());
    refused("a b", Kind::Module);
    refused("\u{0}", Kind::Script);
}

#[test]
fn deep_nesting_is_parsed_or_refused() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("x={}1{}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("a=>(", ")"), ("{a:", "}")] {
        let result = rewrite(&nested(open, close, 10_000), Options::new(Kind::Script, ""));
        assert!(result.is_ok(), "{open}: {result:?}", result = result.err());
        refused(&nested(open, close, 100_000), Kind::Script);
    }
    for chain in ["a+", "a=", "!", "a?b:", "a=>", "new ", "typeof ", "a.b.", "a**", "a?.b."] {
        let source = format!("x={}a", chain.repeat(40_000));
        let result = rewrite(&source, Options::new(Kind::Script, ""));
        assert!(result.is_ok(), "{chain}: {:?}", result.err());
        let source = format!("x={}a", chain.repeat(1_000_000));
        assert!(rewrite(&source, Options::new(Kind::Script, "")).is_err(), "{chain}");
    }
    // What closes or ends a part on each level, so that nothing seems to nest.
    for (start, chain) in [
        ("f", "({})"),
        ("p", ".then(function(){})"),
        ("", "for(;;)"),
        ("", "for(a,b;c,d;e,f)"),
        ("", "if(a,b)"),
        ("", "with({})"),
        ("", "l:for(let{}=0;;)"),
        ("x=", "a?{}:"),
        ("x=", "a,b=>{},c="),
        ("t", "`${{}};`"),
        ("x", "[{}]"),
        ("x=", "(a,b)=>"),
    ] {
        let source = format!("{start}{}0", chain.repeat(20_000));
        // Some of them are no programs. None may end this one.
        let _ = rewrite(&source, Options::new(Kind::Script, ""));
    }
    let elses = "if(a)b;else ".repeat(20_000) + "c";
    assert!(rewrite(&elses, Options::new(Kind::Script, "")).is_ok());
    refused(&("if(a)b;else ".repeat(1_000_000) + "c"), Kind::Script);
}

#[test]
fn a_long_line_is_fine() {
    let source = "a.b=c[d]+function(){return this.e};".repeat(10 << 20 >> 5);
    let done = script(&source);
    assert!(done.code.len() > source.len());
    assert_eq!(done.code.lines().count(), 1);
}

#[test]
fn sites_are_numbered_from_the_first() {
    let options = Options { first_site: 100, ..Options::new(Kind::Script, "http://x/y/app.js?q") };
    let done = rewrite("function f() {\n  return window.x;\n}", options).expect("it parses");
    assert!(
        done.code.contains(",100,3,\""),
        "the prologue has the first site and their number: {}",
        done.code
    );
    let last = done.sites.last().expect("there are sites");
    assert_eq!((last.line, last.column, &*last.function), (2, 10, "f"));
    assert_eq!(last.kind, SiteKind::Read);
    let get =
        done.sites.iter().find(|site| site.kind == SiteKind::Get).expect("a property is read");
    assert_eq!((get.line, get.column), (2, 17));
}

#[test]
fn a_site_knows_the_identifier_that_names_its_function() {
    let source = "function f() { a.b }\nlet g = () => c.d;\nh = function () { e.f };\n\
                  o = { k() { i.j } };\n(() => l.m)(); n.o";
    let done = rewrite(source, Options::new(Kind::Script, "a.js")).expect("it parses");
    let named: Vec<_> = done.sites.iter().map(|site| (&*site.function, site.function_at)).collect();
    for expected in [
        ("f", Some((1, 10))),
        ("g", Some((2, 5))),
        ("h", Some((3, 1))),
        ("k", None),
        ("anonymous at a.js:5", None),
        ("", None),
    ] {
        assert!(named.contains(&expected), "no {expected:?} in {named:?}");
    }
}

/// Programs with one of everything, to be cut and joined at random.
const SAMPLES: [&str; 12] = [
    "var a = b.c, {d, e: [f = g.h]} = i;\nfor (const j of k) l.m += j?.n.o?.(p);",
    "class Q extends r.s { #t = 1; static u = v.w; get x() { return this.#t++ } static { y.z = 1 } }",
    "async function* aa(bb = cc.dd) { await ee.ff; yield* gg[hh.ii]; kk.ll = await mm; yield nn.oo; for await (const pp of qq.rr) yield }",
    "label: while (nn.oo) { if (pp in qq) continue label; else break label }",
    "try { throw new rr.ss(...tt) } catch ({ uu }) { delete vv.ww } finally { xx ||= yy => yy.zz }",
    "switch (ab.ac) { case ad.ae: let af = 1; default: (() => af++)() }",
    "let ag = `x${ah.ai}y`, aj = ak`z${al}`; (am?.an)(); new ao.ap; typeof aq; void ar.as",
    "function at() { let au; return { av() { return au++ }, get aw() { return au }, [ax.ay]: au } }",
    "[az.ba, ...bb] = [bc, , bd]; ({ be: bf.bg = 1, ...bh } = bi); bj ??= bk.bl; bm **= 2",
    "if (bn) bo.bp()\nelse bq\nbr\n++bs.bt\nvar bu = /re[/]/g.test('\\u{1F600}')",
    "do bv.bw++; while (bx.by); for (var bz in ca) for (let cb = 0; cb < cc.cd; cb++) ce(() => cb)",
    "\"use strict\"; const é = { π: 1 }; é.π; /* ?. */ é /* c */ ?. π . x; eval(cf.cg, ch)",
];

/// A random program: samples joined, then bytes of punctuation dropped, doubled or moved.
fn random_program(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(1..4) {
        text.push_str(SAMPLES[random.usize(..SAMPLES.len())]);
        text.push_str(["\n", ";", " ", "\r\n", "// c\n"][random.usize(..5)]);
    }
    for _ in 0..random.usize(..3) {
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let first = random.usize(..cuts.len());
        let last = (first + random.usize(..12)).min(cuts.len() - 1);
        let piece = text[cuts[first]..cuts[last]].to_owned();
        match random.u8(..3) {
            0 => text.replace_range(cuts[first]..cuts[last], ""),
            1 => text.insert_str(cuts[random.usize(..cuts.len())], &piece),
            _ => text = text.replacen(';', "\n", 1),
        }
    }
    text
}

/// Programs that mention the hooks that the samples do not.
const RARE: [&str; 5] = [
    "function f(p, i) { let a = g(); a = g(); a[i]; a[i] = 1; a[i]++; p[i]; p[i] = 1; p[i]++ }",
    "a.b ||= c; a[f()] ??= d; a[f()] = b; a[f()]++; k in o; with (v) w; import('./x.js')",
    "function C() { this.a = this.c; this.b += 1 } x = { ...o }; y = a.slice()",
    "new Promise(f); setTimeout(g); q.focus(); w.postMessage(d); async function h() { 'use strict'; o.p = await q }",
    "await o; f()",
];

/// The members of the hooks that code mentions.
fn mentioned(code: &str) -> impl Iterator<Item = &str> {
    let word = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    code.split("__il.").skip(1).map(move |rest| &rest[..word(rest)])
}

#[test]
fn the_hooks_of_the_contract_are_mentioned_and_no_others() {
    let mut hooks = BTreeSet::new();
    let mut letters = BTreeSet::new();
    for source in SAMPLES.iter().chain(&RARE) {
        for kind in KINDS {
            let Ok(done) = rewrite(source, Options::new(kind, "app.js")) else { continue };
            hooks.extend(mentioned(&done.code).map(str::to_string));
            let head = done.code.split(");").next().expect("there is a first piece");
            letters.extend(head.rsplit('"').nth(1).map(str::to_string));
        }
    }
    assert!(hooks.iter().eq(contract().hooks.keys()), "{hooks:?}");
    assert!(letters.iter().eq(contract().kinds.keys()), "{letters:?}");
}

#[test]
fn copies_are_among_those_that_the_page_has() {
    let accesses: Vec<String> = (0..2_000).map(|n| format!("a.n{n}")).collect();
    let copies: BTreeSet<u32> = script(&accesses.join(";"))
        .code
        .split("__il.r.a")
        .skip(1)
        .map(|rest| rest.split('(').next().and_then(|copy| copy.parse().ok()).expect("a number"))
        .collect();
    let most = contract().copies["r"];
    assert!(copies.len() > most as usize / 2 && copies.iter().all(|&copy| copy < most));
}

#[test]
fn whatever_parses_is_rewritten_to_something_that_parses() {
    let mut random = fastrand::Rng::with_seed(262);
    let mut parsed = 0;
    for _ in 0..3_000 {
        let source = random_program(&mut random);
        let kind = KINDS[random.usize(..KINDS.len())];
        let Ok(done) = rewrite(&source, Options::new(kind, "app.js")) else { continue };
        parsed += 1;
        // Rewritten code is an ordinary program for a rewriter whose hooks have another name.
        let again = rewrite(&done.code, Options { global: "__again", ..Options::new(kind, "") });
        assert!(again.is_ok(), "{source}\n-----\n{}\n-----\n{again:?}", done.code);
        let lines = |text: &str| text.split('\n').count();
        assert_eq!(lines(&source), lines(&done.code), "{source}\n-----\n{}", done.code);
    }
    assert!(parsed > 1_000, "{parsed} programs parsed");
}

#[test]
fn the_map_leads_back() {
    let source = "var é = a.b;\nfunction f(x) { return x.longProperty + y; }\n";
    let done = script(source);
    for word in ["longProperty", "return", "function"] {
        let in_code = done.code.rfind(word).expect("it is kept") as u32;
        let in_source = source.rfind(word).expect("it is there") as u32;
        let found = done.map.source_offset(in_code);
        assert!(found <= in_source && in_source - found <= 25, "{word}: {found} for {in_source}");
    }
    let json = done.map.to_json(&done.code, source, "app.js");
    let map: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(map["version"], 3);
    let mappings = map["mappings"].as_str().expect("a string");
    assert_eq!(
        mappings.matches(';').count(),
        1 + usize::from(mappings.ends_with(';')),
        "{mappings}"
    );
}

#[test]
fn what_the_next_statement_asks_for_is_only_tested() {
    let tested = |source: &str| {
        let sites = script(source).sites;
        sites.iter().any(|site| site.tested && site.line == 1 && site.kind == SiteKind::Get)
    };
    for asks in
        ["if (!t) f()", "if (t && t.x) f()", "if (t === null) f()", "if (undefined == t) f()"]
    {
        assert!(tested(&format!("var t = o.p\n{asks}")), "{asks}");
    }
    for does_not in ["f(t)\nif (!t) g()", "if (!u) f()", "if (t > 1) f()", "if (f(t)) g()"] {
        assert!(!tested(&format!("var t = o.p\n{does_not}")), "{does_not}");
    }
    assert!(!tested("var t = o.p + 1\nif (!t) f()"));
}
