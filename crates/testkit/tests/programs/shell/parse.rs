//! The commands of a shell script: Bash's grammar as far as it decides which words are in the place
//! of a command, and which text is code. Quotes, expansions, substitutions of commands and
//! processes, here-documents, assignments, redirections, functions and compound commands are
//! parsed; what a word expands to is not computed.

use std::collections::{BTreeMap, BTreeSet};

/// A word, with its quotes removed and its expansions as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Where the text after the last expansion begins; 0 in a word without expansions.
    pub(crate) after: usize,
}

impl Word {
    pub(crate) fn is_literal(&self) -> bool {
        self.after == 0
    }
}

/// A simple command.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) line: usize,
    /// At least one.
    pub(crate) words: Vec<Word>,
    /// The innermost function that it is in.
    pub(crate) function: Option<String>,
    /// The here-documents that it reads, each with the line before its first.
    pub(crate) documents: Vec<(usize, String)>,
}

/// The contents of a script.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    pub(crate) functions: BTreeSet<String>,
    /// The words that are assigned to variables.
    pub(crate) assigned: BTreeMap<String, Vec<Word>>,
}

/// Parses a script whose first line has the number `line`.
pub(crate) fn parse(text: &str, line: usize) -> Script {
    let mut parser = Parser { chars: text.chars().collect(), line, ..Parser::default() };
    parser.list(Close::End);
    parser.script
}

/// The end of a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    End,
    Char(char),
    /// `;;` or `esac`.
    Clause,
}

struct Document {
    end: String,
    expands: bool,
    command: Option<usize>,
}

#[derive(Default)]
struct Parser {
    chars: Vec<char>,
    at: usize,
    line: usize,
    script: Script,
    /// The open functions, each with the number of braces around it.
    open: Vec<(String, usize)>,
    braces: usize,
    /// Here-documents that begin on the next line.
    documents: Vec<Document>,
    /// Whether a backquote ends the parsed text.
    backquoted: bool,
}

