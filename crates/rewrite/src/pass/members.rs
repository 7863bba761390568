//! Properties, elements and private fields.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, BinaryExpression, Expression, MemberExpression,
};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator};

use super::Pass;
use super::variables::Variable;
use crate::contract;
use crate::out::quote;
use crate::place::SiteKind;

/// The kind of access to a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Get,
    Set,
    Update,
    /// A read, and a write unless the logical assignment stops before it. The object is kept under
    /// its site until the write.
    Maybe,
}

impl Access {
    fn kind(self) -> SiteKind {
        match self {
            Access::Get => SiteKind::Get,
            Access::Set => SiteKind::Set,
            Access::Update | Access::Maybe => SiteKind::Update,
        }
    }

    /// The letter of the hook.
    fn letter(self) -> char {
        match self {
            Access::Get => 'r',
            Access::Set => 'w',
            Access::Update => 'x',
            Access::Maybe => 'l',
        }
    }

    /// Returns the start of the call of a hook that takes an object and a key. `form` comes before
    /// the letter: nothing if the hook returns the object, `e` if the key is not constant as well,
    /// `k` if the hook returns the key, and `q` or `qe` if it returns whether the current event
    /// made the object. Logical assignments have a hook for all keys.
    fn hook(self, form: &str, hash: u32) -> String {
        let letter = self.letter();
        match self {
            Access::Maybe if form == "k" => format!("k{letter}("),
            Access::Maybe => format!("{letter}("),
            _ => copy(&format!("{form}{letter}"), hash),
        }
    }
}

/// Returns the start of the call of one of the copies of a hook.
pub(super) fn copy(hook: &str, hash: u32) -> String {
    format!("{hook}.a{}(", hash % contract().copies[hook])
}

/// The expression inside any parentheses.
pub(super) fn unparenthesized<'e, 'a>(expression: &'e Expression<'a>) -> &'e Expression<'a> {
    match expression {
        Expression::ParenthesizedExpression(inner) => unparenthesized(&inner.expression),
        other => other,
    }
}

/// Chooses the copy of a hook for accesses by a name. All accesses by that name use the same copy.
fn hash_of(name: &str) -> u32 {
    name.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)))
}

