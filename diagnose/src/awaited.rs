//! Await points: the calls that the attribute adds around awaited expressions and arms of macros.

use std::any;
use std::future::{Future, IntoFuture};
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::future::FusedFuture;
use pin_project_lite::pin_project;

use crate::context;
use crate::recorder::{self, Arm, AwaitEntry, Point, RunningAwait};
use crate::site::{FutureKind, Site};

/// Begins an await. Returns `expression`, from `expression.await`.
// Here and below, `ManuallyDrop` tells the compiler not to drop the value if the recorder unwinds,
// which it never does. So the value stays in registers, or in place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn at<T>(place: &'static Site, expression: T) -> T {
    let expression = ManuallyDrop::new(expression);
    recorder::begin_await(place, is_span::<T>());
    place.note_kind(kind_of::<T>());
    if is_join_handle::<T>() {
        context::await_handle();
    }
    ManuallyDrop::into_inner(expression)
}

/// Ends an await in the body of `owner`. Returns `value`, the result of `expression.await`. `owner`
/// is the second argument, so the future need not store it across the await.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn ended<T>(value: T, owner: &'static Site) -> T {
    let value = ManuallyDrop::new(value);
    recorder::end_await(owner);
    ManuallyDrop::into_inner(value)
}

/// All awaits in the arguments of a macro that the attribute cannot parse, recorded as one. It ends
/// when the macro returns a value, or when control flow leaves the macro.
#[must_use]
#[derive(Debug)]
pub struct InMacro(&'static Site);

impl InMacro {
    /// Called before the macro.
    #[inline]
    pub fn begin<C>(place: &'static Site, _: C) -> Self {
        recorder::begin_macro(place, depth::<C>());
        Self(place)
    }

    /// Called after the macro.
    #[inline]
    pub fn end(self) {}
}

/// Begins an await in a block among the arguments of an unparsed macro. Returns `future`. `C` is a
/// closure written there.
#[inline]
pub fn through<T, C>(future: T, _: C) -> T {
    let future = ManuallyDrop::new(future);
    if is_span::<T>() {
        recorder::begin_through(depth::<C>());
    }
    ManuallyDrop::into_inner(future)
}

/// Ends an await in a block of an unparsed macro. Returns its value.
#[inline]
pub fn passed<T>(value: T) -> T {
    let value = ManuallyDrop::new(value);
    recorder::end_through();
    ManuallyDrop::into_inner(value)
}

/// Returns a measure of how deeply a closure is nested in closures and async blocks: the length of
/// its type name, which grows with each level. Never zero.
#[inline]
fn depth<C>() -> u8 {
    u8::try_from(any::type_name::<C>().len() % 255).unwrap_or(0) + 1
}

impl Drop for InMacro {
    #[inline]
    fn drop(&mut self) {
        recorder::leave_macro(self.0);
    }
}

pin_project! {
    /// The block that `#[tracing::instrument]` makes of a body.
    ///
    /// Its code runs between the body and the awaited span, so the two do not begin or end
    /// together.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Inline<F> {
        #[pin]
        block: F,
    }
}

impl<F> Inline<F> {
    /// Wraps the block of a body.
    #[inline]
    pub const fn new(block: F) -> Self {
        Self { block }
    }
}

impl<F: Future> Future for Inline<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        recorder::hand_nothing_down();
        let poll = self.project().block.poll(context);
        recorder::hand_nothing_up();
        poll
    }
}

/// Calls a body that may return early. A closure that is bound to a name before the call may not
/// return borrows of its captures.
#[inline]
pub fn call_once<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// A value of the body's return type, in a branch that is never taken.
#[must_use]
pub fn expected<T>() -> T {
    unreachable!("a branch that is never taken")
}

/// Wraps an arm of a macro.
#[inline]
pub fn arm<T: IntoFuture>(place: &'static Arm, expression: T) -> At<T::IntoFuture> {
    place.site().note_kind(kind_of::<T>());
    At { future: expression.into_future(), point: Point::new(place) }
}

pin_project! {
    /// The future of an arm, one word larger. It has the output of the inner future, and is `Send`,
    /// `Sync` and `Unpin` if the inner future is.
    // The point is the last field, for the reason given in `Timed`.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct At<F> {
        #[pin]
        future: F,
        point: Point,
    }

    impl<F> PinnedDrop for At<F> {
        fn drop(this: Pin<&mut Self>) {
            this.project().point.begin_drop();
        }
    }
}

