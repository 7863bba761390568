//! The classes of races, by the source of their nondeterminism.
//!
//! **Attributes of a task.** At its POST a task inherits the current attributes of its poster's
//! task: the trigger, the last cross-posted ancestor and the last delayed ancestor. A post to
//! another thread makes the task itself a cross-posted ancestor, and a delay makes it a delayed
//! one. An environment event inside the task becomes its trigger and ends the cross-posted
//! ancestry; an idle handler only becomes its trigger.
//!
//! **Classes.** Each class is a set of locations. A pair is printed if it adds its location to a
//! class.
//! 1. Threads differ: multi-threaded.
//! 2. Else both have triggers, different and unordered: co-enabled, apart if the class of the first
//!    access is a widget's.
//! 3. Else delayed ancestors differ: delayed. If that adds nothing and cross-posted ancestors
//!    differ: cross-posted. If neither differs: uncategorized.

use crate::base::{Base, OpId, Role, TaskId};
use crate::closure::Relation;
use crate::log::Names;
use crate::memory::MemoryAccess;

/// A class of races.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// On different threads.
    MultiThreaded,
    /// Under different delayed posts.
    Delayed,
    /// Under different posts across threads.
    CrossPosted,
    /// Under unordered environment events, in a widget.
    CoEnabledUi,
    /// Under unordered environment events.
    CoEnabledOther,
    /// None of the other classes.
    Uncategorized,
}

/// The attributes that a task inherits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The environment event that triggered the task.
    pub trigger: Option<OpId>,
    /// The last ancestor posted across threads.
    pub cross_posted: Option<TaskId>,
    /// The last ancestor posted with a delay.
    pub delayed: Option<TaskId>,
}

impl Attributes {
    /// The attributes of every task, by id.
    pub fn of_tasks(base: &Base) -> Vec<Self> {
        let mut all = vec![Self::default(); base.tasks().len()];
        for (index, op) in base.ops().iter().enumerate() {
            let id = OpId(index as u32);
            match (op.role, op.task) {
                (Role::Post(posted), task) => {
                    let mut inherited = task.map_or_else(Self::default, |task| all[task.index()]);
                    if op.thread != Some(base.task(posted).thread) {
                        inherited.cross_posted = Some(posted);
                    }
                    if base.task(posted).delay > 0 {
                        inherited.delayed = Some(posted);
                    }
                    all[posted.index()] = inherited;
                }
                (Role::Trigger, Some(task)) => {
                    all[task.index()].trigger = Some(id);
                    all[task.index()].cross_posted = None;
                }
                (Role::IdleTrigger, Some(task)) => all[task.index()].trigger = Some(id),
                _ => {}
            }
        }
        all
    }
}

/// The differences between two racing accesses that determine their class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Whether the accesses ran on different threads.
    pub threads: bool,
    /// The triggers of the accesses, if both have one, the two differ, and R does not order them.
    pub triggers: Option<(OpId, OpId)>,
    /// Whether the delayed ancestors differ.
    pub delayed: bool,
    /// Whether the cross-posted ancestors differ.
    pub cross_posted: bool,
}

impl Difference {
    /// Compares two operations. `attributes` are those of all tasks.
    pub fn of(
        base: &Base,
        relation: &Relation,
        attributes: &[Attributes],
        first: OpId,
        second: OpId,
    ) -> Self {
        let of_op = |op: OpId| {
            base.op(op).task.map_or_else(Attributes::default, |task| attributes[task.index()])
        };
        let (one, two) = (of_op(first), of_op(second));
        let triggers = one.trigger.zip(two.trigger);
        Self {
            threads: base.op(first).thread != base.op(second).thread,
            triggers: triggers.filter(|&(a, b)| a != b && relation.unordered(a, b)),
            delayed: one.delayed != two.delayed,
            cross_posted: one.cross_posted != two.cross_posted,
        }
    }
}

