//! The canonical layout of a program. `format` is idempotent and keeps every comment.
//!
//! Comments belong to no node: one that starts a line goes before the next declaration, statement
//! or closing brace; one that ends a line stays on it.

use super::ast::{
    Block, Comment, Driver, Expr, ExprKind, File, Item, Place, Procedure, Step, Stmt, StmtKind,
    Type, TypeKind, VarDecl,
};
use super::span::Span;

/// The canonical text of `file`, whose source was `text`.
pub fn format(file: &File, text: &str) -> String {
    let mut printer =
        Printer { text, comments: &file.comments, out: String::new(), depth: 0, last: 0 };
    let mut previous: Option<&Item> = None;
    for item in &file.items {
        if let Some(previous) = previous
            && !(matches!((previous, item), (Item::Var(_), Item::Var(_))))
        {
            printer.out.push('\n');
        }
        printer.comments_before(item.span().start);
        printer.item(item);
        previous = Some(item);
    }
    printer.comments_before(u32::MAX);
    printer.out
}

struct Printer<'f> {
    text: &'f str,
    comments: &'f [Comment],
    out: String,
    depth: usize,
    /// Where the last printed node ended in the source.
    last: u32,
}

impl Printer<'_> {
    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("    ", self.depth));
    }

    /// Ends a line that printed the source up to `end`, with the comment that followed there.
    fn end_line(&mut self, end: u32) {
        self.last = end;
        if let Some((comment, rest)) = self.comments.split_first()
            && comment.span.start >= end
            && !self.text[end as usize..comment.span.start as usize].contains('\n')
        {
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.comments = rest;
            self.last = comment.span.end;
        }
        self.out.push('\n');
    }

    fn comments_before(&mut self, position: u32) {
        while let Some((comment, rest)) = self.comments.split_first()
            && comment.span.start < position
        {
            self.indent();
            self.out.push_str(&comment.text);
            self.out.push('\n');
            self.comments = rest;
            self.last = comment.span.end;
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Enum(decl) => {
                let values: Vec<&str> = decl.values.iter().map(|v| v.text.as_str()).collect();
                self.out += &format!("enum {} {{ {} }}", decl.name.text, values.join(", "));
                self.end_line(decl.span.end);
            }
            Item::Record(decl) => {
                let fields: Vec<String> =
                    decl.fields.iter().map(|(n, t)| format!("{}: {}", n.text, type_(t))).collect();
                self.out += &format!("record {} {{ {} }}", decl.name.text, fields.join(", "));
                self.end_line(decl.span.end);
            }
            Item::Var(decl) => self.variables(decl),
            Item::Procedure(decl) => self.procedure(decl),
            Item::Driver(decl) => self.driver(decl),
        }
    }

    fn variables(&mut self, decl: &VarDecl) {
        let names: Vec<&str> = decl.names.iter().map(|name| name.text.as_str()).collect();
        self.out += &format!("var {}", names.join(", "));
        if let Some(ty) = &decl.ty {
            self.out += &format!(": {}", type_(ty));
        }
        if let Some(init) = &decl.init {
            self.out += &format!(" := {}", expr(init));
        }
        self.out.push(';');
        self.end_line(decl.span.end);
    }

    fn procedure(&mut self, decl: &Procedure) {
        let params: Vec<String> = decl
            .params
            .iter()
            .map(|(name, ty)| match ty {
                Some(ty) => format!("{}: {}", name.text, type_(ty)),
                None => name.text.clone(),
            })
            .collect();
        self.out += &format!("procedure {}({}) ", decl.name.text, params.join(", "));
        self.block(&decl.body);
        self.end_line(decl.span.end);
    }

    fn driver(&mut self, decl: &Driver) {
        self.out.push_str("driver {");
        let first = decl.instances.first().map_or(decl.span.end, |instance| instance.span.start);
        self.open(Span { start: decl.span.start, end: first });
        for instance in &decl.instances {
            self.comments_before(instance.span.start);
            self.indent();
            self.out += &format!("{}: {}", instance.name.text, instance.procedure.text);
            if !instance.args.is_empty() {
                self.out += &format!("({})", exprs(&instance.args));
            }
            for (index, after) in instance.after.iter().enumerate() {
                self.out += if index == 0 { " after " } else { ", " };
                self.out += &after.instance.text;
                self.out += if after.end { ".end" } else { ".start" };
            }
            self.out.push(';');
            self.end_line(instance.span.end);
        }
        self.close(decl.span);
        self.end_line(decl.span.end);
    }

    /// Ends the line of an opening brace; the brace lies in `span`, whose end is the first thing
    /// inside.
    fn open(&mut self, span: Span) {
        let brace =
            self.text[span.range()].find('{').map_or(span.start, |at| span.start + at as u32 + 1);
        self.end_line(brace);
        self.depth += 1;
    }

    fn close(&mut self, span: Span) {
        self.comments_before(span.end);
        self.depth -= 1;
        self.indent();
        self.out.push('}');
    }

    /// Prints from brace to brace, without ending the last line.
    fn block(&mut self, block: &Block) {
        let inside = self.comments.first().is_some_and(|c| c.span.start < block.span.end);
        if block.stmts.is_empty() && !inside {
            self.out.push_str("{}");
            return;
        }
        self.out.push('{');
        self.open(block.span);
        for stmt in &block.stmts {
            self.comments_before(stmt.span.start);
            self.indent();
            self.stmt(stmt);
        }
        self.close(block.span);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Var(decl) => return self.variables(decl),
            StmtKind::Assign(to, value) => {
                self.out += &format!("{} := {};", place(to), expr(value));
            }
            StmtKind::Assume(condition) => self.out += &format!("assume {};", expr(condition)),
            StmtKind::Havoc(at) => self.out += &format!("havoc {};", place(at)),
            StmtKind::Async(on, name, args) => {
                self.out += &format!("async[{}] {}({});", on.name(), name.text, exprs(args));
            }
            StmtKind::Call(name, args) => {
                self.out += &format!("call {}({});", name.text, exprs(args));
            }
            StmtKind::Return => self.out.push_str("return;"),
            StmtKind::If(condition, then, otherwise) => {
                self.branch(condition, then, otherwise.as_ref());
            }
            StmtKind::While(condition, body) => {
                self.out += &format!("while {} ", expr(condition));
                self.block(body);
            }
            StmtKind::Repeat(count, body) => {
                self.out += &format!("repeat {count} ");
                self.block(body);
            }
        }
        self.end_line(stmt.span.end);
    }

    fn branch(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) {
        self.out += &format!("if {} ", expr(condition));
        self.block(then);
        let Some(otherwise) = otherwise else { return };
        self.out.push_str(" else ");
        match otherwise.stmts.as_slice() {
            [Stmt { kind: StmtKind::If(condition, then, rest), span }]
                if *span == otherwise.span =>
            {
                self.branch(condition, then, rest.as_ref());
            }
            _ => self.block(otherwise),
        }
    }
}

