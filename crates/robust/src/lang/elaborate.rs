//! Elaborates the syntax tree to a core program: resolves names, checks types, splits arrays and
//! records into locations, and lowers to one global access for each statement.
//!
//! - An expression reads its globals left to right into fresh locals before it is evaluated; both
//!   operands of `&&` and `||` are read.
//! - Storing a value that may lie outside the target's range, or indexing that may leave the
//!   array, is preceded by an explicit `assume`: a task with such a value blocks there.
//! - `repeat n` is unrolled.

mod driver;
mod expr;
mod place;
mod stmt;
mod types;

use std::collections::BTreeMap;

use super::ast::{File, Item, Name, VarDecl};
use super::edit_distance;
use super::error::{BAD_DECLARATION, DUPLICATE_NAME, Error, TOO_LARGE, UNKNOWN_NAME};
use super::span::Span;
use crate::core::{
    Block, Cond, EnumId, Global, GlobalId, Mark, Procedure, ProcedureId, Program, SiteId, StmtKind,
    Type,
};
use types::Shape;

/// The largest number of locations of a program.
const MAX_LOCATIONS: usize = 4096;

/// Returns the core program of `file`, or all its errors.
pub fn elaborate(file: &File) -> Result<Program, Vec<Error>> {
    let mut elaborator = Elaborator::default();
    elaborator.declare_types(file);
    elaborator.declare_globals(file);
    elaborator.declare_procedures(file);
    for item in &file.items {
        if let Item::Procedure(decl) = item {
            elaborator.procedure(decl);
        }
    }
    elaborator.driver(file);
    if elaborator.errors.is_empty() {
        mark_sites(&mut elaborator.program);
        Ok(elaborator.program)
    } else {
        elaborator.errors.sort_by_key(|error| error.span);
        Err(elaborator.errors)
    }
}

/// Numbers the accesses in textual order and marks the program's own choices.
fn mark_sites(program: &mut Program) {
    fn mark(block: &mut Block, next: &mut usize) {
        for stmt in block {
            if stmt.access().is_some() {
                stmt.mark = Some(Mark::Access(SiteId::new(*next)));
                *next += 1;
            }
            match &mut stmt.kind {
                StmtKind::Havoc(_) => stmt.mark = Some(Mark::Decision),
                StmtKind::If(condition, then, otherwise) => {
                    stmt.mark = (*condition == Cond::Any).then_some(Mark::Decision);
                    mark(then, next);
                    mark(otherwise, next);
                }
                StmtKind::While(condition, body) => {
                    stmt.mark = (*condition == Cond::Any).then_some(Mark::Decision);
                    mark(body, next);
                }
                _ => {}
            }
        }
    }
    let mut next = 0;
    for procedure in &mut program.procedures {
        mark(&mut procedure.body, &mut next);
    }
}

/// The entity that a name of the outermost scope stands for.
#[derive(Clone, Debug)]
enum Entity {
    Enum(EnumId),
    EnumValue(EnumId, i64),
    Record(Vec<(String, Shape)>),
    /// A variable and the first of its locations.
    Global(Shape, GlobalId),
    Procedure(ProcedureId),
}

struct Elaborator {
    program: Program,
    scope: BTreeMap<String, Entity>,
    errors: Vec<Error>,
}

impl Default for Elaborator {
    fn default() -> Self {
        Self {
            program: Program {
                enums: Vec::new(),
                globals: Vec::new(),
                procedures: Vec::new(),
                instances: Vec::new(),
            },
            scope: BTreeMap::new(),
            errors: Vec::new(),
        }
    }
}

impl Elaborator {
    fn error(
        &mut self,
        code: &'static trace::Code,
        span: Span,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.errors.push(Error::new(code, span, message, advice));
    }

    fn declare(&mut self, name: &Name, entity: Entity) {
        if self.scope.contains_key(&name.text) {
            self.error(
                &DUPLICATE_NAME,
                name.span,
                format!("`{}` is declared twice", name.text),
                "rename one of the two",
            );
        } else {
            self.scope.insert(name.text.clone(), entity);
        }
    }

    /// Returns the entity that `name` stands for, or adds an error that suggests a similar name.
    fn lookup(&mut self, name: &Name, what: &str) -> Option<Entity> {
        if let Some(entity) = self.scope.get(&name.text) {
            return Some(entity.clone());
        }
        let near = self
            .scope
            .keys()
            .map(|known| (edit_distance(known, &name.text), known))
            .filter(|(distance, known)| *distance <= 2 && *distance < known.len())
            .min();
        let advice = match near {
            Some((_, known)) => format!("did you mean `{known}`?"),
            None => format!("declare it, or use the name of a declared {what}"),
        };
        self.error(&UNKNOWN_NAME, name.span, format!("there is no {what} `{}`", name.text), advice);
        None
    }

    fn declare_globals(&mut self, file: &File) {
        for item in &file.items {
            if let Item::Var(decl) = item {
                self.globals(decl);
            }
        }
    }

    fn globals(&mut self, decl: &VarDecl) {
        let shape = match &decl.ty {
            Some(ty) => self.shape(ty),
            None => Some(Shape::Scalar(Type::Bool)),
        };
        // A variable of a wrong type is still declared, so its uses are no further errors.
        let shape = shape.unwrap_or(Shape::Scalar(Type::Int));
        let init = match (&decl.init, &shape) {
            (None, _) => None,
            (Some(init), Shape::Scalar(ty)) => self.constant(init, *ty),
            (Some(init), _) => {
                let message = "only scalars take an initial value";
                let advice = "assign the elements in a procedure";
                self.error(&BAD_DECLARATION, init.span, message, advice);
                None
            }
        };
        for name in &decl.names {
            let first = GlobalId::new(self.program.globals.len());
            if self.program.globals.len() + shape.size() > MAX_LOCATIONS {
                return self.error(
                    &TOO_LARGE,
                    name.span,
                    format!("`{}` brings the program over {MAX_LOCATIONS} locations", name.text),
                    "make the array smaller: each element is a location of its own",
                );
            }
            let mut globals = Vec::new();
            shape.locations(&name.text, &mut |name, ty| {
                let init = init.unwrap_or(ty.default_value());
                globals.push(Global { name, ty, init });
            });
            self.program.globals.extend(globals);
            self.declare(name, Entity::Global(shape.clone(), first));
        }
    }

    fn declare_procedures(&mut self, file: &File) {
        for item in &file.items {
            let Item::Procedure(decl) = item else { continue };
            let id = ProcedureId::new(self.program.procedures.len());
            let locals = self.params(decl);
            self.program.procedures.push(Procedure {
                name: decl.name.text.clone(),
                params: decl.params.len(),
                locals,
                body: Vec::new(),
                span: decl.name.span,
            });
            self.declare(&decl.name, Entity::Procedure(id));
        }
    }
}
