//! Reading traces, and choosing the model for them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use codec::{Extent, Format, Loaded};
use order::{Model, Oracle, RuleSet};
use report::input::InputEntry;
use report::name::printable_message;
use trace::{Escaped, Trace};

use crate::cli::{ModelArgs, TraceArgs};
use crate::config::Config;
use crate::follow;

/// How much memory the oracle's relation may take.
const ORACLE_LIMIT: usize = 4 << 30;

/// Reads the trace the arguments name.
pub(crate) fn load(args: &TraceArgs) -> Result<(Format, Loaded)> {
    if args.follow {
        return follow::load(args, |_| Ok(()));
    }
    parse(&args.trace, open(&args.trace)?, args.from)
}

/// Reads a trace from what `path` holds.
pub(crate) fn parse(
    path: &Path,
    source: impl Read,
    from: Option<Format>,
) -> Result<(Format, Loaded)> {
    let loaded = match from {
        Some(format) => format.read(source).map(|loaded| (format, loaded)),
        None => codec::read(source),
    };
    loaded.map_err(|error| unreadable(path, error))
}

/// No trace can be made of what `path` holds. The cause is kept for those who report it.
pub(crate) fn unreadable(path: &Path, error: codec::ReadError) -> anyhow::Error {
    anyhow!(error).context(name(path))
}

/// How much of an input was read, and whether that is enough for these arguments.
pub(crate) fn entry(args: &TraceArgs, loaded: &Loaded) -> InputEntry {
    let mut entry = InputEntry::new(&loaded.completeness);
    entry.judged |= args.allow_damaged;
    entry
}

/// Ends a command whose results are written: states on standard error how incomplete its input
/// was, and fails if that is not enough for them to count.
pub(crate) fn accept(path: &Path, input: &InputEntry) -> Result<()> {
    let Some(detail) = input.detail() else { return Ok(()) };
    let (name, detail) = (name(path), printable_message(&detail));
    let what = match input.completeness {
        Extent::Whole => return Ok(()),
        Extent::TailMissing => "the end of the input is missing",
        Extent::Damaged => "the input is damaged",
        Extent::Nothing => "no operation could be read",
    };
    if !input.judged {
        let cure = match input.completeness {
            Extent::Damaged => "record it again, or accept what could be read with --allow-damaged",
            _ => "record it again, or accept it with --allow-damaged",
        };
        bail!("{name}: {what}: {detail}; {cure}");
    }
    anstream::eprintln!("\x1b[1;33mwarning\x1b[0m: {name}: {what}: {detail}");
    Ok(())
}

/// The content of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", name(path)))?;
    Ok(bytes)
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Box::new(file))
}

/// The text of a program in the language `.evp`. A trace and anything that is not text are refused
/// with what to do instead.
pub(crate) fn read_program(path: &Path) -> Result<String> {
    let called = name(path);
    if path.is_dir() {
        bail!("{called} is a directory; `robust` reads one program, a file in the language .evp");
    }
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {called}"))?;
    let is_program = path.extension().is_some_and(|extension| extension == "evp");
    let head = &bytes[..bytes.len().min(HEAD as usize)];
    if !is_program && let Some(format) = Format::detect(head) {
        bail!(
            "{called} is a trace ({}), not a program in the language .evp; `interloper check \
             --robustness` asks the same about a trace",
            format.name()
        );
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column =
            valid.len() - valid.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1) + 1;
        anyhow!(
            "{called}:{line}:{column}: this is not text, so not a program in the language .evp \
             (docs/robustness.md)"
        )
    })
}

/// How much of a file is looked at to tell its format.
const HEAD: u64 = 64 << 10;

/// The format of a regular file whose length `fits`, as told or by its content.
pub(crate) fn file_format(
    path: &Path,
    from: Option<Format>,
    fits: impl Fn(u64) -> bool,
) -> Result<Option<Format>> {
    let cannot_read = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(cannot_read)?;
    let metadata = file.metadata().with_context(cannot_read)?;
    if !metadata.is_file() || !fits(metadata.len()) {
        return Ok(None);
    }
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head).with_context(cannot_read)?;
    Ok(from.or_else(|| Format::detect(&head)))
}

/// How an input is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The model for a trace, its switches set: the flags', else the configuration's, else the trace's.
pub(crate) fn rules(args: &ModelArgs, config: &Config, trace: &Trace) -> Result<RuleSet> {
    let model = match (args.model.or(config.model), trace.model()) {
        (Some(model), _) => model,
        (None, Some(name)) => Model::named(name).with_context(|| {
            let known: Vec<&str> = order::MODELS.iter().map(|m| m.name).collect();
            format!(
                "the trace asks for model {}, which is not known; --model chooses one of {}",
                Escaped(name),
                known.join(", ")
            )
        })?,
        (None, None) => &order::ANDROID,
    };
    let mut rules = model.default_rules();
    // A project has traces of several models: its switches concern the models that have the rule.
    let concerns = |switch: &&String| model.rules.iter().any(|(rule, _)| switch[1..] == *rule.name);
    for switch in config.rules.iter().filter(concerns).chain(&args.rules) {
        let (sign, name) = switch.split_at_checked(1).unwrap_or(("", switch));
        match sign {
            "+" => rules.switch(name, true)?,
            "-" => rules.switch(name, false)?,
            _ => bail!("--rule {switch}: expected + or - and the name of a rule"),
        }
    }
    Ok(rules)
}

/// Fails when the oracle's relation would not fit.
pub(crate) fn check_size(trace: &Trace, rules: &RuleSet) -> Result<()> {
    let needed = Oracle::bytes_needed(trace, rules);
    if needed > ORACLE_LIMIT {
        bail!(
            "the oracle would need {} GiB for {} operations; it is meant for some ten thousand; leave --engine away, or use --engine graph",
            needed >> 30,
            trace.len()
        );
    }
    Ok(())
}
