//! Guards that cancel a token.

use std::panic::Location;

use super::CancellationToken;

/// Defines a guard that holds a `$token` until it is dropped or disarmed.
macro_rules! drop_guard {
    ($(#[$meta:meta])* $name:ident $(<$lt:lifetime>)?, $token:ty) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name $(<$lt>)? {
            token: Option<$token>,
        }

        impl $(<$lt>)? $name $(<$lt>)? {
            pub(super) fn new(token: $token) -> Self {
                Self { token: Some(token) }
            }

            /// Returns the token of this guard.
            ///
            /// # Panics
            /// Never: the guard holds its token until it is gone.
            pub fn token(&self) -> &CancellationToken {
                self.token.as_ref().expect("it is there until the guard is gone")
            }

            /// Returns the token without cancelling it.
            ///
            /// # Panics
            /// Never: the guard holds its token until it is gone.
            pub fn disarm(mut self) -> $token {
                self.token.take().expect("it is there until the guard is gone")
            }
        }

        #[allow(single_use_lifetimes)] // `DropGuard` has no lifetime.
        impl $(<$lt>)? Drop for $name $(<$lt>)? {
            #[track_caller]
            fn drop(&mut self) {
                if let Some(token) = &self.token {
                    token.cancel_at(Location::caller());
                }
            }
        }
    };
}

drop_guard! {
    /// tokio-util's `DropGuard`: cancels its token when it is dropped.
    DropGuard, CancellationToken
}
drop_guard! {
    /// tokio-util's `DropGuardRef`: cancels a borrowed token when it is dropped.
    DropGuardRef<'a>, &'a CancellationToken
}
