//! Functions, classes, and the text added at their beginning.
//!
//! Each function and class carries a comment with its script and its span in the original; the
//! page's `Function.prototype.toString` returns that slice. If a function's text has several such
//! comments, the first is the function's own.

use std::fmt::Write as _;
use std::sync::Arc;

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, Class, Expression, FormalParameters, Function,
    FunctionBody, MethodDefinition, MethodDefinitionKind, ObjectProperty, Program,
    PropertyDefinition, PropertyKey, PropertyKind, Statement, StaticBlock,
};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use oxc_syntax::symbol::SymbolId;

use super::members::copy;
use super::scopes::Scopes;
use super::{Frame, Pass, Suspends};
use crate::Kind;
use crate::out::quote;

impl<'a> Pass<'a, '_> {
    /// Writes the comment with the original span of a function.
    fn span_comment(&mut self, span: Span) {
        let (start, end) = (self.places.utf16(span.start), self.places.utf16(span.end));
        let text = format!("/*{}:{}:{start}:{end}*/", self.options.global, self.options.script);
        self.out.add(&text);
    }

    /// Gives the next function that has no name of its own the name of an identifier.
    pub(super) fn expect_name(&mut self, name: &str, at: u32) {
        (self.pending_name, self.pending_at) = (Some(name.into()), Some(at));
    }

    /// Gives the next function that has no name of its own the name of a property.
    pub(super) fn expect_key(&mut self, name: Option<Arc<str>>) {
        (self.pending_name, self.pending_at) = (name, None);
    }

    fn enter_frame(
        &mut self,
        own: Option<(&str, Option<u32>)>,
        at: u32,
        suspends: Suspends,
        strict: bool,
    ) {
        let (pending, pending_at) = (self.pending_name.take(), self.pending_at.take());
        let (name, named_at): (Arc<str>, _) = match (own, pending) {
            (Some((own, at)), _) => (own.into(), at),
            (None, Some(pending)) => (pending, pending_at),
            (None, None) => {
                let line = self.line_column(at).0;
                (format!("anonymous at {}:{line}", self.file).into(), None)
            }
        };
        let strict = strict || self.strict();
        let named_at = named_at.map(|at| self.line_column(at));
        self.frames.push(Frame { name, named_at, suspends, strict, steady_this: false });
    }

    pub(super) fn function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        let Some(body) = &it.body else { return };
        let span = self.method_span.take().unwrap_or(it.span);
        let derived = self.derived;
        let own = it.id.as_ref().map(|id| (id.name.as_str(), Some(id.span.start)));
        let suspends = Suspends::of(it.r#async, it.generator);
        self.enter_frame(own, span.start, suspends, it.has_use_strict_directive());
        self.functions += 1;
        self.visit_formal_parameters(&it.params);
        self.out.copy_to(body.span.start + 1);
        self.span_comment(span);
        self.begin_body(body, it.scope_id.get());
        let method = span != it.span;
        let before_super = flags.is_constructor() && derived;
        let steady = !suspends.ever() && !before_super && self.mentions_this(body.span, 2);
        let is_constructor = flags.is_constructor() && !derived;
        let may_construct = !method && !suspends.ever() && self.mentions_this(body.span, 1);
        let birth = (is_constructor || may_construct).then(|| {
            let site = self.birth(span.start);
            let test = if is_constructor { "" } else { "new.target&&" };
            format!("{test}{}.{}this,{site})", self.options.global, copy("b", site))
        });
        // In a constructor `this` is an object that the current event makes.
        let text = match (steady, birth) {
            (true, Some(birth)) => format!("var {}y={birth};", self.options.global),
            (true, None) => format!("var {}y;", self.options.global),
            (false, Some(birth)) => format!("{birth};"),
            (false, None) => String::new(),
        };
        self.frames.last_mut().expect("it was just entered").steady_this = steady;
        self.out.add(&text);
        self.stamp_rest(&it.params);
        self.statement_list(&body.statements);
        self.end_of_async(body);
        self.functions -= 1;
        self.frames.pop();
    }

    /// Stamps the array of a rest parameter, which the engine makes for the call.
    fn stamp_rest(&mut self, params: &FormalParameters<'a>) {
        if let Some((symbol, hook)) = self.rest_hook(params) {
            let shadow = if self.scopes.is_declared_steady(symbol) {
                format!("{}y{}=true;", self.options.global, symbol.index())
            } else {
                String::new()
            };
            self.out.add(&format!("{hook};{shadow}"));
        }
    }

    /// The hook that stamps the array of a rest parameter. A function in the body may have the name of
    /// the parameter, and is then its value.
    fn rest_hook(&mut self, params: &FormalParameters<'a>) -> Option<(SymbolId, String)> {
        let id = params.rest.as_ref()?.rest.argument.get_binding_identifier()?;
        let symbol = id.symbol_id.get()?;
        if !self.scoping.symbol_redeclarations(symbol).is_empty() {
            return None;
        }
        let site = self.birth(id.span.start);
        let hook = format!("{}.{}{},{site})", self.options.global, copy("o", site), id.name);
        Some((symbol, hook))
    }

    /// Writes the hook for the end of an async function that returns nothing.
    fn end_of_async(&mut self, body: &FunctionBody<'a>) {
        let returns = matches!(
            body.statements.last(),
            Some(Statement::ReturnStatement(_) | Statement::ThrowStatement(_))
        );
        if self.settles_by_return() && !returns {
            self.out.copy_to(body.span.end - 1);
            self.out.add(";");
            self.hook("ar()");
        }
    }

    /// Whether the function's promise is settled by what it returns.
    pub(super) fn settles_by_return(&self) -> bool {
        let frame = self.frames.last().expect("the top level is one");
        self.frames.len() > 1 && frame.suspends == Suspends::AtWaits
    }

    /// Whether a function's text mentions `this` at least `times` times.
    fn mentions_this(&self, span: Span, times: usize) -> bool {
        let text = &self.source.as_bytes()[span.start as usize..span.end as usize];
        memchr::memmem::find_iter(text, b"this").nth(times - 1).is_some()
    }

    /// Copies the directives, and declares the shadows of the scope.
    fn begin_body(&mut self, body: &FunctionBody<'a>, scope: Option<ScopeId>) {
        if let Some(last) = body.directives.last() {
            self.out.copy_to(last.span.end);
            self.out.add(";");
        }
        if let Some(scope) = scope {
            let frame = self.frames.last().expect("it was just entered");
            let closure = format!("closure({})", frame.name).into();
            let found =
                self.scopes.enter(self.scoping, scope, frame.suspends.ever(), false, &closure);
            let text = self.shadows("var", scope, &found) + &self.steady_shadows("var", scope);
            self.out.add(&text);
        }
    }

    /// Declares the shadows of the steady variables of a scope.
    fn steady_shadows(&mut self, keyword: &str, scope: ScopeId) -> String {
        let in_function = self.frames.len() > 1;
        let frame = self.frames.last().expect("the top level is one");
        if frame.suspends.ever() || !in_function {
            return String::new();
        }
        let hooks = self.options.global;
        let found = self.scopes.enter_steady(self.scoping, scope);
        let names: Vec<String> =
            found.iter().map(|symbol| format!("{hooks}y{}", symbol.index())).collect();
        if names.is_empty() { String::new() } else { format!("{keyword} {};", names.join(",")) }
    }

    /// Declares the shadows of shared variables. Accesses in the event that makes the scope are not
    /// recorded, because no other event can know the variables yet. The shadow of the last write is
    /// the negative of that event until the variable has a value: then later events know that it was
    /// initialised.
    fn shadows(&self, keyword: &str, scope: ScopeId, found: &[SymbolId]) -> String {
        if found.is_empty() {
            return String::new();
        }
        let hooks = self.options.global;
        let shadow = |symbol: &SymbolId| {
            let id = symbol.index();
            let flags = self.scoping.symbol_flags(*symbol);
            let written = if flags.is_function() {
                format!("{hooks}.e")
            } else if flags.is_function_scoped_declaration() {
                // A parameter has its value here.
                let name = self.scoping.symbol_name(*symbol);
                format!("{name}==null?-{hooks}.e:{hooks}.e")
            } else {
                format!("-{hooks}.e")
            };
            format!("{hooks}r{id}={hooks}.e,{hooks}w{id}={written}")
        };
        let shadows: Vec<String> = found.iter().map(shadow).collect();
        format!("{keyword} {hooks}s{},{};", scope.index(), shadows.join(","))
    }

    pub(super) fn enter_block(&mut self, scope: Option<ScopeId>) {
        let Some(scope) = scope else { return };
        let frame = self.frames.last().expect("the top level is one");
        let top = self.frames.len() == 1;
        let closure: Arc<str> = if top {
            format!("block({})", self.file).into()
        } else {
            format!("closure({})", frame.name).into()
        };
        let found =
            self.scopes.enter(self.scoping, scope, frame.suspends.ever() && !top, false, &closure);
        let text = self.shadows("let", scope, &found) + &self.steady_shadows("let", scope);
        self.out.add(&text);
    }

    /// Records the writes of a script's hoisted functions, or declares the shadows of a module or
    /// body.
    pub(super) fn enter_program(&mut self, program: &Program<'a>, scope: ScopeId) {
        let globals = self.options.kind.declares_globals();
        if globals {
            self.declare_functions(program);
        }
        let (what, keyword) = match self.options.kind {
            Kind::Script => return self.declare_lexicals(scope),
            // The variables of an eval may belong to the function around it, their shadows do not.
            Kind::Eval { .. } => ("eval", "let"),
            Kind::Module => ("module", "var"),
            Kind::Handler => ("handler", "var"),
            Kind::FunctionBody => ("function", "var"),
        };
        let closure = format!("{what}({})", self.file).into();
        let found = self.scopes.enter(self.scoping, scope, false, globals, &closure);
        self.prologue.push_str(&self.shadows(keyword, scope, &found));
    }

    /// Records the writes of a script's hoisted functions.
    fn declare_functions(&mut self, program: &Program<'a>) {
        for statement in &program.body {
            if let Statement::FunctionDeclaration(function) = statement
                && let Some(id) = &function.id
            {
                let global = super::variables::Variable::Global;
                let hook = self.write_hook(global, &id.name, id.span.start);
                self.prologue.push_str(&hook.unwrap_or_default());
                self.prologue.push(';');
            }
        }
    }

    /// Gives the runtime a function that reads each `let`, `const` and `class` of a script, because
    /// they are no properties of the global object.
    fn declare_lexicals(&mut self, scope: ScopeId) {
        let hooks = self.options.global;
        let mut symbols: Vec<SymbolId> =
            self.scoping.get_bindings(scope).values().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            if Scopes::is_lexical(self.scoping, symbol) {
                let name = self.scoping.symbol_name(symbol);
                write!(self.prologue, "{hooks}.gl({},()=>{name});", quote(name))
                    .expect("it takes it");
            }
        }
    }

    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'a>) {
        let strict = it.has_use_strict_directive();
        self.enter_frame(None, it.span.start, Suspends::of(it.r#async, false), strict);
        self.visit_formal_parameters(&it.params);
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => {
                self.out.copy_to(body.span.start + 1);
                self.span_comment(it.span);
                self.begin_body(body, it.scope_id.get());
                self.stamp_rest(&it.params);
                self.statement_list(&body.statements);
                self.end_of_async(body);
            }
            body => {
                let expression = body.to_expression();
                self.out.copy_to(expression.span().start);
                self.span_comment(it.span);
                let rest = self.rest_hook(&it.params);
                if let Some((_, hook)) = &rest {
                    self.out.add(&format!("({hook},"));
                }
                if self.settles_by_return() {
                    self.wrap(expression, "ar(", ")");
                } else {
                    self.visit_expression(expression);
                    self.out.copy_to(expression.span().end);
                }
                self.out.add(if rest.is_some() { ")" } else { "" });
            }
        }
        self.out.copy_to(it.span.end);
        self.frames.pop();
    }

    pub(super) fn class(&mut self, it: &Class<'a>) {
        self.pending_name = None;
        let before = std::mem::replace(&mut self.derived, it.heritage.is_some());
        self.visit_decorators(&it.decorators);
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        let outer_strict = std::mem::replace(
            &mut self.frames.last_mut().expect("the top level is one").strict,
            true,
        );
        self.out.copy_to(it.body.span.start + 1);
        self.span_comment(it.span);
        self.visit_class_elements(&it.body.body);
        self.frames.last_mut().expect("frames are balanced").strict = outer_strict;
        self.derived = before;
    }

    pub(super) fn method(&mut self, it: &MethodDefinition<'a>) {
        self.visit_decorators(&it.decorators);
        if it.computed {
            self.visit_property_key(&it.key);
        }
        self.expect_key(key_name(&it.key));
        let start = if it.r#static { self.after_static(it.span.start) } else { it.span.start };
        self.method_span = Some(Span::new(start, it.span.end));
        let flags = if it.kind == MethodDefinitionKind::Constructor {
            ScopeFlags::Function | ScopeFlags::Constructor
        } else {
            ScopeFlags::Function
        };
        self.function(&it.value, flags);
    }

    /// Returns the offset after `static`, at which a static method's own text begins.
    fn after_static(&self, start: u32) -> u32 {
        let bytes = self.source.as_bytes();
        let mut at = start as usize + "static".len();
        loop {
            let rest = &bytes[at..];
            at += match rest {
                [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map_or(1, |end| end + 2),
                [b'/', b'/', ..] => memchr::memchr(b'\n', rest).unwrap_or(1),
                [b' ' | b'\t' | b'\n' | b'\r', ..] => 1,
                _ => return at as u32,
            };
        }
    }

    pub(super) fn field(&mut self, it: &PropertyDefinition<'a>) {
        self.visit_decorators(&it.decorators);
        if it.computed {
            self.visit_property_key(&it.key);
        }
        if let Some(value) = &it.value {
            let name = key_name(&it.key);
            self.expect_key(name.clone());
            self.enter_frame(None, it.span.start, Suspends::Never, true);
            self.expect_key(name);
            self.visit_expression(value);
            self.frames.pop();
        }
    }

    pub(super) fn static_block(&mut self, it: &StaticBlock<'a>) {
        self.enter_frame(Some(("static", None)), it.span.start, Suspends::Never, true);
        let brace = memchr::memchr(b'{', &self.source.as_bytes()[it.span.start as usize..]);
        self.out.copy_to(it.span.start + brace.expect("a block has a brace") as u32 + 1);
        self.enter_block(it.scope_id.get());
        self.statement_list(&it.body);
        self.frames.pop();
    }

    pub(super) fn object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand {
            return self.shorthand(it);
        }
        if it.computed {
            self.visit_property_key(&it.key);
        }
        self.expect_key(key_name(&it.key));
        match &it.value {
            Expression::FunctionExpression(function)
                if it.method || it.kind != PropertyKind::Init =>
            {
                self.method_span = Some(it.span);
                self.function(function, ScopeFlags::Function);
            }
            value => self.visit_expression(value),
        }
    }

    /// Writes the shorthand property `{a}` as `{a:(HOOK,a)}`.
    fn shorthand(&mut self, it: &ObjectProperty<'a>) {
        let Expression::Identifier(name) = &it.value else { return };
        self.out.copy_to(it.span.start);
        if let Some(hook) = self.read_hook(name) {
            // `__proto__: value` would set the prototype, the shorthand does not.
            let key = if name.name == "__proto__" { "[\"__proto__\"]" } else { &name.name };
            self.out.add(&format!("{key}:({hook},"));
            self.out.copy_to(it.span.end);
            self.out.add(")");
        }
    }
}

fn key_name(key: &PropertyKey<'_>) -> Option<Arc<str>> {
    match key {
        PropertyKey::PrivateIdentifier(name) => Some(format!("#{}", name.name).into()),
        key => key.static_name().map(|name| name.as_ref().into()),
    }
}
