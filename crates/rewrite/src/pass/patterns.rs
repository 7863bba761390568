//! Declarations and destructuring.
//!
//! The reads of a pattern are recorded before they happen, from the shape of the pattern:
//! `const {a, b: {c}} = v` becomes `const {a, b: {c}} = H.d(v, 7, '{"a":0,"b":{"c":0}}')`. The hook
//! reads only properties that run no getter.

use std::fmt::Write as _;

use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty,
    BindingPattern, Expression, IdentifierReference, PropertyKey, VariableDeclarator,
};
use oxc_ast_visit::VisitJs;
use oxc_span::GetSpan;

use super::Pass;
use super::variables::Variable;
use crate::out::quote;
use crate::place::SiteKind;

impl<'a> Pass<'a, '_> {
    pub(super) fn declarator(&mut self, it: &VariableDeclarator<'a>, is_var: bool) {
        self.out.copy_to(it.span.start);
        if is_var && it.init.is_some() {
            self.forget_steady(&it.id);
        }
        match &it.id {
            BindingPattern::BindingIdentifier(id) => {
                self.expect_name(id.name.as_str(), id.span.start);
                if let Some(init) = &it.init {
                    self.visit_expression(init);
                }
            }
            pattern => {
                self.visit_binding_pattern(pattern);
                if let Some(init) = &it.init {
                    let mut shape = String::new();
                    binding_shape(pattern, &mut shape);
                    self.destructured(init, &shape);
                }
            }
        }
    }

    /// Clears the shadow of a `var` in a loop, which gets another value in each iteration.
    fn forget_steady(&mut self, pattern: &BindingPattern<'a>) {
        for id in pattern.get_binding_identifiers() {
            if let Some(symbol) = id.symbol_id.get()
                && self.scopes.is_declared_steady(symbol)
            {
                let text = format!("{}y{}=!1,", self.options.global, symbol.index());
                self.out.add(&text);
            }
        }
    }

    fn destructured(&mut self, value: &Expression<'a>, shape: &str) {
        let site = self.site(value.span().start, SiteKind::Get);
        self.wrap(value, "d(", &format!(",{site},{})", quote(shape)));
    }

    pub(super) fn assign_pattern(&mut self, it: &AssignmentExpression<'a>) {
        self.out.copy_to(it.span.start);
        let mut names = Names(Vec::new());
        names.visit_assignment_target(&it.left);
        let recorded: Vec<(Variable, &IdentifierReference<'a>)> = names
            .0
            .into_iter()
            .map(|name| (self.variable(name), name))
            .filter(|&(variable, _)| variable != Variable::Local)
            .collect();
        if !recorded.is_empty() {
            self.hook("u(");
        }
        self.visit_assignment_target(&it.left);
        let mut shape = String::new();
        target_shape(&it.left, &mut shape);
        self.destructured(&it.right, &shape);
        for &(variable, name) in &recorded {
            let write = self.write_hook(variable, &name.name, name.span.start);
            self.out.add(&format!(",{}", write.unwrap_or_default()));
        }
        if !recorded.is_empty() {
            self.out.add(")");
        }
    }
}

/// The variables that a pattern assigns.
struct Names<'e, 'a>(Vec<&'e IdentifierReference<'a>>);

impl<'e, 'a> Names<'e, 'a> {
    fn visit_assignment_target(&mut self, it: &'e AssignmentTarget<'a>) {
        match it {
            AssignmentTarget::AssignmentTargetIdentifier(name) => self.0.push(name),
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                for element in array.elements.iter().flatten() {
                    self.maybe_default(element);
                }
                if let Some(rest) = &array.rest {
                    self.visit_assignment_target(&rest.target);
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                for property in &object.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(name) => {
                            self.0.push(&name.binding);
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                            self.maybe_default(&property.binding);
                        }
                    }
                }
                if let Some(rest) = &object.rest {
                    self.visit_assignment_target(&rest.target);
                }
            }
            _ => {}
        }
    }

    fn maybe_default(&mut self, it: &'e AssignmentTargetMaybeDefault<'a>) {
        match it {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(inner) => {
                self.visit_assignment_target(&inner.binding);
            }
            other => self.visit_assignment_target(other.to_assignment_target()),
        }
    }
}

fn binding_shape(pattern: &BindingPattern<'_>, out: &mut String) {
    match pattern {
        BindingPattern::BindingIdentifier(_) => out.push('0'),
        BindingPattern::AssignmentPattern(inner) => binding_shape(&inner.left, out),
        BindingPattern::ArrayPattern(array) => {
            list(out, &array.elements, |element, out| match element {
                Some(element) => binding_shape(element, out),
                None => out.push('0'),
            });
        }
        BindingPattern::ObjectPattern(object) => {
            let keyed = object.properties.iter().filter_map(|property| {
                static_key(&property.key, property.computed).map(|key| (key, &property.value))
            });
            map(out, keyed, |value, out| binding_shape(value, out));
        }
    }
}

fn target_shape(target: &AssignmentTarget<'_>, out: &mut String) {
    match target {
        AssignmentTarget::ArrayAssignmentTarget(array) => {
            list(out, &array.elements, |element, out| match element {
                Some(element) => maybe_default_shape(element, out),
                None => out.push('0'),
            });
        }
        AssignmentTarget::ObjectAssignmentTarget(object) => {
            let keyed = object.properties.iter().filter_map(|property| match property {
                AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(name) => {
                    Some((name.binding.name.to_string(), None))
                }
                AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                    static_key(&property.name, property.computed)
                        .map(|key| (key, Some(&property.binding)))
                }
            });
            map(out, keyed, |value, out| match value {
                Some(value) => maybe_default_shape(value, out),
                None => out.push('0'),
            });
        }
        _ => out.push('0'),
    }
}

fn maybe_default_shape(target: &AssignmentTargetMaybeDefault<'_>, out: &mut String) {
    match target {
        AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(inner) => {
            target_shape(&inner.binding, out);
        }
        other => target_shape(other.to_assignment_target(), out),
    }
}

fn static_key(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
    if computed { None } else { key.static_name().map(|name| name.to_string()) }
}

fn list<T>(out: &mut String, items: &[T], mut each: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        each(item, out);
    }
    out.push(']');
}

fn map<T>(
    out: &mut String,
    items: impl Iterator<Item = (String, T)>,
    mut each: impl FnMut(T, &mut String),
) {
    out.push('{');
    for (at, (key, value)) in items.enumerate() {
        write!(out, "{}{}:", if at > 0 { "," } else { "" }, quote(&key)).expect("it takes it");
        each(value, out);
    }
    out.push('}');
}