const INTRODUCTIONS: [&str; 12] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time", "!", "esac"];

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.chars.get(self.at + n) == Some(&c))
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// Skips blanks, continued lines and a comment.
    fn blank(&mut self) {
        loop {
            if self.starts_with("\\\n") {
                self.skip(2);
            } else if matches!(self.peek(), Some(' ' | '\t')) {
                self.next();
            } else {
                break;
            }
        }
        if self.peek() == Some('#') {
            while self.peek().is_some_and(|c| c != '\n') {
                self.next();
            }
        }
    }

    /// Skips blanks, comments and line ends.
    fn lines(&mut self) {
        self.blank();
        while self.peek() == Some('\n') {
            self.newline();
            self.blank();
        }
    }

    fn newline(&mut self) {
        self.next();
        for document in std::mem::take(&mut self.documents) {
            self.document(&document);
        }
    }

    fn list(&mut self, close: Close) {
        loop {
            self.blank();
            let Some(c) = self.peek() else { return };
            match c {
                _ if close == Close::Char(c) => return,
                '\n' => self.newline(),
                ';' if close == Close::Clause
                    && matches!(self.chars.get(self.at + 1), Some(';' | '&')) =>
                {
                    self.skip(2);
                    return;
                }
                '(' if self.starts_with("((") => self.arithmetic(),
                '(' => {
                    self.next();
                    self.list(Close::Char(')'));
                    self.next();
                }
                ';' | '&' | '|' | ')' => self.skip(1),
                _ => {
                    if close == Close::Clause && self.at_word("esac") {
                        return;
                    }
                    self.simple(close);
                }
            }
        }
    }

    fn at_word(&self, word: &str) -> bool {
        let end = self.chars.get(self.at + word.len());
        self.starts_with(word) && end.is_none_or(|c| c.is_whitespace() || ";&|)".contains(*c))
    }

    /// A simple command, or the first words of a compound one.
    fn simple(&mut self, close: Close) {
        let line = self.line;
        let mut words: Vec<Word> = Vec::new();
        let mut documents = Vec::new();
        let from = self.at;
        loop {
            self.blank();
            match self.peek() {
                None | Some('\n' | ';' | '|' | ')') => break,
                Some('&') if !self.starts_with("&>") => break,
                Some(c) if close == Close::Char(c) => break,
                Some('`') if self.backquoted => break,
                Some('(') => {
                    if let [name] = words.as_slice() {
                        let name = name.text.clone();
                        self.function(name);
                        return;
                    }
                    break;
                }
                Some('<' | '>' | '&') if !self.is_process() => documents.extend(self.redirection()),
                Some(_) => {
                    let word = self.word();
                    let is_descriptor = !word.text.is_empty()
                        && word.text.chars().all(|c| c.is_ascii_digit())
                        && matches!(self.peek(), Some('<' | '>'));
                    if is_descriptor || takes_assignments(&words) && self.assignment(&word) {
                        continue;
                    }
                    if words.is_empty() && word.is_literal() && self.compound(&word.text) {
                        return;
                    }
                    words.push(word);
                }
            }
        }
        // A character that begins nothing must not stop the parser.
        if self.at == from {
            self.next();
        }
        let command = (!words.is_empty()).then_some(self.script.commands.len());
        for (end, expands) in documents {
            self.documents.push(Document { end, expands, command });
        }
        if command.is_some() {
            let function = self.open.last().map(|(name, _)| name.clone());
            self.script.commands.push(Command { line, words, function, documents: Vec::new() });
        }
    }

    /// Whether a word is an assignment, which is then noted; the elements of an array are parsed.
    fn assignment(&mut self, word: &Word) -> bool {
        let Some(equals) = word.text.find('=') else { return false };
        let name = word.text[..equals].trim_end_matches('+');
        let name = name.split('[').next().unwrap_or_default().to_owned();
        if !is_name(&name) {
            return false;
        }
        let mut values = Vec::new();
        if self.peek() == Some('(') && equals + 1 == word.text.len() {
            self.next();
            self.lines();
            while self.peek().is_some_and(|c| c != ')') {
                values.extend(self.word_or_char());
                self.lines();
            }
            self.next();
        } else {
            let after = word.after.saturating_sub(equals + 1);
            values.push(Word { text: word.text[equals + 1..].to_owned(), after });
        }
        self.script.assigned.entry(name).or_default().extend(values);
        true
    }

    /// Whether a word in the place of a command is of the grammar; if so, what belongs to it is
    /// parsed up to the next place of a command.
    fn compound(&mut self, word: &str) -> bool {
        match word {
            "{" => self.braces += 1,
            "}" => {
                self.braces = self.braces.saturating_sub(1);
                let braces = self.braces;
                self.open.retain(|(_, around)| *around < braces);
            }
            "for" | "select" => self.words_of_for(),
            "case" => self.case(),
            "[[" => self.condition(),
            "function" => {
                self.blank();
                let name = self.word().text;
                self.blank();
                self.function(name);
            }
            "coproc" => {
                self.blank();
                let (at, line) = (self.at, self.line);
                let name = self.word();
                self.blank();
                if !is_name(&name.text) || !matches!(self.peek(), Some('{' | '(')) {
                    (self.at, self.line) = (at, line);
                }
            }
            _ => return INTRODUCTIONS.contains(&word),
        }
        true
    }

    /// After the name of a function: its parentheses; its body is parsed by the caller.
    fn function(&mut self, name: String) {
        while matches!(self.peek(), Some('(' | ')' | ' ')) {
            self.next();
        }
        self.script.functions.insert(name.clone());
        self.open.push((name, self.braces));
    }

    fn words_of_for(&mut self) {
        self.blank();
        if self.starts_with("((") {
            return self.arithmetic();
        }
        loop {
            self.blank();
            if matches!(self.peek(), None | Some('\n' | ';')) {
                return;
            }
            self.word_or_char();
        }
    }

    fn case(&mut self) {
        self.blank();
        self.word();
        self.lines();
        self.word();
        loop {
            self.lines();
            if self.peek().is_none() {
                return;
            }
            if self.at_word("esac") {
                return self.skip(4);
            }
            // The patterns.
            if self.peek() == Some('(') {
                self.next();
            }
            while self.peek().is_some_and(|c| c != ')') {
                self.word_or_char();
            }
            self.next();
            self.list(Close::Clause);
        }
    }

    fn condition(&mut self) {
        while self.peek().is_some() {
            self.blank();
            if self.at_word("]]") {
                return self.skip(2);
            }
            self.word_or_char();
        }
    }

    /// Whether a substitution of a process begins here.
    fn is_process(&self) -> bool {
        self.starts_with("<(") || self.starts_with(">(")
    }

    /// A redirection; the end of the here-document, and whether it expands, if it is one.
    fn redirection(&mut self) -> Option<(String, bool)> {
        let is_document = self.starts_with("<<") && !self.starts_with("<<<");
        while matches!(self.peek(), Some('<' | '>' | '&' | '|')) && !self.is_process() {
            self.next();
        }
        if is_document && self.peek() == Some('-') {
            self.next();
        }
        self.blank();
        let quoted = matches!(self.peek(), Some('\'' | '"' | '\\'));
        let word = self.word();
        is_document.then_some((word.text, !quoted))
    }

    fn document(&mut self, document: &Document) {
        let line = self.line - 1;
        let mut body = String::new();
        while self.peek().is_some() {
            let mut text = String::new();
            while let Some(c) = self.next() {
                if c == '\n' {
                    break;
                }
                text.push(c);
            }
            if text.trim_start_matches('\t') == document.end {
                break;
            }
            body += &text;
            body.push('\n');
        }
        if document.expands {
            let mut inner =
                Parser { chars: body.chars().collect(), line: line + 1, ..Parser::default() };
            inner.double_quoted(&mut Word::default(), None);
            self.script.commands.extend(inner.script.commands);
        }
        if let Some(command) = document.command {
            self.script.commands[command].documents.push((line, body));
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.is_process() => {
                    self.skip(2);
                    self.substitution(&mut word, ')');
                }
                c if c.is_whitespace() || ";&|<>()".contains(c) => break,
                '`' if self.backquoted => break,
                '\\' => {
                    self.next();
                    word.text.extend(self.next().filter(|c| *c != '\n'));
                }
                '\'' => self.single_quoted(&mut word),
                '"' => {
                    self.next();
                    self.double_quoted(&mut word, Some('"'));
                    self.next();
                }
                '$' => self.dollar(&mut word),
                '`' => {
                    self.next();
                    self.substitution(&mut word, '`');
                }
                c => {
                    word.text.push(c);
                    self.next();
                }
            }
        }
        word
    }

    /// A word; or else one character, which ends none, is skipped.
    fn word_or_char(&mut self) -> Option<Word> {
        let before = self.at;
        let word = self.word();
        if self.at == before {
            self.next();
            return None;
        }
        Some(word)
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.next();
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            word.text.push(c);
        }
    }

    /// Text in which only expansions are special, up to `end` or the end.
    fn double_quoted(&mut self, word: &mut Word, end: Option<char>) {
        while let Some(c) = self.peek() {
            match c {
                c if Some(c) == end => return,
                '\\' => {
                    self.next();
                    word.text.extend(self.next().filter(|c| *c != '\n'));
                }
                '$' => self.dollar(word),
                '`' => {
                    self.next();
                    self.substitution(word, '`');
                }
                c => {
                    word.text.push(c);
                    self.next();
                }
            }
        }
    }

    /// Commands whose output is a part of the word, after what begins them.
    fn substitution(&mut self, word: &mut Word, close: char) {
        let outer = std::mem::replace(&mut self.backquoted, close == '`');
        self.list(Close::Char(close));
        self.backquoted = outer;
        self.next();
        word.text += "$()";
        word.after = word.text.len();
    }

    fn dollar(&mut self, word: &mut Word) {
        self.next();
        match self.peek() {
            Some('\'') => return self.single_quoted(word),
            Some('(') if self.starts_with("((") => {
                self.arithmetic();
                word.text += "$(())";
            }
            Some('(') => {
                self.next();
                return self.substitution(word, ')');
            }
            Some('{') => {
                self.next();
                word.text += "${";
                while let Some(c) = self.peek() {
                    match c {
                        '}' => break,
                        '$' => self.dollar(word),
                        '\'' => self.single_quoted(word),
                        '"' => {
                            self.next();
                            self.double_quoted(word, Some('"'));
                            self.next();
                        }
                        c => {
                            word.text.push(c);
                            self.next();
                        }
                    }
                }
                self.next();
                word.text.push('}');
            }
            Some(c) if c.is_alphanumeric() || "_@*#?!-$".contains(c) => {
                word.text.push('$');
                let is_name = c.is_alphabetic() || c == '_';
                word.text.push(c);
                self.next();
                while is_name && self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    word.text.extend(self.next());
                }
            }
            _ => {
                word.text.push('$');
                return;
            }
        }
        word.after = word.text.len();
    }

    /// `((…))`: only substitutions in it are code.
    fn arithmetic(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.peek() {
            match c {
                '$' => {
                    self.dollar(&mut Word::default());
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.next();
            if depth == 0 {
                return;
            }
        }
    }
}

/// Whether an assignment may follow: no command yet, or one that declares.
fn takes_assignments(words: &[Word]) -> bool {
    let declares = ["declare", "export", "local", "readonly", "typeset"];
    words.first().is_none_or(|first| declares.contains(&first.text.as_str()))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
