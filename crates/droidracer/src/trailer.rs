//! Prints the output that the tool appends to its log, byte for byte.
//!
//! Names come from the log. Characters that are not printable are escaped, so that a hostile log
//! cannot control a terminal. Only this escaping may make the text differ from the tool's for the
//! same races.

use std::fmt::{self, Write};

use crate::Analysis;
use crate::classes::Category;
use crate::counters::TableSizes;
use crate::log::{Names, Symbol};
use crate::memory::{MemoryAccess, Owner};
use crate::races::Race;

/// An analysis that is displayed as the tool's trailer.
pub struct Trailer<'a> {
    analysis: &'a Analysis,
    names: &'a Names,
}

impl<'a> Trailer<'a> {
    /// Returns the trailer of `analysis`. `names` are those of its log.
    pub fn new(analysis: &'a Analysis, names: &'a Names) -> Self {
        Self { analysis, names }
    }

    fn races(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Races detected\n\n")?;
        for race in &self.analysis.races.printed {
            f.write_str("RACE rwId1:")?;
            self.access(f, race, &race.first)?;
            f.write_str("     rwId2:")?;
            self.access(f, race, &race.second)?;
            f.write_char('\n')?;
        }
        f.write_str("\n\n")
    }

    fn access(&self, f: &mut fmt::Formatter<'_>, race: &Race, at: &MemoryAccess) -> fmt::Result {
        let location = self.analysis.memory.location(race.location);
        let owner = match location.owner {
            Owner::Object(object) => object.0,
            Owner::Class(_) => 0,
        };
        let kind = if at.is_write { "WRITE" } else { "READ" };
        write!(f, "{} type - {kind}  obj - {owner:#x}  class - ", at.id)?;
        self.name(f, at.class)?;
        write!(f, " field -   fieldIdx - {}  dbPath -   ", location.field)?;
        writeln!(f, "tid - {}  accessId - {}", at.thread.0, at.set)
    }

    /// Prints the fields with races of a class, by class and field.
    fn fields(&self, f: &mut fmt::Formatter<'_>, category: Category) -> fmt::Result {
        let field = |race: &Race| self.analysis.memory.location(race.location).field;
        let mut fields: Vec<(&[u8], Symbol, u32)> = self
            .in_category(category)
            .map(|race| (self.names.text(race.first.class), race.first.class, field(race)))
            .collect();
        fields.sort_unstable();
        fields.dedup();
        for (_, class, field) in fields {
            f.write_str("class: ")?;
            self.name(f, class)?;
            writeln!(f, "  field:{field}")?;
        }
        Ok(())
    }

    fn co_enabled(&self, f: &mut fmt::Formatter<'_>, category: Category) -> fmt::Result {
        for race in self.in_category(category) {
            let location = self.analysis.memory.location(race.location);
            match location.owner {
                Owner::Object(object) => write!(f, "object: {:#x}", object.0)?,
                Owner::Class(class) => {
                    f.write_str("class: ")?;
                    self.name(f, class)?;
                }
            }
            write!(f, "  field:{} co-enabled trigger opIds:", location.field)?;
            if let Some((first, second)) = race.triggers {
                let source = |op| self.analysis.base.op(op).source;
                write!(f, "{}, {}", source(first), source(second))?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }

    fn in_category(&self, category: Category) -> impl Iterator<Item = &Race> {
        self.analysis.races.printed.iter().filter(move |race| race.category == category)
    }

    fn name(&self, f: &mut fmt::Formatter<'_>, name: Symbol) -> fmt::Result {
        for chunk in self.names.text(name).utf8_chunks() {
            for char in chunk.valid().chars() {
                if char.is_ascii_graphic() || char.is_alphanumeric() || char == ' ' {
                    f.write_char(char)?;
                } else {
                    write!(f, "{}", char.escape_default())?;
                }
            }
            write!(f, "{}", chunk.invalid().escape_ascii())?;
        }
        Ok(())
    }
}

impl fmt::Display for Trailer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" \n \n \n HB Graph \n \n \n")?;
        write!(f, " HB Graph size : {}\n\n\n", self.analysis.base.len())?;
        self.races(f)?;
        f.write_str("Categorization of detected races\n\nMultithreaded races\n")?;
        self.fields(f, Category::MultiThreaded)?;
        f.write_str("\nAsync races (on single thread)\n")?;
        f.write_str("\nRaces due to a delayed post in ancestor asyncblocks\n")?;
        self.fields(f, Category::Delayed)?;
        f.write_str("\nRaces due to cross thread post in ancestor asyncblocks\n")?;
        self.fields(f, Category::CrossPosted)?;
        f.write_str("\nRaces due to co-enabled events\n")?;
        self.co_enabled(f, Category::CoEnabledUi)?;
        f.write_char('\n')?;
        self.co_enabled(f, Category::CoEnabledOther)?;
        f.write_str("\n Uncategorized races\n")?;
        self.fields(f, Category::Uncategorized)?;
        write!(f, "\n\n{}", self.analysis.sizes)
    }
}

/// Prints the tool's memory table. The factors are the sizes of its records in a 32-bit process.
impl fmt::Display for TableSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory used for race detection\n\n")?;
        writeln!(f, "AbcTrace         : {} * 36", self.operations)?;
        writeln!(f, "AbcAsyncMap      : {} * 36", self.tasks)?;
        writeln!(f, "ReadWriteMap     : {} * 32", self.accesses)?;
        writeln!(f, "ThreadBookKeepMap: {} * 20", self.threads)?;
        writeln!(f, "LockMap          : {} * 32", self.locks)?;
        writeln!(f, "Graph size       : {0} * {0} * 1", self.operations)
    }
}
