//! Programs of the shape of the paper's Tables 1 and 2: up to 6 events, 12 tasks, 12 Boolean
//! globals and 400 accesses.

use std::fmt::Write;

/// How a program of the paper's shape shares its variables.
#[derive(Clone, Copy, Debug)]
pub enum Sharing {
    /// Every task may access every variable, so a violation is easy to find.
    Everything,
    /// Event handlers access every variable, other tasks only those of their event. Handlers run
    /// one at a time on the main thread, so both criteria may hold, which needs a proof.
    Handlers,
    /// Each event has variables of its own and its tasks run one after the other.
    Nothing,
}

/// A program with `events` events of `tasks / events` tasks each and about `accesses` accesses.
pub fn paper_shape(
    rng: &mut fastrand::Rng,
    sharing: Sharing,
    (events, tasks, accesses, variables): (usize, usize, usize, usize),
) -> String {
    let mut out = String::new();
    for variable in 0..variables {
        writeln!(out, "var x{variable};").expect("writing to a string");
    }
    let per_event = tasks / events;
    let per_task = accesses / tasks;
    for event in 0..events {
        for task in 0..per_event {
            writeln!(out, "procedure p{event}_{task}() {{\nvar y, z;")
                .expect("writing to a string");
            for _ in 0..per_task / 2 {
                let mut pick = || variable(rng, sharing, (event, task), (events, variables));
                let (read, write) = (pick(), pick());
                match rng.usize(..4) {
                    0 => writeln!(
                        out,
                        "y := x{read};\nif y {{ x{write} := {}; }} else {{ x{write} := z; }}",
                        rng.bool()
                    ),
                    1 => writeln!(out, "z := x{read};\nx{write} := !z;"),
                    2 => writeln!(
                        out,
                        "y := x{read};\nz := x{read};\nif y && z {{ x{write} := false; }}"
                    ),
                    _ => writeln!(out, "y := x{read};\nx{write} := y;"),
                }
                .expect("writing to a string");
            }
            if task + 1 < per_event {
                let on = if task % 2 == 0 { "any" } else { "main" };
                writeln!(out, "async[{on}] p{event}_{}();", task + 1).expect("writing to a string");
            }
            out.push_str("}\n");
        }
    }
    out.push_str("driver {\n");
    for event in 0..events {
        writeln!(out, "e{event}: p{event}_0;").expect("writing to a string");
    }
    out.push_str("}\n");
    out
}

fn variable(
    rng: &mut fastrand::Rng,
    sharing: Sharing,
    (event, task): (usize, usize),
    (events, variables): (usize, usize),
) -> usize {
    let shared = variables / 2;
    match sharing {
        Sharing::Everything => rng.usize(..variables),
        Sharing::Handlers if task == 0 => rng.usize(..shared),
        Sharing::Handlers => shared + event * (variables - shared) / events,
        Sharing::Nothing => event * variables / events,
    }
}
