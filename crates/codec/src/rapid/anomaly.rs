//! What may be odd about an STD file, and how it is read then.

trace::codes! {
    UNREADABLE_STD_LINE = "unreadable-std-line", Error,
        "A line is not `THREAD|OPERATION(ARGUMENT)|LOCATION` with a known operation. It is left out.";
}
