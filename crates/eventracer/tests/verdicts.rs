//! One small log for each rule that judges a cell.

use eventracer::connectivity::ChainDecomposition;
use eventracer::levels::{Level, Verdict};
use eventracer::log::OpKind;
use eventracer::tags::Tag;
use eventracer::undef::{Initialized, classify_reads};
use eventracer::{Analysis, LogBuilder, LoggedArcs, prepare};

use Initialized::{Before, Covered, Ordered, Uncovered};

/// Returns the verdict on `cell`, if it has races, and the relation of its reads to its first
/// write.
fn judge(log: LogBuilder, cell: &str) -> (Option<Verdict>, Vec<Initialized>) {
    let prepared = prepare(log.build(), LoggedArcs::All);
    let order = ChainDecomposition::new(&prepared.graph);
    let mut analysis = Analysis::new(&prepared, &order);
    let named = |id: &_| prepared.log.var_name(analysis.table.var(*id)) == cell.as_bytes();
    let id = analysis.table.cells().find(named).expect("the cell is accessed");
    let reads = classify_reads(&analysis.table, id, analysis.order, &mut analysis.paths);
    let verdict = analysis.verdicts.iter().find(|verdict| verdict.cell == id).cloned();
    (verdict, reads.into_iter().map(|(_, state)| state).collect())
}

fn tags(log: LogBuilder, cell: &str) -> Vec<Tag> {
    judge(log, cell).0.expect("the cell has races").tags.iter().collect()
}

/// Returns a log of unordered ops 0, 1, …, each given as commands such as `write x; value 1; enter
/// scope`.
fn ops(texts: &[&str]) -> LogBuilder {
    let mut log = LogBuilder::new();
    for (number, text) in texts.iter().enumerate() {
        log.op(number as u32, OpKind::Unknown);
        for command in text.split("; ") {
            match command.split_once(' ') {
                Some(("enter", scope)) => log.enter(scope),
                Some(("read", cell)) => log.read(cell),
                Some(("write", cell)) => log.write(cell),
                Some(("value", value)) => log.value(value),
                _ => panic!("no such command: {command}"),
            };
        }
    }
    log
}

#[test]
fn ordered_accesses_do_not_race() {
    let mut log = ops(&["write x; value 1", "read x; value 1"]);
    log.arc(0, 1, None);
    assert_eq!(judge(log, "x"), (None, vec![Ordered]));
}

#[test]
fn same_value_needs_a_value_for_every_write() {
    assert_eq!(
        tags(ops(&["write x; value 1", "write x; value 1"]), "x"),
        [Tag::WriteSameValue, Tag::OnlyLocalWrite]
    );
    assert_eq!(tags(ops(&["write x; value 1", "write x; value 2"]), "x"), [Tag::OnlyLocalWrite]);
    let silent = "write x";
    assert_eq!(tags(ops(&["write x; value 1", silent]), "x"), [Tag::OnlyLocalWrite]);
}

#[test]
fn a_later_read_makes_writes_not_local() {
    let mut log = ops(&["write x; value 1", "write x; value 2", "read x; value 2"]);
    log.arc(1, 2, None);
    assert_eq!(tags(log, "x"), []);
}

#[test]
fn what_the_user_sees_is_not_local() {
    let style = "write DOMNode[0x1].style";
    assert_eq!(tags(ops(&[style, style]), "DOMNode[0x1].style"), []);
}

#[test]
fn class_names_and_cookies_commute() {
    for cell in ["DOMNode[0x1].className", "Document[3].cookie"] {
        let write = &format!("write {cell}");
        let read = &format!("read {cell}");
        assert_eq!(tags(ops(&[write, read]), cell), [Tag::CookieOrClassname]);
    }
}

#[test]
fn handlers_may_be_attached_late_or_never() {
    let attach = "write x";
    let fire = "read x; enter fire:click";
    let look = "read x; read y; enter fire:click";
    let peek = "read x; value NULL; enter fire:click";
    assert_eq!(tags(ops(&[fire, attach]), "x"), [Tag::LateEventAttach]);
    assert_eq!(tags(ops(&[look, attach]), "x"), [Tag::NoEventAttached]);
    assert_eq!(tags(ops(&[peek, attach]), "x"), []);
}

