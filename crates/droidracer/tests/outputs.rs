//! Tests the order, classes and counters of races on mini-logs.

use std::fmt::Write;

use droidracer::classes::Category;
use droidracer::log::parse;
use droidracer::rules::RuleSet;
use droidracer::trailer::Trailer;
use droidracer::{Analysis, analyse};

/// Builds a log of tasks on thread 1, each of which writes the same field.
#[derive(Default)]
struct Builder {
    text: String,
    op: u32,
    rw: u32,
}

impl Builder {
    fn op(&mut self, line: &str) -> &mut Self {
        self.op += 1;
        writeln!(self.text, "{} {line}", self.op).unwrap();
        self
    }

    fn rw(&mut self, line: &str) -> &mut Self {
        self.rw += 1;
        writeln!(self.text, "rwId:{} {line}", self.rw).unwrap();
        self
    }

    fn post(&mut self, src: u32, message: u32, delay: u32) -> &mut Self {
        self.op(&format!("POST src:{src} msg:{message} dest:-1 delay:{delay}"))
    }

    fn call(&mut self, message: u32) -> &mut Self {
        self.op(&format!("CALL tid:1 msg:{message}"))
    }

    fn write(&mut self, class: &str) -> &mut Self {
        let line = format!("WRITE tid:1 obj:0x10 class:{class} field:4");
        self.rw(&line).op("ACCESS tid:1 accessId:1")
    }

    fn ret(&mut self, message: u32) -> &mut Self {
        self.op(&format!("RET tid:1 msg:{message}"))
    }

    fn focus(&mut self) -> &mut Self {
        self.op("TRIGGER-WINDOW-FOCUS tid:1 windowHash:3")
    }

    fn analyse(&self) -> (Analysis, String) {
        let (log, _) = parse(self.text.as_bytes()).expect("the mini-log parses");
        let (analysis, _) = analyse(&log, RuleSet::ALL);
        let trailer = Trailer::new(&analysis, &log.names).to_string();
        (analysis, trailer)
    }

    fn categories(&self) -> Vec<Category> {
        self.analyse().0.races.printed.iter().map(|race| race.category).collect()
    }
}

#[test]
fn threads_that_differ_make_a_multi_threaded_race() {
    let mut log = Builder::default();
    log.rw("WRITE tid:1 obj:0x10 class:LA; field:4").op("ACCESS tid:1 accessId:1");
    log.rw("READ tid:2 obj:0x10 class:LA; field:4").op("ACCESS tid:2 accessId:2");
    let (analysis, trailer) = log.analyse();
    assert_eq!(log.categories(), [Category::MultiThreaded]);
    assert!(trailer.contains("Multithreaded races\nclass: LA;  field:4\n\nAsync"), "{trailer}");
    assert_eq!((analysis.counters.multi_threaded, analysis.counters.async_fields), (1, 0));
}

#[test]
fn accesses_of_one_operation_do_not_race() {
    let mut log = Builder::default();
    log.rw("WRITE tid:1 obj:0x10 class:LA; field:4");
    log.write("LA;");
    assert_eq!(log.categories(), []);
}

#[test]
fn unordered_triggers_make_a_co_enabled_race_and_widgets_stand_apart() {
    let two_events = |class| {
        let mut log = Builder::default();
        log.post(8, 1, 0).post(9, 2, 0);
        log.call(1).focus().write(class).ret(1);
        log.call(2).focus().write(class).ret(2);
        log
    };
    assert_eq!(two_events("LA;").categories(), [Category::CoEnabledOther]);
    let widget = two_events("Landroid/widget/Button;");
    assert_eq!(widget.categories(), [Category::CoEnabledUi]);
    let (_, trailer) = widget.analyse();
    let section =
        "co-enabled events\nobject: 0x10  field:4 co-enabled trigger opIds:4, 8\n\n\n Unc";
    assert!(trailer.contains(section), "{trailer}");
}

#[test]
fn one_trigger_is_not_co_enabled() {
    let mut log = Builder::default();
    log.post(8, 1, 0).post(9, 2, 0);
    log.call(1).focus().write("LA;").ret(1);
    log.call(2).write("LA;").ret(2);
    assert_eq!(log.categories(), [Category::CrossPosted]);
}

