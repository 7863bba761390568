//! Which procedures post, and whether an activation posts a bounded number of times.

use crate::core::{Block, ProcedureId, Program, StmtKind, for_each_stmt};
use crate::lang::error::{Error, UNBOUNDED_ASYNC};

/// Per procedure, whether it posts, itself or through the procedures it calls.
pub(super) fn may_post(program: &Program) -> Vec<bool> {
    let mut posts = vec![false; program.procedures.len()];
    loop {
        let before = posts.clone();
        for (index, procedure) in program.procedures.iter().enumerate() {
            for_each_stmt(&procedure.body, &mut |stmt| match &stmt.kind {
                StmtKind::Async(..) => posts[index] = true,
                StmtKind::Call(callee, _) => posts[index] |= before[callee.index()],
                _ => {}
            });
        }
        if posts == before {
            return posts;
        }
    }
}

/// Every place where an activation may post without bound.
pub fn unbounded_posts(program: &Program) -> Vec<Error> {
    let check = Check { program, posts: may_post(program), calls: calls(program) };
    let mut errors = Vec::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        check.block(ProcedureId::new(index), &procedure.body, false, &mut errors);
    }
    errors
}

/// Per procedure, the procedures it calls, itself or through others.
fn calls(program: &Program) -> Vec<Vec<bool>> {
    let count = program.procedures.len();
    let mut reach = vec![vec![false; count]; count];
    for (index, procedure) in program.procedures.iter().enumerate() {
        for_each_stmt(&procedure.body, &mut |stmt| {
            if let StmtKind::Call(callee, _) = &stmt.kind {
                reach[index][callee.index()] = true;
            }
        });
    }
    for through in 0..count {
        let onward = reach[through].clone();
        for row in &mut reach {
            if row[through] {
                row.iter_mut().zip(&onward).for_each(|(to, also)| *to |= also);
            }
        }
    }
    reach
}

struct Check<'p> {
    program: &'p Program,
    posts: Vec<bool>,
    calls: Vec<Vec<bool>>,
}

impl Check<'_> {
    fn block(&self, within: ProcedureId, block: &Block, looping: bool, errors: &mut Vec<Error>) {
        const ADVICE: &str = "bound it with `repeat n { … }`, or let the engine `explore` decide";
        for stmt in block {
            match &stmt.kind {
                StmtKind::Async(_, target, _) if looping => errors.push(Error::new(
                    &UNBOUNDED_ASYNC,
                    stmt.span,
                    format!("`{}` is posted in a loop", self.program.procedure(*target).name),
                    ADVICE,
                )),
                StmtKind::Call(callee, _) if self.posts[callee.index()] => {
                    let name = &self.program.procedure(*callee).name;
                    let recursive = self.calls[callee.index()][within.index()];
                    if looping || recursive {
                        let how = if looping { "in a loop" } else { "recursively" };
                        let message = format!("`{name}`, which posts, is called {how}");
                        errors.push(Error::new(&UNBOUNDED_ASYNC, stmt.span, message, ADVICE));
                    }
                }
                StmtKind::If(_, then, otherwise) => {
                    self.block(within, then, looping, errors);
                    self.block(within, otherwise, looping, errors);
                }
                StmtKind::While(_, body) => self.block(within, body, true, errors),
                _ => {}
            }
        }
    }
}
