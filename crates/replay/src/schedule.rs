//! A schedule: what one replay holds back, and until when. A schedule that was written can be run again.

use serde::{Deserialize, Serialize};

use crate::control::{Control, Hold};
use crate::plan::Plan;

/// The name of the form.
const SCHEMA: &str = "interloper-schedule/1";
/// How many times longer than usual the last try of a search waits.
const PATIENT: u32 = 10;

/// What a replay holds back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Always `interloper-schedule/1`.
    schema: String,
    /// The fingerprint of the race whose events the replay turns round; empty in the recorded order.
    #[serde(default)]
    pub race: String,
    /// What is held. The first hold turns the events round. Nothing is held in the recorded order.
    #[serde(default)]
    pub holds: Vec<Hold>,
    /// How many times longer than usual nothing may happen before something is let go.
    #[serde(default)]
    pub patience: u32,
}

impl Schedule {
    /// Returns the schedule that holds something for the sake of a race, or nothing.
    pub fn new(race: &str, hold: Option<&Hold>, patience: u32) -> Schedule {
        let holds = hold.cloned().into_iter().collect();
        Schedule { schema: SCHEMA.to_owned(), race: race.to_owned(), holds, patience }
    }

    /// Reads a schedule. The error is a sentence.
    pub fn read(bytes: &[u8]) -> Result<Schedule, String> {
        let schedule: Schedule = serde_json::from_slice(bytes)
            .map_err(|error| format!("the schedule cannot be read: {error}"))?;
        if schedule.schema != SCHEMA {
            return Err(format!("the file has schema {:?}, not {SCHEMA:?}", schedule.schema));
        }
        Ok(schedule)
    }

    /// Whether a task is held in the page, which may clear it.
    pub fn holds_task(&self) -> bool {
        matches!(self.holds.first(), Some(Hold { control: Control::Task(_), .. }))
    }

    /// Returns the text of the schedule.
    pub fn write(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("it has only text and numbers");
        format!("{text}\n")
    }
}

impl Plan {
    /// The schedules of a search for a replay that turns the events of a race round, in the order in which they are
    /// tried: first the nearest control, then what caused the first event, and at last the nearest control again
    /// with more patience.
    pub fn search(&self, race: &str, tries: usize) -> Vec<Schedule> {
        let holds = self.flips.iter().map(|hold| (hold, 1));
        let patient = self.flips.first().map(|hold| (hold, PATIENT));
        let all = holds.chain(patient).take(tries.max(1));
        all.map(|(hold, patience)| Schedule::new(race, Some(hold), patience)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Place;

    #[test]
    fn a_schedule_is_read_back_and_other_files_are_refused() {
        let hold = |control| Hold { control, until: "click:a#1".into() };
        let url = || "http://h/".to_owned();
        for control in [
            Control::Answer { method: "GET".into(), url: url(), nth: 1 },
            Control::Inline { document: "index.html".into(), nth: 0 },
            Control::Gate { url: url(), nth: 0, place: Place::Element("p#a".into()) },
            Control::Gate { url: url(), nth: 0, place: Place::Load },
            Control::Task("script:a#1/timers#2".into()),
            Control::Step(3),
        ] {
            let schedule = Schedule::new("f", Some(&hold(control)), 10);
            assert_eq!(Schedule::read(schedule.write().as_bytes()), Ok(schedule));
        }
        for text in ["", "{}", "{\"schema\":\"interloper-schedule/9\"}"] {
            assert!(Schedule::read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_search_ends_with_the_nearest_control_and_more_patience() {
        let hold = |step| Hold { control: Control::Step(step), until: "x#1".into() };
        let plan = Plan {
            first: "a#1".into(),
            second: "x#1".into(),
            flips: vec![hold(0), hold(1)],
            keep: None,
            input: None,
            alike: Vec::new(),
        };
        let tried = |tries| -> Vec<(Vec<Hold>, u32)> {
            let search = plan.search("f", tries).into_iter();
            search.map(|schedule| (schedule.holds, schedule.patience)).collect()
        };
        let all = [(vec![hold(0)], 1), (vec![hold(1)], 1), (vec![hold(0)], PATIENT)];
        assert_eq!(tried(5), all);
        assert_eq!(tried(1), all[..1]);
    }
}
