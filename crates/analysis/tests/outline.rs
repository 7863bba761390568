//! Two operations are explained over the outline of a native file as over the whole trace.

use std::io::Cursor;

use codec::native::{self, Options};
use order::{Explanation, Graph, HappensBefore, MODELS};
use testkit::generate::{Profile, sample};
use trace::{OpId, Trace};

/// An explanation by the numbers of operations, with their lines.
fn spelled(trace: &Trace, explanation: &Explanation) -> Vec<String> {
    let show = |op: OpId| format!("{} {}", trace.number(op), codec::text::line(trace, op));
    match explanation {
        Explanation::Same => vec!["same".to_owned()],
        Explanation::Before(steps) | Explanation::After(steps) => {
            let is_before = matches!(explanation, Explanation::Before(_));
            let step = |s: &order::Step| format!("{} {} {}", show(s.from), s.rule.name, show(s.to));
            std::iter::once(format!("before: {is_before}")).chain(steps.iter().map(step)).collect()
        }
        Explanation::Unordered { nearest_common_ancestors } => {
            nearest_common_ancestors.iter().map(|&op| show(op)).collect()
        }
    }
}

#[test]
fn the_outline_explains_as_the_whole_trace_does() {
    let (mut ordered, mut ancestors) = (0, 0);
    for seed in 0..600_u64 {
        let profile = if seed % 3 == 0 { Profile::Wild } else { Profile::Realistic };
        let trace = sample(seed ^ 0x006f_7574, profile, 20 + (seed as usize * 13) % 200);
        let rules = MODELS[seed as usize % MODELS.len()].default_rules();
        let mut bytes = Vec::new();
        let options = Options { block_bytes: 1 + seed as usize % 500, ..Options::default() };
        native::write(&trace, &mut bytes, options).expect("memory takes all");
        let whole = Graph::new(&trace, &rules);
        for pair in 0..12 {
            let [a, b] = [3, 11].map(|k| {
                let spread = (seed * 7919 + pair * 104_729).wrapping_mul(k);
                (spread % trace.len() as u64) as u32
            });
            let source = Cursor::new(bytes.clone());
            let outline = native::read_outline(source, 1, [a, b]).expect("a sound file").trace;
            assert_eq!(outline.end(), trace.end(), "seed {seed}");
            let part = Graph::new(&outline, &rules);
            if part.cursor().is_none() {
                assert!(whole.cursor().is_none(), "seed {seed}");
                continue;
            }
            let [x, y] = [a, b].map(|op| outline.numbered(op).expect("asked for"));
            let found = part.explain(x, y);
            let expected = whole.explain(OpId(a), OpId(b));
            let what = format!("seed {seed}, model {}, {a} and {b}", rules.model().name);
            assert_eq!(spelled(&outline, &found), spelled(&trace, &expected), "{what}");
            match expected {
                Explanation::Unordered { nearest_common_ancestors } => {
                    ancestors += nearest_common_ancestors.len();
                }
                _ => ordered += 1,
            }
        }
    }
    assert!(ordered > 500 && ancestors > 500, "{ordered} ordered, {ancestors} ancestors");
}
