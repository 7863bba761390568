//! Two operations are explained over the outline of a native file as over the whole trace.

use std::io::Cursor;

use codec::native::{self, Options};
use order::{Explanation, Graph, HappensBefore, MODELS};
use testkit::generate::{Profile, sample};
use trace::{OpId, Trace};

/// The relation of two operations, and where nothing orders them, their nearest common ancestors by
/// number.
fn spelled(trace: &Trace, explanation: &Explanation) -> (&'static str, Vec<u32>) {
    match explanation {
        Explanation::Same => ("same", Vec::new()),
        Explanation::Before(_) => ("before", Vec::new()),
        Explanation::After(_) => ("after", Vec::new()),
        Explanation::Unordered { nearest_common_ancestors } => {
            ("unordered", nearest_common_ancestors.iter().map(|&op| trace.number(op)).collect())
        }
    }
}

/// A path over the outline leads from one operation to the other, and each of its steps holds in the
/// whole trace. It need not be the path that the whole trace shows: of two ways to know something,
/// either may be kept.
fn assert_holds(outline: &Trace, whole: &Graph<'_>, explanation: &Explanation, ends: [u32; 2]) {
    let (steps, [a, b]) = match explanation {
        Explanation::Before(steps) => (steps, ends),
        Explanation::After(steps) => (steps, [ends[1], ends[0]]),
        _ => return,
    };
    let path: Vec<[u32; 2]> =
        steps.iter().map(|step| [step.from, step.to].map(|op| outline.number(op))).collect();
    assert_eq!(path.first().map(|step| step[0]), Some(a));
    assert_eq!(path.last().map(|step| step[1]), Some(b));
    assert!(path.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{path:?}");
    for [from, to] in path {
        assert!(whole.before(OpId(from), OpId(to)), "{from} {to}");
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
            assert_holds(&outline, &whole, &found, [a, b]);
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
