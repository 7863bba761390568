//! Replays races of a recorded page, and returns what that shows.
//!
//! The recorded order is replayed twice, for all races. Each race is then replayed twice in the other order;
//! two replays run at a time. If the events do not come in the other order, other schedules are tried
//! ([`Plan::search`]). Races between the same two tasks share their replays. The evidence is followed:
//! if the first race of a group is not shown to be harmful, the group's other races are replayed, then those
//! that it covers; and when all open groups are done, groups that only a guess hides ([`GUESSES`]).
//!
//! Cost: one run of the page for each replay, until the budget is spent.

mod draw;
mod entry;
mod run;
mod supplied;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use analysis::Analysis;
use anyhow::{Context, Result, anyhow, bail};
use order::HappensBefore;
use replay::{Differences, Hold, Judgement, Plan, Recorded, Schedule, Session, Verdict, judge};
use report::Report;
use report::model::RaceEntry;
use report::replay::ReplayEntry;
use report::standing::Standing;
use trace::EventId;
use triage::Label;

use crate::cli::{GivenArgs, seconds};
use crate::progress::Progress;
use crate::signals::Stop;
pub(crate) use run::Place;
use run::{Ran, Runner, Watched};
pub(crate) use supplied::{Supplied, secrets};

/// The largest number of pairs of tasks that are replayed for one group.
const FOLLOWED: usize = 3;
/// The labels that hide a race by a guess which a replay can refute.
const GUESSES: [Label; 3] = [Label::LateHandler, Label::SameValue, Label::OnlyLocalReads];
/// The longest time for one pair of tasks.
const PAIR: Duration = Duration::from_secs(30);

/// Which races are replayed.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// One race, by its id.
    Race(u32),
    /// The first open groups, and what follows from them.
    Top(usize),
}

/// How replays are run.
pub(crate) struct Options {
    pub(crate) choice: Choice,
    /// How long all replays may take.
    pub(crate) budget: Duration,
    /// How many schedules are tried for a pair of events.
    pub(crate) tries: usize,
    /// The schedule that is run in place of a search, if there is one.
    pub(crate) schedule: Option<Schedule>,
    pub(crate) place: Place,
    pub(crate) supplied: Supplied,
}

/// How many schedules are tried for a pair of events, unless the user says otherwise.
pub(crate) const TRIES: usize = 5;

/// What the page shows in the recorded order and in the other one, as PNG.
pub(crate) struct Pictures {
    pub(crate) recorded: Vec<u8>,
    pub(crate) flipped: Vec<u8>,
    /// The parts that differ.
    pub(crate) changed: Vec<replay::Frame>,
}

/// What showed that a race is harmful in the other order.
pub(crate) struct Harm {
    pub(crate) hold: Hold,
    pub(crate) differences: Differences,
    pub(crate) schedule: Schedule,
}

/// What replays have shown.
#[derive(Default)]
pub(crate) struct Found {
    /// The races that were replayed, in their order.
    pub(crate) replayed: Vec<u32>,
    /// The evidence by race, also for races that share the replays of another.
    pub(crate) evidence: BTreeMap<u32, ReplayEntry>,
    /// The pictures of races that were shown to be harmful.
    pub(crate) pictures: BTreeMap<u32, Pictures>,
    /// What showed that races are harmful, of those that were replayed themselves.
    pub(crate) harms: BTreeMap<u32, Harm>,
    /// Requests of the recorded order that the recording cannot answer.
    pub(crate) missing: Vec<String>,
}

impl Found {
    /// What was shown so far, for the progress.
    fn counted(&self) -> String {
        let shown = self.evidence.values().filter(|entry| entry.is_harmful()).count();
        format!("{shown} of {} shown to be harmful", self.evidence.len())
    }

