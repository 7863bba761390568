//! The walk that writes the rewritten program.
//!
//! Every override of the visitor copies the source up to its node, writes the text before the node,
//! visits the children in source order, and writes the text after the node. So the output is
//! written front to back, and text added by an outer node encloses that of the inner ones.
//!
//! An expression is replaced only by an expression with the same value and effects. The added parts
//! run no code of the page: the hooks run no getters, setters, proxies or conversions.

mod chains;
mod functions;
mod members;
mod patterns;
mod scopes;
mod statements;
mod tested;
mod variables;

use std::sync::Arc;

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTargetPropertyIdentifier,
    AssignmentTargetWithDefault, AwaitExpression, BinaryExpression, BlockStatement, CallExpression,
    ChainExpression, Class, Expression, ForOfStatement, ForStatementLeft, Function,
    ImportExpression, MethodDefinition, NewExpression, ObjectProperty, ObjectPropertyKind, Program,
    PropertyDefinition, ReturnStatement, SimpleAssignmentTarget, SpreadElement, Statement,
    StaticBlock, TaggedTemplateExpression, UnaryExpression, UpdateExpression, VariableDeclaration,
    WithStatement, YieldExpression,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_semantic::Scoping;
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::out::{Out, quote};
use crate::place::{Places, Site, SiteKind};
use crate::{Kind, Options, Rewritten};
use scopes::Scopes;
use tested::Tested;

/// Whether a function can suspend and resume in another event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suspends {
    Never,
    /// At the `yield` of a generator.
    InGenerator,
    /// At `await`.
    AtWaits,
    /// At `await`, and at `yield`, where an async generator waits for what it yields.
    AtYields,
}

impl Suspends {
    fn of(is_async: bool, is_generator: bool) -> Self {
        match (is_async, is_generator) {
            (false, false) => Self::Never,
            (false, true) => Self::InGenerator,
            (true, false) => Self::AtWaits,
            (true, true) => Self::AtYields,
        }
    }

    fn ever(self) -> bool {
        self != Self::Never
    }
}

/// A function around the current place.
struct Frame {
    name: Arc<str>,
    /// The line and column of the identifier that names the function.
    named_at: Option<(u32, u32)>,
    suspends: Suspends,
    strict: bool,
    /// Whether `this` has a shadow here.
    steady_this: bool,
}

pub(crate) struct Pass<'a, 's> {
    out: Out<'s>,
    places: &'s Places<'s>,
    source: &'s str,
    options: Options<'s>,
    file: &'s str,
    scoping: &'s Scoping,
    scopes: Scopes,
    sites: Vec<Site>,
    tested: Tested,
    /// The deltas of site and line for each site that makes objects.
    births: String,
    last_birth: (u32, u32),
    frames: Vec<Frame>,
    /// The name that an anonymous function would get here.
    pending_name: Option<Arc<str>>,
    /// The offset of the pending name, if that is an identifier.
    pending_at: Option<u32>,
    /// How many `with` statements enclose the current place.
    withs: u32,
    /// Hooks that run before everything else.
    prologue: String,
    /// The text of the method whose function comes next.
    method_span: Option<Span>,
    /// How many functions that have an `arguments` of their own enclose the current place.
    functions: u32,
    /// Whether the class around extends another.
    derived: bool,
    /// Whether a module has an `await` outside of functions.
    waits: bool,
    tree: std::marker::PhantomData<&'a ()>,
}

/// Rewrites a parsed program.
pub(crate) fn run<'s>(
    program: &Program<'_>,
    scoping: &'s Scoping,
    places: &'s Places<'s>,
    source: &'s str,
    mut options: Options<'s>,
) -> Rewritten {
    if let Kind::Eval { strict, .. } = &mut options.kind {
        *strict |= program.has_use_strict_directive();
    }
    let strict = matches!(options.kind, Kind::Module | Kind::Eval { strict: true, .. })
        || program.has_use_strict_directive();
    let top = Frame {
        name: "".into(),
        named_at: None,
        suspends: Suspends::of(options.kind == Kind::Module, false),
        strict,
        steady_this: false,
    };
    let pass = Pass {
        out: Out::new(source),
        places,
        source,
        options,
        file: file_name(options.url),
        scoping,
        scopes: Scopes::new(scoping),
        sites: Vec::new(),
        tested: Tested::of(program),
        births: String::new(),
        last_birth: (0, 0),
        frames: vec![top],
        pending_name: None,
        pending_at: None,
        withs: 0,
        prologue: String::new(),
        method_span: None,
        functions: 0,
        derived: false,
        waits: false,
        tree: std::marker::PhantomData,
    };
    pass.program(program)
}

/// The last segment of a URL's path.
fn file_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or("inline")
}

/// Whether code may read or move the focus. The user moves it all the time: that is worth recording
/// only in a page whose scripts do so, too.
fn mentions_focus(source: &str) -> bool {
    let mentions = |text: &str| memchr::memmem::find(source.as_bytes(), text.as_bytes()).is_some();
    mentions("activeElement") || mentions(".focus(") || mentions(".blur(")
}

