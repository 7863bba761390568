//! Lists of statements, and the hooks after declarations.

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
                // A hook may begin with a parenthesis. After a statement without a semicolon, that
                // parenthesis would be parsed as a call.
                self.out.add(";");
            }
            self.visit_statement(statement);
            self.out.copy_to(statement.span().end);
            self.after_declaration(statement);
        }
    }

    /// Writes the hooks for the writes of a declaration. They come after it, not around its value:
    /// a function takes its name from the declaration only if nothing stands between them.
    fn after_declaration(&mut self, statement: &Statement<'a>) {
        let declaration = match statement {
            Statement::ExportDeclaration(export) => &export.declaration,
            statement => match statement.as_declaration() {
                Some(declaration) => declaration,
                None => return,
            },
        };
        let mut hooks = Vec::new();
        match declaration {
            Declaration::VariableDeclaration(variables) if !variables.kind.is_using() => {
                for declarator in &variables.declarations {
                    if declarator.init.is_some() {
                        for id in declarator.id.get_binding_identifiers() {
                            hooks.extend(self.binding_hook(id));
                        }
                    }
                }
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    hooks.extend(self.binding_hook(id));
                }
            }
            _ => {}
        }
        if hooks.is_empty() {
            return;
        }
        let completion =
            self.frames.len() == 1 && matches!(self.options.kind, Kind::Script | Kind::Eval { .. });
        let text = if completion {
            // A declaration has no completion value, and neither has a block with one.
            format!(";{{let {}_=({})}}", self.options.global, hooks.join(","))
        } else {
            format!(";{};", hooks.join(","))
        };
        self.out.add(&text);
    }

    fn binding_hook(&mut self, id: &BindingIdentifier<'a>) -> Option<String> {
        if self.withs > 0 {
            return None;
        }
        let variable = id.symbol_id.get().map_or(Variable::Local, |symbol| self.symbol(symbol));
        self.write_hook(variable, &id.name, id.span.start)
    }
}
