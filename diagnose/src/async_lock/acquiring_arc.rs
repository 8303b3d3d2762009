//! Futures that acquire an owned guard, built on [`wrap::Acquiring`](crate::wrap::Acquiring).

/// Declares a future that acquires an owned guard. `$lock` is the lock, `$locked` and `$locking`
/// are the kinds of its guard and of its future.
macro_rules! acquiring_arc {
    (
        $(#[$meta:meta])* $name:ident [$($parameters:tt)*] [$($arguments:tt)*]
        ($lock:ty, $locked:ty, $locking:ty) $guard:ty, |$it:ident| $try:expr, $wait:expr
    ) => {
        ::pin_project_lite::pin_project! {
            $(#[$meta])*
            ///
            /// Dropping it gives up its place in the queue, as the original does.
            pub struct $name<$($parameters)*> {
                state: $crate::wrap::Acquiring<$lock, $locking>,
                // Gives this type the original's parameters. The original is not `Unpin`.
                #[pin]
                like: ::std::marker::PhantomData<::async_lock::futures::$name<$($arguments)*>>,
                #[pin]
                pinned: ::std::marker::PhantomPinned,
            }
        }

        #[allow(single_use_lifetimes)]
        impl<$($parameters)*> $name<$($arguments)*> {
            #[inline]
            pub(super) fn new(lock: ::std::sync::Arc<$lock>, info: $crate::waits::WaitInfo) -> Self {
                Self {
                    state: $crate::wrap::Acquiring::New(lock, info),
                    like: ::std::marker::PhantomData,
                    pinned: ::std::marker::PhantomPinned,
                }
            }
        }

        #[allow(single_use_lifetimes)] // They are used more than once with other parameters.
        impl<$($parameters)*> ::std::future::Future for $name<$($arguments)*> {
            type Output = $guard;

            #[inline]
            fn poll(
                self: ::std::pin::Pin<&mut Self>,
                context: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<$guard> {

                let state = self.project().state;
                $crate::wrap::poll_acquiring!(state, context, $locked, |$it| $try, $wait, "future polled after completion")
                    .map(<$guard>::of)
            }
        }

        #[allow(single_use_lifetimes)] // They are used more than once with other parameters.
        impl<$($parameters)*> ::std::fmt::Debug for $name<$($arguments)*> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }
    };
}

pub(super) use acquiring_arc;