fn type_(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Bool => "bool".into(),
        TypeKind::Int => "int".into(),
        TypeKind::Range(low, high) => format!("{low}..{high}"),
        TypeKind::Named(name) => name.clone(),
        TypeKind::Array(element, length) => format!("[{}; {length}]", type_(element)),
    }
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn place(place: &Place) -> String {
    let mut out = place.root.text.clone();
    for step in &place.path {
        match step {
            Step::Field(name) => out += &format!(".{}", name.text),
            Step::Index(index) => out += &format!("[{}]", expr(index)),
        }
    }
    out
}

fn expr(e: &Expr) -> String {
    operand(e, 0)
}

/// `e` as an operand of an operator that needs its operands to bind at least `tightest`.
fn operand(e: &Expr, tightest: u8) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Any => "*".into(),
        ExprKind::Place(at) => place(at),
        ExprKind::Not(inner) => format!("!{}", operand(inner, 6)),
        ExprKind::Negate(inner) => format!("-{}", operand(inner, 6)),
        ExprKind::Chain(first, rest) => {
            let operator = rest[0].0;
            let binds = operator.precedence();
            // Comparisons do not chain, so a comparison as an operand of another needs parentheses.
            let left_binds = if operator.is_comparison() { binds + 1 } else { binds };
            let mut text = operand(first, left_binds);
            for (operator, right) in rest {
                text += &format!(" {} {}", operator.symbol(), operand(right, binds + 1));
            }
            if binds < tightest { format!("({text})") } else { text }
        }
    }
}
