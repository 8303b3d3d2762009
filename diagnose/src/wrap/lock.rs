//! Locks and cells: conversions, `Default`, `Debug` and `Deref`.

/// Declares a lock: the original beside its [`Resource`](crate::waits::Resource), with `new` and
/// `into_inner`.
///
/// Its record has the given type and number of units. The expression makes the original. Also
/// implements what [`convert_lock`] and [`share`] do.
///
/// ```text
/// lock! {
///     /// std's `Mutex`, with a record of its holder.
///     pub struct Mutex<T>(mutex: real::Mutex<T>), &TYPE, 1;
///     /// Creates a new mutex.
///     pub const fn new(value: T) = real::Mutex::new(value);
///     /// Consumes the mutex, returning the underlying data.
///     pub fn into_inner(self) -> LockResult<T>;
/// }
/// ```
macro_rules! lock {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<T>($inner:ident: $original:ty), $type:expr, $units:expr;
        $(#[$new_meta:meta])*
        pub const fn new($value:ident: T) = $new:expr;
        $(#[$into_meta:meta])*
        pub fn into_inner($it:ident) -> $output:ty;
    ) => {
        $(#[$meta])*
        pub struct $name<T: ?Sized> {
            pub(super) resource: $crate::waits::Resource,
            pub(super) $inner: $original,
        }

        impl<T> $name<T> {
            $(#[$new_meta])*
            #[track_caller]
            pub const fn new($value: T) -> Self {
                Self::around($new)
            }

            $(#[$into_meta])*
            pub fn into_inner($it) -> $output {
                $it.$inner.into_inner()
            }

            #[inline]
            #[track_caller]
            const fn around($inner: $original) -> Self {
                let resource = $crate::waits::Resource::new($type, $units, ::std::panic::Location::caller());
                Self { resource, $inner }
            }
        }

        $crate::wrap::convert_lock!($name<T>, $inner: $original, Self::around($inner));
        $crate::wrap::share!([T: ?Sized] $name<T>, $inner: $original);
    };
}

/// Implements `Default`, `From` a value, `From` the original and back, and `Debug` for a lock.
///
/// The expression wraps an original and starts its record. The conversion back ends the record.
///
/// ```text
/// convert_lock!(RwLock<T>, lock: real::RwLock<T>, Self::around(lock));
/// ```
macro_rules! convert_lock {
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

/// Implements `Default` by `new` without arguments.
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

/// Implements `Default`, `From` a value, `From` the original and back, and `Debug` for a cell.
///
/// A cell made from a value is initialized from the start.
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

/// Implements a cell's `Clone`, `PartialEq` and `Eq` by the original's. A clone has its own record.
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

/// Implements `From` the original and back.
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

/// Implements `Deref` to the original of a lock or cell.
///
/// The first call records that any task may use the original without a record from then on.
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

/// Implements `Deref` to the original in the named field. Calls through it are not recorded.
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

pub(crate) use {cell, compare, convert, convert_lock, default, deref, lock, share};
