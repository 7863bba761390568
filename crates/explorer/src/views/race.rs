//! One race with its story.

use report::describe;
use report::model::RaceEntry;
use report::story::{Explains, Story};
use serde::Serialize;
use trace::Op;

use crate::session::{Analysed, Run, Session};
use crate::views::events::RaceLink;
use crate::views::rails::{self, Rails};
use crate::views::source::{self, Excerpt};

/// A race.
#[derive(Serialize)]
pub(crate) struct RaceView<'a> {
    race: &'a RaceEntry,
    title: String,
    standing: &'static str,
    harmful: bool,
    excuse: Option<String>,
    /// The position among the races with this fingerprint, from 1.
    nth: usize,
    /// Descriptions of the two accesses, and of what led to each, nearest first.
    accesses: [String; 2],
    causes: [Vec<String>; 2],
    excerpts: [Option<Excerpt>; 2],
    story: Option<Story>,
    rails: Option<Rails>,
    /// The numbers of the operations that the timeline shows first.
    window: [u32; 2],
    /// The events of the two accesses.
    events: [Option<u32>; 2],
    /// How many accesses of the location there are.
    reads: u32,
    writes: u32,
    location: Option<u32>,
    covered_by: Vec<RaceLink>,
    covers: Vec<RaceLink>,
    others: Vec<RaceLink>,
    order_command: String,
    /// The command that replays the race, if it is one of a page.
    replay_command: Option<String>,
    /// What replays held back.
    held: Option<String>,
    /// The race in Markdown.
    markdown: String,
}

/// The largest number of other races in an answer.
const MOST: usize = 100;

/// Returns the view of a race.
pub(crate) fn view<'a>(
    session: &Session,
    run: &'a Run,
    id: usize,
    number: u32,
) -> Option<RaceView<'a>> {
    let report = &run.report;
    let race = run.with_id(number)?;
    let sides = [&race.first, &race.second];
    let analysed = run.analysed();
    let (reads, writes, location) = analysed.map_or((0, 0, None), |run| counts(run, race));
    let ops = (race.first.op, race.second.op);
    Some(RaceView {
        title: describe::title(race),
        standing: race.standing().name(),
        harmful: race.is_likely_harmful(),
        excuse: race.excuse(),
        nth: run.nth(race),
        accesses: sides.map(|access| describe::access(report, access)),
        causes: sides.map(|access| describe::causes(report, access)),
        excerpts: sides.map(|access| source::of_access(&*run.sources, access)),
        story: analysed.map(|analysed| story(run, analysed, race)),
        rails: analysed.and_then(|run| rails::rails(run, ops.0, ops.1)),
        window: window(race),
        events: sides.map(|access| {
            let trace = run.trace()?;
            trace.event_of(trace.numbered(access.op)?).map(|event| event.0)
        }),
        reads,
        writes,
        location,
        covered_by: links(run, race.covered_by.iter().filter_map(|&id| run.with_id(id))),
        covers: links(run, run.covered_by(race.id)),
        others: others(run, race),
        order_command: order_command(session, race, id),
        replay_command: (report.model == "web")
            .then(|| format!("{} --race {}", session.command("replay", id), race.id)),
        held: race.replay.as_ref().and_then(|replay| replay.held_back()),
        markdown: report::markdown::race(report, race, &order_command(session, race, id)),
        race,
    })
}

fn order_command(session: &Session, race: &RaceEntry, id: usize) -> String {
    format!("{} {} {}", session.command("order", id), race.first.op, race.second.op)
}

/// Returns a race in Markdown.
pub(crate) fn markdown(session: &Session, run: &Run, id: usize, number: u32) -> Option<String> {
    let race = run.with_id(number)?;
    Some(report::markdown::race(&run.report, race, &order_command(session, race, id)))
}

fn story(run: &Run, analysed: &Analysed, race: &RaceEntry) -> Story {
    let order = analysed.order();
    let order = order.as_deref().map(|order| (order, analysed as &dyn Explains));
    let trace = analysed.trace();
    let access = trace.numbered(race.first.op).and_then(|op| trace.op(op).access());
    let accesses = access.map_or(&[][..], |(location, _)| analysed.accesses(location));
    Story::new(&run.report, race, (trace, accesses), order)
}

fn links<'a>(run: &Run, races: impl Iterator<Item = &'a RaceEntry>) -> Vec<RaceLink> {
    races.take(MOST).map(|race| RaceLink::new(run, race)).collect()
}

/// Returns the other races of the group.
fn others(run: &Run, race: &RaceEntry) -> Vec<RaceLink> {
    let races = run.group(race.group).into_iter().flat_map(|group| run.report.races_of(group));
    links(run, races.filter(|other| other.id != race.id))
}

/// Returns how often the location of a race is read and written, and its number.
fn counts(run: &Analysed, race: &RaceEntry) -> (u32, u32, Option<u32>) {
    let trace = run.trace();
    let op = trace.numbered(race.first.op);
    let Some((location, _)) = op.and_then(|op| trace.op(op).access()) else { return (0, 0, None) };
    let accesses = run.accesses(location);
    let writes = accesses.iter().filter(|&&op| matches!(trace.op(op), Op::Write(_))).count() as u32;
    let reads = accesses.len() as u32 - writes;
    (reads, writes, Some(location.0))
}

/// Returns the numbers of the operations around both accesses and their nearest causes.
fn window(race: &RaceEntry) -> [u32; 2] {
    let causes = [&race.first, &race.second].into_iter().flat_map(|access| {
        access.causes.iter().take(2).filter_map(|cause| cause.op).chain([access.op])
    });
    let (mut from, mut to) = (u32::MAX, 0);
    for op in causes {
        (from, to) = (from.min(op), to.max(op));
    }
    let margin = ((to - from) / 8).max(12);
    [from.saturating_sub(margin), to.saturating_add(margin)]
}
