//! The declared anomalies of an `abc_log`.

trace::codes! {
    NO_HEADER = "abc-no-header", Info,
        "The log does not begin with the tool's header line. Later versions of the tool write none.";
    NO_REPORT = "abc-no-report", Info,
        "The log ends without the tool's report. Either it was never analysed or its end is missing.";
    NO_START = "abc-no-start", Warning,
        "There is no START operation: threads are not ordered after the start of the process.";
    UNKNOWN_LINE = "abc-unknown-line", Warning,
        "The line is neither an operation nor an access. It is ignored.";
    UNKNOWN_KIND = "abc-unknown-kind", Error,
        "The kind of the operation is unknown. It is left out: order it would give is missing.";
    UNKNOWN_STATE = "abc-unknown-state", Warning,
        "The component state is unknown. The operation stays, but no rule of its component applies.";
    MISSING_FIELD = "abc-missing-field", Error,
        "The line lacks a field that its kind has, or has it out of order. The line is left out.";
    BAD_FIELD = "abc-bad-field", Error,
        "The value of a field is not a number of the range it needs. The line is left out.";
    EXTRA_TEXT = "abc-extra-text", Info,
        "Text follows the last known field of the line. It is ignored.";
    DUPLICATE_OPERATION = "abc-duplicate-operation", Error,
        "The operation number was used before. The later line is left out.";
    DUPLICATE_ACCESS = "abc-duplicate-access", Error,
        "The access number was used before. The later line is left out.";
    UNCLOSED_ACCESS = "abc-unclosed-access", Info,
        "No ACCESS operation follows on the thread, as when the trace is cut. Counted, not analysed.";
    DUPLICATE_POST = "abc-duplicate-post", Error,
        "The message was posted before. The later POST is left out.";
    DUPLICATE_CALL = "abc-duplicate-call", Error,
        "The message was called before. The later CALL is left out: what follows it is in no task.";
    CALL_WITHOUT_POST = "abc-call-without-post", Warning,
        "The message was never posted. Its task takes part in no rule that names its post.";
    POST_AFTER_CALL = "abc-post-after-call", Warning,
        "The message was called before it was posted. The edge from post to call points backwards.";
    NESTED_CALL = "abc-nested-call", Error,
        "A task begins before the previous one of the thread ended. The previous one has no end.";
    UNMATCHED_RET = "abc-unmatched-ret", Error,
        "The message is not the one running on the thread. The RET is left out.";
    UNKNOWN_QUEUE = "abc-unknown-queue", Error,
        "No thread attached the queue before, so the thread of the operation is unknown. Left out.";
    TRIGGER_WITHOUT_ENABLE = "abc-trigger-without-enable", Warning,
        "The user event was never enabled. It is not ordered after anything that made it possible.";
    UNKNOWN_ONRECEIVE_LATER = "abc-unknown-onreceive-later", Warning,
        "onRecLater names no earlier ABC_TRIGGER_ONRECIEVE_LATER. The receive is resolved by itself.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_of_this_format() {
        let mut names: Vec<_> = CODES.iter().map(|code| code.name).collect();
        assert!(names.iter().all(|name| name.starts_with("abc-")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CODES.len());
    }
}