    /// What is known of races if the recorded order could not be replayed.
    fn unstable(races: &[u32], why: &str) -> Self {
        let entry = ReplayEntry {
            verdict: Verdict::Unstable.name().into(),
            notes: vec![format!("the recorded order could not be replayed: {why}")],
            ..ReplayEntry::default()
        };
        let evidence = races.iter().map(|&race| (race, entry.clone())).collect();
        Self { replayed: races.to_vec(), evidence, ..Self::default() }
    }
}

/// The replays that a report asks for.
pub(crate) struct Asked<'a> {
    /// How many open groups are replayed.
    pub(crate) most: usize,
    /// How many seconds they may take.
    pub(crate) budget: f64,
    pub(crate) browser: Option<PathBuf>,
    /// What the recording does not keep.
    pub(crate) given: &'a GivenArgs,
    /// The folder for pictures.
    pub(crate) folder: Option<&'a Path>,
    /// Whether the report contains the pictures.
    pub(crate) embeds: bool,
}

/// Replays the first open groups of a recording, and weighs what that shows in its report.
pub(crate) fn weigh(
    analysis: &Analysis,
    report: &mut Report,
    path: &Path,
    asked: &Asked<'_>,
) -> Result<()> {
    let budget = seconds("--replay-budget", asked.budget)?;
    let session = session(path)?;
    browser::find(asked.browser.as_deref())?;
    let choice = Choice::Top(asked.most);
    let supplied = Supplied::of(asked.given, &session, path)?;
    let place = Place { browser: asked.browser.clone(), ..Place::default() };
    let (tries, schedule) = (TRIES, None);
    let options = Options { choice, budget, tries, schedule, place, supplied };
    let mut found = replay(analysis, report, session, &options)?;
    if let Some(folder) = asked.folder {
        found.draw(folder)?;
    } else if asked.embeds {
        found.embed();
    }
    report.weigh(found.evidence);
    Ok(())
}

/// Reads the session of a recording.
pub(crate) fn session(path: &Path) -> Result<Session> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let payload = codec::native::session(file).with_context(|| format!("cannot read {name}"))?;
    let Some(payload) = payload else {
        bail!(
            "{name} keeps nothing that a replay needs; record the page with `interloper record web`, \
             without --no-bodies, and let the recording end"
        );
    };
    let session = Session::read(&payload).map_err(|why| anyhow!("{name}: {why}"))?;
    if session.exchanges.iter().all(|exchange| exchange.body.is_empty()) {
        bail!("{name} was recorded with --no-bodies, so a replay has nothing to answer with");
    }
    Ok(session)
}

/// Replays races of an analysed recording.
pub(crate) fn replay(
    analysis: &Analysis,
    report: &Report,
    session: Session,
    options: &Options,
) -> Result<Found> {
    let until = Instant::now() + options.budget;
    let leads = match options.choice {
        Choice::Race(id) => vec![id],
        Choice::Top(most) => {
            let open = report.open_problems();
            open.iter().take(most).map(|problem| problem.lead.id).collect()
        }
    };
    let guesses = match options.choice {
        Choice::Race(_) => Vec::new(),
        Choice::Top(most) => guesses(report, most),
    };
    let Some(order) = analysis.order().filter(|_| leads.len() + guesses.len() > 0) else {
        return Ok(Found::default());
    };
    let stop = Stop::new().context("cannot wait for signals")?;
    let supplied = options.supplied.clone();
    let runner = Runner::new(session, options.place.clone(), supplied, stop.flag());
    let mut progress = Progress::new();
    progress.say("replaying the recorded order");
    let same = match runner.twice(&Schedule::new("", None, 1), None) {
        Ok(same) => same,
        Err(error) if runner.is_stopped() => return Err(error),
        Err(error) => return Ok(Found::unstable(&leads, &format!("{error:#}"))),
    };
    let missing = same[0].missing.clone();
    let tasks = Recorded::new(analysis.trace(), runner.session());
    let found = Found { missing, ..Found::default() };
    let pairs = HashMap::new();
    let mut work = Work {
        options,
        analysis,
        report,
        order: &order,
        runner: &runner,
        tasks,
        same,
        until,
        pairs,
        found,
        progress,
    };
    for (n, lead) in leads.iter().enumerate() {
        let (number, all) = (n + 1, leads.len());
        work.progress.say(&format!("replaying race {number} of {all}: {}", work.found.counted()));
        work.follow(*lead, true);
    }
    for lead in guesses {
        work.progress.say("replaying races that a label hides");
        work.follow(lead, false);
    }
    work.progress.clear();
    work.share();
    Ok(work.found)
}

