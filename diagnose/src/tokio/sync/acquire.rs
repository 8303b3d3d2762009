//! The methods that acquire a lock.

/// Writes the five methods of one access mode: wait, block and try, and wait and try for a guard
/// that owns the lock.
///
/// Use it inside an `impl` block. The first line names the field with tokio's lock, the mode and
/// units of the wait, and the error case of a try. If the guard's `new` takes a third argument, it
/// follows the guard's name.
///
/// ```text
/// acquire! {
///     mutex, Lock, |it| 1, "If the lock is held.";
///     /// Acquires the lock, waiting if necessary.
///     lock -> MutexGuard(it);
///     …
/// }
/// ```
macro_rules! acquire {
    (
        $inner:ident, $mode:ident, |$it:ident| $units:expr, $errors:literal;
        $(#[$wait_meta:meta])* $wait:ident -> $guard:ident $(($argument:expr))?;
        $(#[$block_meta:meta])* $block:ident;
        $(#[$wait_owned_meta:meta])* $wait_owned:ident -> $owned:ident of $kind:ty;
        $(#[$try_meta:meta])* $try:ident;
        $(#[$try_owned_meta:meta])* $try_owned:ident;
    ) => {
        $(#[$wait_meta])*
        #[track_caller]
        pub fn $wait(&self) -> impl Future<Output = $guard<'_, T>> {
            let $it = self;
            let args = $it.resource.args(WaitMode::$mode, $units, Location::caller(), false);
            let make = move |guard, holding| $guard::new(holding, guard $(, $argument)?);
            Acquire::new($it.$inner.$wait(), args, make)
        }

        $(#[$block_meta])*
        ///
        /// # Panics
        /// If called within an async context.
        #[track_caller]
        pub fn $block(&self) -> $guard<'_, T> {
            let ($it, at) = (self, Location::caller());
            let is_busy = $it.$inner.$try().is_err();
            let blocked = $it.resource.blocks_if(is_busy, WaitMode::$mode, $units, at);
            let guard = $it.$inner.$block();
            drop(blocked);
            $guard::new($it.resource.hold($units, at, false, is_busy), guard $(, $argument)?)
        }

        $(#[$wait_owned_meta])*
        #[track_caller]
        pub fn $wait_owned(self: Arc<Self>) -> impl Future<Output = $owned<T>> {
            let at = Location::caller();
            owned_wait!(self, $owned of $kind, |$it, store| {
                Acquire::new($it.$inner.$wait(), $it.resource.args(WaitMode::$mode, $units, at, true), store)
            })
        }

        $(#[$try_meta])*
        ///
        /// # Errors
        #[doc = $errors]
        #[track_caller]
        pub fn $try(&self) -> Result<$guard<'_, T>, TryLockError> {
            let $it = self;
            let guard = $it.$inner.$try()?;
            Ok($guard::new($it.resource.hold($units, Location::caller(), false, false), guard $(, $argument)?))
        }

        $(#[$try_owned_meta])*
        ///
        /// # Errors
        #[doc = $errors]
        #[track_caller]
        pub fn $try_owned(self: Arc<Self>) -> Result<$owned<T>, TryLockError> {
            let at = Location::caller();
            let guard =
                Owned::try_new(self, |$it| Ok(($it.$inner.$try()?, $it.resource.hold($units, at, true, false))));
            guard.map($owned::of).map_err(|(_, error)| error)
        }
    };
}

pub(super) use acquire;
