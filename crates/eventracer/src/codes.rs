//! The anomalies an action log may show, as declared codes.

trace::codes! {
    UNTERMINATED_STRINGS = "eventracer-unterminated-strings", Warning,
        "A string section does not end in NUL. Its last string is read up to the section's end.";
    MISSING_TABLE = "eventracer-missing-table", Info,
        "The file ends before the JS or VALUES section, as older recorders wrote it. The section counts as empty: sources and values are not shown.";
    TRUNCATED_TABLE = "eventracer-truncated-table", Error,
        "The file ends inside the JS or VALUES section. That section counts as empty; races do not depend on it, labels that look at values do.";
    TRAILING_BYTES = "eventracer-trailing-bytes", Warning,
        "Bytes follow the VALUES section. They are ignored.";
    DUPLICATE_OP = "eventracer-duplicate-op", Warning,
        "Two op records have the same id. The later record replaces the earlier one.";
    NEGATIVE_OP = "eventracer-negative-op", Error,
        "An op record has a negative id. The record is ignored, with its accesses.";
    NEGATIVE_ARC = "eventracer-negative-arc", Error,
        "An arc names a negative op. The arc is ignored: ops it would order may be reported as racing.";
    BACKWARD_ARC = "eventracer-backward-arc", Warning,
        "An arc points from an op to one with a smaller id, which ran before it. The order ignores it; compatibility mode treats it as the original tool does.";
    UNKNOWN_OP_TYPE = "eventracer-unknown-op-type", Warning,
        "An op has a type outside 0..4. It is treated as type 0, unknown.";
    UNKNOWN_COMMAND = "eventracer-unknown-command", Warning,
        "An op holds a command outside 0..5. It is kept as a command without effect.";
    BAD_CELL = "eventracer-bad-cell", Error,
        "A read or write names a cell outside the VARS section. The access is ignored.";
    BAD_STRING = "eventracer-bad-string", Warning,
        "A scope or value id lies outside its section. Its text counts as empty.";
    INNER_STRING = "eventracer-inner-string", Warning,
        "A string id points into the middle of a string. It is read as naming the suffix.";
}

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn names_are_distinct_and_carry_the_prefix() {
        for (i, code) in CODES.iter().enumerate() {
            assert!(code.name.starts_with("eventracer-"));
            assert!(CODES[..i].iter().all(|other| other.name != code.name));
        }
    }
}
