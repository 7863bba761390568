//! Tests each rule of the closure on a mini-log, with a near miss.

use droidracer::base::OpId;
use droidracer::closure::Explainer;
use droidracer::log::parse;
use droidracer::rules::{Rule, RuleSet};
use droidracer::{Analysis, analyse};

struct Mini(Analysis);

impl Mini {
    fn new(lines: &str) -> Self {
        let (log, _) = parse(lines.as_bytes()).expect("the mini-log parses");
        Self(analyse(&log, RuleSet::ALL).0)
    }

    fn op(&self, source: u64) -> OpId {
        let position = self.0.base.ops().iter().position(|op| op.source == source);
        OpId(position.expect("the operation is in the graph") as u32)
    }

    /// Whether R orders two operations, by their numbers.
    fn before(&self, a: u64, b: u64) -> bool {
        self.0.relation.before(self.op(a), self.op(b))
    }

    /// Returns the rules of the path from one operation to another.
    fn why(&self, a: u64, b: u64) -> Vec<Rule> {
        let explainer = Explainer::new(&self.0.base);
        let steps = explainer.why(self.op(a), self.op(b)).expect("they are ordered");
        steps.iter().map(|step| step.rule).collect()
    }
}

/// Thread 2 posts two tasks to thread 1, in order.
const TWO_POSTS: &str = "
1 THREADINIT tid:2
2 POST src:2 msg:1 dest:-1 delay:0
3 POST src:2 msg:2 dest:-1 delay:0
4 CALL tid:1 msg:1
5 ACCESS tid:1 accessId:1
6 RET tid:1 msg:1
7 CALL tid:1 msg:2
8 ACCESS tid:1 accessId:2
9 RET tid:1 msg:2
";

#[test]
fn ordered_posts_to_one_thread_give_ordered_tasks() {
    let mini = Mini::new(TWO_POSTS);
    assert!(mini.before(6, 7) && mini.before(5, 8));
    assert_eq!(mini.why(6, 7), [Rule::Fifo]);
    assert_eq!(mini.why(5, 8), [Rule::ProgramOrder, Rule::Fifo, Rule::ProgramOrder]);
}

#[test]
fn a_longer_delay_breaks_fifo() {
    let delayed = |first, second| {
        let text =
            TWO_POSTS.replace("msg:1 dest:-1 delay:0", &format!("msg:1 dest:-1 delay:{first}"));
        let text = text.replace("msg:2 dest:-1 delay:0", &format!("msg:2 dest:-1 delay:{second}"));
        Mini::new(&text).before(6, 7)
    };
    assert!(delayed(0, 5) && delayed(5, 5) && delayed(5, 6));
    assert!(!delayed(5, 0) && !delayed(6, 5));
    assert!(delayed(-3, 0), "a delay in the past is none");
}

#[test]
fn posts_to_different_threads_order_nothing() {
    let elsewhere = TWO_POSTS.replace("tid:1 msg:2", "tid:3 msg:2");
    assert!(!Mini::new(&elsewhere).before(6, 7));
}

#[test]
fn native_segments_of_one_thread_are_not_ordered() {
    let native = TWO_POSTS
        .replace("1 THREADINIT tid:2", "1 NATIVE-ENTRY tid:2thread-name:B")
        .replace("3 POST src:2", "3 POST src:8");
    assert!(!Mini::new(&native).before(6, 7));
}

/// Task 1 notifies thread 2, which then posts task 2. Task 1 has a delay so that FIFO does not
/// apply.
const THROUGH_ANOTHER_THREAD: &str = "
1 POST src:9 msg:1 dest:-1 delay:5
2 CALL tid:1 msg:1
3 NOTIFY tid:1 notifiedTid:2
4 ACCESS tid:1 accessId:1
5 RET tid:1 msg:1
6 WAIT tid:2
7 POST src:2 msg:2 dest:-1 delay:0
8 CALL tid:1 msg:2
9 ACCESS tid:1 accessId:2
10 RET tid:1 msg:2
";

