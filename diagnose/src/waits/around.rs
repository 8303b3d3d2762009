//! What every end of a channel of another crate passes on to the one in it.

/// `Deref`, `Debug`, and `From` both ways. `$original` is the type of the field `inner`, and `end` is the other part in the
/// channel.
macro_rules! around {
    ($name:ident<T>, $original:ty, |$it:ident| $made:expr) => {
        impl<T> $name<T> {
            /// The original. From then on nobody knows who has it.
            pub fn into_inner(self) -> $original {
                self.end.lose();
                self.inner
            }
        }

        impl<T> ::std::ops::Deref for $name<T> {
            type Target = $original;

            fn deref(&self) -> &Self::Target {
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

pub(crate) use around;
