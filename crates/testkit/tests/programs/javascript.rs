//! Finds the programs that JavaScript and TypeScript start, in their syntax: calls of the functions
//! of `node:child_process`, whatever name they are imported by, and `executablePath` of Playwright.
//! Uses of those functions as values, and of the module by `require` or `import()`, are unclear.

use std::collections::BTreeMap;
use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, CallExpression, Expression, IdentifierReference, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ObjectProperty, StringLiteral,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

use crate::{Program, Start, shell};

pub(crate) fn starts(text: &str, path: &Path, root: &Path) -> Result<Vec<Start>, String> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(path).map_err(|error| error.to_string())?;
    let parsed = Parser::new(&allocator, text, kind).parse();
    if parsed.panicked {
        return Err("it does not parse".to_owned());
    }
    let mut scan = Scan { text, root, imported: BTreeMap::new(), starts: Vec::new() };
    // Imports may come after their uses.
    for statement in &parsed.program.body {
        if let oxc_ast::ast::Statement::ImportDeclaration(import) = statement {
            scan.import(import);
        }
    }
    scan.visit_program(&parsed.program);
    Ok(scan.starts)
}

struct Scan<'t> {
    text: &'t str,
    root: &'t Path,
    /// Local names of the functions of `child_process`, or `*` for the module.
    imported: BTreeMap<String, String>,
    starts: Vec<Start>,
}

fn is_module(name: &str) -> bool {
    matches!(name, "child_process" | "node:child_process")
}

impl Scan<'_> {
    fn import(&mut self, import: &ImportDeclaration<'_>) {
        if !is_module(&import.source.value) {
            return;
        }
        for specifier in import.specifiers.iter().flatten() {
            let name = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => it.imported.name().to_string(),
                _ => "*".to_owned(),
            };
            self.imported.insert(specifier.name().to_string(), name);
        }
    }

    fn push(&mut self, span: Span, program: Program) {
        let line = self.text[..span.start as usize].matches('\n').count() + 1;
        self.starts.push(Start { line, program });
    }

    /// The function of `child_process` that an expression names.
    fn function(&self, callee: &Expression<'_>) -> Option<String> {
        match callee {
            Expression::Identifier(name) => {
                self.imported.get(name.name.as_str()).filter(|name| *name != "*").cloned()
            }
            Expression::StaticMemberExpression(member) => match &member.object {
                Expression::Identifier(object) => {
                    let module =
                        self.imported.get(object.name.as_str()).is_some_and(|name| name == "*");
                    module.then(|| member.property.name.to_string())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn started(&mut self, function: &str, call: &CallExpression<'_>) {
        let first = call.arguments.first().and_then(Argument::as_expression);
        let programs = match (function, first.and_then(literal)) {
            ("fork", _) => vec![Program::named("node")],
            ("exec" | "execSync", Some(code)) => shell::starts_of_text(&code, self.root),
            (_, Some(name)) => vec![Program::named(&name)],
            (_, None) => {
                let text = first.map_or("", |it| it.span().source_text(self.text));
                vec![if text == "process.execPath" {
                    Program::named("node")
                } else {
                    Program::unclear(text)
                }]
            }
        };
        for program in programs {
            self.push(call.span, program);
        }
    }
}

/// The text of a string.
fn literal(expression: &Expression<'_>) -> Option<String> {
    match expression {
        Expression::StringLiteral(string) => Some(string.value.to_string()),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.quasis.first().map(|quasi| quasi.value.raw.to_string())
        }
        _ => None,
    }
}

/// The strings in an expression.
#[derive(Default)]
struct Strings(Vec<String>);

impl<'a> Visit<'a> for Strings {
    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.0.push(it.value.to_string());
    }
}

impl<'a> Visit<'a> for Scan<'_> {
    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Some(function) = self.function(&it.callee) {
            self.started(&function, it);
            return self.visit_arguments(&it.arguments);
        }
        let is_require =
            matches!(&it.callee, Expression::Identifier(name) if name.name == "require");
        let module = it.arguments.first().and_then(Argument::as_expression).and_then(literal);
        if is_require && module.is_some_and(|name| is_module(&name)) {
            self.push(it.span, Program::unclear("the module by `require`"));
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if literal(&it.source).is_some_and(|name| is_module(&name)) {
            self.push(it.span, Program::unclear("the module by `import()`"));
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if self.imported.contains_key(it.name.as_str()) {
            self.push(it.span, Program::unclear(&it.name));
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.key.static_name().is_some_and(|name| name == "executablePath") {
            let mut strings = Strings::default();
            strings.visit_expression(&it.value);
            if strings.0.is_empty() {
                self.push(it.span, Program::unclear(it.value.span().source_text(self.text)));
            }
            for name in strings.0 {
                self.push(it.span, Program::named(&name));
            }
        }
        walk::walk_object_property(self, it);
    }
}
