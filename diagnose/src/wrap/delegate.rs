//! Methods that only pass on to the original.

/// Methods of an `impl` block that call the original's method of that name on a field, and record
/// nothing.
///
/// Attributes are kept. An argument of type `&Self` is passed on as the original in it.
///
/// ```text
/// impl<T> Sender<T> {
///     delegate! { inner:
///         /// How many messages can be sent now without waiting.
///         pub fn capacity(&self) -> usize;
///         /// Whether both send to the same channel.
///         pub fn same_channel(&self, other: &Self) -> bool;
///     }
/// }
/// ```
macro_rules! delegate {
    ($inner:ident:) => {};
    (
        $inner:ident:
        $(#[$meta:meta])* pub fn $name:ident(&$it:ident, $other:ident: &Self) -> $out:ty;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        pub fn $name(&$it, $other: &Self) -> $out {
            $it.$inner.$name(&$other.$inner)
        }

        $crate::wrap::delegate! { $inner: $($rest)* }
    };
    (
        $inner:ident:
        $(#[$meta:meta])* pub fn $name:ident(&$it:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)?;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        pub fn $name(&$it $(, $arg: $type)*) $(-> $out)? {
            $it.$inner.$name($($arg),*)
        }

        $crate::wrap::delegate! { $inner: $($rest)* }
    };
    (
        $inner:ident:
        $(#[$meta:meta])* pub fn $name:ident(&mut $it:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)?;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        pub fn $name(&mut $it $(, $arg: $type)*) $(-> $out)? {
            $it.$inner.$name($($arg),*)
        }

        $crate::wrap::delegate! { $inner: $($rest)* }
    };
    (
        $inner:ident:
        $(#[$meta:meta])* pub fn $name:ident($it:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)?;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        pub fn $name($it $(, $arg: $type)*) $(-> $out)? {
            $it.$inner.$name($($arg),*)
        }

        $crate::wrap::delegate! { $inner: $($rest)* }
    };
}

/// Implements `Debug` as the original in that field does.
///
/// ```text
/// debug!([T: ?Sized] Mutex<T>, mutex: real::Mutex<T>);
/// ```
macro_rules! debug {
    ([$($generics:tt)*] $name:ty, $inner:ident: $original:ty) => {
        impl<$($generics)*> ::std::fmt::Debug for $name
        where
            $original: ::std::fmt::Debug,
        {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.$inner, formatter)
            }
        }
    };
}

/// Methods that look at the original in the field `inner`, for which its own documentation is
/// enough.
///
/// ```text
/// looks!([is_closed() -> bool, len() -> usize]);
/// ```
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

pub(crate) use {debug, delegate, looks};