impl<F: Future> Future for At<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if is_span::<F>() {
            this.point.hand_down();
            return this.future.poll(context);
        }
        if is_join_handle::<F>() {
            context::await_handle();
        }
        poll(this.future, this.point, context)
    }
}

impl<F: FusedFuture> FusedFuture for At<F> {
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}

/// Polls a future that has no span of its own.
#[inline]
fn poll<F: Future>(future: Pin<&mut F>, point: &mut Point, context: &mut Context<'_>) -> Poll<F::Output> {
    let mut entry = AwaitEntry::new();
    if !point.enter(&mut entry) {
        return future.poll(context);
    }
    let awaiting = RunningAwait { point, entry: &mut entry };
    let poll = ManuallyDrop::new(future.poll(context));
    awaiting.leave(poll.is_pending());
    ManuallyDrop::into_inner(poll)
}

/// Returns whether the future is a [`Timed`](crate::Timed) or a plain pointer to one, so polling it
/// runs only the recorder's code before its own. Then the await needs no records of its own: it
/// lasts as long as the span.
///
/// The compiler evaluates this when it compiles the poll. A type that is not recognized costs one
/// more node.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_span<F>() -> bool {
    let name = any::type_name::<F>();
    name.starts_with("diagnose::timed::Timed<")
        || name.starts_with("&mut diagnose::timed::Timed<")
        || name.starts_with("core::pin::Pin<&mut diagnose::timed::Timed<")
        || name.starts_with("core::pin::Pin<alloc::boxed::Box<diagnose::timed::Timed<")
        || name.starts_with("&mut core::pin::Pin<&mut diagnose::timed::Timed<")
        || name.starts_with("&mut core::pin::Pin<alloc::boxed::Box<diagnose::timed::Timed<")
}

/// Returns whose code the future's `poll` is. The compiler evaluates this too.
#[cfg_attr(not(debug_assertions), inline(always))]
fn kind_of<F>() -> FutureKind {
    let name = any::type_name::<F>();
    let borrowed = name.strip_prefix("&mut ").unwrap_or(name);
    let inner = borrowed.strip_prefix("core::pin::Pin<&mut ").unwrap_or(borrowed);
    // `Unconstrained` polls its future in place, with the waker it gets.
    let inside = |rest: &'static str| rest.strip_prefix("::task::coop::unconstrained::Unconstrained<");
    if name.strip_prefix("tokio").and_then(inside).unwrap_or(name).starts_with("diagnose::") {
        FutureKind::Own
    } else if name.ends_with("::{{closure}}")
        || name.ends_with("::{{closure}}>")
            && (name.starts_with("&mut ") || name.starts_with("core::pin::Pin<&mut "))
        || name.starts_with("core::future::poll_fn::PollFn<")
        || name.starts_with("futures_util::future::poll_fn::PollFn<")
        || name.starts_with("futures_util::future::future::shared::Shared<")
    {
        FutureKind::Program
    } else if is_in_library(inner) {
        FutureKind::Library
    } else {
        FutureKind::Program
    }
}

/// Returns whether the type with this name is in a known library whose futures poll only futures
/// that they own.
// Without a loop, so that the compiler evaluates this too.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_in_library(name: &str) -> bool {
    if let Some(name) = name.strip_prefix("tokio") {
        name.starts_with("::")
            || name.starts_with("_util::")
            || name.starts_with("_stream::")
            || name.starts_with("_rustls::")
            || name.starts_with("_native_tls::")
            || name.starts_with("_tungstenite::")
    } else if let Some(name) = name.strip_prefix("futures_") {
        name.starts_with("util::")
            || name.starts_with("channel::")
            || name.starts_with("core::")
            || name.starts_with("executor::")
            || name.starts_with("lite::")
            || name.starts_with("timer::")
    } else if let Some(name) = name.strip_prefix("async_") {
        name.starts_with("lock::")
            || name.starts_with("channel::")
            || name.starts_with("std::")
            || name.starts_with("task::")
            || name.starts_with("executor::")
            || name.starts_with("io::")
            || name.starts_with("net::")
            || name.starts_with("fs::")
            || name.starts_with("process::")
            || name.starts_with("broadcast::")
    } else if let Some(name) = name.strip_prefix("flume") {
        name.starts_with("::")
    } else {
        name.starts_with("core::")
            || name.starts_with("alloc::")
            || name.starts_with("std::")
            || name.starts_with("event_listener::")
            || name.starts_with("diagnose::")
    }
}