impl<'a> Pass<'a, '_> {
    /// Whether no other event can access the properties of this object, so that they need no hook.
    pub(super) fn private_object(&self, object: &Expression<'a>) -> bool {
        match unparenthesized(object) {
            Expression::Identifier(name) => {
                let known = name.reference_id.get().is_some_and(|id| self.scoping.has_binding(id));
                !known && matches!(name.name.as_str(), "arguments" | "Math")
            }
            Expression::Super(_)
            | Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::TemplateLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_) => true,
            _ => false,
        }
    }

    /// Whether evaluating this key again gives the same value, without side effects.
    fn simple_key(&self, key: &Expression<'a>) -> bool {
        match key {
            Expression::Identifier(name) => {
                self.withs == 0
                    && self.variable(name) == Variable::Local
                    && name.reference_id.get().is_some_and(|id| self.scoping.has_binding(id))
            }
            Expression::NumericLiteral(_) | Expression::StringLiteral(_) => true,
            _ => false,
        }
    }

    /// Writes a member expression: the object passes through the hook, then the access happens as
    /// written, so that the engine handles getters, setters, `this` and errors as usual.
    pub(super) fn member(&mut self, it: &MemberExpression<'a>, access: Access) -> Option<u32> {
        self.out.copy_to(it.object().span().start);
        if self.private_object(it.object()) {
            if !matches!(it.object(), Expression::Identifier(_)) {
                self.visit_expression(it.object());
            }
            self.key_alone(it);
            return None;
        }
        let open = self.open_member(it, access);
        self.visit_expression(it.object());
        self.out.copy_to(it.object().span().end);
        self.close_member(it, access, open);
        self.out.copy_to(it.span().end);
        Some(open.site)
    }

    /// Visits the key of a member whose access is not recorded.
    pub(super) fn key_alone(&mut self, it: &MemberExpression<'a>) {
        if let MemberExpression::ComputedMemberExpression(member) = it {
            self.visit_expression(&member.expression);
        }
        self.out.copy_to(it.span().end);
    }

    /// Writes the text before the object of a member.
    pub(super) fn open_member(&mut self, it: &MemberExpression<'a>, access: Access) -> Open {
        let place = match it {
            MemberExpression::ComputedMemberExpression(member) => member.expression.span().start,
            MemberExpression::StaticMemberExpression(member) => member.property.span.start,
            MemberExpression::PrivateFieldExpression(member) => member.field.span.start,
        };
        let site = self.site(place, access.kind());
        let by_key = match it {
            MemberExpression::ComputedMemberExpression(member) => {
                !self.simple_key(&member.expression)
            }
            _ => false,
        };
        if by_key {
            self.out.add("(");
            self.hook("t=");
        } else {
            let (element, hash) = match it {
                MemberExpression::ComputedMemberExpression(_) => ("e", site),
                MemberExpression::StaticMemberExpression(member) => {
                    ("", hash_of(&member.property.name))
                }
                MemberExpression::PrivateFieldExpression(member) => {
                    ("", hash_of(&member.field.name))
                }
            };
            if access != Access::Maybe
                && let Some(shadow) = self.steady_shadow(it.object())
            {
                self.out.add(&format!("({shadow}||({shadow}="));
                self.hook(&access.hook(&format!("q{element}"), hash));
                let again = Some(it.object().span());
                return Open { site, by_key, link: None, again };
            }
            self.hook(&access.hook(element, hash));
        }
        Open { site, by_key, link: None, again: None }
    }

    /// Writes the text between the object of a member and the access, and the key.
    pub(super) fn close_member(&mut self, it: &MemberExpression<'a>, access: Access, open: Open) {
        let site = open.site;
        match it {
            MemberExpression::StaticMemberExpression(member) => {
                self.out.add(&format!(",{},{site})", quote(&member.property.name)));
                self.object_again(open);
                self.replace_link(open.link, ".");
            }
            MemberExpression::PrivateFieldExpression(member) => {
                self.out.add(&format!(",\"#{}\",{site})", member.field.name));
                self.object_again(open);
                self.replace_link(open.link, ".");
            }
            MemberExpression::ComputedMemberExpression(member) if open.by_key => {
                self.out.add(")");
                self.replace_link(open.link, "");
                let key = member.expression.span();
                self.out.copy_to(key.start);
                self.hook(&access.hook("k", site));
                self.hook("t,");
                // A key may be a comma expression, an argument may not.
                let comma = matches!(member.expression, Expression::SequenceExpression(_));
                self.out.add(if comma { "(" } else { "" });
                self.visit_expression(&member.expression);
                self.out.copy_to(key.end);
                self.out.add(&format!("{},{site})", if comma { ")" } else { "" }));
            }
            MemberExpression::ComputedMemberExpression(member) => {
                let key = member.expression.span();
                let text = &self.source[key.start as usize..key.end as usize];
                self.out.add(&format!(",{text},{site})"));
                self.object_again(open);
                self.replace_link(open.link, "");
            }
        }
    }

    fn object_again(&mut self, open: Open) {
        if let Some(span) = open.again {
            let text = &self.source[span.start as usize..span.end as usize];
            self.out.add(&format!("),{text})"));
        }
    }

    /// The shadow that shows whether the current event made the object of a steady variable or
    /// `this`.
    fn steady_shadow(&self, object: &Expression<'a>) -> Option<String> {
        let hooks = self.options.global;
        match object {
            Expression::ThisExpression(_) => {
                self.frames.last()?.steady_this.then(|| format!("{hooks}y"))
            }
            Expression::Identifier(name) if self.withs == 0 => {
                let reference = self.scoping.get_reference(name.reference_id.get()?);
                let symbol = reference.symbol_id()?;
                self.scopes
                    .is_steady(self.scoping, symbol, reference.scope_id())
                    .then(|| format!("{hooks}y{}", symbol.index()))
            }
            _ => None,
        }
    }

    /// Replaces the `?.` of a link by the text `by`.
    pub(super) fn replace_link(&mut self, link: Option<u32>, by: &str) {
        if let Some(token) = link {
            self.out.copy_to(token);
            self.out.skip_to(token + 2);
            self.out.add(by);
        }
    }

    pub(super) fn assignment(&mut self, it: &AssignmentExpression<'a>) {
        match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(_) => self.assign_variable(it),
            AssignmentTarget::ArrayAssignmentTarget(_)
            | AssignmentTarget::ObjectAssignmentTarget(_) => self.assign_pattern(it),
            left => {
                self.out.copy_to(it.span.start);
                if let Some(member) = left.as_member_expression() {
                    self.assign_member(it, member);
                }
            }
        }
    }

    fn assign_member(&mut self, it: &AssignmentExpression<'a>, member: &MemberExpression<'a>) {
        let parenthesized = it.left.span().start != it.span.start;
        let private = matches!(member, MemberExpression::PrivateFieldExpression(_));
        let right = it.right.span();
        let recorded = !self.private_object(member.object());
        if it.operator == AssignmentOperator::Assign
            && recorded
            && !private
            && !parenthesized
            && self.may_suspend(right.start, right.end)
        {
            return self.assign_after_suspension(it, member);
        }
        let access = match it.operator {
            AssignmentOperator::Assign => Access::Set,
            operator if operator.is_logical() => Access::Maybe,
            _ => Access::Update,
        };
        let site = self.member(member, access);
        self.expect_key(member.static_property_name().map(|name| name.to_string().into()));
        match site.filter(|_| access == Access::Maybe) {
            Some(site) => {
                self.out.copy_to(it.left.span().end);
                self.wrap(&it.right, "lw(", &format!(",{site})"));
            }
            None => self.visit_expression(&it.right),
        }
    }

    /// Writes `a.b = await c` as a call of a hook, because the write belongs to the event after the
    /// `await`.
    fn assign_after_suspension(
        &mut self,
        it: &AssignmentExpression<'a>,
        member: &MemberExpression<'a>,
    ) {
        self.hook(if self.strict() { "sa(" } else { "so(" });
        self.visit_expression(member.object());
        self.out.copy_to(member.object().span().end);
        let site = match member {
            MemberExpression::StaticMemberExpression(inner) => {
                self.out.add(&format!(",{},", quote(&inner.property.name)));
                self.site(inner.property.span.start, SiteKind::Set)
            }
            MemberExpression::ComputedMemberExpression(inner) => {
                let key = inner.expression.span();
                self.out.skip_to(key.start);
                self.out.add(",(");
                self.visit_expression(&inner.expression);
                self.out.copy_to(key.end);
                self.out.add("),");
                self.site(key.start, SiteKind::Set)
            }
            MemberExpression::PrivateFieldExpression(_) => unreachable!("a hook cannot reach it"),
        };
        self.out.skip_to(it.right.span().start);
        self.visit_expression(&it.right);
        self.out.copy_to(it.right.span().end);
        self.out.add(&format!(",{site})"));
    }

    pub(super) fn binary(&mut self, it: &BinaryExpression<'a>) {
        if it.operator == BinaryOperator::In && !matches!(it.left, Expression::StringLiteral(_)) {
            return self.computed_in(it);
        }
        self.visit_expression(&it.left);
        match (&it.left, it.operator) {
            (Expression::StringLiteral(key), BinaryOperator::In) if !key.lone_surrogates => {
                let site = self.site(it.left.span().start, SiteKind::Get);
                let suffix = format!(",{},{site})", quote(&key.value));
                self.wrap(&it.right, &Access::Get.hook("", hash_of(&key.value)), &suffix);
            }
            _ => self.visit_expression(&it.right),
        }
    }

    /// Writes `k in o` as a call of a hook, because the key is needed twice.
    fn computed_in(&mut self, it: &BinaryExpression<'a>) {
        let site = self.site(it.left.span().start, SiteKind::Get);
        self.wrap(&it.left, "ha(", ",");
        self.out.skip_to(it.right.span().start);
        self.visit_expression(&it.right);
        self.out.copy_to(it.right.span().end);
        self.out.add(&format!(",{site})"));
    }
}

/// A member whose hook has been opened and whose object is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) site: u32,
    /// Whether the hook takes the key in the key's own place, while `H.t` holds the object.
    by_key: bool,
    /// The offset of the `?.` that a conditional replaces.
    pub(super) link: Option<u32>,
    /// The span of the object if it is written a second time, because the hook returns only whether
    /// the current event made it.
    again: Option<Span>,
}