#[test]
fn children_inherit_what_their_parent_has_when_it_posts() {
    let mut log = Builder::default();
    log.post(8, 1, 0).post(9, 2, 0);
    log.call(1).post(1, 3, 0).focus().post(1, 4, 0).ret(1);
    log.call(2).focus().post(1, 5, 0).ret(2);
    log.call(5).write("LA;").ret(5);
    log.call(4).write("LA;").ret(4);
    assert_eq!(log.categories(), [Category::CoEnabledOther]);
    let swapped =
        log.text.replace("src:1 msg:4", "src:1 msg:X").replace("src:1 msg:3", "src:1 msg:4");
    let log = Builder { text: swapped.replace("msg:X", "msg:3"), ..log };
    assert_eq!(log.categories(), [Category::CrossPosted]);
}

#[test]
fn a_location_is_delayed_first_and_cross_posted_by_its_next_pair() {
    let mut log = Builder::default();
    log.post(8, 1, 5).post(9, 2, 0);
    log.call(1).write("LA;").ret(1).call(2).write("LA;");
    assert_eq!(log.categories(), [Category::Delayed]);
    log.write("LA;").ret(2);
    assert_eq!(log.categories(), [Category::Delayed, Category::CrossPosted]);
    log.post(9, 3, 0).call(3).write("LA;").ret(3);
    assert_eq!(log.categories(), [Category::Delayed, Category::CrossPosted]);
}

#[test]
fn what_no_source_explains_is_uncategorized() {
    let mut log = Builder::default();
    log.op("WAIT tid:1").post(1, 1, 0).op("THREADINIT tid:1").post(1, 2, 0);
    log.call(1).write("LA;").ret(1).call(2).write("LA;").ret(2);
    assert_eq!(log.categories(), [Category::Uncategorized]);
    let (_, trailer) = log.analyse();
    assert!(trailer.contains(" Uncategorized races\nclass: LA;  field:4\n\n\nMem"), "{trailer}");
}

#[test]
fn locations_come_by_address_and_field_then_statics_and_databases_not_at_all() {
    let mut log = Builder::default();
    for tid in [1, 2] {
        log.rw(&format!("WRITE-STATIC tid:{tid} class:LB; field:1"));
        log.rw(&format!("WRITE-STATIC tid:{tid} class:LA; field:9"));
        log.rw(&format!("WRITE tid:{tid} obj:0x100 class:LZ; field:1"));
        log.rw(&format!("WRITE tid:{tid} obj:0x20 class:LZ; field:12"));
        log.rw(&format!("WRITE tid:{tid} obj:0x20 class:LZ; field:8"));
        log.rw(&format!("WRITE tid:{tid} database:/data/a b.db"));
        log.op(&format!("ACCESS tid:{tid} accessId:{tid}"));
    }
    let (analysis, trailer) = log.analyse();
    let firsts: Vec<u64> = analysis.races.printed.iter().map(|race| race.first.id).collect();
    assert_eq!(firsts, [5, 4, 3, 2, 1]);
    let fields = "class: LA;  field:9\nclass: LB;  field:1\nclass: LZ;  field:1\n\
                  class: LZ;  field:8\nclass: LZ;  field:12\n\n";
    assert!(trailer.contains(fields), "{trailer}");
    assert_eq!(analysis.counters.fields, 5);
}

#[test]
fn reads_and_writes_come_before_pairs_of_writes() {
    let mut log = Builder::default();
    log.post(8, 1, 5).post(9, 2, 0);
    log.call(1).write("LA;").ret(1).call(2).write("LA;");
    log.rw("READ tid:1 obj:0x10 class:LA; field:4").op("ACCESS tid:1 accessId:1").ret(2);
    let (analysis, _) = log.analyse();
    let pairs: Vec<_> =
        analysis.races.printed.iter().map(|race| (race.first.id, race.second.id)).collect();
    assert_eq!(pairs, [(3, 1), (1, 2)]);
}

#[test]
fn the_trace_counts_operations_and_accesses_less_their_sets() {
    let mut log = Builder::default();
    log.op("THREADINIT tid:1").op("THREADINIT tid:2").op("ATTACH-Q tid:1 queue:1");
    log.write("LA;").rw("READ tid:2 obj:0x10 class:LA; field:4");
    log.post(2, 1, 0).post(2, 2, 0).call(1).ret(1);
    log.op = 99;
    log.op("TRIGGER-EVENT tid:1 view:0 event:3");
    let (analysis, _) = log.analyse();
    let counters = analysis.counters;
    assert_eq!(counters.trace, 101 + 3 - 3, "one set is never closed");
    assert_eq!((counters.threads, counters.queues), (1, 1));
    assert_eq!((counters.tasks, counters.events), (1, 1));
    assert_eq!(counters.fields, 1);
}
