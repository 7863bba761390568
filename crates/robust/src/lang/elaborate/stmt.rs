//! Statements and procedure bodies.

use super::super::ast::{self, ExprKind};
use super::super::error::{
    DUPLICATE_NAME, OUT_OF_RANGE, TOO_LARGE, TYPE_MISMATCH, WRONG_ARGUMENTS,
};
use super::super::span::Span;
use super::expr::{Kind, Typed};
use super::{Elaborator, Entity};
use crate::core::{
    Binary, Block, Cond, Expr, Local, LocalId, ProcedureId, Stmt, StmtKind, Type, Var,
};

/// The largest number of statements of a procedure after unrolling `repeat`.
const MAX_STMTS: usize = 100_000;

/// A procedure body under construction.
pub(super) struct Body {
    locals: Vec<Local>,
    /// Names in scope, innermost last.
    scope: Vec<(String, LocalId)>,
    out: Block,
    emitted: usize,
    /// Whether only constants may be elaborated, because there is no code around.
    pub(super) constant_only: bool,
}

impl Body {
    pub(super) fn constants() -> Self {
        Self {
            locals: Vec::new(),
            scope: Vec::new(),
            out: Vec::new(),
            emitted: 0,
            constant_only: true,
        }
    }

    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, local)| *local)
    }

    pub(super) fn ty(&self, local: LocalId) -> Type {
        self.locals[local.index()].ty
    }

    /// Adds a local that no name of the source refers to.
    pub(super) fn fresh(&mut self, ty: Type) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: format!("$t{}", id.index()), ty });
        id
    }

    pub(super) fn push(&mut self, kind: StmtKind, span: Span) {
        self.extend([Stmt::new(kind, span)]);
    }

    pub(super) fn extend(&mut self, stmts: impl IntoIterator<Item = Stmt>) {
        let before = self.out.len();
        self.out.extend(stmts);
        self.emitted += self.out.len() - before;
    }
}

impl Elaborator {
    pub(super) fn procedure(&mut self, decl: &ast::Procedure) {
        let Some(Entity::Procedure(id)) = self.scope.get(&decl.name.text).cloned() else { return };
        if self.program.procedure(id).span != decl.name.span {
            return;
        }
        let locals = self.program.procedure(id).locals.clone();
        let mut body = Body { locals, constant_only: false, ..Body::constants() };
        for (index, (name, _)) in decl.params.iter().enumerate() {
            self.name_local(name, LocalId::new(index), &mut body);
        }
        self.stmts(&decl.body, &mut body);
        let procedure = &mut self.program.procedures[id.index()];
        procedure.body = body.out;
        procedure.locals = body.locals;
    }

    fn name_local(&mut self, name: &ast::Name, id: LocalId, body: &mut Body) {
        if body.local(&name.text).is_some() || self.scope.contains_key(&name.text) {
            let message = format!("`{}` already has a meaning here", name.text);
            self.error(&DUPLICATE_NAME, name.span, message, "choose another name");
        }
        body.scope.push((name.text.clone(), id));
    }

    fn stmts(&mut self, block: &ast::Block, body: &mut Body) {
        let depth = body.scope.len();
        for stmt in &block.stmts {
            self.stmt(stmt, body);
        }
        body.scope.truncate(depth);
    }

    /// The statements of `block`, apart from those of `body` so far.
    fn nested(&mut self, block: &ast::Block, body: &mut Body) -> Block {
        let outer = std::mem::take(&mut body.out);
        self.stmts(block, body);
        std::mem::replace(&mut body.out, outer)
    }