/// The classes to which one location belongs so far.
pub(crate) struct Ledger<'a> {
    base: &'a Base,
    relation: &'a Relation,
    attributes: &'a [Attributes],
    names: &'a Names,
    classes: Vec<Category>,
}

/// The class to which a pair adds its location, with the triggers if the class is co-enabled.
type Filed = Option<(Category, Option<(OpId, OpId)>)>;

impl<'a> Ledger<'a> {
    pub(crate) fn new(
        base: &'a Base,
        relation: &'a Relation,
        attributes: &'a [Attributes],
        names: &'a Names,
    ) -> Self {
        Self { base, relation, attributes, names, classes: Vec::new() }
    }

    /// Adds a racing pair. Of pairs with the same operations and the same class of the first
    /// access, the first may add to one class, the second to cross-posted, and a third to nothing.
    pub(crate) fn file(&mut self, first: &MemoryAccess, second: &MemoryAccess) -> Filed {
        let differ = Difference::of(self.base, self.relation, self.attributes, first.op, second.op);
        if differ.threads {
            return self.add(Category::MultiThreaded, None);
        }
        if differ.triggers.is_some() {
            let is_widget = is_widget(self.names.text(first.class));
            let class = if is_widget { Category::CoEnabledUi } else { Category::CoEnabledOther };
            return self.add(class, differ.triggers);
        }
        if !differ.delayed && !differ.cross_posted {
            return self.add(Category::Uncategorized, None);
        }
        let delayed = differ.delayed.then(|| self.add(Category::Delayed, None)).flatten();
        delayed.or_else(|| {
            differ.cross_posted.then(|| self.add(Category::CrossPosted, None)).flatten()
        })
    }

    fn add(&mut self, class: Category, triggers: Option<(OpId, OpId)>) -> Filed {
        let is_new = !self.classes.contains(&class);
        is_new.then(|| {
            self.classes.push(class);
            (class, triggers)
        })
    }
}

/// The widgets of `android.widget`.
const WIDGETS: [&str; 41] = [
    "TextView",
    "ImageView",
    "Button",
    "AutoCompleteTextView",
    "ToggleButton",
    "RadioButton",
    "EditText",
    "Chronometer",
    "Switch",
    "CheckBox",
    "CheckedTextView",
    "DigitalClock",
    "AnalogClock",
    "ExpandableListView",
    "ListView",
    "Spinner",
    "Gallery",
    "GridLayout",
    "GridView",
    "TableRow",
    "TableLayout",
    "FrameLayout",
    "LinearLayout",
    "RelativeLayout",
    "ImageButton",
    "ViewAnimator",
    "ViewFlipper",
    "MediaController",
    "NumberPicker",
    "CalendarView",
    "DatePicker",
    "TimePicker",
    "DateTimeView",
    "SeekBar",
    "RadioGroup",
    "RatingBar",
    "ScrollView",
    "SearchView",
    "TabHost",
    "TabWidget",
    "Toast",
];

/// Returns whether a class, given by its descriptor, is exactly one that the tool treats as user
/// interface.
fn is_widget(class: &[u8]) -> bool {
    let Some(name) = class.strip_prefix(b"Landroid/").and_then(|name| name.strip_suffix(b";"))
    else {
        return false;
    };
    match name.strip_prefix(b"widget/") {
        Some(widget) => WIDGETS.iter().any(|known| known.as_bytes() == widget),
        None => matches!(name, b"view/View" | b"webkit/WebView" | b"webkit/WebTextView"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_class_is_a_widget() {
        for class in ["Landroid/view/View;", "Landroid/webkit/WebView;", "Landroid/widget/Toast;"] {
            assert!(is_widget(class.as_bytes()), "{class}");
        }
        for class in ["Landroid/view/ViewGroup;", "Landroid/widget/TextView", "Lmy/TextView;", ""] {
            assert!(!is_widget(class.as_bytes()), "{class}");
        }
    }
}
