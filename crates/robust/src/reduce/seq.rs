//! Asynchronous to sequential (Section 6.3): `seq`.
//!
//! The single-thread semantics runs the posts of a task after the task, in order, each followed by
//! its own posts. So a post is kept until the task's end and called there. A post executes at most
//! once in a task (posts in loops are rejected before), and the posts of a task execute in textual
//! order, with called procedures expanded in place. So the list of the paper becomes one flag and
//! one copy of the arguments for each post. A procedure that posts and is called is copied for each
//! call, so that each copy has posts of its own.

use std::collections::BTreeMap;

use super::build::{call, set, set_bool, set_local, when};
use super::posts::may_post;
use crate::core::{
    Block, Expr, GlobalId, Local, LocalId, Mark, ProcedureId, Program, Stmt, StmtKind, Type,
    for_each_stmt, has_return,
};
use crate::lang::error::{Error, TOO_LARGE};

/// The largest number of procedures, copies included.
const MAX_PROCEDURES: usize = 5_000;

/// `source` without `async`: the same traces, post and dispatch labels aside (Theorem 6).
///
/// `source` must post a bounded number of times per activation
/// ([`unbounded_posts`](super::unbounded_posts)).
pub fn seq(source: &Program) -> Result<Program, Error> {
    let mut seq = Seq { source, posts: may_post(source), out: source.clone(), copied: Vec::new() };
    seq.copied = vec![false; source.procedures.len()];
    for task in tasks(source) {
        seq.task(task)?;
    }
    Ok(prune(&seq.out))
}

/// The procedures that run as tasks.
fn tasks(program: &Program) -> Vec<ProcedureId> {
    let mut tasks: Vec<ProcedureId> =
        program.instances.iter().map(|instance| instance.procedure).collect();
    for procedure in &program.procedures {
        for_each_stmt(&procedure.body, &mut |stmt| {
            if let StmtKind::Async(_, target, _) = &stmt.kind {
                tasks.push(*target);
            }
        });
    }
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}

/// One post of a task: the procedure that it calls, and the variables of its flag and arguments.
struct Post {
    target: ProcedureId,
    flag: GlobalId,
    args: Vec<(GlobalId, Type)>,
}

struct Seq<'p> {
    source: &'p Program,
    posts: Vec<bool>,
    out: Program,
    /// Whether the first copy of each procedure has taken its place in `out`.
    copied: Vec<bool>,
}