/// Returns whether the future is a wrapper of tokio's `JoinHandle`, or an `AbortOnDropHandle`, by
/// value. Once polled, it stays where it is until its task is done or the await is dropped.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_join_handle<F>() -> bool {
    let name = any::type_name::<F>();
    cfg!(feature = "tokio") && name.starts_with("diagnose::tokio::task::handle::JoinHandle<")
        || cfg!(feature = "tokio-util")
            && name.starts_with("diagnose::tokio_util::task::abort_on_drop::AbortOnDropHandle<")
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::future::Ready;
    use std::pin::Pin;
    use std::task::Poll;

    #[cfg(feature = "tokio")]
    use super::is_join_handle;
    use super::{At, FutureKind, is_in_library, is_span};
    use crate::Timed;

    #[test]
    fn a_span_is_known_behind_pointers() {
        type Span = Timed<Ready<u8>>;
        assert!(is_span::<Span>());
        assert!(is_span::<&mut Span>());
        assert!(is_span::<Pin<Box<Span>>>());
        assert!(is_span::<Pin<&mut Span>>());
        assert!(is_span::<&mut Pin<Box<Span>>>());
        assert!(is_span::<&mut Pin<&mut Span>>());
        assert!(!is_span::<Ready<Span>>());
        assert!(!is_span::<Pin<Box<dyn Future<Output = u8>>>>());
    }

    #[test]
    fn code_of_the_program_is_known_by_its_type() {
        fn kind_of<F>(_: F) -> FutureKind {
            super::kind_of::<F>()
        }
        for kind in [
            kind_of(&mut std::pin::pin!(async {})),
            kind_of(std::pin::pin!(async {})),
            kind_of(std::future::poll_fn(|_| Poll::Ready(()))),
            kind_of(futures::future::poll_fn(|_| Poll::Ready(()))),
            kind_of(futures::FutureExt::shared(async {})),
        ] {
            assert_eq!(kind, FutureKind::Program);
        }
        for kind in [
            kind_of(Box::pin(async {}) as Pin<Box<dyn Future<Output = ()>>>),
            kind_of(futures::future::join_all([async {}])),
            kind_of(std::future::ready(())),
        ] {
            assert_eq!(kind, FutureKind::Library);
        }
    }

    #[test]
    fn a_library_is_known_by_the_whole_name_of_its_crate() {
        for name in [
            "tokio::time::sleep::Sleep",
            "tokio_util::sync::cancellation_token::WaitForCancellationFuture",
            "tokio_stream::stream_ext::next::Next<program::Rows>",
            "futures_util::future::join_all::JoinAll<program::Call>",
            "futures_lite::future::Or<program::Call, program::Call>",
            "async_lock::barrier::BarrierWait",
            "async_std::task::join_handle::JoinHandle<()>",
            "flume::async::RecvFut<u8>",
        ] {
            assert!(is_in_library(name), "{name}");
        }
        for name in [
            "tokio_pool::Get",
            "tokio_utilities::Call",
            "tokio",
            "tokiostream::Call",
            "futures_of_the_program::Call",
            "async_pool::Get",
            "async_iodine::Call",
            "flume_pool::Get",
            "standard::Call",
            "program::tokio::Call",
        ] {
            assert!(!is_in_library(name), "{name}");
        }
    }

    #[test]
    #[cfg(feature = "tokio")]
    fn the_future_of_a_wrapped_lock_is_own() {
        fn is_own<F>(_: F) -> bool {
            super::kind_of::<F>() == FutureKind::Own
        }
        let (mutex, semaphore) = (crate::tokio::sync::Mutex::new(1), crate::tokio::sync::Semaphore::new(1));
        assert!(is_own(mutex.lock()));
        assert!(is_own(semaphore.acquire()));
        assert!(is_own(::tokio::task::unconstrained(mutex.lock())));
        assert!(!is_own(::tokio::task::unconstrained(Box::pin(mutex.lock()))));
        assert!(!is_own(std::pin::pin!(mutex.lock())));
        assert!(!is_own(Box::pin(mutex.lock())));
    }

    #[test]
    #[cfg(feature = "tokio")]
    fn a_join_handle_is_known_by_value() {
        type Handle = crate::tokio::task::JoinHandle<u8>;
        assert!(is_join_handle::<Handle>());
        assert!(!is_join_handle::<&mut Handle>());
        assert!(!is_join_handle::<Pin<Box<Handle>>>());
    }

    #[test]
    fn an_await_adds_one_word() {
        assert_eq!(size_of::<At<[u64; 3]>>(), 32);
    }
}
