//! Export to the Trace Event Format, which Perfetto and `chrome://tracing` open.
//!
//! Events and functions are slices on their thread. An arrow leads from an enqueue to its begin,
//! and from the end of an arc's first event to the begin of its second. Accesses and other
//! operations are left out, because a timeline shows when code ran, not what raced.
//!
//! Viewers drop an arrow without two ends, one that leads back in time, and one whose end lies in
//! no slice. So an enqueue gets an arrow only if its message begins later, and an enqueue outside
//! all slices gets a slice of its own.
//!
//! Times are the trace's timestamps. For an operation without one, its number is used, in
//! microseconds. On a thread and along an arrow, time never runs backwards.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use trace::{EventId, Id, Op, OpId, ThreadId, Trace};

/// Writes the timeline of a trace.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let timed = trace.ops().any(|op| trace.attributes(op).at.is_some());
    let threads = trace.names().threads.len();
    let mut timeline = Timeline {
        trace,
        arcs: arcs(trace),
        out,
        first: true,
        timed,
        now: vec![0; threads],
        open: vec![0; threads],
        floors: vec![Vec::new(); threads],
        sent: HashMap::new(),
    };
    timeline.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    timeline.metadata()?;
    for op in trace.ops() {
        timeline.operation(op)?;
    }
    for thread in trace.names().threads.ids() {
        timeline.close(thread, 0)?;
    }
    timeline.out.write_all(b"\n]}\n")
}

/// Returns the ends of the arcs that order events, sorted: the operation at which an arrow starts
/// or ends, whether it starts there, and the number of the arc.
fn arcs(trace: &Trace) -> Vec<(OpId, bool, u32)> {
    let mut arrows = Vec::new();
    for id in trace.ops() {
        if let Op::Arc(from, to) = trace.op(id)
            && let (Some(end), Some(begin)) = (trace.event(from).end, trace.event(to).begin)
            && end < begin
        {
            arrows.extend([(end, true, id.0), (begin, false, id.0)]);
        }
    }
    arrows.sort_unstable();
    arrows
}

/// The kind of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Arrow {
    Post,
    Arc,
}

impl Arrow {
    fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Arc => "arc",
        }
    }
}

struct Timeline<'a, W> {
    trace: &'a Trace,
    arcs: Vec<(OpId, bool, u32)>,
    out: &'a mut W,
    first: bool,
    timed: bool,
    /// The last time shown on each thread, in nanoseconds.
    now: Vec<u64>,
    /// The number of open slices on each thread.
    open: Vec<usize>,
    /// For each open event of a thread, the number of slices that were open when it began.
    floors: Vec<Vec<(EventId, usize)>>,
    /// The time at which each arrow started, by its kind and number.
    sent: HashMap<(Arrow, u32), u64>,
}

