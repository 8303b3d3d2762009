//! Channel ends: conversions, `Debug`, `Clone` and `Deref`.

/// Declares a channel end: the original, its [`ChannelEnd`](crate::waits::ChannelEnd), and `of`.
///
/// Also implements what [`around`] does. With a role, the end is `Clone`: each clone has that role.
/// `(flume::Receiver<T>, made_at)` adds a field: the place where the channel was made, or where the
/// end was converted from the original.
///
/// ```text
/// end! {
///     /// tokio's `Sender`, with a record of the task that holds it.
///     pub struct Sender<T>(mpsc::Sender<T>), clone: Sends;
/// }
/// ```
macro_rules! end {
    (
        $(#[$meta:meta])*
        pub struct $name:ident<T>($original:ty $(, $made_at:ident)?) $(, clone: $role:ident)?;
    ) => {
        $(#[$meta])*
        pub struct $name<T> {
            // Dropped first, so that the original is gone before its record says so.
            pub(super) inner: $original,
            pub(super) end: $crate::waits::ChannelEnd,
            $($made_at: &'static ::std::panic::Location<'static>,)?
        }

        impl<T> $name<T> {
            #[inline]
            pub(super) fn of(
                inner: $original,
                end: $crate::waits::ChannelEnd,
                $($made_at: &'static ::std::panic::Location<'static>,)?
            ) -> Self {
                Self { inner, end $(, $made_at)? }
            }
        }

        $crate::wrap::around!([T] $name<T>: $original, |inner| Self {
            inner,
            end: $crate::waits::ChannelEnd::none(),
            $($made_at: ::std::panic::Location::caller(),)?
        });
        $($crate::wrap::clone!($name<T>, $role);)?
    };
}

/// Implements `Deref` and [`convert_end`] for an end that can have siblings.
///
/// The original can be cloned without a record, so `Deref` records that such clones may exist. A
/// list of [`looks`](super::looks) may follow.
///
/// ```text
/// around!(
///     [T] Sender<T>: mpsc::Sender<T>,
///     |inner| Self { inner, end: ChannelEnd::none() },
///     [is_closed() -> bool]
/// );
/// ```
macro_rules! around {
    ([$($generics:tt)*] $name:ty: $original:ty, |$it:ident| $made:expr $(, $looks:tt)?) => {
        impl<$($generics)*> $name {
            $($crate::wrap::looks!($looks);)?
        }

        impl<$($generics)*> ::std::ops::Deref for $name {
            type Target = $original;

            #[track_caller]
            fn deref(&self) -> &Self::Target {
                self.end.share(::std::panic::Location::caller());
                &self.inner
            }
        }

        $crate::wrap::convert_end!([$($generics)*] $name: $original, |$it| $made);
    };
}

/// Implements an unrecorded `Deref` and [`convert_end`] for the only end of its side.
///
/// ```text
/// around_sole!([T] Receiver<T>: mpsc::Receiver<T>, |inner| Self::of(inner, SoleEnd::none()));
/// ```
macro_rules! around_sole {
    ([$($generics:tt)*] $name:ty: $original:ty, |$it:ident| $made:expr) => {
        $crate::wrap::deref!([$($generics)*] $name, inner: $original);
        $crate::wrap::convert_end!([$($generics)*] $name: $original, |$it| $made);
    };
}

/// Implements `into_inner`, `From` both ways, and `Debug` for a channel end.
///
/// The type needs the fields `inner` and `end`. The expression builds an unrecorded end.
macro_rules! convert_end {
    ([$($generics:tt)*] $name:ty: $original:ty, |$it:ident| $made:expr) => {
        impl<$($generics)*> $name {
            /// Returns the original. Its owner is unknown from then on.
            ///
            /// With the feature `on` only; `.into()` works without it, too.
            pub fn into_inner(self) -> $original {
                self.end.lose();
                self.inner
            }
        }

        $crate::wrap::convert!([$($generics)*] $name: $original, |$it| $made, |it| it.into_inner());
        $crate::wrap::debug!([$($generics)*] $name, inner: $original);
    };
}

/// Implements `Clone` for a channel end. Each clone is a holding with the given role.
///
/// The named fields are passed to `of` unchanged.
///
/// ```text
/// clone!(Receiver<T>, Receives, made_at);
/// ```
macro_rules! clone {
    ($name:ident<T>, $role:ident $(, $field:ident)*) => {
        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                let end = self.end.another($crate::waits::Role::$role, ::std::panic::Location::caller());
                Self::of(self.inner.clone(), end $(, self.$field)*)
            }
        }
    };
}

pub(crate) use {around, around_sole, clone, convert_end, end};
