//! The anomalies an action log may show, as declared codes.

use trace::{Code, Severity};

/// A section of strings does not end in NUL.
pub static UNTERMINATED_STRINGS: Code = Code {
    name: "eventracer-unterminated-strings",
    severity: Severity::Warning,
    doc: "A string section does not end in NUL. Its last string is read up to the section's end.",
};

/// The file ends before JS or VALUES.
pub static MISSING_TABLE: Code = Code {
    name: "eventracer-missing-table",
    severity: Severity::Info,
    doc: "The file ends before the JS or VALUES section, as older recorders wrote it. The section \
          counts as empty: sources and values are not shown.",
};

/// JS or VALUES is cut short.
pub static TRUNCATED_TABLE: Code = Code {
    name: "eventracer-truncated-table",
    severity: Severity::Error,
    doc: "The file ends inside the JS or VALUES section. That section counts as empty; races do \
          not depend on it, labels that look at values do.",
};

/// Bytes follow the last section.
pub static TRAILING_BYTES: Code = Code {
    name: "eventracer-trailing-bytes",
    severity: Severity::Warning,
    doc: "Bytes follow the VALUES section. They are ignored.",
};

/// Two records of ops have one id.
pub static DUPLICATE_OP: Code = Code {
    name: "eventracer-duplicate-op",
    severity: Severity::Warning,
    doc: "Two op records have the same id. The later record replaces the earlier one.",
};

/// A record of an op has a negative id.
pub static NEGATIVE_OP: Code = Code {
    name: "eventracer-negative-op",
    severity: Severity::Error,
    doc: "An op record has a negative id. The record is ignored, with its accesses.",
};

/// An arc has a negative end.
pub static NEGATIVE_ARC: Code = Code {
    name: "eventracer-negative-arc",
    severity: Severity::Error,
    doc: "An arc names a negative op. The arc is ignored: ops it would order may be reported as \
          racing.",
};

/// An arc points to an op with a smaller id.
pub static BACKWARD_ARC: Code = Code {
    name: "eventracer-backward-arc",
    severity: Severity::Warning,
    doc: "An arc points from an op to one with a smaller id, which ran before it. The order \
          ignores it; compatibility mode treats it as the original tool does.",
};

/// An op has a type the format does not know.
pub static UNKNOWN_OP_TYPE: Code = Code {
    name: "eventracer-unknown-op-type",
    severity: Severity::Warning,
    doc: "An op has a type outside 0..4. It is treated as type 0, unknown.",
};

/// A command the format does not know.
pub static UNKNOWN_COMMAND: Code = Code {
    name: "eventracer-unknown-command",
    severity: Severity::Warning,
    doc: "An op holds a command outside 0..5. It is kept as a command without effect.",
};

/// An access to a cell outside VARS.
pub static BAD_CELL: Code = Code {
    name: "eventracer-bad-cell",
    severity: Severity::Error,
    doc: "A read or write names a cell outside the VARS section. The access is ignored.",
};

/// A string id outside its section, other than a cell's.
pub static BAD_STRING: Code = Code {
    name: "eventracer-bad-string",
    severity: Severity::Warning,
    doc: "A scope or value id lies outside its section. Its text counts as empty.",
};

/// A string id that points into the middle of a string.
pub static INNER_STRING: Code = Code {
    name: "eventracer-inner-string",
    severity: Severity::Warning,
    doc: "A string id points into the middle of a string. It is read as naming the suffix.",
};

/// Every code of this crate, for `interloper explain` and the tests.
pub static ALL: [&Code; 13] = [
    &UNTERMINATED_STRINGS,
    &MISSING_TABLE,
    &TRUNCATED_TABLE,
    &TRAILING_BYTES,
    &DUPLICATE_OP,
    &NEGATIVE_OP,
    &NEGATIVE_ARC,
    &BACKWARD_ARC,
    &UNKNOWN_OP_TYPE,
    &UNKNOWN_COMMAND,
    &BAD_CELL,
    &BAD_STRING,
    &INNER_STRING,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn names_are_distinct_and_carry_the_prefix() {
        for (i, code) in ALL.iter().enumerate() {
            assert!(code.name.starts_with("eventracer-"));
            assert!(ALL[..i].iter().all(|other| other.name != code.name));
        }
    }
}