impl<W: Write> Timeline<'_, W> {
    fn metadata(&mut self) -> io::Result<()> {
        let names = self.trace.names();
        for process in names.processes.ids() {
            let name = string(names.processes.get(process));
            let pid = process.0;
            self.record(&format!(
                r#"{{"ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":{name}}}}}"#
            ))?;
        }
        for thread in names.threads.ids() {
            let name = string(names.threads.get(thread));
            let place = self.place(thread);
            self.record(&format!(
                r#"{{"ph":"M","name":"thread_name",{place},"args":{{"name":{name}}}}}"#
            ))?;
        }
        Ok(())
    }

    fn operation(&mut self, id: OpId) -> io::Result<()> {
        let thread = self.trace.thread_of(id);
        let at = self.trace.attributes(id).at;
        let time = if self.timed { at.unwrap_or(0) } else { u64::from(id.0) * 1000 };
        let now = &mut self.now[thread.index()];
        *now = time.max(*now);
        match self.trace.op(id) {
            Op::Begin(event) if self.trace.event(event).begin == Some(id) => {
                self.begin(thread, event, id)
            }
            Op::End(event) if self.trace.event(event).end == Some(id) => {
                for arc in self.arcs_at(id, true) {
                    self.depart(Arrow::Arc, arc, thread)?;
                }
                let floor = self.floors[thread.index()].pop().map_or(0, |(_, floor)| floor);
                self.close(thread, floor)
            }
            Op::Enter(function) => {
                let name = string(self.trace.names().functions.get(function));
                self.start(thread, &name, "function", id)
            }
            Op::Leave => {
                let floor = self.floors[thread.index()].last().map_or(0, |&(_, floor)| floor + 1);
                let open = self.open[thread.index()];
                if open > floor { self.close(thread, open - 1) } else { Ok(()) }
            }
            Op::Enqueue(enqueue) if self.trace.event(enqueue.event).enqueue == Some(id) => {
                match self.trace.event(enqueue.event).begin {
                    Some(begin) if id < begin => self.post(thread, enqueue.event, id),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Writes the start of an enqueue's arrow, in a slice.
    fn post(&mut self, thread: ThreadId, event: EventId, id: OpId) -> io::Result<()> {
        let open = self.open[thread.index()];
        if open == 0 {
            self.start(thread, "\"post\"", "post", id)?;
        }
        self.depart(Arrow::Post, event.0, thread)?;
        self.close(thread, open)
    }

    /// Begins the slice of an event, no earlier than the arrows that lead to it start.
    fn begin(&mut self, thread: ThreadId, event: EventId, id: OpId) -> io::Result<()> {
        let posted = self.trace.event(event).enqueue.filter(|&enqueue| enqueue < id);
        let mut arrows: Vec<(Arrow, u32)> =
            self.arcs_at(id, false).into_iter().map(|arc| (Arrow::Arc, arc)).collect();
        arrows.extend(posted.map(|_| (Arrow::Post, event.0)));
        let now = &mut self.now[thread.index()];
        *now = arrows.iter().filter_map(|arrow| self.sent.remove(arrow)).fold(*now, u64::max);
        let open = self.open[thread.index()];
        self.floors[thread.index()].push((event, open));
        self.start(thread, &self.event_name(event), "event", id)?;
        arrows.into_iter().try_for_each(|(arrow, number)| {
            // The head of the arrow belongs to the enclosing slice, not to the next one.
            self.flow("f", arrow, number, thread, r#","bp":"e""#)
        })
    }

    fn event_name(&self, event: EventId) -> String {
        let begin = self.trace.event(event).begin;
        let named = begin.and_then(|begin| {
            let attributes = self.trace.attributes(begin);
            attributes.event_name.or(attributes.event_type)
        });
        string(named.map_or(self.trace.names().events.get(event), |text| self.trace.text(text)))
    }

    fn start(&mut self, thread: ThreadId, name: &str, category: &str, id: OpId) -> io::Result<()> {
        self.open[thread.index()] += 1;
        let (place, time, op) = (self.place(thread), self.time(thread), id.0);
        self.record(&format!(
            r#"{{"ph":"B","name":{name},"cat":"{category}",{place},"ts":{time},"args":{{"operation":{op}}}}}"#
        ))
    }

    /// Ends the innermost slices of a thread until `left` are open.
    fn close(&mut self, thread: ThreadId, left: usize) -> io::Result<()> {
        while self.open[thread.index()] > left {
            self.open[thread.index()] -= 1;
            let (place, time) = (self.place(thread), self.time(thread));
            self.record(&format!(r#"{{"ph":"E",{place},"ts":{time}}}"#))?;
        }
        Ok(())
    }

    /// Returns the arcs whose arrow starts (or ends, if not `starts`) at an operation.
    fn arcs_at(&self, id: OpId, starts: bool) -> Vec<u32> {
        let from = self.arcs.partition_point(|&(op, ..)| op < id);
        let here = self.arcs[from..].iter().take_while(|a| a.0 == id);
        here.filter(|arc| arc.1 == starts).map(|&(_, _, arc)| arc).collect()
    }

    /// Writes the start of an arrow.
    fn depart(&mut self, arrow: Arrow, number: u32, thread: ThreadId) -> io::Result<()> {
        self.sent.insert((arrow, number), self.now[thread.index()]);
        self.flow("s", arrow, number, thread, "")
    }

    fn flow(
        &mut self,
        phase: &str,
        arrow: Arrow,
        id: u32,
        thread: ThreadId,
        binding: &str,
    ) -> io::Result<()> {
        let (place, time, name) = (self.place(thread), self.time(thread), arrow.name());
        self.record(&format!(
            r#"{{"ph":"{phase}","name":"{name}","cat":"{name}","id":{id},{place},"ts":{time}{binding}}}"#
        ))
    }

    fn place(&self, thread: ThreadId) -> String {
        // Viewers use thread 0 of a process for process-wide slices.
        format!(r#""pid":{},"tid":{}"#, self.trace.thread(thread).process.0, thread.0 + 1)
    }

    /// Returns the current time of a thread in microseconds, the unit of the format.
    fn time(&self, thread: ThreadId) -> String {
        let now = self.now[thread.index()];
        format!("{}.{:03}", now / 1000, now % 1000)
    }

    fn record(&mut self, record: &str) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.first) { "\n" } else { ",\n" };
        self.out.write_all(separator.as_bytes())?;
        self.out.write_all(record.as_bytes())
    }
}

/// Returns bytes as a JSON string. Bytes that are no UTF-8 become replacement characters.
fn string(bytes: &[u8]) -> String {
    let text: Cow<str> = String::from_utf8_lossy(bytes);
    serde_json::to_string(&text).expect("a string is always JSON")
}