/// The leading races of groups that only a guess hides.
fn guesses(report: &Report, most: usize) -> Vec<u32> {
    let is_guess = |race: &RaceEntry| {
        race.hiding_labels().iter().all(|label| GUESSES.contains(label)) && !race.is_brief
    };
    let problems = report.problems().into_iter();
    let hidden =
        problems.filter(|problem| problem.standing == Standing::Hidden && is_guess(problem.lead));
    hidden.take(most).map(|problem| problem.lead.id).collect()
}

/// What the replays of one race have shown.
struct Concluded {
    entry: ReplayEntry,
    pictures: Option<Pictures>,
    harm: Option<Harm>,
}

/// Two tasks that replays turn round.
type Pair = (EventId, EventId);

/// Replays in progress.
struct Work<'a> {
    options: &'a Options,
    analysis: &'a Analysis,
    report: &'a Report,
    order: &'a dyn HappensBefore,
    runner: &'a Runner,
    tasks: Recorded<'a>,
    /// The replays in the recorded order.
    same: [Ran; 2],
    until: Instant,
    /// The verdict on each pair.
    pairs: HashMap<Pair, ReplayEntry>,
    found: Found,
    progress: Progress,
}

impl Work<'_> {
    fn race(&self, id: u32) -> Option<&RaceEntry> {
        let races = &self.report.races;
        races.binary_search_by_key(&id, |race| race.id).ok().map(|at| &races[at])
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until || self.runner.is_stopped()
    }

    /// Replays a race, and unless that shows harm the other races of its group and those that it covers. If
    /// there is no time left, the race is `untried` if it `must` have a verdict.
    fn follow(&mut self, lead: u32, must: bool) {
        let mut done: BTreeSet<Pair> = BTreeSet::new();
        for id in [vec![lead], self.followers(lead)].concat() {
            let Some(race) = self.race(id) else { continue };
            if self.found.evidence.contains_key(&id) {
                continue;
            }
            if !must && self.is_beyond_people(race) {
                continue;
            }
            let Some(pair) = self.pair(race) else {
                if id == lead && must {
                    self.note(id, entry::untried("its accesses are not in the analysis"));
                }
                continue;
            };
            let known = self.pairs.get(&pair).cloned();
            if known.is_none() && (done.len() == FOLLOWED || self.is_over()) {
                if id == lead && must {
                    let why = "there was no time left; --budget S gives more";
                    self.note(id, entry::untried(why));
                }
                continue;
            }
            done.insert(pair);
            let entry = known.unwrap_or_else(|| self.judge(id));
            let is_harmful = entry.is_harmful();
            self.pairs.insert(pair, entry.clone());
            self.note(id, entry);
            if is_harmful {
                return;
            }
        }
    }

    /// Whether a race is hidden because an input comes before its handler, and nobody is so quick.
    fn is_beyond_people(&self, race: &RaceEntry) -> bool {
        let operations = self.analysis.operation(race.first.op);
        let operations = operations.zip(self.analysis.operation(race.second.op));
        let plan = operations.and_then(|both| self.tasks.plan(self.order, both).ok());
        let held = plan.as_ref().and_then(|plan| plan.flips.first());
        race.hiding_labels().contains(&Label::LateHandler)
            && held.is_some_and(|hold| entry::is_brief(race, &hold.control))
    }

    fn note(&mut self, id: u32, entry: ReplayEntry) {
        self.found.replayed.push(id);
        self.found.evidence.insert(id, entry);
    }

    /// The other open races of a race's group, and the races that it covers.
    fn followers(&self, lead: u32) -> Vec<u32> {
        let Some(race) = self.race(lead) else { return Vec::new() };
        let group = self.report.groups.iter().find(|group| group.id == race.group);
        let group = group.into_iter().flat_map(|group| self.report.races_of(group));
        let open = group.filter(|race| race.is_open() && race.id != lead).map(|race| race.id);
        let covered = self.report.races.iter().filter(|race| {
            race.standing() == Standing::Covered && race.covered_by == [lead] && !race.is_brief
        });
        open.chain(covered.map(|race| race.id)).collect()
    }

    fn pair(&self, race: &RaceEntry) -> Option<Pair> {
        let first = self.analysis.operation(race.first.op)?;
        self.tasks.pair(self.order, (first, self.analysis.operation(race.second.op)?))
    }

    /// Gives the evidence of each pair to all open races of that pair.
    fn share(&mut self) {
        let open = self.report.races.iter().filter(|race| race.is_open());
        for race in open {
            if self.found.evidence.contains_key(&race.id) {
                continue;
            }
            let shared = self.pair(race).and_then(|pair| self.pairs.get(&pair));
            if let Some(entry) = shared.filter(|entry| entry.verdict != "untried") {
                self.found.evidence.insert(race.id, entry.clone());
            }
        }
    }

    /// Replays one race.
    fn judge(&mut self, id: u32) -> ReplayEntry {
        let Some(race) = self.race(id) else { return entry::untried("there is no such race") };
        match self.replayed(race) {
            Ok(Concluded { entry, pictures, harm }) => {
                self.found.pictures.extend(pictures.map(|pictures| (id, pictures)));
                self.found.harms.extend(harm.map(|harm| (id, harm)));
                entry
            }
            Err(why) => entry::untried(&format!("{why:#}")),
        }
    }

    fn replayed(&self, race: &RaceEntry) -> Result<Concluded> {
        let began = Instant::now();
        let trace = self.analysis.trace();
        let operations = self.analysis.operation(race.first.op);
        let operations = operations.zip(self.analysis.operation(race.second.op));
        let operations = operations.context("its accesses are not in the analysis")?;
        let plan = match self.tasks.plan(self.order, operations) {
            Ok(plan) => plan,
            Err(why) => {
                let entry = entry::untried(&why.to_string());
                return Ok(Concluded { entry, pictures: None, harm: None });
            }
        };
        let location = trace.op(operations.0).access().map(|(location, _)| location);
        let location = location.map(|location| trace.names().locations.get(location));
        let location = String::from_utf8_lossy(location.unwrap_or_default()).into_owned();
        let again;
        let mut kept: Vec<&Ran> = self.same.iter().filter(|ran| ran.keeps(&plan)).collect();
        if kept.len() < self.same.len()
            && let Some(keep) = &plan.keep
        {
            again = self.runner.twice(&Schedule::new("", Some(keep), 1), None)?;
            kept = again.iter().filter(|ran| ran.keeps(&plan)).collect();
        }
        let watched = Watched { plan: &plan, location: &location };
        let search = match &self.options.schedule {
            Some(schedule) => vec![schedule.clone()],
            None => plan.search(&race.fingerprint, self.options.tries),
        };
        let mut tried = Tried::default();
        for schedule in &search {
            if !tried.flips.is_empty() && (began.elapsed() > PAIR || self.is_over()) {
                tried.is_cut = true;
                break;
            }
            let flips = self.runner.twice(schedule, Some(watched))?;
            let count = flips.iter().filter(|ran| ran.outcome(&plan).is_flipped).count();
            tried.add(schedule, flips.into(), count);
            if count == 2 {
                break;
            }
        }
        Ok(Self::concluded(race, &plan, &kept, tried))
    }

    /// What the replays of one race have shown.
    fn concluded(race: &RaceEntry, plan: &Plan, kept: &[&Ran], tried: Tried) -> Concluded {
        let Tried { schedule, flips, is_cut, .. } = tried;
        let held = schedule.as_ref().and_then(|schedule| schedule.holds.first());
        let same: Vec<_> = kept.iter().map(|ran| ran.seen.clone()).collect();
        let outcomes: Vec<_> = flips.iter().map(|ran| ran.outcome(plan)).collect();
        let mut judged = judge(&same, &outcomes);
        let is_unsure = is_cut && judged.verdict == Verdict::Infeasible;
        if is_unsure {
            judged = Judgement::without(Verdict::Diverged);
        }
        let all = |side: fn(&Ran, usize) -> bool, at: usize| flips.iter().all(|ran| side(ran, at));
        if plan.input.is_some_and(|side| all(|ran, side| ran.witness.shows[side], side)) {
            judged.answered();
        }
        let mut entry = entry::entry(race, plan, held, &judged);
        entry.guarded =
            judged.verdict == Verdict::Harmful && all(|ran, side| !ran.witness.accesses[side], 1);
        if is_unsure {
            entry.notes.push(
                "the second event waited for the first, and there was no time to try more".into(),
            );
        }
        let approximate: usize = flips.iter().map(|ran| ran.approximate).max().unwrap_or_default();
        if approximate > 0 {
            let requests = if approximate == 1 { "request" } else { "requests" };
            entry.notes.push(format!(
                "approximate: {approximate} {requests} got another answer than their own"
            ));
        }
        if let Some(held) = &mut entry.held {
            held.ms = flips.iter().map(|ran| ran.held_for).max();
        }
        let runs = kept.iter().copied().chain(&flips);
        entry.runs = runs.map(|ran| ran.entry.clone()).collect();
        let is_harmful = judged.verdict == Verdict::Harmful && !judged.is_bad_as_recorded();
        let before = kept.first().and_then(|ran| ran.picture.clone());
        let after = flips.into_iter().find_map(|ran| ran.picture);
        let pictures = before.zip(after).filter(|_| judged.verdict == Verdict::Harmful);
        let changed = judged.changed;
        let pictures = pictures.map(|(recorded, flipped)| Pictures { recorded, flipped, changed });
        let harm = held.cloned().zip(schedule).filter(|_| is_harmful);
        let differences = judged.differences;
        let harm = harm.map(|(hold, schedule)| Harm { hold, differences, schedule });
        Concluded { entry, pictures, harm }
    }
}

