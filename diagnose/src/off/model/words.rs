//! Words for the members of an enum.

/// Implements `Display` with one word per member, as with the feature `on`.
macro_rules! words {
    ($($name:ident { $($member:ident $word:literal)* })*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $(Self::$member => $word,)* })
            }
        }
    )*};
}
pub(super) use words;
