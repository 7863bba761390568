//! Finds the reads whose value is only tested.
//!
//! A read is *only tested* if its value decides which code runs next, or is compared, and does not go
//! anywhere else: it is the condition of `if`, `?:` or a loop, the discriminant of `switch`, an operand
//! of `!`, `typeof`, `instanceof`, `in` or a comparison, the object of `?.`, or the left operand of `&&`.
//! The left operand of `||` or `??` counts if the whole is only tested, if it is a statement, or if the
//! right operand assigns (`x || (x = make())`). The left side of `||=`, `??=` and `&&=` counts, too. So does what a
//! declaration gives to a variable if the next statement asks whether the variable is there, as in
//! `const tile = tiles[key]; if (!tile) return;`: what follows is guarded, as after a test of the property itself.
//!
//! Cost: one walk over the program.

use std::collections::HashSet;

use oxc_allocator::ArenaVec;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, BinaryExpression, CallExpression,
    ConditionalExpression, DoWhileStatement, Expression, ExpressionStatement, ForStatement,
    IfStatement, LogicalExpression, MemberExpression, Program, Statement, StaticMemberExpression,
    SwitchStatement, UnaryExpression, VariableDeclarator, WhileStatement,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;
use oxc_syntax::operator::{BinaryOperator, LogicalOperator, UnaryOperator};

/// The reads of a program whose values are only tested.
#[derive(Default)]
pub(super) struct Tested {
    /// The offsets of variables.
    variables: HashSet<u32>,
    /// The offsets of the keys of properties.
    properties: HashSet<u32>,
}

impl Tested {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut tested = Self::default();
        tested.visit_program(program);
        tested
    }

    /// Whether the variable that is read at an offset is only tested.
    pub(super) fn variable(&self, offset: u32) -> bool {
        self.variables.contains(&offset)
    }

    /// Whether the property whose key stands at an offset is only tested.
    pub(super) fn property(&self, offset: u32) -> bool {
        self.properties.contains(&offset)
    }

    /// Marks what `expression` reads if its value is only tested.
    fn test(&mut self, expression: &Expression<'_>) {
        match expression {
            Expression::Identifier(name) => {
                self.variables.insert(name.span.start);
            }
            Expression::ParenthesizedExpression(inner) => self.test(&inner.expression),
            Expression::LogicalExpression(logical) => {
                self.test(&logical.left);
                self.test(&logical.right);
            }
            Expression::ConditionalExpression(conditional) => {
                self.test(&conditional.consequent);
                self.test(&conditional.alternate);
            }
            Expression::SequenceExpression(sequence) => {
                if let Some(last) = sequence.expressions.last() {
                    self.test(last);
                }
            }
            _ => {
                if let Some(member) = expression.as_member_expression() {
                    self.properties.insert(key_of(member));
                }
            }
        }
    }
}

/// The offset of the key of a member, which is that of its site.
fn key_of(member: &MemberExpression<'_>) -> u32 {
    match member {
        MemberExpression::ComputedMemberExpression(member) => member.expression.span().start,
        MemberExpression::StaticMemberExpression(member) => member.property.span.start,
        MemberExpression::PrivateFieldExpression(member) => member.field.span.start,
    }
}

/// Returns the last declarator of a statement, which has one name and a value.
fn declares<'s, 'a>(statement: &'s Statement<'a>) -> Option<(&'a str, &'s Expression<'a>)> {
    let Statement::VariableDeclaration(declaration) = statement else { return None };
    let last: &VariableDeclarator<'a> = declaration.declarations.last()?;
    Some((last.id.get_identifier_name()?.as_str(), last.init.as_ref()?))
}

/// Whether the first thing that a condition asks is whether a variable is there.
fn asks_for(condition: &Expression<'_>, name: &str) -> bool {
    match condition.without_parentheses() {
        Expression::Identifier(variable) => variable.name == name,
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
            asks_for(&unary.argument, name)
        }
        Expression::LogicalExpression(logical) => asks_for(&logical.left, name),
        Expression::BinaryExpression(binary) if binary.operator.is_equality() => {
            let is_nothing =
                |side: &Expression<'_>| side.is_null() || side.without_parentheses().is_undefined();
            let [left, right] = [&binary.left, &binary.right];
            is_nothing(right) && asks_for(left, name) || is_nothing(left) && asks_for(right, name)
        }
        _ => false,
    }
}

fn compares(operator: BinaryOperator) -> bool {
    operator.is_equality()
        || operator.is_compare()
        || matches!(operator, BinaryOperator::Instanceof | BinaryOperator::In)
}

impl<'a> VisitJs<'a> for Tested {
    fn visit_statements(&mut self, it: &ArenaVec<'a, Statement<'a>>) {
        for pair in it.windows(2) {
            let [one, Statement::IfStatement(next)] = pair else { continue };
            let Some((name, value)) = declares(one) else { continue };
            let is_read =
                matches!(value, Expression::Identifier(_)) || value.is_member_expression();
            if is_read && asks_for(&next.test, name) {
                self.test(value);
            }
        }
        walk_js::walk_statements(self, it);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.test(&it.test);
        walk_js::walk_if_statement(self, it);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.test(&it.test);
        walk_js::walk_conditional_expression(self, it);
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.test(&it.test);
        walk_js::walk_while_statement(self, it);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.test(&it.test);
        walk_js::walk_do_while_statement(self, it);
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        if let Some(test) = &it.test {
            self.test(test);
        }
        walk_js::walk_for_statement(self, it);
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.test(&it.discriminant);
        walk_js::walk_switch_statement(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        if let Expression::LogicalExpression(logical) = &it.expression {
            self.test(&logical.left);
        }
        walk_js::walk_expression_statement(self, it);
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        let assigns = |right: &Expression<'_>| {
            matches!(right.without_parentheses(), Expression::AssignmentExpression(_))
        };
        if it.operator == LogicalOperator::And || assigns(&it.right) {
            self.test(&it.left);
        }
        walk_js::walk_logical_expression(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if matches!(it.operator, UnaryOperator::LogicalNot | UnaryOperator::Typeof) {
            self.test(&it.argument);
        }
        walk_js::walk_unary_expression(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        if compares(it.operator) {
            self.test(&it.left);
            self.test(&it.right);
        }
        walk_js::walk_binary_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if it.operator.is_logical() {
            match &it.left {
                AssignmentTarget::AssignmentTargetIdentifier(name) => {
                    self.variables.insert(name.span.start);
                }
                target => {
                    if let Some(member) = target.as_member_expression() {
                        self.properties.insert(key_of(member));
                    }
                }
            }
        }
        walk_js::walk_assignment_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if it.optional {
            self.test(&it.callee);
        }
        walk_js::walk_call_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if it.optional {
            self.test(&it.object);
        }
        walk_js::walk_static_member_expression(self, it);
    }
}
