//! Ends of channels: conversions, `Debug`, `Clone` and `Deref`.

/// Declares an end that is an original and a [`ChannelEnd`](crate::waits::ChannelEnd), with `of`,
/// which makes one, and what [`around`] implements. With a role it is `Clone`, and a clone is a
/// holding of that role.
///
/// ```text
/// end! {
///     /// tokio's `Sender`; who has it is on record.
///     pub struct Sender<T>(mpsc::Sender<T>), clone: Sends;
/// }
/// ```
macro_rules! end {
    ($(#[$meta:meta])* pub struct $name:ident<T>($original:ty) $(, clone: $role:ident)?;) => {
        $(#[$meta])*
        pub struct $name<T> {
            // Dropped first: it is gone before the records say so.
            pub(super) inner: $original,
            pub(super) end: $crate::waits::ChannelEnd,
        }

        impl<T> $name<T> {
            #[inline]
            pub(super) fn of(inner: $original, end: $crate::waits::ChannelEnd) -> Self {
                Self { inner, end }
            }
        }

        $crate::wrap::around!(
            [T] $name<T>: $original,
            |inner| Self { inner, end: $crate::waits::ChannelEnd::none() }
        );
        $($crate::wrap::clone!($name<T>, $role);)?
    };
}

/// Implements for an end of which there can be others: what [`around_sole`] does, and `Deref`.
///
/// The owner of the original may clone it unrecorded, so `Deref` puts on record that there may
/// be some. A list of [`looks`](super::looks) may follow.
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

/// Implements for the only end of its side: what [`convert_end`] does, and `Deref`, which puts
/// nothing on record.
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

/// Implements for an end `into_inner`, `From` both ways, and `Debug`.
///
/// It needs the fields `inner` and `end`. The expression makes an end that is not on record.
macro_rules! convert_end {
    ([$($generics:tt)*] $name:ty: $original:ty, |$it:ident| $made:expr) => {
        impl<$($generics)*> $name {
            /// The original. From then on its owner is unknown.
            pub fn into_inner(self) -> $original {
                self.end.lose();
                self.inner
            }
        }

        $crate::wrap::convert!([$($generics)*] $name: $original, |$it| $made, |it| it.into_inner());
        $crate::wrap::debug!([$($generics)*] $name, inner: $original);
    };
}

/// Implements `Clone` of an end: a clone is a holding of that role. The fields named are passed to
/// `of` as they are.
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
