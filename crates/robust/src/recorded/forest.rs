//! The trees of posts of a trace.

use std::collections::BTreeMap;

use trace::{EventId, Op, OpId, Posting, ThreadId, Trace};

/// A task: an event of a queue, or a forked thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u32);

impl TaskId {
    pub(super) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The index into the forest's tasks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One task of the forest.
#[derive(Clone, Debug)]
pub struct Task {
    /// The root of the task's tree.
    pub root: TaskId,
    /// The task that posted this one, and the operation of the post.
    pub parent: Option<(TaskId, OpId)>,
    /// The path from the root, as numbers of posts. Within a tree, comparing paths gives <dfs.
    pub path: Vec<u32>,
    /// The Looper's thread that runs the task. It runs one task at a time.
    pub looper: Option<ThreadId>,
    /// The operations of the task, in order.
    pub ops: Vec<OpId>,
    posts: u32,
}

/// The tasks of a trace, parents before children.
#[derive(Clone, Debug)]
pub struct Forest {
    tasks: Vec<Task>,
    task_of: Vec<Option<TaskId>>,
}

/// A post: the task that made it, its operation, and its number among the posts of the task.
type Post = (TaskId, OpId, u32);

#[derive(Default)]
struct Posts {
    events: BTreeMap<EventId, Post>,
    threads: BTreeMap<ThreadId, Post>,
}

impl Forest {
    /// The forest of `trace`.
    pub fn new(trace: &Trace) -> Self {
        let mut forest = Self { tasks: Vec::new(), task_of: vec![None; trace.len()] };
        let mut posts = Posts::default();
        let mut of_event: BTreeMap<EventId, TaskId> = BTreeMap::new();
        let mut of_thread: BTreeMap<ThreadId, TaskId> = BTreeMap::new();
        for op in trace.ops() {
            let thread = trace.thread_of(op);
            let task = match trace.event_of(op) {
                Some(event) => Some(*of_event.entry(event).or_insert_with(|| {
                    let looper = trace.looper_of(event).map(|_| thread);
                    forest.add(posts.events.get(&event).copied(), looper)
                })),
                None => posts.threads.get(&thread).copied().map(|post| {
                    *of_thread.entry(thread).or_insert_with(|| forest.add(Some(post), None))
                }),
            };
            let Some(task) = task else { continue };
            forest.task_of[op.0 as usize] = Some(task);
            forest.tasks[task.index()].ops.push(op);
            forest.post(trace.op(op), op, task, &mut posts);
        }
        forest
    }

    fn post(&mut self, op: Op, id: OpId, task: TaskId, posts: &mut Posts) {
        let number = self.tasks[task.index()].posts;
        match op {
            Op::Fork(thread) => {
                posts.threads.entry(thread).or_insert((task, id, number));
            }
            Op::Enqueue(enqueue)
                if !matches!(enqueue.posting, Posting::Input | Posting::Display | Posting::Ipc) =>
            {
                posts.events.entry(enqueue.event).or_insert((task, id, number));
            }
            _ => return,
        }
        self.tasks[task.index()].posts += 1;
    }

    fn add(&mut self, post: Option<Post>, looper: Option<ThreadId>) -> TaskId {
        let id = TaskId::new(self.tasks.len());
        let (root, path) = match post {
            None => (id, Vec::new()),
            Some((parent, _, number)) => {
                let parent = &self.tasks[parent.index()];
                (parent.root, [parent.path.as_slice(), &[number]].concat())
            }
        };
        let parent = post.map(|(parent, op, _)| (parent, op));
        self.tasks.push(Task { root, parent, path, looper, ops: Vec::new(), posts: 0 });
        id
    }

    /// The task.
    pub fn task(&self, id: TaskId) -> &Task {
        &self.tasks[id.index()]
    }

    /// All tasks.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.tasks.iter().enumerate().map(|(index, task)| (TaskId::new(index), task))
    }

    /// The task `op` belongs to.
    pub fn task_of(&self, op: OpId) -> Option<TaskId> {
        self.task_of[op.0 as usize]
    }

    /// The tasks from the root of the tree down to the task.
    pub(super) fn chain(&self, task: TaskId) -> Vec<TaskId> {
        let mut chain = vec![task];
        while let Some((parent, _)) = self.task(chain[chain.len() - 1]).parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }
}