impl<'a> Pass<'a, '_> {
    fn program(mut self, program: &Program<'a>) -> Rewritten {
        // The prologue goes right before the first statement, after directives and all comments.
        let Some(first) = program.body.first() else {
            self.out.copy_to(self.source.len() as u32);
            let (code, map) = self.out.finish(0, "");
            return Rewritten { code, sites: self.sites, map };
        };
        self.out.copy_to(first.span().start);
        let at = self.out.len();
        if let Some(scope) = program.scope_id.get() {
            self.enter_program(program, scope);
        }
        self.statement_list(&program.body);
        self.end_of_module(program);
        let hooks = self.options.global;
        let focus =
            if mentions_focus(self.source) { format!("{hooks}.uf();") } else { String::new() };
        let head = format!(
            "{}{hooks}.p({},{},{},{},\"{}\",\"{}\"{});{focus}{}",
            if program.directives.is_empty() { "" } else { ";" },
            self.options.script,
            quote(self.file),
            self.options.first_site,
            self.sites.len(),
            self.births,
            self.options.kind.letter(),
            self.module_facts(program),
            self.prologue,
        );
        let (code, map) = self.out.finish(at, &head);
        Rewritten { code, sites: self.sites, map }
    }

    /// Returns the arguments of the first hook that only modules have: the address and, if the module
    /// imports others, the function that resolves their specifiers, and the specifiers.
    fn module_facts(&self, program: &Program<'a>) -> String {
        if self.options.kind != Kind::Module {
            return String::new();
        }
        let imported = program.body.iter().filter_map(|statement| match statement {
            Statement::ImportDeclaration(it) => Some(&it.source),
            Statement::ExportAllDeclaration(it) => Some(&it.source),
            Statement::ExportFromDeclaration(it) => Some(&it.source),
            _ => None,
        });
        let specifiers: Vec<String> = imported.map(|source| quote(&source.value)).collect();
        if specifiers.is_empty() {
            return ",import.meta.url".to_string();
        }
        format!(",import.meta.url,import.meta.resolve,[{}]", specifiers.join(","))
    }

    /// Reports the end of a module's evaluation if the module may wait: then other events come between
    /// its begin and its end.
    fn end_of_module(&mut self, program: &Program<'a>) {
        let (true, Some(last)) = (self.waits, program.body.last()) else { return };
        self.out.copy_to(last.span().end);
        self.out.add(";");
        self.hook("pe(import.meta.url);");
    }

    fn hook(&mut self, name: &str) {
        let text = format!("{}.{name}", self.options.global);
        self.out.add(&text);
    }

    /// Returns the line and column in the source's file for an offset.
    fn line_column(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.places.line_column(offset);
        let (first_line, first_column) = self.options.start;
        match line {
            1 => (first_line, first_column + column - 1),
            _ => (first_line + line - 1, column),
        }
    }

    /// Adds a site and returns its number.
    fn site(&mut self, offset: u32, kind: SiteKind) -> u32 {
        let (line, column) = self.line_column(offset);
        let frame = self.frames.last().expect("the top level is one");
        let (function, function_at) = (Arc::clone(&frame.name), frame.named_at);
        let tested = match kind {
            SiteKind::Read => self.tested.variable(offset),
            SiteKind::Get | SiteKind::Update => self.tested.property(offset),
            _ => false,
        };
        self.sites.push(Site { line, column, function, function_at, kind, tested });
        self.options.first_site + self.sites.len() as u32 - 1
    }

    /// Adds a site that makes objects and returns its number. The page gets its line in the
    /// prologue.
    fn birth(&mut self, offset: u32) -> u32 {
        use std::fmt::Write as _;
        let site = self.site(offset, SiteKind::New);
        let line = self.sites.last().expect("just pushed").line;
        let relative = site - self.options.first_site;
        let (last_site, last_line) = self.last_birth;
        let lines = i64::from(line) - i64::from(last_line);
        let comma = if self.births.is_empty() { "" } else { "," };
        write!(self.births, "{comma}{},{lines}", relative - last_site).expect("a string takes it");
        self.last_birth = (relative, line);
        site
    }

    fn strict(&self) -> bool {
        self.frames.last().expect("the top level is one").strict
    }

    /// Whether evaluating this piece of the source may suspend, which ends the current event.
    fn may_suspend(&self, start: u32, end: u32) -> bool {
        self.frames.last().is_some_and(|frame| frame.suspends.ever()) && {
            let text = &self.source.as_bytes()[start as usize..end as usize];
            memchr::memmem::find(text, b"await").is_some()
                || memchr::memmem::find(text, b"yield").is_some()
        }
    }

    /// Writes `PREFIX expression SUFFIX`.
    fn wrap(&mut self, expression: &Expression<'a>, prefix: &str, suffix: &str) {
        // The object of a `with` may be a comma expression, an argument may not.
        let comma = matches!(expression, Expression::SequenceExpression(_));
        self.out.copy_to(expression.span().start);
        self.hook(prefix);
        self.out.add(if comma { "(" } else { "" });
        self.visit_expression(expression);
        self.out.copy_to(expression.span().end);
        self.out.add(if comma { ")" } else { "" });
        self.out.add(suffix);
    }
}

