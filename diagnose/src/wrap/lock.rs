//! Locks: conversions, `Default` and `Debug`, and `Deref`.

/// Implements for a lock: `Default`, `From` of a value, `From` of the original and back, and
/// `Debug`.
///
/// The expression puts an original on record. The other way takes it off: the record ends with the
/// wrapper.
///
/// ```text
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

/// Implements `Default` as `new` without arguments.
///
/// ```text
/// default!([T] OnceCell<T>);
/// ```
macro_rules! default {
    ([$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

/// Implements for a cell that may have its value from the start: `Default`, `From` of a value,
/// `From` of the original and back, and `Debug`.
///
/// ```text
/// cell!(OnceCell<T>, cell: real::OnceCell<T>, Self::around(cell));
/// ```
macro_rules! cell {
    ($name:ident<T>, $inner:ident: $original:ty, $made:expr) => {
        impl<T> From<T> for $name<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                Self::from(<$original>::from(value))
            }
        }

        $crate::wrap::default!([T] $name<T>);
        $crate::wrap::convert!([T] $name<T>: $original, |$inner| $made, |it| it.$inner);
        $crate::wrap::debug!([T] $name<T>, $inner: $original);
    };
}

/// Implements `Clone`, `PartialEq` and `Eq` of a cell by those of the original. A clone is a
/// resource of its own.
///
/// ```text
/// compare!(OnceCell<T>, cell);
/// ```
macro_rules! compare {
    ($name:ident<T>, $inner:ident) => {
        impl<T: Clone> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                Self::from(self.$inner.clone())
            }
        }

        impl<T: PartialEq> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.$inner == other.$inner
            }
        }

        impl<T: Eq> Eq for $name<T> {}
    };
}

/// Implements `From` of an original and back.
///
/// ```text
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

/// Implements `Deref` to the original of a lock or a cell, and puts on record that any task may use
/// it unrecorded from then on.
///
/// ```text
/// share!([T: ?Sized] Mutex<T>, mutex: real::Mutex<T>);
/// ```
macro_rules! share {
    ([$($generics:tt)*] $name:ty, $inner:ident: $original:ty) => {
        impl<$($generics)*> ::std::ops::Deref for $name {
            type Target = $original;

            #[track_caller]
            fn deref(&self) -> &Self::Target {
                self.resource.share(::std::panic::Location::caller());
                &self.$inner
            }
        }
    };
}

/// Implements `Deref` to the original in that field. What is done through it is not on record.
///
/// ```text
/// deref!([T] JoinSet<T>, set: ::tokio::task::JoinSet<T>);
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

pub(crate) use {cell, compare, convert, default, deref, lock, share};
