//! The anomalies of an STD log, and how the reader interprets each.

trace::codes! {
    SKIPPED_OPERATION = "skipped-operation", Info,
        "A log holds operations that neither order nor access anything. They are left out and not numbered.";
    WRONG_BLOCK_END = "wrong-block-end", Warning,
        "An atomic block ends that is not the innermost one of its thread. The innermost one ends.";
}
