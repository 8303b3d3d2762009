//! Await points: what the attribute puts before and behind an awaited expression, and around an arm of a macro.

use std::any;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::future::FusedFuture;
use pin_project_lite::pin_project;

use crate::recorder::{self, Arm, AwaitEntry, Point, RunningAwait};
use crate::site::Site;

/// `expression` in `expression.await`, which is about to be awaited.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn at<T>(place: &'static Site, expression: T) -> T {
    recorder::begin_await(place, is_span::<T>());
    expression
}

/// The value of `expression.await`, in the body of `owner`, which stands behind it so that the future need not keep it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn ended<T>(value: T, owner: &'static Site) -> T {
    recorder::end_await(owner);
    value
}

/// The awaits in the arguments of a macro that cannot be read, as one: it begins here, and ends with its value, or where its
/// code leaves it.
#[must_use]
#[derive(Debug)]
pub struct InMacro(&'static Site);

impl InMacro {
    /// Before the macro.
    #[inline]
    pub fn begin<C>(place: &'static Site, _: C) -> Self {
        recorder::begin_macro(place, depth::<C>());
        Self(place)
    }

    /// Behind it.
    #[inline]
    pub fn end(self) {}
}

/// `future` in `future.await` in a block that such a macro is given. `C` is a closure that stands there.
#[inline]
pub fn through<T, C>(future: T, _: C) -> T {
    if is_span::<T>() {
        recorder::begin_through(depth::<C>());
    }
    future
}

/// The value of such a `future.await`.
#[inline]
pub fn passed<T>(value: T) -> T {
    recorder::end_through();
    value
}

/// How deep a closure stands in closures and async blocks: the length of its name, which is longer for each of them. Never zero.
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
    /// The span that it awaits does not begin or end when the body does: in between there is what polls the block.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Inline<F> {
        #[pin]
        block: F,
    }
}

impl<F> Inline<F> {
    /// This block.
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

/// A value of the type that a body returns, in a branch that is never taken.
#[must_use]
pub fn expected<T>() -> T {
    unreachable!("a branch that is never taken")
}

/// An arm of a macro.
#[inline]
pub fn arm<T: IntoFuture>(place: &'static Arm, expression: T) -> At<T::IntoFuture> {
    At { future: expression.into_future(), point: Point::new(place) }
}

pin_project! {
    /// The future of an arm, one word larger. It is the output, `Send`, `Sync` and `Unpin`
    /// as that is.
    // The point stands last: see `Timed`.
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
        poll(this.future, this.point, context)
    }
}

impl<F: FusedFuture> FusedFuture for At<F> {
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}

/// A poll of what has no span of its own.
#[inline]
fn poll<F: Future>(future: Pin<&mut F>, point: &mut Point, context: &mut Context<'_>) -> Poll<F::Output> {
    let mut entry = AwaitEntry::new();
    if !point.enter(&mut entry) {
        return future.poll(context);
    }
    let awaiting = RunningAwait { point, entry: &mut entry };
    let poll = future.poll(context);
    awaiting.leave(poll.is_pending());
    poll
}

/// Whether the future is a [`Timed`](crate::Timed) or a plain pointer to one, so that polling it runs no code but the
/// recorder's before its own. Then the await needs no records of its own: it lasts as long as the span.
///
/// The compiler knows the answer when it compiles the poll. A type that is not recognised costs a node more.
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

#[cfg(test)]
mod tests {
    use std::future::Ready;
    use std::pin::Pin;

    use super::{At, is_span};
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
    fn an_await_adds_one_word() {
        assert_eq!(size_of::<At<[u64; 3]>>(), 32);
    }
}
