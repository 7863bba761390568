//! A core program as text of the language.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Block, Cond, Expr, Milestone, Procedure, Program, Stmt, StmtKind, Type, Var};
use crate::lang::{KEYWORDS, format, parse_printed};

/// `program` in the language's one layout. Parts of arrays and records are printed as scalars
/// whose names keep the path (`rows[2].shown` as `rows$2$shown`).
pub fn print(program: &Program) -> String {
    let printer = Printer { program, globals: global_names(program) };
    let text = printer.program();
    let file = parse_printed(&text).expect("a core program prints as a program of the language");
    format(&file, &text)
}

/// Distinct identifiers for the locations.
fn global_names(program: &Program) -> Vec<String> {
    let mut taken: BTreeSet<String> = program
        .enums
        .iter()
        .flat_map(|e| e.values.iter().chain([&e.name]))
        .chain(program.procedures.iter().map(|p| &p.name))
        .cloned()
        .collect();
    let identifier = |name: &str| {
        let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$');
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("$")
    };
    program
        .globals
        .iter()
        .map(|global| {
            let mut name = identifier(&global.name);
            while taken.contains(&name) || KEYWORDS.contains(&name.as_str()) {
                name.push('$');
            }
            taken.insert(name.clone());
            name
        })
        .collect()
}

struct Printer<'p> {
    program: &'p Program,
    globals: Vec<String>,
}

impl Printer<'_> {
    fn program(&self) -> String {
        let mut out = String::new();
        for e in &self.program.enums {
            writeln!(out, "enum {} {{ {} }}", e.name, e.values.join(", ")).expect("to a string");
        }
        for (global, name) in self.program.globals.iter().zip(&self.globals) {
            let init = self.constant(global.init, global.ty);
            writeln!(out, "var {name}: {} := {init};", self.ty(global.ty)).expect("to a string");
        }
        for procedure in &self.program.procedures {
            self.procedure(procedure, &mut out);
        }
        out.push_str("driver {\n");
        for instance in &self.program.instances {
            let procedure = self.program.procedure(instance.procedure);
            let args: Vec<String> = instance
                .args
                .iter()
                .zip(&procedure.locals)
                .map(|(value, local)| self.constant(*value, local.ty))
                .collect();
            write!(out, "{}: {}", instance.name, procedure.name).expect("to a string");
            if !args.is_empty() {
                write!(out, "({})", args.join(", ")).expect("to a string");
            }
            for (index, (other, milestone)) in instance.after.iter().enumerate() {
                out.push_str(if index == 0 { " after " } else { ", " });
                out.push_str(&self.program.instances[other.index()].name);
                out.push_str(if *milestone == Milestone::Start { ".start" } else { ".end" });
            }
            out.push_str(";\n");
        }
        out.push_str("}\n");
        out
    }

    fn procedure(&self, procedure: &Procedure, out: &mut String) {
        let (params, locals) = procedure.locals.split_at(procedure.params);
        let params: Vec<String> =
            params.iter().map(|local| format!("{}: {}", local.name, self.ty(local.ty))).collect();
        writeln!(out, "procedure {}({}) {{", procedure.name, params.join(", "))
            .expect("to a string");
        for local in locals {
            writeln!(out, "var {}: {};", local.name, self.ty(local.ty)).expect("to a string");
        }
        self.block(&procedure.body, procedure, out);
        out.push_str("}\n");
    }

    fn block(&self, block: &Block, procedure: &Procedure, out: &mut String) {
        for stmt in block {
            self.stmt(stmt, procedure, out);
        }
    }

    fn stmt(&self, stmt: &Stmt, procedure: &Procedure, out: &mut String) {
        let var = |var: &Var| self.var(*var, procedure);
        let expr = |expr: &Expr| self.expr(expr, procedure);
        let call = |id: &super::ProcedureId, args: &[Expr]| {
            let args: Vec<String> = args.iter().map(expr).collect();
            format!("{}({});\n", self.program.procedure(*id).name, args.join(", "))
        };
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                *out += &format!("{} := {};\n", var(target), expr(value));
            }
            StmtKind::Havoc(target) => *out += &format!("havoc {};\n", var(target)),
            StmtKind::Assume(condition) => *out += &format!("assume {};\n", expr(condition)),
            StmtKind::Async(on, id, args) => {
                *out += &format!("async[{}] {}", on.name(), call(id, args));
            }
            StmtKind::Call(id, args) => *out += &format!("call {}", call(id, args)),
            StmtKind::Return => out.push_str("return;\n"),
            StmtKind::If(condition, then, otherwise) => {
                *out += &format!("if {} {{\n", self.cond(condition, procedure));
                self.block(then, procedure, out);
                out.push_str("}\n");
                if !otherwise.is_empty() {
                    out.push_str("else {\n");
                    self.block(otherwise, procedure, out);
                    out.push_str("}\n");
                }
            }
            StmtKind::While(condition, body) => {
                *out += &format!("while {} {{\n", self.cond(condition, procedure));
                self.block(body, procedure, out);
                out.push_str("}\n");
            }
        }
    }

    fn cond(&self, condition: &Cond, procedure: &Procedure) -> String {
        match condition {
            Cond::Expr(expr) => self.expr(expr, procedure),
            Cond::Any => "*".into(),
        }
    }

    fn var<'a>(&'a self, var: Var, procedure: &'a Procedure) -> &'a str {
        match var {
            Var::Global(id) => &self.globals[id.index()],
            Var::Local(id) => &procedure.locals[id.index()].name,
        }
    }

    fn expr(&self, expr: &Expr, procedure: &Procedure) -> String {
        match expr {
            Expr::Const(value, ty) => self.constant(*value, *ty),
            Expr::Var(var) => self.var(*var, procedure).to_owned(),
            Expr::Not(inner) => format!("!({})", self.expr(inner, procedure)),
            Expr::Negate(inner) => format!("-({})", self.expr(inner, procedure)),
            Expr::Binary(operator, left, right) => format!(
                "({}) {} ({})",
                self.expr(left, procedure),
                operator.symbol(),
                self.expr(right, procedure)
            ),
        }
    }

    fn constant(&self, value: i64, ty: Type) -> String {
        match ty {
            Type::Bool => (value != 0).to_string(),
            Type::Enum(id) => self.program.enums[id.index()].values[value as usize].clone(),
            Type::Int | Type::Range(..) => value.to_string(),
        }
    }

    fn ty(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Enum(id) => self.program.enums[id.index()].name.clone(),
        }
    }
}