    fn stmt(&mut self, stmt: &ast::Stmt, body: &mut Body) {
        match &stmt.kind {
            ast::StmtKind::Var(decl) => self.declare_locals(decl, body),
            ast::StmtKind::Assign(place, value) => {
                self.assign(place, value, stmt.span, body);
            }
            ast::StmtKind::Assume(condition) => {
                if let Some(expr) = self.boolean(condition, body) {
                    body.push(StmtKind::Assume(expr), stmt.span);
                }
            }
            ast::StmtKind::Havoc(place) => self.havoc(place, stmt.span, body),
            ast::StmtKind::Async(on, name, args) => {
                if let Some((id, args)) = self.call(name, args, body) {
                    body.push(StmtKind::Async(*on, id, args), stmt.span);
                }
            }
            ast::StmtKind::Call(name, args) => {
                if let Some((id, args)) = self.call(name, args, body) {
                    body.push(StmtKind::Call(id, args), stmt.span);
                }
            }
            ast::StmtKind::Return => body.push(StmtKind::Return, stmt.span),
            ast::StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition, body);
                let then = self.nested(then, body);
                let otherwise = otherwise.as_ref().map(|block| self.nested(block, body));
                if let Some(condition) = condition {
                    let kind = StmtKind::If(condition, then, otherwise.unwrap_or_default());
                    body.push(kind, stmt.span);
                }
            }
            ast::StmtKind::While(condition, block) => self.while_(condition, block, stmt, body),
            ast::StmtKind::Repeat(count, block) => self.repeat(*count, block, stmt.span, body),
        }
    }

    /// Lowers a loop. The reads of its condition are before the loop and again at the end of its
    /// body.
    fn while_(
        &mut self,
        condition: &ast::Expr,
        block: &ast::Block,
        stmt: &ast::Stmt,
        body: &mut Body,
    ) {
        let outer = std::mem::take(&mut body.out);
        let condition = self.condition(condition, body);
        let reads = std::mem::replace(&mut body.out, outer);
        let mut inner = self.nested(block, body);
        inner.extend(reads.iter().cloned());
        body.extend(reads);
        if let Some(condition) = condition {
            body.push(StmtKind::While(condition, inner), stmt.span);
        }
    }

    fn repeat(&mut self, count: i64, block: &ast::Block, span: Span, body: &mut Body) {
        if count < 0 {
            let message = "a block cannot be repeated a negative number of times";
            return self.error(&OUT_OF_RANGE, span, message, "use a number from 0 up");
        }
        for _ in 0..count {
            let errors = self.errors.len();
            self.stmts(block, body);
            if body.emitted > MAX_STMTS {
                let message = format!("unrolled, this is over {MAX_STMTS} statements");
                return self.error(&TOO_LARGE, span, message, "repeat less, or use `while`");
            }
            if self.errors.len() > errors {
                return;
            }
        }
    }

    fn declare_locals(&mut self, decl: &ast::VarDecl, body: &mut Body) {
        let ty = self.scalar(decl.ty.as_ref()).unwrap_or(Type::Bool);
        for name in &decl.names {
            let id = LocalId::new(body.locals.len());
            // Two blocks may declare the same name, but the printed program has one scope.
            let taken = body.locals.iter().any(|local| local.name == name.text);
            let unique =
                if taken { format!("{}${}", name.text, id.index()) } else { name.text.clone() };
            body.locals.push(Local { name: unique, ty });
            let value = match &decl.init {
                Some(init) => self.value(init, ty, body),
                None => Some(Expr::Const(ty.default_value(), ty)),
            };
            self.name_local(name, id, body);
            if let Some(value) = value {
                body.push(StmtKind::Assign(Var::Local(id), value), decl.span);
            }
        }
    }

    fn boolean(&mut self, e: &ast::Expr, body: &mut Body) -> Option<Expr> {
        let typed = self.expr(e, body)?;
        self.require(typed.kind, Kind::Bool, e.span).then_some(typed.expr)
    }

    fn condition(&mut self, e: &ast::Expr, body: &mut Body) -> Option<Cond> {
        match e.kind {
            ExprKind::Any => Some(Cond::Any),
            _ => self.boolean(e, body).map(Cond::Expr),
        }
    }

    /// `e` as a value for a variable of type `ty`, preceded by an `assume` if it may not fit.
    fn value(&mut self, e: &ast::Expr, ty: Type, body: &mut Body) -> Option<Expr> {
        let typed = self.expr(e, body)?;
        self.fit(typed, ty, e.span, body)
    }

    fn fit(&mut self, typed: Typed, ty: Type, span: Span, body: &mut Body) -> Option<Expr> {
        if !self.require(typed.kind, Kind::of(ty), span) {
            return None;
        }
        if let (Type::Range(low, high), Kind::Int(least, greatest)) = (ty, typed.kind) {
            if least.is_some_and(|least| least > high) || greatest.is_some_and(|most| most < low) {
                let message = format!("the value never lies in {low}..{high}");
                self.error(&OUT_OF_RANGE, span, message, "use a value of the range");
                return None;
            }
            let bound =
                |operator, end| typed.expr.clone().binary(operator, Expr::Const(end, Type::Int));
            if least.is_none_or(|least| least < low) {
                body.push(StmtKind::Assume(bound(Binary::Ge, low)), span);
            }
            if greatest.is_none_or(|greatest| greatest > high) {
                body.push(StmtKind::Assume(bound(Binary::Le, high)), span);
            }
        }
        Some(typed.expr)
    }

    fn assign(
        &mut self,
        place: &ast::Place,
        e: &ast::Expr,
        span: Span,
        body: &mut Body,
    ) -> Option<()> {
        if let Some(local) = body.local(&place.root.text) {
            if !place.path.is_empty() {
                let message = format!("`{}` has no parts", place.root.text);
                self.error(&TYPE_MISMATCH, place.span, message, "use the variable itself");
                return None;
            }
            let ty = body.ty(local);
            if let Some(read) = self.direct_read(local, e, span, body) {
                body.extend([read]);
                return Some(());
            }
            let value = self.value(e, ty, body)?;
            body.push(StmtKind::Assign(Var::Local(local), value), span);
            return Some(());
        }
        let typed = self.expr(e, body);
        let located = self.locate(place, body)?;
        let value = self.fit(typed?, located.ty, e.span, body)?;
        let write = |global| Stmt::new(StmtKind::Assign(Var::Global(global), value.clone()), span);
        body.extend(located.select(span, write));
        Some(())
    }

    /// `y := x` as one statement, when `x` is one global whose values all fit `y`.
    fn direct_read(
        &mut self,
        local: LocalId,
        e: &ast::Expr,
        span: Span,
        body: &mut Body,
    ) -> Option<Stmt> {
        let ExprKind::Place(place) = &e.kind else { return None };
        let Some(Entity::Global(..)) = self.scope.get(&place.root.text) else { return None };
        let (errors, emitted) = (self.errors.len(), body.out.len());
        let located = self.locate(place, body);
        let read = located.and_then(|located| {
            let global = located.single()?;
            let narrower = match (located.ty, body.ty(local)) {
                (Type::Range(low, high), Type::Range(least, most)) => least <= low && high <= most,
                (Type::Range(..), Type::Int) => true,
                (from, to) => from == to,
            };
            let kind = StmtKind::Assign(Var::Local(local), Expr::global(global));
            narrower.then(|| Stmt::new(kind, span))
        });
        if read.is_none() {
            self.errors.truncate(errors);
            body.out.truncate(emitted);
        }
        read
    }

    fn havoc(&mut self, place: &ast::Place, span: Span, body: &mut Body) {
        if let Some(local) = body.local(&place.root.text)
            && place.path.is_empty()
        {
            return body.push(StmtKind::Havoc(Var::Local(local)), span);
        }
        let Some(located) = self.locate(place, body) else { return };
        let chosen = body.fresh(located.ty);
        body.push(StmtKind::Havoc(Var::Local(chosen)), span);
        let write =
            |global| Stmt::new(StmtKind::Assign(Var::Global(global), Expr::local(chosen)), span);
        let stmts = located.select(span, write);
        body.extend(stmts);
    }

    fn call(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        body: &mut Body,
    ) -> Option<(ProcedureId, Vec<Expr>)> {
        let entity = self.lookup(name, "procedure")?;
        let Entity::Procedure(id) = entity else {
            let message = format!("`{}` is not a procedure", name.text);
            self.error(&TYPE_MISMATCH, name.span, message, "name a procedure here");
            return None;
        };
        let procedure = self.program.procedure(id);
        let types: Vec<Type> =
            procedure.locals[..procedure.params].iter().map(|local| local.ty).collect();
        if types.len() != args.len() {
            self.wrong_arguments(name, types.len(), args.len());
            return None;
        }
        let values: Vec<Option<Expr>> =
            args.iter().zip(types).map(|(e, ty)| self.value(e, ty, body)).collect();
        Some((id, values.into_iter().collect::<Option<Vec<Expr>>>()?))
    }

    pub(super) fn wrong_arguments(&mut self, name: &ast::Name, wanted: usize, given: usize) {
        let message = format!("`{}` has {wanted} parameters, not {given}", name.text);
        let advice = format!("give it {wanted} arguments");
        self.error(&WRONG_ARGUMENTS, name.span, message, advice);
    }
}
