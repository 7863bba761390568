//! `record web --live`: analyses a recording while it is made.
//!
//! The bytes of the recording go to the file, if there is one, and to a thread that reads them with
//! engine `stream`. When many of them wait, the recorder waits too, so memory stays bounded.

use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use analysis::{Engine, Request, Source};
use anyhow::{Context, Result, bail};
use codec::Format;
use report::Report;

use crate::analyse;
use crate::cli::CheckArgs;
use crate::config::Config;
use crate::watch::Watch;

/// How many writes of the recorder may wait to be analysed.
const WAITING: usize = 64;

/// Where a recording is written: its file, and the thread that analyses it.
pub(super) struct Feed {
    file: Option<File>,
    chunks: Option<SyncSender<Vec<u8>>>,
}

impl Feed {
    /// A recording that is written to a file only.
    pub(super) fn file(file: File) -> Self {
        Self { file: Some(file), chunks: None }
    }
}

impl Write for Feed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        if let Some(chunks) = &self.chunks {
            let ended = |_| io::Error::new(io::ErrorKind::BrokenPipe, "the analysis has ended");
            chunks.send(bytes.to_vec()).map_err(ended)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

/// The bytes of a recording, as they are written. They end when the recorder drops its end.
struct Chunks {
    chunks: Receiver<Vec<u8>>,
    chunk: Cursor<Vec<u8>>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.chunks.recv() {
                Ok(chunk) => self.chunk = Cursor::new(chunk),
                Err(_) => return Ok(0),
            }
        }
    }
}

/// A recording that is analysed while it is made.
pub(super) struct Live {
    args: CheckArgs,
    analysis: JoinHandle<Result<(Report, Config)>>,
}

impl Live {
    /// Checks whether a page can be analysed while it runs.
    pub(super) fn check(args: &CheckArgs) -> Result<()> {
        if args.report.model.engine.is_some_and(|engine| engine != Engine::Stream) {
            bail!("--live needs --engine stream, which is its default");
        }
        let config = Config::load(&args.report.config, &args.report.suppress)?;
        let request = analyse::request(&args.report.model, args.report.pairs, &config);
        let request = Request { engine: Some(Engine::Stream), ..request };
        request.check().map_err(|error| analyse::failure(&args.input.trace, error))
    }

    /// Starts the analysis. Returns it, and where the recording is to be written.
    pub(super) fn start(args: CheckArgs, file: Option<File>) -> Result<(Self, Feed)> {
        let (sender, chunks) = sync_channel(WAITING);
        let of_thread = args.clone();
        let analysis = thread::Builder::new()
            .name("analysis".to_owned())
            .spawn(move || analyse(&of_thread, Chunks { chunks, chunk: Cursor::default() }))
            .context("cannot start a thread")?;
        Ok((Self { args, analysis }, Feed { file, chunks: Some(sender) }))
    }

    /// Waits for the end of the analysis. Returns its report, its configuration and the arguments of
    /// `check`.
    pub(super) fn join(self) -> Result<(Report, Config, CheckArgs)> {
        let (report, config) = match self.analysis.join() {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        Ok((report, config, self.args))
    }
}

fn analyse(args: &CheckArgs, bytes: Chunks) -> Result<(Report, Config)> {
    let config = Config::load(&args.report.config, &args.report.suppress)?;
    let watch = Watch::new(args.report.verbose).live();
    let report = {
        let request = analyse::request(&args.report.model, args.report.pairs, &config);
        let request = Request { engine: Some(Engine::Stream), live: true, ..request };
        let source = Source::pipe(bytes, Some(Format::Native));
        let analysis = analyse::run(source, &request, &watch)
            .map_err(|error| analyse::failure(Path::new(&args.input.trace), error))?;
        watch.clear();
        analyse::report(&analysis, &config, &args.report)
    };
    Ok((report, config))
}
