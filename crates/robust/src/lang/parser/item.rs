//! Declarations.

use super::super::ast::{
    After, Driver, EnumDecl, Instance, Item, Procedure, RecordDecl, Type, TypeKind, VarDecl,
};
use super::super::lexer::TokenKind;
use super::{Parsed, Parser};

const STARTERS: [&str; 5] = ["enum", "record", "var", "procedure", "driver"];

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek().kind != TokenKind::End {
            let start = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.recover_item(start),
            }
        }
        items
    }

    /// Skips to the next word that starts a declaration. A `var` within braces that opened since
    /// `start` declares a local.
    fn recover_item(&mut self, start: usize) {
        if self.at == start {
            self.next();
        }
        let braces = |parser: &Self, word: &str| {
            let since = &parser.tokens[start..parser.at];
            since.iter().filter(|token| parser.text_of(**token) == word).count()
        };
        let mut depth = braces(self, "{").saturating_sub(braces(self, "}"));
        loop {
            let token = self.peek();
            match (token.kind, self.text_of(token)) {
                (TokenKind::End, _) => break,
                (_, "{") => depth += 1,
                (_, "}") => depth = depth.saturating_sub(1),
                (_, "var") if depth > 0 => {}
                (_, word) if STARTERS.contains(&word) => break,
                _ => {}
            }
            self.next();
        }
        self.drop_since(start);
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.at_word("enum") {
            self.enumeration().map(Item::Enum)
        } else if self.at_word("record") {
            self.record().map(Item::Record)
        } else if self.at_word("var") {
            self.variables().map(Item::Var)
        } else if self.at_word("procedure") {
            self.procedure().map(Item::Procedure)
        } else if self.at_word("driver") {
            self.driver().map(Item::Driver)
        } else if let Some(word) = self.near_word(&STARTERS) {
            Err(self.misspelt(word))
        } else {
            Err(self.unexpected("`var`, `enum`, `record`, `procedure` or `driver`"))
        }
    }

    fn enumeration(&mut self) -> Parsed<EnumDecl> {
        let start = self.expect("enum")?;
        let name = self.name()?;
        self.expect("{")?;
        let values = self.list("}", Self::name)?;
        Ok(EnumDecl { name, values, span: start.to(self.previous_end()) })
    }

    fn record(&mut self) -> Parsed<RecordDecl> {
        let start = self.expect("record")?;
        let name = self.name()?;
        self.expect("{")?;
        let fields = self.list("}", |parser| {
            let field = parser.name()?;
            parser.expect(":")?;
            Ok((field, parser.type_()?))
        })?;
        Ok(RecordDecl { name, fields, span: start.to(self.previous_end()) })
    }

    pub(super) fn variables(&mut self) -> Parsed<VarDecl> {
        let start = self.expect("var")?;
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        let ty = if self.take(":") { Some(self.type_()?) } else { None };
        let init = if self.take(":=") { Some(self.expr()?) } else { None };
        let end = self.expect(";")?;
        Ok(VarDecl { names, ty, init, span: start.to(end) })
    }

    fn type_(&mut self) -> Parsed<Type> {
        let start = self.peek().span;
        let kind = if self.take("bool") {
            TypeKind::Bool
        } else if self.take("int") {
            TypeKind::Int
        } else if self.take("[") {
            let element = self.nested(Self::type_)?;
            self.expect(";")?;
            let length = self.integer()?;
            self.expect("]")?;
            TypeKind::Array(Box::new(element), length)
        } else if self.peek().kind == TokenKind::Ident {
            TypeKind::Named(self.name()?.text)
        } else if self.peek().kind == TokenKind::Int || self.at_word("-") {
            let low = self.integer()?;
            self.expect("..")?;
            TypeKind::Range(low, self.integer()?)
        } else {
            return Err(self.unexpected("a type"));
        };
        Ok(Type { kind, span: start.to(self.previous_end()) })
    }

    fn procedure(&mut self) -> Parsed<Procedure> {
        let start = self.expect("procedure")?;
        let name = self.name()?;
        self.expect("(")?;
        let params = self.list(")", |parser| {
            let name = parser.name()?;
            let ty = if parser.take(":") { Some(parser.type_()?) } else { None };
            Ok((name, ty))
        })?;
        let body = self.block()?;
        Ok(Procedure { name, params, span: start.to(body.span), body })
    }

    fn driver(&mut self) -> Parsed<Driver> {
        let start = self.expect("driver")?;
        self.expect("{")?;
        let mut instances = Vec::new();
        while !self.at_word("}") {
            instances.push(self.instance()?);
        }
        let end = self.expect("}")?;
        Ok(Driver { instances, span: start.to(end) })
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let name = self.name()?;
        self.expect(":")?;
        let procedure = self.name()?;
        let args = if self.take("(") { self.list(")", Self::expr)? } else { Vec::new() };
        let mut after = Vec::new();
        if self.take("after") {
            after.push(self.after()?);
            while self.take(",") {
                after.push(self.after()?);
            }
        }
        let end = self.expect(";")?;
        Ok(Instance { span: name.span.to(end), name, procedure, args, after })
    }

    fn after(&mut self) -> Parsed<After> {
        let instance = self.name()?;
        self.expect(".")?;
        let end = self.at_word("end");
        if !end && !self.at_word("start") {
            return Err(self.unexpected("`start` or `end`"));
        }
        self.next();
        Ok(After { instance, end })
    }
}
