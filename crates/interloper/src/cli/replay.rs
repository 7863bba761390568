//! The arguments of `interloper replay`.

use std::path::PathBuf;

use clap::Args;

use super::check::GivenArgs;
use super::{AnswerFormat, ConfigArgs, LearnedArgs, SuppressArgs};
use crate::replays::TRIES;

/// Run a recorded page again with the two events of a race in the other order, and show what changes.
///
/// Replays the first open groups of a recording that `interloper record web` made. The page runs in a
/// browser of its own, without a network: the recording's own answers are given again. Each race is
/// replayed twice in the recorded order and twice in the other one, in which the first event is held
/// back until the second is over; a difference counts if it is repeated. See docs/replay.md.
///
/// Exit status: 0 no race was shown to be harmful, 1 some race was, 2 the recording could not be
/// replayed, 3 nothing was shown to be harmful and some race could not be decided.
#[derive(Args)]
#[command(after_help = "Examples:
  interloper replay
      Replay the newest recording of this folder.
  interloper replay buy.ilt --top 5
      Replay its first five open groups.
  interloper replay buy.ilt --race 12
      Replay one race, by its number or fingerprint.
  INTERLOPER_SECRET_PASSWORD=… interloper replay login.ilt
      Replay a login: a recording does not keep what was typed into a password field.
  interloper replay buy.ilt --race 12 --keep-open
      Show the race in a window, in the state to which the other order leads.
  interloper replay buy.ilt --learn learned.json
      Write what could not be turned round, for `interloper check buy.ilt --learned learned.json`.
  interloper replay buy.ilt --race 12 --emit-playwright tests/race-12.spec.ts
      Write a test for Playwright that fails as long as the race does harm.")]
pub(crate) struct ReplayArgs {
    /// The recording [default: the newest .ilt file of this folder].
    pub(crate) recording: Option<PathBuf>,
    /// The race to replay, by its number or fingerprint.
    #[arg(long, value_name = "N|FINGERPRINT", conflicts_with = "top")]
    pub(crate) race: Option<String>,
    /// How many open groups to replay.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// How many schedules to try for a pair of events, until it is turned round.
    #[arg(long, value_name = "N", default_value_t = TRIES)]
    pub(crate) tries: usize,
    /// Ask the servers, and not the recording. The steps are then really performed there, several times.
    #[arg(long)]
    pub(crate) online: bool,
    /// Run a schedule again that --runs has written, in place of a search.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["race", "top", "tries"])]
    pub(crate) schedule: Option<PathBuf>,
    /// The folder for the trace and the schedule of each run [default: none].
    #[arg(long, value_name = "DIR")]
    pub(crate) runs: Option<PathBuf>,
    /// Leave the first race that is shown to be harmful in a window: run it once more and keep the browser open,
    /// until you close it or press Ctrl-C.
    #[arg(long)]
    pub(crate) keep_open: bool,
    /// How many seconds to spend in all.
    #[arg(long, value_name = "S", default_value_t = 300.0)]
    pub(crate) budget: f64,
    /// The browser [default: chromium, chromium-browser or google-chrome, as installed].
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: GivenArgs,
    /// The folder for pictures of both orders of the races that are shown to be harmful [default: none].
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
    /// Write a test for Playwright that shows the first race which is shown to be harmful: TypeScript or
    /// JavaScript, by the ending of FILE. It is written once it has failed with the events in the other order
    /// and passed in the usual one, twice each, in the project above FILE or this folder that has
    /// @playwright/test. The server is asked if it answers, and else the recording.
    #[arg(long, value_name = "FILE")]
    pub(crate) emit_playwright: Option<PathBuf>,
    /// With --emit-playwright: write the test without running it.
    #[arg(long, requires = "emit_playwright")]
    pub(crate) unchecked: bool,
    /// Add the pairs of events that could not be turned round to a file, for --learned, and remove from it what
    /// was turned round.
    #[arg(long, value_name = "FILE")]
    pub(crate) learn: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) learned: LearnedArgs,
    /// How the verdicts are printed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
    /// Write the verdicts to a file instead of standard output. The file is complete or absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) suppress: SuppressArgs,
}
