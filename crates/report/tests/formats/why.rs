//! The sentences that explain why nothing orders two accesses.

use crate::report_of;

/// A page whose HTML requests two tasks, and a race between them.
struct Page {
    /// The requests for the tasks, as lines of the event that inserts the page's HTML.
    posts: &'static str,
    /// Each task: the id of its message, then the attributes of its `begin`.
    tasks: [(&'static str, &'static str); 2],
}

impl Page {
    fn why(&self) -> String {
        let [first, second] = self.tasks;
        let task = |(id, begin): (&str, &str)| {
            format!("main begin {id} {begin}\nmain write shown value={id}\nmain end {id}\n")
        };
        let trace = format!(
            "interloper-trace 1\nmodel web\nmain attach input\nmain attach timers\n\
             main begin html type=parse name=html\n{}main end html\n{}{}",
            self.posts,
            task(first),
            task(second)
        );
        let report = report_of(trace.as_bytes());
        let [race] = report.races.as_slice() else { panic!("{} races", report.races.len()) };
        race.why.clone()
    }
}

#[test]
fn the_sources_of_two_tasks_are_named() {
    let cases = [
        (
            Page {
                posts: "main enqueue a network\nmain enqueue b network\n",
                tasks: [
                    ("b", "type=response name=/api/search?q%3Dte"),
                    ("a", "type=response name=/api/search?q%3Dt"),
                ],
            },
            "The page sent two requests, /api/search?q=t and /api/search?q=te. Nothing guarantees \
             that the first one sent is answered first.",
        ),
        (
            Page {
                posts: "main enqueue a network\nmain enqueue b network\n",
                tasks: [("a", "type=response name=/poll"), ("b", "type=response name=/poll")],
            },
            "The page sent two requests to /poll. Nothing guarantees that the first one sent is \
             answered first.",
        ),
        (
            Page {
                posts: "main enqueue a scripts\nmain enqueue b input input\n",
                tasks: [("a", "type=script name=cart.js"), ("b", "type=click name=button%23buy")],
            },
            "`cart.js` is an async script, and the click on `button#buy` comes from the user. \
             Nothing guarantees that the script has run before the click.",
        ),
        (
            Page {
                posts: "main enqueue a timers delay=50\nmain enqueue b frames\n",
                tasks: [("a", "type=timer name=tick"), ("b", "type=frame name=draw")],
            },
            "The timer callback `tick` runs at least 50 ms after it was set, and the animation frame \
             callback `draw` runs before the browser draws the next frame. Nothing guarantees that \
             the timer comes before the animation frame.",
        ),
        (
            Page {
                posts: "main enqueue a timers delay=50\nmain enqueue b timers delay=10\n",
                tasks: [("b", "type=timer name=second"), ("a", "type=timer name=first")],
            },
            "The timer callback `second` runs at least 10 ms after it was set, and the timer callback \
             `first` runs at least 50 ms after it was set. Nothing guarantees that the timer callback \
             `second` comes before the timer callback `first`.",
        ),
        (
            Page {
                posts: "main enqueue a odd\nmain enqueue b network\n",
                tasks: [("a", "type=sensor name=tilt"), ("b", "type=response name=/x")],
            },
            "`tilt` (sensor) comes from a source of its own, and the response to `/x` comes when the \
             server answers. Nothing guarantees that `tilt` (sensor) comes before the response to \
             `/x`.",
        ),
    ];
    for (page, expected) in cases {
        assert_eq!(page.why(), expected);
    }
}

#[test]
fn messages_of_a_looper_are_explained_by_their_posts() {
    let posts = |a: &str, b: &str| {
        let trace = format!(
            "interloper-trace 1\nmain attach ui\n{a}\n{b}\n\
             main begin b\nmain write x\nmain end b\nmain begin a\nmain write x\nmain end a\n"
        );
        let report = report_of(trace.as_bytes());
        report.races.first().expect("a race").why.clone()
    };
    assert_eq!(
        posts("net enqueue a ui", "db enqueue b ui"),
        "`b` is posted on thread db and `a` on thread net. Nothing orders the two posts, so the \
         events may run in either order."
    );
    assert_eq!(
        posts("net enqueue a ui delay=9", "net enqueue b ui"),
        "`a` (delay=9) is posted before `b`. Their queue does not guarantee that such messages run \
         in the order in which they are posted."
    );
}

#[test]
fn no_explanation_of_the_corpus_names_operations_or_the_only_thread() {
    for path in crate::corpus() {
        let report = crate::report_of_file(&path);
        for race in report.races.iter().filter(|race| !race.is_brief) {
            assert!(!race.why.contains("operation"), "{}: {}", path.display(), race.why);
            assert!(race.why.ends_with('.'), "{}: {}", path.display(), race.why);
            if report.trace.threads == 1 {
                let thread = format!("thread {}", race.first.thread);
                assert!(!race.why.contains(&thread), "{}: {}", path.display(), race.why);
            }
        }
    }
}
