use robust::*;
fn main() {
    for arg in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&arg).unwrap();
        let file = lang::parse(&text).unwrap();
        let f = lang::format(&file, &text);
        assert_eq!(f, text, "{arg}");
        let p = lang::elaborate(&file).unwrap();
        for c in [Criterion::Determinism, Criterion::Serializability] {
            let s = reduce::reduce(&p, c, reduce::Options::default()).unwrap();
            if std::env::var("EMIT").is_ok() { println!("{}", core::print(&s.program)); }
            let t = std::time::Instant::now();
            let r = reach::summaries::reach(&s.sliced(), reach::summaries::Limits { edges: 5_000_000 });
            let r = match r { reach::Reach::Reachable(p) => format!("VIOLATED {}", p.len()), reach::Reach::Unreachable{work} => format!("holds {work}"), reach::Reach::Unknown(r) => r };
            let t = t.elapsed();
            let e = match explore::explore(&p, c, 200_000) { explore::Exploration::Holds{states} => format!("holds {states}"), explore::Exploration::Violated(m) => format!("VIOLATED {}", m.len()), explore::Exploration::Unknown(r) => r };
            println!("{arg} {c:?}: {r} {t:?} | {e}");
        }
    }
}
