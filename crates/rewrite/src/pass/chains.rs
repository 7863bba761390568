//! Calls, `new`, and optional chains.
//!
//! A hook around the front of a chain would end the chain there, and the links after it would no
//! longer be skipped. So a chain becomes a conditional if a property after an optional link is
//! recorded: `a?.b.c` becomes `((H.t=a)===null||H.t===void 0?void
//! 0:H.r(H.r(H.t,"b",1).b,"c",2).c)`. `H.t` is read before any other code can run. An optional call
//! keeps its `this` only as written, so the links after one are not recorded. Nor are the links
//! after the first one in a chain that is deleted or called through parentheses.

use oxc_ast::ast::{
    Argument, CallExpression, ChainElement, ChainExpression, Expression, IdentifierReference,
    MemberExpression, NewExpression,
};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};

use super::Pass;
use super::members::{Access, Open, copy, unparenthesized};
use super::variables::Variable;
use crate::out::quote;

#[derive(Clone, Copy)]
enum Link<'e, 'a> {
    Member(&'e MemberExpression<'a>),
    Call(&'e CallExpression<'a>),
}

impl<'e, 'a> Link<'e, 'a> {
    fn optional(self) -> bool {
        match self {
            Link::Member(member) => member.optional(),
            Link::Call(call) => call.optional,
        }
    }

    fn object(self) -> &'e Expression<'a> {
        match self {
            Link::Member(member) => member.object(),
            Link::Call(call) => &call.callee,
        }
    }

    fn of(expression: &'e Expression<'a>) -> Option<Link<'e, 'a>> {
        match expression {
            Expression::CallExpression(call) => Some(Link::Call(call)),
            _ => expression.as_member_expression().map(Link::Member),
        }
    }
}

/// The parts of a chain: its base, and its links in the order of evaluation.
struct Chain<'e, 'a> {
    base: &'e Expression<'a>,
    links: Vec<Link<'e, 'a>>,
    /// The number of links, from the first, whose accesses may be recorded.
    recorded: usize,
    /// The optional links that become conditionals.
    splits: Vec<usize>,
    last: Access,
}

