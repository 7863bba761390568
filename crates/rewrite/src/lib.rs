//! Rewrites JavaScript so that it reports its reads and writes.
//!
//! [`rewrite`] takes one script, module, handler or piece of evaluated code and returns the same
//! program with calls of hooks around its accesses to properties, captured and global variables.
//! The hooks are defined in `recorder/js/src/access.ts`, and [`Contract::hooks`] lists them.
//! `docs/web-rewriter.md` shows how each construct is rewritten, and lists the accesses that are
//! not recorded.
//!
//! **The rewriter edits the text.** It writes hooks around unchanged pieces of the original, and no
//! edit adds or drops a line. So stack traces, breakpoints and source maps keep their lines,
//! comments and formatting stay, tagged templates keep their raw strings, and
//! `Function.prototype.toString` can return a slice of the original. Printing the syntax tree was
//! rejected: it loses all of that, and takes longer.
//!
//! **Cost.** One parse, one scope analysis and one walk that writes the output front to back:
//! linear in the source. In the page, an access of an object that the current event made costs one
//! check of a hidden field. An access of a captured variable or a global that the current event has
//! already recorded costs one comparison, without a call. Locals that no closure captures, and
//! captured variables that nothing assigns after their initialisation, cost nothing.
//!
//! The rewriter opens no files and fails only with [`Unparsable`]; the caller then passes the
//! script on unchanged.

pub mod apart;
mod contract;
mod guard;
mod out;
mod pass;
mod place;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

pub use contract::{Contract, contract};
pub use out::Mapping;
pub use place::{Site, SiteKind};

/// The kind of a source, which decides the scope of its top-level names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A classic script: top-level names are global.
    Script,
    /// A module: top-level names belong to it.
    Module,
    /// Code given to `eval`. A name that a direct eval does not declare may belong to any scope
    /// around the call.
    Eval {
        /// Whether the code that calls `eval` is strict.
        strict: bool,
        /// Whether `eval` is called directly and not at the top level of a script, so that the code
        /// declares locals and uses those around it.
        direct: bool,
    },
    /// An event handler attribute: the body of a function.
    Handler,
    /// The body given to `new Function`.
    FunctionBody,
}

impl Kind {
    /// Whether a `var` or a function at the top level is a global.
    pub(crate) fn declares_globals(self) -> bool {
        matches!(self, Kind::Script | Kind::Eval { strict: false, direct: false })
    }

    /// The letter for this kind of source ([`Contract::kinds`]).
    fn letter(self) -> char {
        match self {
            Kind::Script => 's',
            Kind::Module => 'm',
            Kind::Eval { .. } => 'e',
            Kind::Handler => 'h',
            Kind::FunctionBody => 'f',
        }
    }
}

/// Options for rewriting a source.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The kind of the source.
    pub kind: Kind,
    /// The URL of the source. Its last segment names the file in locations.
    pub url: &'o str,
    /// The line and column in its file at which the source starts, both from 1.
    pub start: (u32, u32),
    /// The number of the script, by which the page requests its original text: below 2⁵³, so that it is
    /// exact in JavaScript.
    pub script: u64,
    /// The number of the first site.
    pub first_site: u32,
    /// The parameters of the function whose body this source is.
    pub params: &'o [&'o str],
    /// The global that holds the hooks: an identifier that no page uses.
    pub global: &'o str,
}

impl<'o> Options<'o> {
    /// Options for a source of one kind, with everything else at its default.
    pub fn new(kind: Kind, url: &'o str) -> Options<'o> {
        let global = &contract().global;
        Options { kind, url, start: (1, 1), script: 0, first_site: 0, params: &[], global }
    }
}

/// A rewritten source.
#[derive(Debug)]
pub struct Rewritten {
    /// The code to run.
    pub code: String,
    /// The sites in the code, numbered from [`Options::first_site`].
    pub sites: Vec<Site>,
    /// The positions that the pieces of the code have in the source.
    pub map: Mapping,
}

/// Why a source cannot be rewritten, and the place of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unparsable {
    /// A description of the error.
    pub message: String,
    /// The line of the error, from 1.
    pub line: u32,
    /// The column of the error in UTF-16 code units, from 1.
    pub column: u32,
}

impl std::fmt::Display for Unparsable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Unparsable {}

/// Rewrites one source, on a thread with a large stack. A source of megabytes may be made to overflow it, and
/// small ones to take much memory or time; [`apart`] rewrites sources that are not trusted.
pub fn rewrite(source: &str, options: Options<'_>) -> Result<Rewritten, Unparsable> {
    let stack = guard::stack(source)?;
    rewrite_within(source, options, stack)
}

/// Rewrites one source on a thread with this stack.
fn rewrite_within(
    source: &str,
    options: Options<'_>,
    stack: usize,
) -> Result<Rewritten, Unparsable> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack);
        let thread = thread.spawn_scoped(scope, || rewrite_here(source, options));
        thread
            .map_err(|error| Unparsable {
                message: format!("no thread to parse it: {error}"),
                line: 1,
                column: 1,
            })?
            .join()
            .expect("the rewriter does not panic")
    })
}

fn rewrite_here(source: &str, options: Options<'_>) -> Result<Rewritten, Unparsable> {
    let places = place::Places::new(source);
    let allocator = Allocator::default();
    let source_type = match options.kind {
        Kind::Module => SourceType::mjs(),
        _ => SourceType::script(),
    };
    let body = matches!(options.kind, Kind::Handler | Kind::FunctionBody);
    let parse = ParseOptions { allow_return_outside_function: body, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, source_type).with_options(parse).parse();
    let error = parsed.diagnostics.iter().next();
    if let Some(error) = error {
        let start = error.labels.iter().next().map_or(0, oxc_span::LabeledSpan::offset);
        let (line, column) = places.line_column(start);
        return Err(Unparsable { message: error.message.to_string(), line, column });
    }
    let program = allocator.alloc(parsed.program);
    let semantic = SemanticBuilder::new().with_build_nodes(false).build(program).semantic;
    Ok(pass::run(program, semantic.scoping(), &places, source, options))
}
