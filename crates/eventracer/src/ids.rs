//! Dense ids and offsets in an action log.
//!
//! The *number* of an op is its name in the file; an [`OpId`] is its row in the table of ops, in
//! the order of the numbers. The two coincide unless the numbers are so sparse that a row for each
//! would waste memory. Ids of strings are byte offsets, as in the file.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Returns the id with value `index`, which must fit into 32 bits.
            pub fn new(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok(), "id out of range: {index}");
                Self(index as u32)
            }

            /// Returns the value of the id, for indexing.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An op (event action): its row in the table of ops.
    OpId
}
id! {
    /// A cell (memory location): the byte offset of its name in VARS.
    VarId
}
id! {
    /// A scope: the byte offset of its text in SCOPES.
    ScopeId
}
id! {
    /// A value: the byte offset of its text in VALUES.
    ValueId
}
id! {
    /// A race: its index in the order of the second access.
    RaceId
}