/// What was tried to turn the events of a race round.
#[derive(Default)]
struct Tried {
    /// The schedule that turned them round most often.
    schedule: Option<Schedule>,
    /// How often it did, of two runs.
    count: usize,
    /// Its runs, or all runs as long as the events were never turned round.
    flips: Vec<Ran>,
    /// Whether there was no time for all that was to be tried.
    is_cut: bool,
}

impl Tried {
    /// Takes note of the runs of a schedule, so many of which turned the events round.
    fn add(&mut self, schedule: &Schedule, flips: Vec<Ran>, count: usize) {
        if count > self.count || self.schedule.is_none() {
            *self = Tried { schedule: Some(schedule.clone()), count, flips, is_cut: false };
        } else if count == 0 && self.count == 0 {
            self.flips.extend(flips);
        }
    }
}

impl Runner {
    /// Runs the page twice at a time by a schedule.
    fn twice(&self, schedule: &Schedule, watched: Option<Watched<'_>>) -> Result<[Ran; 2]> {
        thread::scope(|scope| {
            let other = scope.spawn(|| self.run(schedule, watched));
            let one = self.run(schedule, watched);
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok([one?, other?])
        })
    }
}

/// Runs the page of a recording in a window with the events of a race in the other order, and leaves it there.
pub(crate) fn keep_open(session: Session, options: &Options, schedule: &Schedule) -> Result<()> {
    let stop = Stop::new().context("cannot wait for signals")?;
    let runner = Runner::new(session, options.place.clone(), options.supplied.clone(), stop.flag());
    runner.keep_open(schedule)
}
