//! The process in which scripts are rewritten.
//!
//! A page may have a script that makes the parser overflow its stack, take all memory or run for minutes
//! ([`rewrite::apart`]). So scripts are rewritten in a process of their own, which is started for the first
//! script. A process that takes too long is ended; one that has ended is replaced for the next script. The
//! script that it was at stays as it is.

use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use record::{Rewriter, Scripts};
use rewrite::apart::{self, Code};
use rewrite::{Options, Unparsable};
use rustix::process::{Resource, Rlimit, getppid, setrlimit};

/// How long rewriting may take: so long for any script, and a second for so many bytes.
const LEAST: Duration = Duration::from_secs(5);
const BYTES_A_SECOND: usize = 200_000;

/// A script of so many bytes is rewritten in this process: it cannot nest deep or take long, and a document may
/// have thousands of handlers.
const SMALL: usize = 2000;
/// How much memory the process may take, with its stack.
const MEMORY: u64 = 3 << 30;
/// The interval at which the process checks whether the one that started it is there.
const LOOK: Duration = Duration::from_millis(500);

/// Rewrites the scripts that come through standard input, in bounded memory, as long as the process that sends
/// them is there.
pub fn rewrite_scripts() -> io::Result<()> {
    let most = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // These fail if a lower limit is set.
    let _ = setrlimit(Resource::As, most(MEMORY));
    let _ = setrlimit(Resource::Core, most(0));
    let parent = getppid();
    thread::spawn(move || {
        while getppid() == parent {
            thread::sleep(LOOK);
        }
        std::process::exit(2);
    });
    let (mut from, mut to) = (BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    apart::serve(&mut from, &mut to)
}

/// A program that calls [`rewrite_scripts`].
pub struct RewriterProgram {
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

static PROGRAM: OnceLock<RewriterProgram> = OnceLock::new();

/// Lets all later recordings of this process rewrite scripts in processes of this program. The first call
/// counts. Without a call, scripts are rewritten in this process.
pub fn rewrite_with(program: RewriterProgram) {
    // A second call changes nothing.
    let _ = PROGRAM.set(program);
}

/// The scripts of a recording, with what rewrites them.
pub(crate) fn scripts() -> Scripts {
    match PROGRAM.get() {
        Some(program) => Scripts::rewritten_by(Box::new(Apart { program, process: None })),
        None => Scripts::default(),
    }
}

/// Rewrites scripts in another process.
struct Apart {
    program: &'static RewriterProgram,
    process: Option<Process>,
}

type Answer = io::Result<Result<Code, Unparsable>>;

/// A running process, and the thread that talks to it.
struct Process {
    child: Child,
    /// Takes the messages to the process.
    asked: Sender<Vec<u8>>,
    answers: Receiver<Answer>,
}

impl Apart {
    fn process(&mut self) -> io::Result<&mut Process> {
        if self.process.is_none() {
            self.process = Some(Process::start(self.program)?);
        }
        Ok(self.process.as_mut().expect("it was started"))
    }
}

impl Rewriter for Apart {
    fn rewrite(&mut self, source: &str, options: Options<'_>) -> Result<Code, Unparsable> {
        if source.len() <= SMALL {
            return rewrite::rewrite(source, options).map(|done| (done.code, done.sites));
        }
        let failed = |message: String| Unparsable { message, line: 1, column: 1 };
        let process = self
            .process()
            .map_err(|error| failed(format!("the process that rewrites scripts: {error}")))?;
        let asked = apart::request(source, &options).map_err(|error| failed(error.to_string()))?;
        let patience = LEAST + Duration::from_secs((source.len() / BYTES_A_SECOND) as u64);
        // If the thread has ended, there is no answer either.
        let _ = process.asked.send(asked);
        match process.answers.recv_timeout(patience) {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                self.process = None;
                Err(failed("nested too deeply or too large to parse safely".to_owned()))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.process = None;
                Err(failed(format!("not parsed within {} s", patience.as_secs())))
            }
        }
    }
}

impl Process {
    fn start(program: &RewriterProgram) -> io::Result<Self> {
        // starts: own
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C in a terminal is for this process only.
        let mut child = command.stderr(Stdio::null()).process_group(0).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped")
        };
        let (asked, questions) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        thread::spawn(move || talk(to, from, &questions, &answer));
        Ok(Self { child, asked, answers })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn talk(
    mut to: ChildStdin,
    from: ChildStdout,
    asked: &Receiver<Vec<u8>>,
    answers: &Sender<Answer>,
) {
    let mut from = BufReader::new(from);
    for message in asked {
        let answer = to.write_all(&message).and_then(|()| apart::answer(&mut from));
        let is_over = answer.is_err();
        if answers.send(answer).is_err() || is_over {
            return;
        }
    }
}