impl<'a> VisitJs<'a> for Pass<'a, '_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        if !matches!(
            it,
            Expression::FunctionExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::ClassExpression(_)
                | Expression::ParenthesizedExpression(_)
        ) {
            self.pending_name = None;
        }
        match it {
            Expression::Identifier(identifier) => self.read_variable(identifier, it.span()),
            Expression::StaticMemberExpression(_)
            | Expression::ComputedMemberExpression(_)
            | Expression::PrivateFieldExpression(_) => {
                self.member(it.to_member_expression(), members::Access::Get);
            }
            Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => {
                self.out.copy_to(it.span().start);
                let site = self.birth(it.span().start);
                self.hook(&members::copy("o", site));
                walk_js::walk_expression(self, it);
                self.out.copy_to(it.span().end);
                self.out.add(&format!(",{site})"));
            }
            _ => walk_js::walk_expression(self, it),
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        self.object_property(it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        // Spread in arrays and calls iterates; spread in objects comes through `object_spread`.
        let site = self.site(it.span.start, SiteKind::Get);
        self.wrap(&it.argument, "i(", &format!(",{site})"));
    }

    fn visit_object_property_kind(&mut self, it: &ObjectPropertyKind<'a>) {
        match it {
            ObjectPropertyKind::ObjectProperty(property) => self.object_property(property),
            ObjectPropertyKind::SpreadProperty(spread) => {
                let site = self.site(spread.span.start, SiteKind::Get);
                self.wrap(&spread.argument, "ds(", &format!(",{site})"));
            }
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.new_expression(it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.waits |= self.frames.len() == 1;
        self.wrap(&it.argument, "aw(", ")");
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'a>) {
        let waits = self.frames.last().is_some_and(|frame| frame.suspends == Suspends::AtYields);
        match &it.argument {
            Some(argument) if waits && it.delegate => {
                let site = self.site(argument.span().start, SiteKind::Get);
                self.wrap(argument, "fa(", &format!(",{site})"));
            }
            Some(argument) if waits => self.wrap(argument, "aw(", ")"),
            _ => walk_js::walk_yield_expression(self, it),
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if !self.settles_by_return() {
            return walk_js::walk_return_statement(self, it);
        }
        if let Some(value) = &it.argument {
            return self.wrap(value, "ar(", ")");
        }
        self.out.copy_to(it.span.start + "return".len() as u32);
        self.out.add(" ");
        self.hook("ar()");
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.out.copy_to(it.span.start);
        self.hook("im(");
        let base = match self.options.kind {
            Kind::Module => "import.meta.resolve".to_string(),
            _ => quote(self.options.url),
        };
        self.wrap(&it.source, "is(", &format!(",{base})"));
        if let Some(options) = &it.options {
            self.visit_expression(options);
        }
        self.out.copy_to(it.span.end);
        self.out.add(")");
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.callee(&it.tag, it.span);
        self.visit_template_literal(&it.quasi);
        self.end_callee(&it.tag, it.span);
    }

    fn visit_chain_expression(&mut self, it: &ChainExpression<'a>) {
        self.chain(it);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'a>) {
        self.update(it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        self.unary(it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.binary(it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.assignment(it);
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        if let Some(member) = it.as_member_expression() {
            self.member(member, members::Access::Set);
        }
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        self.visit_assignment_target(&it.binding);
        self.visit_expression(&it.init);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
    }

    fn visit_with_statement(&mut self, it: &WithStatement<'a>) {
        self.wrap(&it.object, "wi(", ")");
        self.withs += 1;
        self.visit_statement(&it.body);
        self.withs -= 1;
    }

    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = it {
            for declarator in &declaration.declarations {
                for id in declarator.id.get_binding_identifiers() {
                    if let Some(symbol) = id.symbol_id.get() {
                        self.scopes.unsteady(symbol);
                    }
                }
            }
        }
        walk_js::walk_for_statement_left(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        for declarator in &it.declarations {
            self.declarator(declarator, it.kind.is_var());
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_for_statement_left(&it.left);
        let site = self.site(it.right.span().start, SiteKind::Get);
        self.waits |= it.r#await && self.frames.len() == 1;
        let hook = if it.r#await { "fa(" } else { "i(" };
        self.wrap(&it.right, hook, &format!(",{site})"));
        self.visit_statement(&it.body);
    }

    fn visit_statements(&mut self, it: &oxc_allocator::ArenaVec<'a, Statement<'a>>) {
        self.statement_list(it);
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.out.copy_to(it.span.start + 1);
        self.enter_block(it.scope_id.get());
        self.statement_list(&it.body);
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.static_block(it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.function(it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow(it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class(it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.method(it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.field(it);
    }
}
