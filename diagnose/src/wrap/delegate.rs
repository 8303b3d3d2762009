//! Methods that only call the original.

/// Writes methods that call the field's method of the same name and record nothing.
///
/// Goes into an `impl` block. Attributes are kept. A `&Self` is passed on as its original.
///
/// ```text
/// impl<T> Sender<T> {
///     delegate! { inner:
///         /// Returns the current capacity of the channel.
///         pub fn capacity(&self) -> usize;
///         /// Returns `true` if both senders belong to the same channel.
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

/// Implements `Debug` by the original in the named field.
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

/// Writes methods that only read the original in the field `inner`. Their docs refer to its docs.
///
/// ```text
/// looks!([is_closed() -> bool, len() -> usize]);
/// ```
macro_rules! looks {
    ([$($look:ident() -> $output:ty),* $(,)?]) => {
        $(
            #[doc = concat!("Calls `", stringify!($look), "` of the original.")]
            pub fn $look(&self) -> $output {
                self.inner.$look()
            }
        )*
    };
}

pub(crate) use {debug, delegate, looks};
