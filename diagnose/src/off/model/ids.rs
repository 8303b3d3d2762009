//! Ids and positions.

use std::fmt;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($number:ty) new: $new:ty,)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($new);

        impl $name {
            /// Creates the one with this number.
            #[must_use]
            pub const fn new(number: $new) -> Self {
                Self(number)
            }

            /// Its number.
            #[must_use]
            pub const fn get(self) -> $new {
                self.0
            }
        }

        impl From<$name> for $number {
            fn from(id: $name) -> Self {
                Self::try_from(id.0).unwrap_or(Self::MAX)
            }
        }

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                Self(<$new>::try_from(number).unwrap_or(<$new>::MAX))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

numbers! {
    /// The id of a task.
    TaskId(u64) new: u64,
    /// The id of a span.
    SpanId(u64) new: u64,
    /// The id of a wait.
    WaitId(u64) new: u64,
    /// The id of a resource.
    ResourceId(u64) new: u64,
    /// The position of a site.
    SiteIndex(u32) new: usize,
    /// The position of a node.
    NodeIndex(u32) new: usize,
    /// The position of a span.
    SpanIndex(u32) new: usize,
}