#[test]
fn lazy_initialization_reads_before_its_only_write() {
    let lazy = "read x; value undefined; write x";
    let (verdict, reads) = judge(ops(&[lazy, "read x; value Object[1]"]), "x");
    let verdict = verdict.expect("the cell has races");
    assert_eq!(verdict.tags.iter().collect::<Vec<_>>(), [Tag::MaybeLazyInit]);
    assert_eq!((verdict.initialization, verdict.level), (true, Level::Tagged));
    assert_eq!(reads, [Ordered, Uncovered]);
}

#[test]
fn unloading_excuses_only_if_it_is_in_every_race() {
    let unload = "enter delete_document; read x";
    assert_eq!(tags(ops(&["write x; value 1", unload]), "x"), [Tag::RaceWithUnload]);
    assert_eq!(tags(ops(&["write x; value 1", unload, "read x; value 1"]), "x"), []);
}

#[test]
fn an_uninitialized_read_is_high_risk_unless_its_value_is_plain() {
    let level = |value: &str| {
        let verdict =
            judge(ops(&["write x; value Object[1]", &format!("read x; value {value}")]), "x").0;
        verdict.expect("the cell has races").level
    };
    assert_eq!(level("Object[1]"), Level::HighRisk);
    assert_eq!(level("undefined"), Level::Normal);
    assert_eq!(level("0x1f"), Level::Normal);
    assert_eq!(level(""), Level::HighRisk);
}

#[test]
fn a_read_before_the_first_write_ends_the_search_for_an_initialization_race() {
    let (verdict, reads) =
        judge(ops(&["read x; value a", "write x; value a", "read x; value a"]), "x");
    assert!(!verdict.expect("the cell has races").initialization);
    assert_eq!(reads, [Before, Uncovered]);
}

#[test]
fn network_handlers_are_high_risk() {
    let respond = "enter fire:readystatechange; write x; value 1";
    let (verdict, _) = judge(ops(&[respond, "read x; value 1"]), "x");
    let verdict = verdict.expect("the cell has races");
    assert_eq!((verdict.network, verdict.level), (true, Level::HighRisk));
}

/// A flag written after the data and read before it: the race on the flag covers the data's.
#[test]
fn a_race_on_a_flag_covers_the_data() {
    let publish = "write x; write flag";
    let consume = "read flag; read x";
    let (verdict, _) = judge(ops(&[publish, consume]), "x");
    assert_eq!(verdict.expect("the cell has races").level, Level::Covered);
    let (verdict, _) = judge(ops(&[publish, consume]), "flag");
    assert_eq!(verdict.expect("the cell has races").level, Level::HighRisk);
}

/// The read of x follows its second write through the race on the flag; the first write does not
/// count for `/undef` when it is the cell's first access.
#[test]
fn a_read_may_be_initialized_through_a_race() {
    let publish = "write x; write flag";
    let consume = "read flag; read x";
    let log = ops(&["write x", publish, consume]);
    assert_eq!(judge(log, "x").1, [Covered]);
    assert_eq!(judge(ops(&[publish, consume]), "x").1, [Uncovered]);
}

/// A failed lookup reads the cell as well, so it races with the definition.
#[test]
fn a_failed_lookup_of_a_global_is_a_read() {
    let lookup = "read Window[1].f; value undefined";
    let define = "write Window[1].f; value Function[2]";
    let (verdict, reads) = judge(ops(&[lookup, define]), "Window[1].f");
    assert_eq!(verdict.expect("the cell has races").level, Level::Normal);
    assert_eq!(reads, [Before]);
}

/// That an asynchronous script ran first does not order it: its user still races with it.
#[test]
fn a_script_that_happens_to_load_first_still_races() {
    let parse = "enter parse HTML[]";
    let script = "read ScriptRunner-1-1; write Window[1].f; value Function[2]";
    let user = "read Window[1].f; value Function[2]";
    let mut log = ops(&[parse, script, user]);
    log.arc(0, 1, None).arc(0, 2, None);
    let (verdict, reads) = judge(log, "Window[1].f");
    assert_eq!(verdict.expect("the cell has races").level, Level::HighRisk);
    assert_eq!(reads, [Uncovered]);
}
