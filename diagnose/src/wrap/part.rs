//! Guards of a component of the locked data: `map` and `try_map`.

/// Writes `map` and `try_map` of a guard that borrows its lock. Either can be left out.
///
/// Goes into an `impl` block. The arguments are the type parameters, the closure's argument and
/// result, the original's guard, and the component's guard:
///
/// ```text
/// part! { map, try_map: [U: ?Sized, F] &mut T => &mut U, real::MutexGuard, MappedMutexGuard<'a, U> }
/// ```
macro_rules! part {
    (map, try_map: $($rest:tt)*) => {
        $crate::wrap::part! { map: $($rest)* }
        $crate::wrap::part! { try_map: $($rest)* }
    };
    (map: [$($generics:tt)*] $whole:ty => $to:ty, $($original:ident)::+, $part:ty) => {
        /// Makes a guard for a component of the locked data.
        #[inline]
        pub fn map<$($generics)*>(this: Self, f: F) -> $part
        where
            F: FnOnce($whole) -> $to,
        {
            <$part>::new(this.holding, $($original)::+::map(this.guard, f))
        }
    };
    (try_map: [$($generics:tt)*] $whole:ty => $to:ty, $($original:ident)::+, $part:ty) => {
        /// Attempts to make a guard for a component of the locked data.
        ///
        /// # Errors
        /// Returns this guard if `f` returns `None`.
        #[inline]
        pub fn try_map<$($generics)*>(this: Self, f: F) -> Result<$part, Self>
        where
            F: FnOnce($whole) -> Option<$to>,
        {
            match $($original)::+::try_map(this.guard, f) {
                Ok(guard) => Ok(<$part>::new(this.holding, guard)),
                Err(guard) => Err(Self { guard, ..this }),
            }
        }
    };
}

/// Writes both for an [`owned_guard`](super::owned_guard), with the part's [`Kind`](super::Kind).
///
/// ```text
/// owned_part! {
///     [U: ?Sized, F] &mut T => &mut U, real::MutexGuard,
///     OwnedMappedMutexGuard<T, U> of Mapped<T, U>
/// }
/// ```
macro_rules! owned_part {
    (
        [$($generics:tt)*] $whole:ty => $to:ty, $($original:ident)::+,
        $part:ident<$($args:ident),+> of $kind:ty
    ) => {
        /// Makes a guard for a component of the locked data.
        #[inline]
        pub fn map<$($generics)*>(this: Self, f: F) -> $part<$($args),+>
        where
            F: FnOnce($whole) -> $to,
        {
            let turned = this.guard.turn::<$kind>(|guard, _| $($original)::+::map(guard, f));
            $part::new(this.holding, turned)
        }

        /// Attempts to make a guard for a component of the locked data.
        ///
        /// # Errors
        /// Returns this guard if `f` returns `None`.
        #[inline]
        pub fn try_map<$($generics)*>(this: Self, f: F) -> Result<$part<$($args),+>, Self>
        where
            F: FnOnce($whole) -> Option<$to>,
        {
            match this.guard.try_turn::<$kind>(|guard, _| $($original)::+::try_map(guard, f)) {
                Ok(guard) => Ok($part::new(this.holding, guard)),
                Err(guard) => Err(Self { guard, ..this }),
            }
        }
    };
}

pub(crate) use {owned_part, part};
