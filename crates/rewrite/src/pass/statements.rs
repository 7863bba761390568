//! Lists of statements, and what is told after declarations.

use oxc_ast::ast::{BindingIdentifier, Declaration, Statement};
use oxc_ast_visit::VisitJs;
use oxc_span::GetSpan;

use super::Pass;
use super::variables::Variable;
use crate::Kind;

impl<'a> Pass<'a, '_> {
    pub(super) fn statement_list(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if let Statement::ExpressionStatement(expression) = statement {
                self.out.copy_to(expression.span.start);
                // A hook may begin with a parenthesis, which the statement before, if it ends
                // without a semicolon, would take for a call.
                self.out.add(";");
            }
            self.visit_statement(statement);
            self.out.copy_to(statement.span().end);
            self.after_declaration(statement);
        }
    }

    /// Tells what a declaration wrote. After it, not around its value: a function takes its name
    /// from the declaration only if nothing stands between.
    fn after_declaration(&mut self, statement: &Statement<'a>) {
        let declaration = match statement {
            Statement::ExportDeclaration(export) => &export.declaration,
            statement => match statement.as_declaration() {
                Some(declaration) => declaration,
                None => return,
            },
        };
        let mut told = Vec::new();
        match declaration {
            Declaration::VariableDeclaration(variables) if !variables.kind.is_using() => {
                for declarator in &variables.declarations {
                    if declarator.init.is_some() {
                        for id in declarator.id.get_binding_identifiers() {
                            told.extend(self.told_binding(id));
                        }
                    }
                }
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    told.extend(self.told_binding(id));
                }
            }
            _ => {}
        }
        if told.is_empty() {
            return;
        }
        let completion =
            self.frames.len() == 1 && matches!(self.options.kind, Kind::Script | Kind::Eval { .. });
        let text = if completion {
            // A declaration has no completion value; neither has a block of one.
            format!(";{{let {}_=({})}}", self.options.global, told.join(","))
        } else {
            format!(";{};", told.join(","))
        };
        self.out.add(&text);
    }

    fn told_binding(&mut self, id: &BindingIdentifier<'a>) -> Option<String> {
        if self.withs > 0 {
            return None;
        }
        let variable = id.symbol_id.get().map_or(Variable::Local, |symbol| self.symbol(symbol));
        self.told_write(variable, &id.name, id.span.start)
    }
}
