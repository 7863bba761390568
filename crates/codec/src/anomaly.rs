//! The anomalies of an input's bytes, and how the reader interprets each.

trace::codes! {
    UNKNOWN_KEY = "unknown-key", Warning,
        "A line of the notation has a key that this version does not know. The key is ignored.";
    UNKNOWN_FLAG = "unknown-flag", Warning,
        "A line of the notation has a flag that this version does not know. The flag is ignored.";
    MISPLACED_KEY = "misplaced-key", Warning,
        "A line of the notation has a key that means nothing on that operation. The key is ignored.";
    MISPLACED_FLAG = "misplaced-flag", Warning,
        "A line of the notation has a flag that means nothing on that operation. The flag is ignored.";
    UNKNOWN_KIND = "unknown-kind", Warning,
        "A function is of a kind that this version does not know. It counts as a function of no kind.";
    CONTRADICTORY_HEADER = "contradictory-header", Warning,
        "A header line contradicts an earlier one. The later one counts.";
}
