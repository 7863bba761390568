//! Finds the variables that need hooks.
//!
//! A variable is *shared* if a function other than the one that declares it refers to it, and its
//! value can change while the other function can see it: something assigns it after its
//! declaration, or its function can suspend before the declaration and resume in another event. All
//! other locals belong to one event at a time, and get no hooks.
//!
//! A shared variable `x` has two shadows in its own scope: the last event in which a read was
//! recorded, and the last for a write. Its scope has a third for the instance. Shadows are declared
//! where the scope begins, so a scope that has no place for declarations (the head of a loop, the
//! cases of a switch, a catch parameter, the parameters of an arrow without a block) has no shared
//! variables.
//!
//! A local that nothing assigns after its declaration is *steady*. Once a hook has found that the
//! current event made its object, the function need not call the hook again; a shadow of the local
//! keeps that result. `this` is treated like a steady local. A function that can suspend has no
//! such shadows.

use std::collections::{HashMap, HashSet};

use oxc_semantic::Scoping;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

/// The shared variables of the scopes that were entered.
pub(super) struct Scopes {
    /// The function of each scope: parents precede children.
    function_of: Vec<ScopeId>,
    shared: HashMap<SymbolId, Shared>,
    steady: HashSet<SymbolId>,
}

/// A shared variable's scope and the literal that names it.
pub(super) struct Shared {
    pub(super) scope: ScopeId,
    pub(super) closure: std::sync::Arc<str>,
}

impl Scopes {
    pub(super) fn new(scoping: &Scoping) -> Scopes {
        let mut function_of: Vec<ScopeId> = Vec::with_capacity(scoping.scopes_len());
        for scope in scoping.scope_descendants_from_root() {
            let flags = scoping.scope_flags(scope);
            let own = flags.is_function() || flags.is_class_static_block() || flags.is_top();
            let function = match scoping.scope_parent_id(scope) {
                Some(parent) if !own => function_of[parent.index()],
                _ => scope,
            };
            function_of.push(function);
        }
        Scopes { function_of, shared: HashMap::new(), steady: HashSet::new() }
    }

    /// Finds the shared variables of a scope, in order of their declaration. If `only_lexical`, the
    /// others are globals.
    pub(super) fn enter(
        &mut self,
        scoping: &Scoping,
        scope: ScopeId,
        suspends: bool,
        only_lexical: bool,
        closure: &std::sync::Arc<str>,
    ) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = scoping
            .get_bindings(scope)
            .values()
            .copied()
            .filter(|&symbol| !only_lexical || Self::is_lexical(scoping, symbol))
            .filter(|&symbol| self.is_shared(scoping, symbol, suspends))
            .collect();
        found.sort_unstable();
        for &symbol in &found {
            let closure = std::sync::Arc::clone(closure);
            self.shared.insert(symbol, Shared { scope, closure });
        }
        found
    }

    fn is_shared(&self, scoping: &Scoping, symbol: SymbolId, suspends: bool) -> bool {
        let flags = scoping.symbol_flags(symbol);
        if !flags.is_variable() && !flags.is_function() {
            return false;
        }
        let home = self.function_of[scoping.symbol_scope_id(symbol).index()];
        let mut captured = false;
        let mut assigned = suspends && flags.is_variable();
        for reference in scoping.get_resolved_references(symbol) {
            captured |= self.function_of[reference.scope_id().index()] != home;
            assigned |= reference.is_write();
        }
        captured && assigned
    }

    /// Finds the steady variables of a scope that are mentioned often enough, in order.
    pub(super) fn enter_steady(&mut self, scoping: &Scoping, scope: ScopeId) -> Vec<SymbolId> {
        let is_steady = |&symbol: &SymbolId| {
            scoping.symbol_flags(symbol).is_variable()
                && !self.shared.contains_key(&symbol)
                && scoping.get_resolved_reference_ids(symbol).len() > 1
                && !scoping.symbol_is_mutated(symbol)
        };
        let mut found: Vec<SymbolId> =
            scoping.get_bindings(scope).values().copied().filter(is_steady).collect();
        found.sort_unstable();
        self.steady.extend(&found);
        found
    }

    /// Whether a reference is to a steady variable of its own function.
    pub(super) fn is_steady(&self, scoping: &Scoping, symbol: SymbolId, from: ScopeId) -> bool {
        let home = scoping.symbol_scope_id(symbol);
        self.steady.contains(&symbol)
            && self.function_of[home.index()] == self.function_of[from.index()]
    }

    /// Marks a variable as not steady, because a loop assigns it although no expression does.
    pub(super) fn unsteady(&mut self, symbol: SymbolId) {
        self.steady.remove(&symbol);
    }

    pub(super) fn is_declared_steady(&self, symbol: SymbolId) -> bool {
        self.steady.contains(&symbol)
    }

    /// Whether a variable is declared by `let`, `const` or `class`.
    pub(super) fn is_lexical(scoping: &Scoping, symbol: SymbolId) -> bool {
        let flags = scoping.symbol_flags(symbol);
        flags.is_block_scoped() && !flags.is_function()
    }

    pub(super) fn shared(&self, symbol: SymbolId) -> Option<&Shared> {
        self.shared.get(&symbol)
    }
}