#[test]
fn a_task_part_of_which_precedes_a_call_precedes_it_as_a_whole() {
    let mini = Mini::new(THROUGH_ANOTHER_THREAD);
    assert!(mini.before(3, 8) && mini.before(5, 8) && mini.before(4, 9));
    assert_eq!(mini.why(5, 8), [Rule::NoPre]);
    let explainer = Explainer::new(&mini.0.base);
    let step = explainer.why(mini.op(5), mini.op(8)).unwrap()[0];
    let (from, to) = step.because.unwrap();
    assert_eq!(to, mini.op(8));
    assert_eq!(mini.0.base.op(from).task, mini.0.base.op(mini.op(5)).task);
}

#[test]
fn tasks_of_one_thread_are_not_ordered_through_another() {
    let into_the_middle = "
1 POST src:8 msg:1 dest:-1 delay:0
2 POST src:9 msg:2 dest:-1 delay:0
3 CALL tid:1 msg:1
4 NOTIFY tid:1 notifiedTid:2
5 RET tid:1 msg:1
6 WAIT tid:2
7 NOTIFY tid:2 notifiedTid:1
8 CALL tid:1 msg:2
9 WAIT tid:1
10 RET tid:1 msg:2
";
    let mini = Mini::new(into_the_middle);
    assert!(mini.before(4, 7) && mini.before(7, 9), "each half is ordered");
    assert!(!mini.before(4, 9) && !mini.before(5, 8), "but not the tasks");
    let elsewhere = into_the_middle
        .replace("tid:1 msg:2", "tid:3 msg:2")
        .replace("9 WAIT tid:1", "9 WAIT tid:3");
    let elsewhere = Mini::new(
        &elsewhere.replace("7 NOTIFY tid:2 notifiedTid:1", "7 NOTIFY tid:2 notifiedTid:3"),
    );
    assert!(elsewhere.before(4, 9), "tasks of different threads are");
}

#[test]
fn what_precedes_a_post_precedes_the_call_even_on_one_thread() {
    let mini = Mini::new(THROUGH_ANOTHER_THREAD);
    assert!(mini.before(3, 7) && mini.before(3, 8));
    let cut = THROUGH_ANOTHER_THREAD.replace("6 WAIT tid:2", "6 WAIT tid:4");
    let cut = Mini::new(&cut);
    assert!(!cut.before(3, 7) && !cut.before(3, 8) && !cut.before(5, 8));
}

#[test]
fn an_unended_task_ends_before_nothing() {
    let cut = THROUGH_ANOTHER_THREAD.replace("5 RET tid:1 msg:1\n", "");
    let mini = Mini::new(&cut);
    assert!(mini.before(3, 8), "through the post");
    assert!(!mini.before(4, 9) && !mini.before(4, 8));
}

#[test]
fn ordered_sends_give_ordered_receives() {
    let broadcast = |number: u32, tid: u32, intent: u32, state: &str| {
        format!(
            "{number} TRIGGER-BROADCAST tid:{tid} action:A component:7 intent:{intent} \
             onRecLater:-1 state:ABC_{state}\n"
        )
    };
    let receive = |first: u32, intent: u32| {
        format!("{first} POST src:{} msg:{first} dest:-1 delay:0\n", 100 + first)
            + &format!("{} CALL tid:1 msg:{first}\n", first + 1)
            + &broadcast(first + 2, 1, intent, "ONRECEIVE")
            + &format!("{} RET tid:1 msg:{first}\n", first + 3)
    };
    let log = |second_sender| {
        broadcast(1, 2, 50, "SEND_BROADCAST")
            + &broadcast(2, second_sender, 51, "SEND_BROADCAST")
            + &receive(10, 50)
            + &receive(20, 51)
    };
    let mini = Mini::new(&log(2));
    assert!(mini.before(12, 22) && mini.before(10, 20) && mini.before(13, 21));
    assert_eq!(mini.why(10, 20), [Rule::BroadcastOrder]);
    let unordered = Mini::new(&log(3));
    assert!(!unordered.before(12, 22) && !unordered.before(10, 20));
}

#[test]
fn edges_may_point_backwards() {
    let mini = Mini::new(
        "
1 POST src:9 msg:1 dest:-1 delay:0
2 ENABLE-WINDOW-FOCUS tid:3 windowHash:5
3 CALL tid:1 msg:1
4 TRIGGER-WINDOW-FOCUS tid:1 windowHash:5
5 RET tid:1 msg:1
",
    );
    assert!(mini.before(2, 1) && mini.before(2, 3));
    assert!(!mini.before(1, 2));
}
