//! The processes in which the scripts of a recorded page are rewritten. They run this program, with an
//! argument that is no command.

use std::process::ExitCode;

use webrec::RewriterProgram;

/// The argument.
const ARGUMENT: &str = "--rewrite-scripts";

/// Rewrites scripts if this process is to do that, and returns its exit status. Otherwise lets recordings
/// start such processes.
pub(crate) fn serve_or_offer() -> Option<ExitCode> {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT) {
        let served = webrec::rewrite_scripts();
        return Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(2) });
    }
    // Without the program's path, as in a container without /proc, this process rewrites scripts itself.
    if let Ok(path) = std::env::current_exe() {
        webrec::rewrite_with(RewriterProgram { path, arguments: vec![ARGUMENT.to_owned()] });
    }
    None
}
