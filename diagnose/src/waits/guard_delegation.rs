//! What every guard of a wrapper passes on to the guard in it.

/// `Deref`, `Debug` and `Display`. `$it` is the guard of the wrapper, `$get` the one in it; `$look` notes that it is used.
macro_rules! guard {
    ([$($parameters:tt)*] $guard:ty, $target:ty, |$it:ident| $get:expr $(, $look:expr)?) => {
        impl<$($parameters)*> ::std::ops::Deref for $guard {
            type Target = $target;

            #[inline]
            fn deref(&self) -> &$target {
                let $it = self;
                $($look;)?
                $get
            }
        }

        impl<$($parameters)*> ::std::fmt::Debug for $guard
        where
            $target: ::std::fmt::Debug,
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let $it = self;
                let inner: &$target = $get;
                ::std::fmt::Debug::fmt(inner, f)
            }
        }

        impl<$($parameters)*> ::std::fmt::Display for $guard
        where
            $target: ::std::fmt::Display,
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let $it = self;
                let inner: &$target = $get;
                ::std::fmt::Display::fmt(inner, f)
            }
        }
    };
}

/// `DerefMut` of one that gives more than a look.
macro_rules! guard_mut {
    ([$($parameters:tt)*] $guard:ty, $target:ty, |$it:ident| $get:expr $(, $look:expr)?) => {
        impl<$($parameters)*> ::std::ops::DerefMut for $guard {
            #[inline]
            fn deref_mut(&mut self) -> &mut $target {
                let $it = self;
                $($look;)?
                $get
            }
        }
    };
}

pub(crate) use {guard, guard_mut};
