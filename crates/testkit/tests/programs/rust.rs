//! Finds the programs that Rust code starts, in its tokens. So comments and strings are not taken
//! for code, and the arguments of macros are searched too. Every `Command::new(…)` counts, except
//! that of `clap::Command`. Constructs that would hide one (another name for `Command`,
//! `Command::new` as a value, everything imported from `process`) are unclear.

use std::collections::BTreeMap;
use std::path::Path;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::{Program, Start, shell};

pub(crate) fn starts(text: &str, root: &Path) -> Result<Vec<Start>, String> {
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let mut scan = Scan { root, constants: BTreeMap::new(), starts: Vec::new() };
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    scan.find_constants(&tokens);
    scan.group(&tokens);
    Ok(scan.starts)
}

struct Scan<'a> {
    root: &'a Path,
    /// The constants that are strings, by name.
    constants: BTreeMap<String, String>,
    starts: Vec<Start>,
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == expected)
}

fn is_ident(token: Option<&TokenTree>, expected: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(name)) if name == expected)
}

fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint)
        && is_punct(tokens.get(at + 1), ':')
}

/// The value of a string literal.
fn string(token: Option<&TokenTree>) -> Option<String> {
    let Some(TokenTree::Literal(literal)) = token else { return None };
    let text = literal.to_string();
    if let Some(raw) = text.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return raw.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    }
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\"))
}

impl Scan<'_> {
    fn find_constants(&mut self, tokens: &[TokenTree]) {
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.find_constants(&group.stream().into_iter().collect::<Vec<_>>());
            }
            let is_binding =
                ["let", "const", "static"].iter().any(|word| is_ident(Some(token), word));
            let Some(TokenTree::Ident(name)) = tokens.get(at + 1).filter(|_| is_binding) else {
                continue;
            };
            let statement = tokens[at..].iter().take_while(|token| !is_punct(Some(token), ';'));
            let statement: Vec<&TokenTree> = statement.collect();
            if let [.., equals, value] = statement.as_slice()
                && is_punct(Some(equals), '=')
                && let Some(value) = string(Some(value))
            {
                self.constants.insert(name.to_string(), value);
            }
        }
    }

    fn group(&mut self, tokens: &[TokenTree]) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    // `process::{self, *}`, and documentation, whose examples are code.
                    self.documentation(&inner);
                    self.group(&inner);
                }
                TokenTree::Ident(name) if name == "Command" => self.command(tokens, at),
                TokenTree::Ident(name) if name == "process" && is_path(tokens, at + 1) => {
                    let all = match tokens.get(at + 3) {
                        Some(TokenTree::Group(group)) => {
                            group.stream().into_iter().any(|t| is_punct(Some(&t), '*'))
                        }
                        other => is_punct(other, '*'),
                    };
                    if all {
                        self.push(token, Program::unclear("everything of `process`"));
                    }
                }
                _ => {}
            }
        }
    }

    fn documentation(&mut self, tokens: &[TokenTree]) {
        if let [TokenTree::Ident(name), TokenTree::Punct(_), text @ TokenTree::Literal(_)] = tokens
            && name == "doc"
            && text.to_string().contains("Command::new(")
        {
            self.push(text, Program::unclear("an example in the documentation"));
        }
    }

    /// Examines `Command` at a token.
    fn command(&mut self, tokens: &[TokenTree], at: usize) {
        let is_clap = at >= 3 && is_ident(tokens.get(at - 3), "clap");
        if is_clap {
            return;
        }
        if is_ident(tokens.get(at + 1), "as") {
            return self.push(&tokens[at], Program::unclear("`Command` by another name"));
        }
        if !is_path(tokens, at + 1) || !is_ident(tokens.get(at + 3), "new") {
            return;
        }
        let Some(TokenTree::Group(arguments)) = tokens.get(at + 4).filter(
            |token| matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis),
        ) else {
            return self.push(&tokens[at], Program::unclear("`Command::new` as a value"));
        };
        let arguments: Vec<TokenTree> = arguments.stream().into_iter().collect();
        let program = self.program(&arguments);
        let is_shell = ["sh", "bash", "dash"].iter().any(|shell| program.is(shell));
        self.push(&tokens[at], program);
        if is_shell {
            let rest =
                tokens[at + 5..].iter().take_while(|token| !is_ident(Some(token), "Command"));
            let rest = rest.cloned().collect::<Vec<_>>();
            for program in self.shell_code(&rest) {
                self.push(&tokens[at], program);
            }
        }
    }

    /// The program that the argument of `Command::new` names.
    fn program(&self, argument: &[TokenTree]) -> Program {
        let words: Vec<String> = argument.iter().map(ToString::to_string).collect();
        if let [one] = argument
            && let Some(name) = string(Some(one))
        {
            return Program::named(&name);
        }
        let is_bin =
            words.len() == 3 && words[0] == "env" && words[2].starts_with("(\"CARGO_BIN_EXE_");
        if is_bin || words.iter().any(|word| word == "current_exe") {
            return Program::Own;
        }
        match argument {
            [TokenTree::Ident(name)] if self.constants.contains_key(&name.to_string()) => {
                Program::named(&self.constants[&name.to_string()])
            }
            _ => Program::unclear(&words.join("")),
        }
    }

    /// Returns the programs that the code after `-c` starts, in the tokens after
    /// `Command::new("sh")`.
    fn shell_code(&self, tokens: &[TokenTree]) -> Vec<Program> {
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                let found = self.shell_code(&group.stream().into_iter().collect::<Vec<_>>());
                if !found.is_empty() {
                    return found;
                }
            }
            if string(Some(token)).as_deref() == Some("-c") {
                let code = tokens.get(at + 2);
                let named = code.and_then(|name| self.constants.get(&name.to_string()).cloned());
                return match string(code).or(named) {
                    Some(code) => shell::starts_of_text(&code, self.root),
                    None => vec![Program::unclear("the code of a shell")],
                };
            }
        }
        Vec::new()
    }

    fn push(&mut self, token: &TokenTree, program: Program) {
        self.starts.push(Start { line: token.span().start().line, program });
    }
}