impl<'a> Pass<'a, '_> {
    pub(super) fn chain(&mut self, it: &ChainExpression<'a>) {
        let mut chain = take_apart(it, Access::Get);
        let call =
            chain.links.iter().position(|link| matches!(link, Link::Call(call) if call.optional));
        chain.recorded = call.unwrap_or(chain.links.len());
        let last_recorded = (0..chain.recorded).rev().find(|&at| self.is_recorded_link(&chain, at));
        chain.splits = (0..chain.recorded)
            .filter(|&at| chain.links[at].optional() && last_recorded.is_some_and(|last| last > at))
            .collect();
        self.write_chain(&chain);
    }

    /// Writes a chain that must stay a chain, because it is deleted or called.
    pub(super) fn plain_chain(&mut self, it: &ChainExpression<'a>, last: Access) {
        let mut chain = take_apart(it, last);
        let first = chain.links.iter().position(|link| link.optional());
        chain.recorded = match first {
            Some(first) if matches!(chain.links[first], Link::Member(_)) => first + 1,
            Some(first) => first,
            None => chain.links.len(),
        };
        self.write_chain(&chain);
    }

    fn is_recorded_link(&self, chain: &Chain<'_, 'a>, at: usize) -> bool {
        matches!(chain.links[at], Link::Member(member)
            if at < chain.recorded && !self.private_object(member.object()))
    }

    fn write_chain(&mut self, chain: &Chain<'_, 'a>) {
        self.out.copy_to(chain.base.span().start);
        let mut opened: Vec<Option<Open>> = vec![None; chain.links.len()];
        // A split at the very first link tests the base alone.
        let mut splits = chain.splits.iter().copied().peekable();
        self.open_links(chain, 0, splits.peek().copied(), &mut opened);
        self.visit_expression(chain.base);
        self.out.copy_to(chain.base.span().end);
        for (at, &link) in chain.links.iter().enumerate() {
            if splits.next_if_eq(&at).is_some() {
                let hooks = self.options.global;
                self.out.add(&format!(")===null||{hooks}.t===void 0?void 0:"));
                self.open_links(chain, at, splits.peek().copied(), &mut opened);
                self.hook("t");
                let token = self.optional_token(link.object().span().end);
                if let Some(open) = &mut opened[at] {
                    open.link = Some(token);
                } else {
                    let computed = matches!(link, Link::Member(member) if member.is_computed());
                    self.replace_link(Some(token), if computed { "" } else { "." });
                }
            }
            match (link, opened[at]) {
                (Link::Member(member), Some(open)) => {
                    self.close_member(member, access_of(chain, at), open);
                    self.out.copy_to(member.span().end);
                }
                (Link::Member(member), None) => self.key_alone(member),
                (Link::Call(call), _) => {
                    self.visit_arguments(&call.arguments);
                    self.out.copy_to(call.span.end);
                }
            }
        }
        self.out.add(&")".repeat(chain.splits.len()));
    }

    /// Writes the text before a piece of the chain, which reaches from a link to the next split:
    /// the test that the split needs, and the hooks of the piece, the outermost first.
    fn open_links(
        &mut self,
        chain: &Chain<'_, 'a>,
        from: usize,
        split: Option<usize>,
        opened: &mut [Option<Open>],
    ) {
        if split.is_some() {
            self.out.add("((");
            self.hook("t=");
        }
        for at in (from..split.unwrap_or(chain.links.len())).rev() {
            if let Link::Member(member) = chain.links[at]
                && self.is_recorded_link(chain, at)
            {
                opened[at] = Some(self.open_member(member, access_of(chain, at)));
            }
        }
    }

    /// Returns the offset of the `?.` after an object.
    fn optional_token(&self, mut at: u32) -> u32 {
        let bytes = self.source.as_bytes();
        loop {
            let rest = &bytes[at as usize..];
            let skipped = match rest {
                [b'?', b'.', ..] => return at,
                [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
                [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n' || byte == b'\r'),
                _ => Some(1),
            };
            at += skipped.expect("an optional link has its token") as u32;
        }
    }

    /// If a callee may be the engine's `eval`: an expression for it, and the mode of the code. The
    /// modes are 0 and 1 for a direct `eval` in sloppy and strict code, and 2 for code that declares
    /// globals: that of an indirect `eval`, and of a direct one at the top level of a sloppy script.
    fn evaluates(&self, callee: &Expression<'a>) -> Option<(String, u8)> {
        let is_eval = |expression: &Expression<'a>| self.is_global(expression, "eval");
        match callee {
            Expression::Identifier(name) => {
                let is_bound =
                    name.reference_id.get().is_some_and(|id| self.scoping.has_binding(id));
                let is_direct = name.name == "eval" && !is_bound;
                is_direct.then(|| ("eval".to_string(), self.direct_mode(name)))
            }
            Expression::ParenthesizedExpression(inner) => match &inner.expression {
                Expression::SequenceExpression(steps) => {
                    let last = steps.expressions.last();
                    last.is_some_and(is_eval).then(|| ("eval".to_string(), 2))
                }
                _ => None,
            },
            Expression::StaticMemberExpression(member) if member.property.name == "eval" => {
                let globals = ["window", "globalThis", "self"];
                let name = globals.into_iter().find(|name| self.is_global(&member.object, name))?;
                Some((format!("{name}.eval"), 2))
            }
            _ => None,
        }
    }

    fn direct_mode(&self, eval: &IdentifierReference<'a>) -> u8 {
        let scope = eval.reference_id.get().map(|id| self.scoping.get_reference(id).scope_id());
        let is_top = scope == Some(self.scoping.root_scope_id())
            && self.options.kind.declares_globals()
            && self.withs == 0;
        if self.strict() { 1 } else { 2 * u8::from(is_top) }
    }

    pub(super) fn call(&mut self, it: &CallExpression<'a>) {
        let makes = makes_object(&it.callee) || self.is_global(&it.callee, "Array");
        let fresh = makes.then(|| self.birth(it.span.start));
        if let Some(site) = fresh {
            self.out.copy_to(it.span.start);
            self.hook(&copy("m", site));
        }
        self.callee(&it.callee, it.span);
        let around = match self.evaluates(&it.callee) {
            Some((callee, mode)) => Some((format!("ev({callee},"), format!(",{mode})"))),
            None => posts(&it.callee).then(|| ("pm(".to_string(), ")".to_string())),
        };
        match (it.arguments.split_first(), around) {
            (Some((first, rest)), Some((before, after))) if first.is_expression() => {
                self.wrap(first.to_expression(), &before, &after);
                for argument in rest {
                    self.visit_argument(argument);
                }
            }
            _ => self.call_arguments(it),
        }
        self.end_callee(&it.callee, it.span);
        if let Some(site) = fresh {
            self.out.add(&format!(",{site})"));
        }
    }

    /// Writes the arguments of a call. Engines call `f.apply(x, arguments)` without making an object, so
    /// no hook sees that one.
    fn call_arguments(&mut self, it: &CallExpression<'a>) {
        let passes_on = matches!(&it.callee, Expression::StaticMemberExpression(member)
            if matches!(member.property.name.as_str(), "apply" | "call"));
        for argument in &it.arguments {
            let is_own = matches!(argument, Argument::Identifier(name) if self.is_arguments(name));
            if !(passes_on && is_own) {
                self.visit_argument(argument);
            }
        }
    }

    /// Writes the callee of a call. The read of a name is recorded before the whole call, so that
    /// the callee stays a plain name: error messages show it, and a direct `eval` needs it.
    pub(super) fn callee(&mut self, callee: &Expression<'a>, call: Span) {
        self.out.copy_to(call.start);
        match callee {
            Expression::Identifier(name) => {
                if let Some(hook) = self.callee_hook(name) {
                    self.out.add(&format!("({hook},"));
                }
            }
            // Some code calls methods of functions on every other line: they are not worth a hook.
            Expression::StaticMemberExpression(member)
                if matches!(member.property.name.as_str(), "apply" | "bind" | "call") =>
            {
                self.visit_expression(&member.object);
            }
            Expression::ParenthesizedExpression(inner) => {
                match unparenthesized(&inner.expression) {
                    Expression::ChainExpression(chain) => {
                        self.out.copy_to(chain.span.start);
                        self.plain_chain(chain, Access::Get);
                    }
                    _ => self.visit_expression(callee),
                }
            }
            _ => self.visit_expression(callee),
        }
        self.out.copy_to(callee.span().end);
    }

    pub(super) fn end_callee(&mut self, callee: &Expression<'a>, call: Span) {
        self.out.copy_to(call.end);
        if let Expression::Identifier(name) = callee
            && self.variable(name) != Variable::Local
        {
            self.out.add(")");
        }
    }

    pub(super) fn new_expression(&mut self, it: &NewExpression<'a>) {
        self.out.copy_to(it.span.start);
        let site = self.birth(it.span.start);
        self.hook(&copy("n", site));
        let promise = it.arguments.first().is_some_and(Argument::is_expression)
            && self.is_global(&it.callee, "Promise");
        if promise {
            self.hook("pn(");
        }
        let name = matches!(it.callee, Expression::Identifier(_));
        let bare = !name && !matches!(it.callee, Expression::ParenthesizedExpression(_));
        if name {
            self.callee(&it.callee, it.span);
        } else {
            // Without parentheses, `new` would pass its arguments to a hook called in its callee.
            self.out.copy_to(it.callee.span().start);
            self.out.add(if bare { "(" } else { "" });
            self.visit_expression(&it.callee);
            self.out.copy_to(it.callee.span().end);
            self.out.add(if bare { ")" } else { "" });
        }
        match it.arguments.split_first() {
            Some((first, rest)) if promise => {
                self.wrap(first.to_expression(), "px(Promise,", ")");
                for argument in rest {
                    self.visit_argument(argument);
                }
            }
            _ => self.visit_arguments(&it.arguments),
        }
        self.end_callee(&it.callee, it.span);
        self.out.add(if promise { ")" } else { "" });
        self.out.add(&format!(",{site})"));
    }

    /// Returns the expression that records the read of a called name. A function that schedules is
    /// recorded at every call, as a site that makes objects: the scheduled object is named after
    /// it.
    fn callee_hook(&mut self, name: &IdentifierReference<'a>) -> Option<String> {
        const SCHEDULERS: [&str; 7] = [
            "fetch",
            "importScripts",
            "queueMicrotask",
            "requestAnimationFrame",
            "requestIdleCallback",
            "setInterval",
            "setTimeout",
        ];
        if self.variable(name) != Variable::Global || !SCHEDULERS.contains(&name.name.as_str()) {
            return self.read_hook(name);
        }
        let site = self.birth(name.span.start);
        Some(format!("{}.gc({site},{})", self.options.global, quote(&name.name)))
    }

    /// Whether an expression is a global's name.
    fn is_global(&self, it: &Expression<'a>, name: &str) -> bool {
        matches!(it, Expression::Identifier(found)
            if found.name == name && self.variable(found) == Variable::Global)
    }
}

/// Whether a call may send a message to a window. The platform tells the receiver which window the
/// calling code belongs to.
fn posts(callee: &Expression<'_>) -> bool {
    matches!(callee, Expression::StaticMemberExpression(member)
        if member.property.name == "postMessage")
}

/// Whether a method has the name of a built-in one that makes an array, a plain object or a node.
/// The hook stamps the result only if it was not seen before.
fn makes_object(callee: &Expression<'_>) -> bool {
    const MAKERS: [&str; 24] = [
        "cloneNode",
        "concat",
        "createComment",
        "createDocumentFragment",
        "createElement",
        "createElementNS",
        "createTextNode",
        "entries",
        "exec",
        "filter",
        "flat",
        "flatMap",
        "from",
        "keys",
        "map",
        "match",
        "of",
        "parse",
        "slice",
        "splice",
        "split",
        "subarray",
        "toSorted",
        "values",
    ];
    matches!(callee, Expression::StaticMemberExpression(member)
        if MAKERS.contains(&member.property.name.as_str()))
}

fn access_of(chain: &Chain<'_, '_>, at: usize) -> Access {
    if at + 1 == chain.links.len() { chain.last } else { Access::Get }
}

fn take_apart<'e, 'a>(it: &'e ChainExpression<'a>, last: Access) -> Chain<'e, 'a> {
    let mut links = Vec::new();
    let mut next = match &it.expression {
        ChainElement::CallExpression(call) => Some(Link::Call(call)),
        element => element.as_member_expression().map(Link::Member),
    };
    let mut base = None;
    while let Some(link) = next {
        links.push(link);
        base = Some(link.object());
        next = Link::of(link.object());
    }
    links.reverse();
    let base = base.expect("a chain has a link");
    Chain { base, links, recorded: 0, splits: Vec::new(), last }
}
