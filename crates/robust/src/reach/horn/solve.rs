//! Runs the `z3` program.

/// The solver's answer about a set of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The clauses are satisfiable: the error cannot be reached.
    Safe,
    /// The clauses are unsatisfiable: the error can be reached.
    Unsafe,
    /// The solver did not decide, for this reason.
    Unknown(String),
}

/// Runs no solver, because the feature `z3` is off.
#[cfg(not(feature = "z3"))]
pub fn solve(_: &str, _: u32) -> Answer {
    let reason = "this build has no solver for Horn clauses (cargo feature `z3`); \
                  use `--emit smt` and run one on the output";
    Answer::Unknown(reason.into())
}

/// Runs `z3` on `smt` for at most `seconds`.
#[cfg(feature = "z3")]
pub fn solve(smt: &str, seconds: u32) -> Answer {
    match run(smt, seconds) {
        Ok(answer) => answer,
        Err(error) => Answer::Unknown(format!(
            "`z3` could not be run ({error}); install it, or use `--emit smt` and another solver"
        )),
    }
}

#[cfg(feature = "z3")]
fn run(smt: &str, seconds: u32) -> std::io::Result<Answer> {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    let mut child = Command::new("z3")
        // Proof obligations are kept general: ground ones make Spacer count integers one by one.
        .args(["-in", "fp.spacer.ground_pobs=false", &format!("-T:{seconds}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().expect("standard input is piped");
    // A solver that gives up early closes its input, but its output is still useful.
    let written = input.write_all(smt.as_bytes());
    drop(input);
    let mut output = String::new();
    child.stdout.take().expect("standard output is piped").read_to_string(&mut output)?;
    child.wait()?;
    Ok(match output.lines().next().map(str::trim) {
        Some("sat") => Answer::Safe,
        Some("unsat") => Answer::Unsafe,
        Some("timeout") => Answer::Unknown(format!("Z3 did not decide within {seconds} s")),
        Some(other) => Answer::Unknown(format!("Z3 answered `{}`", other.escape_debug())),
        None => {
            written?;
            Answer::Unknown("Z3 said nothing".into())
        }
    })
}
