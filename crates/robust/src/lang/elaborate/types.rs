//! Types of declarations.

use super::super::ast::{self, File, Item, TypeKind};
use super::super::error::{BAD_DECLARATION, OUT_OF_RANGE, TOO_LARGE, TYPE_MISMATCH};
use super::{Elaborator, Entity};
use crate::core::{Enum, EnumId, Local, Type};

/// The largest number of values of a range. The finite engines enumerate them.
const MAX_RANGE: i128 = 1 << 16;

/// The largest number of elements of an array.
const MAX_LENGTH: i64 = 1024;

/// A type with its structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar(Type),
    Array(Box<Shape>, usize),
    Record(Vec<(String, Shape)>),
}

impl Shape {
    /// The number of locations of a variable of this type.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Array(element, length) => element.size().saturating_mul(*length),
            Self::Record(fields) => {
                fields.iter().fold(0, |sum, (_, field)| sum.saturating_add(field.size()))
            }
        }
    }

    /// Calls `visit` with the path and type of every location, in order.
    pub(super) fn locations(&self, path: &str, visit: &mut impl FnMut(String, Type)) {
        match self {
            Self::Scalar(ty) => visit(path.to_owned(), *ty),
            Self::Array(element, length) => {
                for index in 0..*length {
                    element.locations(&format!("{path}[{index}]"), visit);
                }
            }
            Self::Record(fields) => {
                for (name, field) in fields {
                    field.locations(&format!("{path}.{name}"), visit);
                }
            }
        }
    }
}

impl Elaborator {
    pub(super) fn declare_types(&mut self, file: &File) {
        for item in &file.items {
            match item {
                Item::Enum(decl) => {
                    let id = EnumId::new(self.program.enums.len());
                    self.declare(&decl.name, Entity::Enum(id));
                    if decl.values.is_empty() {
                        let advice = "list its values between the braces";
                        let message = "an enumeration needs a value";
                        self.error(&BAD_DECLARATION, decl.name.span, message, advice);
                    }
                    for (value, name) in (0..).zip(&decl.values) {
                        self.declare(name, Entity::EnumValue(id, value));
                    }
                    let values = decl.values.iter().map(|name| name.text.clone()).collect();
                    self.program.enums.push(Enum { name: decl.name.text.clone(), values });
                }
                Item::Record(decl) => {
                    let mut fields: Vec<(String, Shape)> = Vec::new();
                    for (name, ty) in &decl.fields {
                        if fields.iter().any(|(known, _)| *known == name.text) {
                            let message = format!("field `{}` is declared twice", name.text);
                            self.error(&BAD_DECLARATION, name.span, message, "rename one of them");
                        }
                        if let Some(shape) = self.shape(ty) {
                            fields.push((name.text.clone(), shape));
                        }
                    }
                    self.declare(&decl.name, Entity::Record(fields));
                }
                _ => {}
            }
        }
    }

    pub(super) fn shape(&mut self, ty: &ast::Type) -> Option<Shape> {
        match &ty.kind {
            TypeKind::Bool => Some(Shape::Scalar(Type::Bool)),
            TypeKind::Int => Some(Shape::Scalar(Type::Int)),
            TypeKind::Range(low, high) => self.range(*low, *high, ty),
            TypeKind::Array(element, length) => {
                let element = self.shape(element)?;
                if !(1..=MAX_LENGTH).contains(length) {
                    let message = format!("an array has between 1 and {MAX_LENGTH} elements");
                    self.error(&TOO_LARGE, ty.span, message, "change its length");
                    return None;
                }
                Some(Shape::Array(Box::new(element), *length as usize))
            }
            TypeKind::Named(text) => {
                let name = ast::Name { text: text.clone(), span: ty.span };
                match self.lookup(&name, "type")? {
                    Entity::Enum(id) => Some(Shape::Scalar(Type::Enum(id))),
                    Entity::Record(fields) => Some(Shape::Record(fields)),
                    _ => {
                        let message = format!("`{text}` is not a type");
                        let advice = "use bool, int, a range, an enumeration, a record or an array";
                        self.error(&TYPE_MISMATCH, ty.span, message, advice);
                        None
                    }
                }
            }
        }
    }

    fn range(&mut self, low: i64, high: i64, ty: &ast::Type) -> Option<Shape> {
        let values = i128::from(high) - i128::from(low) + 1;
        if values < 1 {
            let message = "the range is empty";
            self.error(&OUT_OF_RANGE, ty.span, message, "write the smaller end first");
            return None;
        }
        if values > MAX_RANGE {
            self.error(
                &TOO_LARGE,
                ty.span,
                format!("a range of {values} values is too large to enumerate"),
                format!("use at most {MAX_RANGE} values, or `int` with the engine `chc`"),
            );
            return None;
        }
        Some(Shape::Scalar(Type::Range(low, high)))
    }

    /// A type that must be scalar, `bool` if none is written.
    pub(super) fn scalar(&mut self, ty: Option<&ast::Type>) -> Option<Type> {
        let Some(ty) = ty else { return Some(Type::Bool) };
        match self.shape(ty)? {
            Shape::Scalar(scalar) => Some(scalar),
            Shape::Array(..) | Shape::Record(_) => {
                let message = "locals and parameters are scalars";
                let advice = "declare the array or record as a global variable";
                self.error(&BAD_DECLARATION, ty.span, message, advice);
                None
            }
        }
    }

    pub(super) fn params(&mut self, decl: &ast::Procedure) -> Vec<Local> {
        let mut locals = Vec::new();
        for (name, ty) in &decl.params {
            let ty = self.scalar(ty.as_ref()).unwrap_or(Type::Bool);
            locals.push(Local { name: name.text.clone(), ty });
        }
        locals
    }
}
