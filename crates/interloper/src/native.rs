//! Native files, which engine `graph` streams from the disk.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use codec::{Format, native};
use report::{NativeRequest, Report, analyze_native};

use crate::cli::{CheckArgs, Engine, ReportFormat};
use crate::config::Config;
use crate::input;
use crate::watch::Watch;

/// Files shorter than this are as well read at once.
const SHORT: u64 = 64 << 10;

/// Whether the input is a native file that is best read straight from the disk.
fn takes(args: &CheckArgs) -> Result<bool> {
    let path = &args.input.trace;
    let batch = matches!(args.report.model.engine, None | Some(Engine::Graph));
    let whole = args.report.robustness
        || args.compat.is_some()
        || matches!(args.report.format, ReportFormat::Droidracer);
    if args.input.follow || path.as_os_str() == "-" || !batch || whole {
        return Ok(false);
    }
    let format = args.input.from;
    Ok(input::file_format(path, format, |len| len >= SHORT)? == Some(Format::Native))
}

fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The report on a native file, if it can be told without the whole file in memory.
pub(crate) fn report(args: &CheckArgs, config: &Config, watch: &Watch) -> Result<Option<Report>> {
    if !takes(args)? {
        return Ok(None);
    }
    let path = &args.input.trace;
    let named = |error| input::unreadable(path, error);
    let skeleton = native::read_skeleton(open(path)?).map_err(named)?;
    let rules = input::rules(&args.report.model, config, &skeleton.trace)?;
    // The last operation of the skeleton is near enough to the last of the file.
    let watch = watch.of(skeleton.trace.end());
    let request = NativeRequest {
        rules: &rules,
        pairs: args.report.pairs.into(),
        lists: &config.lists,
        watch: &|milestone| watch.hear(milestone),
    };
    analyze_native(&skeleton, || File::open(path), &request).map_err(named)
}
