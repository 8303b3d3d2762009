//! The methods that all guards share: `map`, `unlock_fair`, the temporary release of a lock, and
//! whether they can leave their thread.

use std::marker::PhantomData;

/// Whether guards are `Send`: `parking_lot` has a feature for that.
pub(super) const SENDS_GUARDS: bool = Probe::<::parking_lot::MutexGuard<'static, ()>>::IS_SEND;

#[allow(dead_code)] // Only its constant is used.
struct Probe<T>(PhantomData<T>);

/// An associated constant of the type itself comes before this one.
trait NotSend {
    const IS_SEND: bool = false;
}

impl<T> NotSend for Probe<T> {}

#[allow(dead_code)] // Used only where guards are `Send`.
impl<T: Send> Probe<T> {
    const IS_SEND: bool = true;
}

/// Writes `map` and its variants, and `unlock_fair`. `$mut` is `mut` if the guard derefs mutably.
macro_rules! parts {
    ($guard:ident, $part:ident, $(($mut:tt))?) => {
        impl<'a, T: ?Sized> $guard<'a, T> {
            /// Makes a guard for a component of the locked data.
            #[inline]
            pub fn map<U: ?Sized, F>(s: Self, f: F) -> $part<'a, U>
            where
                F: FnOnce(&$($mut)? T) -> &$($mut)? U,
            {
                $part::new(s.holding, ::parking_lot::$guard::map(s.guard, f))
            }

            /// Attempts to make a guard for a component of the locked data.
            ///
            /// # Errors
            /// Returns this guard if `f` returns `None`.
            #[inline]
            pub fn try_map<U: ?Sized, F>(s: Self, f: F) -> Result<$part<'a, U>, Self>
            where
                F: FnOnce(&$($mut)? T) -> Option<&$($mut)? U>,
            {
                Self::try_map_or_err(s, |value| f(value).ok_or(())).map_err(|(guard, ())| guard)
            }

            /// Attempts to make a guard for a component of the locked data.
            ///
            /// # Errors
            /// Returns this guard and the error of `f` if `f` fails.
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

            /// Releases the lock and hands it to the longest waiter.
            #[inline]
            pub fn unlock_fair(s: Self) {
                drop(s.holding);
                ::parking_lot::$guard::unlock_fair(s.guard);
            }
        }
    };
}

/// Writes `unlocked`, `unlocked_fair` and `bump`, which have no holding while the lock is released.
///
/// `$hold` creates the next holding.
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

            /// Calls `release`, which releases the lock and acquires it again, even if it panics.
            #[inline]
            fn without_holding<U>(
                &mut self,
                at: &'static Location<'static>,
                release: impl FnOnce(&mut Self) -> U,
            ) -> U {
                struct Again<'s, 'a, T: ?Sized>(&'s mut $guard<'a, T>, &'static Location<'static>);
                impl<T: ?Sized> Drop for Again<'_, '_, T> {
                    #[inline]
                    fn drop(&mut self) {
                        self.0.holding = self.0.again(self.1);
                    }
                }
                self.holding = Holding::NONE;
                let again = Again(self, at);
                release(&mut *again.0)
            }

            /// Releases the lock while `f` runs, then acquires it again.
            #[inline]
            #[track_caller]
            pub fn unlocked<F, U>(s: &mut Self, f: F) -> U
            where
                F: FnOnce() -> U,
            {
                s.without_holding(Location::caller(), |s| ::parking_lot::$guard::unlocked(&mut s.guard, f))
            }

            /// Releases the lock to the longest waiter while `f` runs, then acquires it again.
            #[inline]
            #[track_caller]
            pub fn unlocked_fair<F, U>(s: &mut Self, f: F) -> U
            where
                F: FnOnce() -> U,
            {
                s.without_holding(Location::caller(), |s| {
                    ::parking_lot::$guard::unlocked_fair(&mut s.guard, f)
                })
            }

            /// Releases the lock to the longest waiter, if there is one, and acquires it again. The
            /// records count an acquisition even if there is none.
            #[inline]
            #[track_caller]
            pub fn bump(s: &mut Self) {
                // Whether there is a waiter is unknown: a thread that a condition variable has
                // notified is not listed at the lock.
                s.without_holding(Location::caller(), |s| ::parking_lot::$guard::bump(&mut s.guard));
            }
        }
    };
}

pub(super) use {parts, unlocked};
