//! What all guards and locks have in common.

/// A lock's `Pending` is never taken for a forced one. A future for units is put into the queue before it is asked whether
/// its task has budget left, and if it is held back for that, it has its units already: whenever it is woken, they are its own.
pub(super) fn is_never_forced() -> bool {
    false
}

/// `Debug` and `Display` of a guard are those of what it guards.
macro_rules! shown {
    ([$($generics:tt)*] $guard:ty: $value:ident) => {
        impl<$($generics)*> ::std::fmt::Debug for $guard
        where
            $value: ::std::fmt::Debug,
        {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                (**self).fmt(formatter)
            }
        }

        impl<$($generics)*> ::std::fmt::Display for $guard
        where
            $value: ::std::fmt::Display,
        {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                (**self).fmt(formatter)
            }
        }
    };
}
pub(super) use shown;
