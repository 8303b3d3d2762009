//! What all guards have: a guard of a part, and the two ways to let go for a while.

/// `map`, `try_map` and `try_map_or_err`, from `$guard` to `$part`. `$mut` is `mut` where the guard gives that.
macro_rules! parts {
    ($guard:ident, $part:ident, $(($mut:tt))?) => {
        impl<'a, T: ?Sized> $guard<'a, T> {
            /// A guard of a part of what this one guards.
            #[inline]
            pub fn map<U: ?Sized, F>(s: Self, f: F) -> $part<'a, U>
            where
                F: FnOnce(&$($mut)? T) -> &$($mut)? U,
            {
                $part::new(s.holding, ::parking_lot::$guard::map(s.guard, f))
            }

            /// A guard of a part of what this one guards, if there is that.
            ///
            /// # Errors
            /// If there is none, this guard.
            #[inline]
            pub fn try_map<U: ?Sized, F>(s: Self, f: F) -> Result<$part<'a, U>, Self>
            where
                F: FnOnce(&$($mut)? T) -> Option<&$($mut)? U>,
            {
                Self::try_map_or_err(s, |value| f(value).ok_or(())).map_err(|(guard, ())| guard)
            }

            /// A guard of a part of what this one guards, if there is that.
            ///
            /// # Errors
            /// If there is none, this guard, and what `f` says.
            #[inline]
            pub fn try_map_or_err<U: ?Sized, F, E>(s: Self, f: F) -> Result<$part<'a, U>, (Self, E)>
            where
                F: FnOnce(&$($mut)? T) -> Result<&$($mut)? U, E>,
            {
                // Older originals have `try_map` only.
                let mut error = None;
                let mapped = ::parking_lot::$guard::try_map(s.guard, |value| match f(value) {
                    Ok(part) => Some(part),
                    Err(says) => {
                        error = Some(says);
                        None
                    }
                });
                match mapped {
                    Ok(guard) => Ok($part::new(s.holding, guard)),
                    Err(guard) => match error {
                        Some(error) => Err((Self { guard, ..s }, error)),
                        None => unreachable!("there is no part, so `f` has said why"),
                    },
                }
            }

            /// Frees it, and hands it to who waits longest.
            #[inline]
            pub fn unlock_fair(s: Self) {
                drop(s.holding);
                ::parking_lot::$guard::unlock_fair(s.guard);
            }
        }
    };
}

/// `unlocked`, `unlocked_fair` and `bump`: the lock is free meanwhile, and there is no holding. `$hold` makes the next one.
///
/// ```text
/// unlocked!(MutexGuard, |it, at| it.mutex.hold(at, true));
/// ```
macro_rules! unlocked {
    ($guard:ident, |$it:ident, $at:ident| $hold:expr) => {
        impl<T: ?Sized> $guard<'_, T> {
            #[inline]
            fn again(&self, $at: &'static Location<'static>) -> Holding {
                let $it = self;
                $hold
            }

            /// Frees it while `f` runs, and acquires it again.
            #[inline]
            #[track_caller]
            pub fn unlocked<F, U>(s: &mut Self, f: F) -> U
            where
                F: FnOnce() -> U,
            {
                s.holding = Holding::NONE;
                let result = ::parking_lot::$guard::unlocked(&mut s.guard, f);
                s.holding = s.again(Location::caller());
                result
            }

            /// Frees it while `f` runs, hands it to who waits longest, and acquires it again.
            #[inline]
            #[track_caller]
            pub fn unlocked_fair<F, U>(s: &mut Self, f: F) -> U
            where
                F: FnOnce() -> U,
            {
                s.holding = Holding::NONE;
                let result = ::parking_lot::$guard::unlocked_fair(&mut s.guard, f);
                s.holding = s.again(Location::caller());
                result
            }

            /// If there are waiters, releases the lock to the longest one, and acquires it again.
            #[inline]
            #[track_caller]
            pub fn bump(s: &mut Self) {
                if !s.holding.record().is_some_and(Record::has_waiting) {
                    return ::parking_lot::$guard::bump(&mut s.guard);
                }
                s.holding = Holding::NONE;
                ::parking_lot::$guard::bump(&mut s.guard);
                s.holding = s.again(Location::caller());
            }
        }
    };
}

pub(super) use {parts, unlocked};
