//! Interned names.

use hashbrown::HashMap;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

/// The names of a log. They are bytes, because a log need not be UTF-8.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<[u8]>>,
    symbols: HashMap<Box<[u8]>, Symbol>,
}

impl Names {
    /// Returns the symbol of `text`, which is created if it is new.
    pub fn intern(&mut self, text: &[u8]) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// Returns the symbol of `text`, if the log contains it.
    pub fn symbol(&self, text: &[u8]) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        &self.texts[symbol.0 as usize]
    }
}
