//! Two runs side by side.

use report::diff::Diff;

use crate::session::Run;

/// Returns which races are new, gone and unchanged from one run to another.
pub(crate) fn view(before: &Run, after: &Run) -> Diff {
    Diff::of(&before.report, &after.report)
}
