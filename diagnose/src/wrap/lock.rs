//! Locks: conversions, `Default` and `Debug`, and `Deref`.

/// Implements for a lock: `Default`, `From` of a value, `From` of the original and back, and
/// `Debug`.
///
/// The expression puts an original on record. The other way takes it off: the record ends with the
/// wrapper.
///
/// ```ignore
/// lock!(Mutex<T>, mutex: real::Mutex<T>, Self { resource, mutex });
/// ```
macro_rules! lock {
    ($name:ident<T>, $inner:ident: $original:ty, $made:expr) => {
        impl<T> From<T> for $name<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: Default> Default for $name<T> {
            #[track_caller]
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        $crate::wrap::convert!([T] $name<T>: $original, |$inner| $made, |it| it.$inner);
        $crate::wrap::debug!([T: ?Sized] $name<T>, $inner: $original);
    };
}

/// Implements `From` of an original and back.
///
/// ```ignore
/// convert!([] Handle: runtime::Handle, |handle| Self { handle }, |it| it.handle);
/// ```
macro_rules! convert {
    ([$($generics:tt)*] $name:ty: $original:ty, |$inner:ident| $made:expr, |$it:ident| $back:expr) => {
        impl<$($generics)*> From<$original> for $name {
            #[track_caller]
            fn from($inner: $original) -> Self {
                $made
            }
        }

        impl<$($generics)*> From<$name> for $original {
            fn from($it: $name) -> Self {
                $back
            }
        }
    };
}

/// Implements `Deref` to the original in that field. What is done through it is not on record.
///
/// ```ignore
/// deref!([T: ?Sized] Mutex<T>, mutex: real::Mutex<T>);
/// ```
macro_rules! deref {
    ([$($generics:tt)*] $name:ty, $inner:ident: $original:ty) => {
        impl<$($generics)*> ::std::ops::Deref for $name {
            type Target = $original;

            fn deref(&self) -> &Self::Target {
                &self.$inner
            }
        }
    };
}

pub(crate) use {convert, deref, lock};
