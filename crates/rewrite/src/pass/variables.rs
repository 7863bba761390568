//! Variables: global ones and shared ones.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, Expression, IdentifierReference,
    SimpleAssignmentTarget, UnaryExpression, UpdateExpression,
};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{AssignmentOperator, LogicalOperator, UnaryOperator};
use oxc_syntax::symbol::SymbolId;

use super::Pass;
use super::members::{Access, copy, unparenthesized};
use super::scopes::Scopes;
use crate::Kind;
use crate::out::quote;
use crate::place::SiteKind;

/// The kind of variable that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    /// A local that no other event sees, or an unknown variable. It gets no hook.
    Local,
    Global,
    Shared(SymbolId),
}

impl<'a> Pass<'a, '_> {
    pub(super) fn variable(&self, it: &IdentifierReference<'a>) -> Variable {
        if self.withs > 0 {
            return Variable::Local;
        }
        let reference = it.reference_id.get().map(|id| self.scoping.get_reference(id));
        match reference.and_then(oxc_syntax::reference::Reference::symbol_id) {
            Some(symbol) => self.symbol(symbol),
            None => self.unresolved(&it.name),
        }
    }

    pub(super) fn symbol(&self, symbol: SymbolId) -> Variable {
        if self.scopes.shared(symbol).is_some() {
            Variable::Shared(symbol)
        } else if self.options.kind.declares_globals()
            && self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id()
            && (self.options.kind == Kind::Script || !Scopes::is_lexical(self.scoping, symbol))
        {
            Variable::Global
        } else {
            Variable::Local
        }
    }

    /// Whether a name is the `arguments` of a function.
    pub(super) fn is_arguments(&self, it: &IdentifierReference<'a>) -> bool {
        let is_bound = it.reference_id.get().is_some_and(|id| self.scoping.has_binding(id));
        it.name == "arguments" && !is_bound && self.functions > 0 && self.withs == 0
    }

    fn unresolved(&self, name: &str) -> Variable {
        let fixed =
            matches!(name, "undefined" | "NaN" | "Infinity" | "arguments" | "eval" | "Math");
        let foreign = matches!(self.options.kind, Kind::Eval { direct: true, .. });
        if fixed || foreign || self.options.params.contains(&name) || name == self.options.global {
            Variable::Local
        } else {
            Variable::Global
        }
    }

    /// Returns the expression that records a read. It goes before the read, with a comma.
    pub(super) fn read_hook(&mut self, it: &IdentifierReference<'a>) -> Option<String> {
        let hooks = self.options.global;
        let name = it.name.as_str();
        match self.variable(it) {
            Variable::Local => None,
            Variable::Global => {
                let site = self.site(it.span.start, SiteKind::Read);
                Some(format!("{hooks}.g[{site}]==={hooks}.e||{hooks}.gr({site},{})", quote(name)))
            }
            Variable::Shared(symbol) => {
                let site = self.site(it.span.start, SiteKind::Read);
                Some(self.shared_hook(symbol, name, site, false))
            }
        }
    }

    /// Returns the expression that records an access of a shared variable and its value.
    fn shared_hook(&self, symbol: SymbolId, name: &str, site: u32, write: bool) -> String {
        let shared = self.scopes.shared(symbol).expect("it is shared");
        let hooks = self.options.global;
        let id = symbol.index();
        let scope = format!("{hooks}s{}", shared.scope.index());
        let scope = format!("{scope}||({scope}={hooks}.s({}))", quote(&shared.closure));
        let name_text = quote(name);
        if write {
            // The shadow is negative until the event that made the variable has left a value in it.
            let shadow = format!("{hooks}w{id}");
            format!(
                "{shadow}==={hooks}.e||({shadow}===-{hooks}.e?{name}==null||({shadow}={hooks}.e):\
                 {shadow}={hooks}.vw({scope},{name_text},{site},()=>{name},{shadow}))",
            )
        } else {
            let shadow = format!("{hooks}r{id}");
            format!(
                "{shadow}==={hooks}.e||({shadow}={hooks}.vr({scope},{name_text},{site},{name}))"
            )
        }
    }

    /// Returns the expression that records a write that has happened. It serves as a statement or
    /// as an argument.
    pub(super) fn write_hook(&mut self, variable: Variable, name: &str, at: u32) -> Option<String> {
        match variable {
            Variable::Local => None,
            Variable::Global => {
                let site = self.site(at, SiteKind::Write);
                Some(format!("{}.gd({site},{})", self.options.global, quote(name)))
            }
            Variable::Shared(symbol) => {
                let site = self.site(at, SiteKind::Write);
                Some(self.shared_hook(symbol, name, site, true))
            }
        }
    }

    /// Writes a read of `x` as `(HOOK,x)`. The object in `arguments` is made for the call, and is
    /// stamped where it may leave the function.
    pub(super) fn read_variable(&mut self, it: &IdentifierReference<'a>, span: Span) {
        self.out.copy_to(span.start);
        if self.is_arguments(it) {
            let site = self.birth(span.start);
            self.hook(&copy("m", site));
            self.out.copy_to(span.end);
            self.out.add(&format!(",{site})"));
        }
        if let Some(hook) = self.read_hook(it) {
            self.out.add(&format!("({hook},"));
            self.out.copy_to(span.end);
            self.out.add(")");
        }
    }

    pub(super) fn unary(&mut self, it: &UnaryExpression<'a>) {
        self.out.copy_to(it.span.start);
        match (it.operator, unparenthesized(&it.argument)) {
            // The operand stays a plain name, because `typeof` of an undeclared name throws no
            // error.
            (UnaryOperator::Typeof, Expression::Identifier(name)) => {
                let hook = if self.variable(name) == Variable::Global {
                    self.read_hook(name)
                } else {
                    self.visit_expression(&it.argument);
                    return;
                };
                self.out.add(&format!("({},", hook.unwrap_or_default()));
                self.out.copy_to(it.span.end);
                self.out.add(")");
            }
            (UnaryOperator::Delete, Expression::Identifier(_)) => {}
            (UnaryOperator::Delete, Expression::ChainExpression(chain)) => {
                self.out.copy_to(chain.span.start);
                self.plain_chain(chain, Access::Set);
            }
            (UnaryOperator::Delete, argument) if argument.is_member_expression() => {
                self.member(argument.to_member_expression(), Access::Set);
            }
            _ => self.visit_expression(&it.argument),
        }
    }

    pub(super) fn update(&mut self, it: &UpdateExpression<'a>) {
        let SimpleAssignmentTarget::AssignmentTargetIdentifier(name) = &it.argument else {
            if let Some(member) = it.argument.as_member_expression() {
                self.out.copy_to(it.span.start);
                self.member(member, Access::Update);
            }
            return;
        };
        let variable = self.variable(name);
        let Some(read) = self.read_hook(name) else { return };
        self.out.copy_to(it.span.start);
        self.out.add(&format!("({read},"));
        self.hook("u(");
        self.out.copy_to(it.span.end);
        let write = self.write_hook(variable, &name.name, name.span.start).unwrap_or_default();
        self.out.add(&format!(",{write}))"));
    }

    pub(super) fn assign_variable(&mut self, it: &AssignmentExpression<'a>) {
        let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left else { return };
        let variable = self.variable(name);
        self.out.copy_to(it.span.start);
        if variable == Variable::Local {
            self.assigned_value(it);
            return;
        }
        let read =
            if it.operator == AssignmentOperator::Assign { None } else { self.read_hook(name) };
        if let Some(read) = &read {
            self.out.add(&format!("({read},"));
        }
        let text = &self.source[name.span.start as usize..name.span.end as usize];
        match (it.operator.to_logical_operator(), variable) {
            // The operator is expanded, because the write must be recorded only if it happens.
            // Reading a variable twice has no effect, unlike reading a global, which may have a
            // getter.
            (Some(operator), Variable::Shared(_)) => {
                self.out.copy_to(it.left.span().end);
                self.out.skip_to(it.right.span().start);
                let sign = match operator {
                    LogicalOperator::Or => "||",
                    LogicalOperator::And => "&&",
                    LogicalOperator::Coalesce => "??",
                };
                self.out.add(&format!("{sign}({text}="));
                self.assigned_value(it);
                let write = self.write_hook(variable, &name.name, name.span.start);
                self.out.add(&format!(",{},{text})", write.unwrap_or_default()));
            }
            (None, Variable::Shared(_)) => {
                self.out.add("(");
                self.assigned_value(it);
                let write = self.write_hook(variable, &name.name, name.span.start);
                self.out.add(&format!(",{},{text})", write.unwrap_or_default()));
            }
            _ => {
                self.hook("gw(");
                self.assigned_value(it);
                let site = self.site(name.span.start, SiteKind::Write);
                self.out.add(&format!(",{site},{})", quote(&name.name)));
            }
        }
        if read.is_some() {
            self.out.add(")");
        }
    }

    /// Writes the right side of an assignment. A function there takes the name of the variable.
    fn assigned_value(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left {
            self.expect_name(name.name.as_str(), name.span.start);
        }
        self.visit_expression(&it.right);
        self.out.copy_to(it.right.span().end);
    }
}
