//! Guards: their structs, and the delegation to the original's guard.

/// Declares a guard that borrows its lock, with `Deref`, `DerefMut` for `&mut`, and formatting.
///
/// The first field is the original's guard. A `holding` comes before it, so that the holding ends
/// before the lock is free. `new` takes the holding and the fields.
///
/// ```text
/// guard! {
///     /// tokio's `MutexGuard`.
///     #[must_use = "if unused the Mutex will immediately unlock"]
///     pub struct MutexGuard<'a, T: ?Sized> for &mut T {
///         guard: real::MutexGuard<'a, T>,
///         mutex: &'a Mutex<T>,
///     }
/// }
/// ```
macro_rules! guard {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$lt:lifetime, $($param:ident: ?Sized),+> for &mut $target:ident {
            $($fields:tt)*
        }
    ) => {
        $crate::wrap::guard! {
            $(#[$meta])*
            pub struct $name<$lt, $($param: ?Sized),+> for &$target { $($fields)* }
        }

        impl<$($param: ?Sized),+> ::std::ops::DerefMut for $name<'_, $($param),+> {
            #[inline]
            fn deref_mut(&mut self) -> &mut $target {
                &mut self.guard
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$lt:lifetime, $($param:ident: ?Sized),+> for &$target:ident {
            guard: $guard:ty,
            $($field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[clippy::has_significant_drop]
        pub struct $name<$lt, $($param: ?Sized),+> {
            // Dropped first: the holding ends before another task can acquire the lock.
            #[allow(dead_code)] // Most guards only drop it.
            pub(super) holding: $crate::waits::Holding,
            pub(super) guard: $guard,
            $($field: $type,)*
        }

        impl<$lt, $($param: ?Sized),+> $name<$lt, $($param),+> {
            #[inline]
            #[allow(dead_code)] // Some guards do not use it.
            pub(super) fn new(holding: $crate::waits::Holding, guard: $guard $(, $field: $type)*) -> Self {
                Self { holding, guard $(, $field)* }
            }
        }

        impl<$($param: ?Sized),+> ::std::ops::Deref for $name<'_, $($param),+> {
            type Target = $target;

            #[inline]
            fn deref(&self) -> &$target {
                &self.guard
            }
        }

        $crate::wrap::shown!([$($param: ?Sized),+] $name<'_, $($param),+>, $target);
    };
}

/// Declares a guard that owns its lock through an [`Owned`](super::Owned), otherwise as [`guard`].
///
/// An owned guard can move to another task, so each access to the value records the accessing task
/// as the holder. `new` takes the holding and the guard, `of` the pair returned by `Owned`.
///
/// ```text
/// owned_guard! {
///     /// tokio's `OwnedMutexGuard`.
///     pub struct OwnedMutexGuard<T: ?Sized> for &mut T {
///         guard: Owned<Mutex<T>, Locked<T>>,
///     }
/// }
/// ```
macro_rules! owned_guard {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$($param:ident $(: ?$sized:ident)? $(= $default:ident)?),+>
            for &mut $target:ident { guard: $guard:ty, }
    ) => {
        $crate::wrap::owned_guard! {
            $(#[$meta])*
            pub struct $name<$($param $(: ?$sized)? $(= $default)?),+> for &$target { guard: $guard, }
        }

        impl<$($param $(: ?$sized)?),+> ::std::ops::DerefMut for $name<$($param),+> {
            #[inline]
            fn deref_mut(&mut self) -> &mut $target {
                self.holding.accessed();
                &mut *self.guard.get_mut()
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident<$($param:ident $(: ?$sized:ident)? $(= $default:ident)?),+>
            for &$target:ident { guard: $guard:ty, }
    ) => {
        $(#[$meta])*
        #[clippy::has_significant_drop]
        pub struct $name<$($param $(: ?$sized)? $(= $default)?),+> {
            // Dropped first: the holding ends before another task can acquire the lock.
            #[allow(dead_code)] // Most guards only drop it.
            pub(super) holding: $crate::waits::Holding,
            pub(super) guard: $guard,
        }

        impl<$($param $(: ?$sized)?),+> $name<$($param),+> {
            #[inline]
            #[allow(dead_code)] // Some guards do not use it.
            pub(super) fn new(holding: $crate::waits::Holding, guard: $guard) -> Self {
                Self { holding, guard }
            }

            #[inline]
            #[allow(dead_code)] // Some guards do not use it.
            pub(super) fn of((guard, holding): ($guard, $crate::waits::Holding)) -> Self {
                Self { holding, guard }
            }
        }

        impl<$($param $(: ?$sized)?),+> ::std::ops::Deref for $name<$($param),+> {
            type Target = $target;

            #[inline]
            fn deref(&self) -> &$target {
                self.holding.accessed();
                &*self.guard.get()
            }
        }

        $crate::wrap::shown!([$($param $(: ?$sized)?),+] $name<$($param),+>, $target);
    };
}

/// Implements `Debug` and `Display` of a guard by those of its value.
///
/// ```text
/// shown!([T: ?Sized] MutexGuard<'_, T>, T);
/// ```
macro_rules! shown {
    ([$($generics:tt)*] $guard:ty, $target:ty) => {
        impl<$($generics)*> ::std::fmt::Debug for $guard
        where
            $target: ::std::fmt::Debug,
        {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&**self, formatter)
            }
        }

        impl<$($generics)*> ::std::fmt::Display for $guard
        where
            $target: ::std::fmt::Display,
        {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&**self, formatter)
            }
        }
    };
}

pub(crate) use {guard, owned_guard, shown};
