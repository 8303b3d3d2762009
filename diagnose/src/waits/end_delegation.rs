//! What every end of a channel of another crate passes on to the one in it.

/// `Debug`, `From` both ways, what only looks, and `Deref`: whoever has the original by that may make others of it, of which
/// nothing is known. `$original` is the type of the field `inner`, and `end` is the other part in the channel.
macro_rules! around {
    ($name:ident<T>, $original:ty, |$it:ident| $made:expr, [$($look:ident() -> $output:ty),* $(,)?]) => {
        impl<T> $name<T> {
            $crate::waits::looks!([$($look() -> $output),*]);

            /// The original. From then on nobody knows who has it.
            pub fn into_inner(self) -> $original {
                self.end.lose();
                self.inner
            }
        }

        impl<T> ::std::ops::Deref for $name<T> {
            type Target = $original;

            #[track_caller]
            fn deref(&self) -> &Self::Target {
                self.end.share(::std::panic::Location::caller());
                &self.inner
            }
        }

        impl<T> ::std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.inner, f)
            }
        }

        impl<T> From<$original> for $name<T> {
            /// It is not on record.
            #[track_caller]
            fn from($it: $original) -> Self {
                $made
            }
        }

        impl<T> From<$name<T>> for $original {
            fn from(it: $name<T>) -> Self {
                it.into_inner()
            }
        }
    };
}

/// What only looks.
macro_rules! looks {
    ([$($look:ident() -> $output:ty),* $(,)?]) => {
        $(
            #[doc = concat!("As the original's `", stringify!($look), "`.")]
            pub fn $look(&self) -> $output {
                self.inner.$look()
            }
        )*
    };
}

pub(crate) use {around, looks};
