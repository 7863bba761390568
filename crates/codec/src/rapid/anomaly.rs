//! What can be odd about an STD log, and how each is read.

trace::codes! {
    CUT_LINE = "cut-line", Error,
        "The last line of a log does not parse and lacks its line end: the log was cut. The line is left out.";
    SKIPPED_OPERATION = "skipped-operation", Info,
        "A log holds operations that neither order nor access anything. They are left out and not numbered.";
    WRONG_BLOCK_END = "wrong-block-end", Warning,
        "An atomic block ends that is not the innermost one of its thread. The innermost one ends.";
}