impl Seq<'_> {
    /// Rewrites a task: its body, followed by the calls of its posts.
    fn task(&mut self, id: ProcedureId) -> Result<(), Error> {
        if !self.posts[id.index()] {
            return Ok(());
        }
        let mut posts = Vec::new();
        let source = self.source.procedure(id);
        let (mut block, mut locals) = if has_return(&source.body) {
            let body = self.copy(id, id, &mut posts)?;
            let args = (0..source.params).map(|index| Expr::local(LocalId::new(index)));
            (vec![call(body, args.collect())], source.locals[..source.params].to_vec())
        } else {
            (self.block(&source.body, id, &mut posts)?, source.locals.clone())
        };
        let mut add = |name: String, ty| {
            locals.push(Local { name, ty });
            LocalId::new(locals.len() - 1)
        };
        let mut calls = Vec::new();
        for (number, post) in posts.iter().enumerate() {
            let flag = add(format!("$post{}", number + 1), Type::Bool);
            block.push(set_local(flag, Expr::global(post.flag)));
            block.push(set_bool(post.flag, false));
            let mut args = Vec::new();
            for (index, (arg, ty)) in post.args.iter().enumerate() {
                let local = add(format!("$post{}$arg{index}", number + 1), *ty);
                block.push(set_local(local, Expr::global(*arg)));
                block.push(set(*arg, Expr::Const(ty.default_value(), *ty)));
                args.push(Expr::local(local));
            }
            let run = call(post.target, args).marked(Mark::Task);
            calls.push(when(Expr::local(flag), vec![run]));
        }
        block.extend(calls);
        let procedure = &mut self.out.procedures[id.index()];
        procedure.locals = locals;
        procedure.body = block;
        Ok(())
    }

    /// A copy of a procedure that posts, for one place where it runs in task `task`.
    fn copy(
        &mut self,
        id: ProcedureId,
        task: ProcedureId,
        posts: &mut Vec<Post>,
    ) -> Result<ProcedureId, Error> {
        let source = self.source.procedure(id);
        if self.out.procedures.len() >= MAX_PROCEDURES {
            let message = format!("`{}` is called in too many places", source.name);
            let advice = "post from fewer nested procedures";
            return Err(Error::new(&TOO_LARGE, source.span, message, advice));
        }
        let is_task = id == task;
        let name = if is_task || self.copied[id.index()] {
            format!("{}${}", source.name, self.out.procedures.len())
        } else {
            source.name.clone()
        };
        if !is_task {
            self.copied[id.index()] = true;
        }
        let copy = self.out.add_procedure(name, source.params, source.locals.clone(), source.span);
        let body = self.block(&source.body, task, posts)?;
        self.out.procedures[copy.index()].body = body;
        Ok(copy)
    }

    fn block(
        &mut self,
        block: &Block,
        task: ProcedureId,
        posts: &mut Vec<Post>,
    ) -> Result<Block, Error> {
        let mut out = Vec::new();
        for stmt in block {
            let kind = match &stmt.kind {
                StmtKind::Async(_, target, args) => {
                    let post = self.post(*target, task, posts.len());
                    out.push(set_bool(post.flag, true));
                    for (value, (arg, _)) in args.iter().zip(&post.args) {
                        out.push(set(*arg, value.clone()));
                    }
                    posts.push(post);
                    continue;
                }
                StmtKind::Call(callee, args) if self.posts[callee.index()] => {
                    StmtKind::Call(self.copy(*callee, task, posts)?, args.clone())
                }
                StmtKind::If(condition, then, otherwise) => StmtKind::If(
                    condition.clone(),
                    self.block(then, task, posts)?,
                    self.block(otherwise, task, posts)?,
                ),
                StmtKind::While(condition, body) => {
                    StmtKind::While(condition.clone(), self.block(body, task, posts)?)
                }
                kind => kind.clone(),
            };
            out.push(Stmt { kind, ..*stmt });
        }
        Ok(out)
    }

    fn post(&mut self, target: ProcedureId, task: ProcedureId, number: usize) -> Post {
        let name = format!("${}$post{}", self.source.procedure(task).name, number + 1);
        let procedure = self.source.procedure(target);
        let types: Vec<Type> =
            procedure.locals[..procedure.params].iter().map(|local| local.ty).collect();
        let args = types
            .into_iter()
            .enumerate()
            .map(|(index, ty)| (self.out.add_global(format!("{name}$arg{index}"), ty), ty))
            .collect();
        Post { target, flag: self.out.add_flag(name), args }
    }
}

/// The procedures the instances can reach, renumbered.
fn prune(program: &Program) -> Program {
    let mut kept: BTreeMap<ProcedureId, ProcedureId> = BTreeMap::new();
    let mut order: Vec<ProcedureId> = Vec::new();
    let mut work: Vec<ProcedureId> =
        program.instances.iter().rev().map(|instance| instance.procedure).collect();
    while let Some(id) = work.pop() {
        if kept.contains_key(&id) {
            continue;
        }
        kept.insert(id, ProcedureId::new(order.len()));
        order.push(id);
        for_each_stmt(&program.procedure(id).body, &mut |stmt| {
            if let StmtKind::Call(callee, _) = &stmt.kind {
                work.push(*callee);
            }
        });
    }
    let mut out = program.clone();
    out.procedures = order.iter().map(|id| program.procedure(*id).clone()).collect();
    for procedure in &mut out.procedures {
        renumber(&mut procedure.body, &kept);
    }
    for instance in &mut out.instances {
        instance.procedure = kept[&instance.procedure];
    }
    out
}

fn renumber(block: &mut Block, kept: &BTreeMap<ProcedureId, ProcedureId>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Call(callee, _) => *callee = kept[callee],
            StmtKind::If(_, then, otherwise) => {
                renumber(then, kept);
                renumber(otherwise, kept);
            }
            StmtKind::While(_, body) => renumber(body, kept),
            _ => {}
        }
    }
}
