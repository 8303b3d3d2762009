//! Futures that poll an original's future and record its wait.

/// Declares a future around a [`WaitFuture`](crate::waits::WaitFuture), with `new`, `Future`, and
/// the original's `Debug`.
///
/// Fields before and after it are possible. `before` runs at the start of each poll. `after` turns
/// the output of the original into that of the future. Both take the projected fields.
///
/// ```text
/// future! {
///     /// The future returned by [`Mutex::lock`].
///     pub struct Lock<'a, T: ?Sized> {
///         #[pin]
///         waited: WaitFuture<real::Lock<'a, T>>,
///         mutex: &'a Mutex<T>,
///     }
///     -> MutexGuard<'a, T>;
///     before |this| this.mutex.used();
///     after |this, guard| MutexGuard::new(this.waited.hold(false), guard, this.mutex);
/// }
/// ```
macro_rules! future {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$lifetime:lifetime $(, $param:ident: ?$sized:ident)*>)? {
            $($first:ident: $first_type:ty,)*
            #[pin]
            waited: WaitFuture<$original:ty>,
            $($field:ident: $type:ty,)*
        }
        -> $output:ty;
        $(before |$before_this:ident| $before:expr;)?
        $(after |$after_this:ident, $ready:ident| $after:expr;)?
    ) => {
        ::pin_project_lite::pin_project! {
            $(#[$meta])*
            pub struct $name $(<$lifetime $(, $param: ?$sized)*>)? {
                $($first: $first_type,)*
                #[pin]
                waited: $crate::waits::WaitFuture<$original>,
                $($field: $type,)*
            }
        }

        impl $(<$lifetime $(, $param: ?$sized)*>)? $name $(<$lifetime $(, $param)*>)? {
            #[inline]
            pub(super) fn new(
                $($first: $first_type,)*
                waited: $crate::waits::WaitFuture<$original>,
                $($field: $type,)*
            ) -> Self {
                Self { $($first,)* waited, $($field,)* }
            }
        }

        #[allow(single_use_lifetimes)] // The output of some has it too.
        impl $(<$lifetime $(, $param: ?$sized)*>)? ::std::future::Future
            for $name $(<$lifetime $(, $param)*>)?
        {
            type Output = $output;

            #[inline]
            fn poll(
                self: ::std::pin::Pin<&mut Self>,
                context: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<Self::Output> {
                let mut this = self.project();
                $(
                    let $before_this = &mut this;
                    $before;
                )?
                let poll = this.waited.as_mut().poll(context);
                $(
                    let $after_this = &mut this;
                    let poll = poll.map(|$ready| $after);
                )?
                poll
            }
        }

        #[allow(single_use_lifetimes)] // The fields have it too.
        impl $(<$lifetime $(, $param: ?$sized)*>)? ::std::fmt::Debug
            for $name $(<$lifetime $(, $param)*>)?
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self.waited.future(), f)
            }
        }
    };
}

pub(crate) use future;
