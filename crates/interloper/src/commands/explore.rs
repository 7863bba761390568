//! `interloper explore`: shows races in the browser.

use std::fs::{self, File};
use std::io::{BufReader, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::UNIX_EPOCH;

use analysis::{Request, Source};
use anyhow::{Context, Result, anyhow, bail};
use codec::native::Screenshot;
use explorer::{Load, Run, Server, Session};
use report::Report;

use crate::cli::{ExploreArgs, ModelArgs, Pairs};
use crate::commands::check::{Shown, shell_word};
use crate::commands::{diff, explain};
use crate::config::Config;
use crate::signals::Stop;
use crate::watch::Watch;
use crate::{analyse, input, output, sources};

/// The length in bytes from which on only the part of a native file that its races need is kept in memory.
const WHOLE: u64 = 64 << 20;

/// The extensions of files that are explored if they are in a folder.
const EXTENSIONS: [&str; 4] = ["ilt", "trace", "json", "std"];

pub(crate) fn run(args: &ExploreArgs) -> Result<ExitCode> {
    explore(args, Shown::new())
}

/// Shows races in the browser, with what replays of the only file have shown.
pub(crate) fn explore(args: &ExploreArgs, shown: Shown) -> Result<ExitCode> {
    let config = Config::load(&args.config, &args.suppress)?;
    let files = files(&args.path)?;
    let is_single = files.len() == 1;
    let runs = Runs {
        files,
        source_roots: [args.source_root.as_slice(), &config.source_roots].concat(),
        model: args.model.clone(),
        config,
        shown,
    };
    let session = Session::new(runs, explain::pages());
    if is_single {
        // A file that cannot be explored is an error of the command, and not of the page.
        session.run(0).map_err(|error| anyhow!(error))?;
    }
    let server = Server::new(session, args.port).with_context(|| {
        let port = args.port;
        format!("cannot listen on port {port}; leave --port out to take a free one")
    })?;
    let stop = Stop::new().context("cannot handle signals")?;
    let address = server.address();
    output::note(format_args!("{address}\nCtrl-C ends the explorer."));
    if !args.no_open && !open(&address) {
        output::note(format_args!("No browser could be opened; open the address above yourself."));
    }
    server.serve(stop.flag()).context("the explorer cannot accept connections any more")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the files to explore.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_run = |file: &PathBuf| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        file.is_file() && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    };
    files.retain(is_run);
    files.sort();
    if files.is_empty() {
        bail!("{} has no recording (.ilt, .trace) and no JSON report", path.display());
    }
    Ok(files)
}

/// Opens an address in the user's browser. Returns whether there is one.
fn open(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let has_display = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    // starts: xdg-open
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    has_display && command.spawn().is_ok()
}

/// Returns the pictures of the page in a file, if it is a native one.
pub(crate) fn pictures(file: &File) -> Result<Vec<Screenshot>> {
    let mut file = file.try_clone()?;
    file.rewind()?;
    let pictures = codec::native::screenshots(BufReader::new(&file))?;
    file.rewind()?;
    Ok(pictures)
}

/// The files that are explored, each loaded when it is first needed.
struct Runs {
    files: Vec<PathBuf>,
    source_roots: Vec<PathBuf>,
    model: ModelArgs,
    config: Config,
    /// What replays of the only file have shown.
    shown: Shown,
}

impl Runs {
    /// Reads the report in a file, or analyses the trace in it.
    fn load_file(&self, path: &Path) -> Result<Run> {
        let sources = Box::new(sources::Allowed::new(path, &self.source_roots));
        let Some(file) = diff::trace_file(path) else {
            let bytes = input::read(path)?;
            if !Report::is_json(&bytes) {
                return self.run(path, Source::pipe(bytes.as_slice(), None), true, sources);
            }
            let report = Report::from_json(&bytes).with_context(|| input::name(path))?;
            return Ok(Run::of_report(report, sources));
        };
        let length = file.metadata()?.len();
        let pictures = pictures(&file)?;
        let run = self.run(path, Source::file(file, None)?, length < WHOLE, sources)?;
        Ok(run.with_pictures(pictures))
    }

    fn run(
        &self,
        path: &Path,
        source: Source<'_>,
        whole_trace: bool,
        sources: Box<sources::Allowed>,
    ) -> Result<Run> {
        let request = Request {
            whole_trace,
            ..analyse::request(&self.model, Pairs::default(), &self.config)
        };
        let analysis = analyse::run(source, &request, &Watch::new(false))
            .map_err(|error| analyse::failure(path, error))?;
        let mut report = Report::of(&analysis);
        analyse::suppress(&mut report, &self.config);
        if !self.shown.is_empty() {
            report.weigh(self.shown.clone());
        }
        Ok(Run::new(analysis, report, sources))
    }
}

impl Load for Runs {
    fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_owned();
        self.files
            .iter()
            .map(|path| report::name::printable(&name(path).to_string_lossy()))
            .collect()
    }

    fn version(&self, run: usize) -> Result<u64, String> {
        let path = &self.files[run];
        let read =
            fs::metadata(path).and_then(|metadata| Ok((metadata.len(), metadata.modified()?)));
        let (length, modified) = read.map_err(|error| {
            let name = input::name(path);
            format!("{name} cannot be read any more ({error}); what was read before is still shown")
        })?;
        let age = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(length.rotate_left(32) ^ age.as_nanos() as u64)
    }

    fn load(&self, run: usize) -> Result<Run, String> {
        self.load_file(&self.files[run]).map_err(|error| format!("{error:#}"))
    }

    fn command(&self, command: &str, run: usize) -> String {
        format!("interloper {command} {}", shell_word(&self.files[run].to_string_lossy()))
    }
}
