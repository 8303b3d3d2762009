//! [`Timed`], the future that records its polls.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::future::FusedFuture;
use pin_project_lite::pin_project;

use crate::live::pinned_words;
use crate::recorder::{PollEntry, RunningPoll, Span};

pin_project! {
    /// A future whose polls are recorded.
    ///
    /// `#[diagnose]`, [`block!`](crate::block) and
    /// [`FutureExt::diagnose`](crate::FutureExt::diagnose) return it. It has the output of the
    /// inner future, and is `Send`, `Sync` and `Unpin` if the inner future is. It is 64 bytes
    /// larger. All logic is in the recorder; this is the generic type around it.
    // The span is the last field, so it is dropped after the future and records what the future did
    // in its drop. Its type also comes first: the compiler then sees that a span is `Send` before
    // it checks all inner futures. That keeps a few more of them within its recursion limit.
    // In this order, the recorder finds the future right before the span.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    #[repr(C)]
    pub struct Timed<F> {
        of: PhantomData<Span>,
        #[pin]
        future: F,
        span: Span,
    }

    impl<F> PinnedDrop for Timed<F> {
        fn drop(this: Pin<&mut Self>) {
            this.project().span.begin_drop();
        }
    }
}

impl<F: Future> Timed<F> {
    /// Times `future` as `span`. For expanded macros: the type of a span has no public path.
    #[doc(hidden)]
    // Nothing here can unwind, and the span exists before the future. Otherwise creating the span
    // would make the compiler generate the drop of that future, for the case of a panic.
    #[inline]
    pub const fn new(span: Span, future: F) -> Self {
        Self { of: PhantomData, future, span }
    }
}

/// Times the argument that a body passes to a function named `block_on`, if it is a future or can
/// be turned into one.
///
/// Otherwise it is another function of that name. The compiler decides: it finds the method of
/// `DrivenAny` where the method of `Driven` does not apply, and the method of `Untimed` where
/// neither applies.
#[derive(Debug)]
pub struct Driven<F>(DrivenAny<F>);

/// Stands for any future.
#[derive(Debug)]
pub struct DrivenAny<F>(PhantomData<fn(F)>, Untimed);

/// Stands for a value that is not a future.
#[derive(Debug)]
pub struct Untimed;

impl<F> Driven<F> {
    /// Creates one for the type of `argument`.
    #[inline]
    pub const fn of(_argument: &F) -> Self {
        Self(DrivenAny(PhantomData, Untimed))
    }
}

/// Times a boxed future. The type stays, because an executor may take no other.
macro_rules! driven_boxed {
    ($($future:ty),*) => {
        $(impl<'a, T> Driven<Pin<Box<$future>>> {
            /// Times the future as `span`.
            #[allow(clippy::unused_self)] // As below.
            #[inline]
            pub fn timed(&self, span: Span, future: Pin<Box<$future>>) -> Pin<Box<$future>>
            where
                T: 'a,
            {
                Box::pin(Timed::new(span, future))
            }
        })*
    };
}

driven_boxed!(dyn Future<Output = T> + 'a, dyn Future<Output = T> + Send + 'a);

impl<F: IntoFuture> DrivenAny<F> {
    /// Times the future as `span`.
    #[allow(clippy::unused_self)] // As below.
    #[inline]
    pub fn timed(&self, span: Span, future: F) -> Timed<F::IntoFuture> {
        Timed::new(span, future.into_future())
    }
}

impl<F> Deref for Driven<F> {
    type Target = DrivenAny<F>;

    #[inline]
    fn deref(&self) -> &DrivenAny<F> {
        &self.0
    }
}

impl<F> Deref for DrivenAny<F> {
    type Target = Untimed;

    #[inline]
    fn deref(&self) -> &Untimed {
        &self.1
    }
}

impl Untimed {
    /// Returns `argument`.
    #[allow(clippy::unused_self)] // It is found by its receiver, in place of the other method.
    #[inline]
    pub fn timed<T>(&self, _span: Span, argument: T) -> T {
        argument
    }
}

impl<F: Future> Future for Timed<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll(this.future, this.span, pinned_words::<F>(), context)
    }
}

impl<F: FusedFuture> FusedFuture for Timed<F> {
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}

/// Polls `future` as `span`. If `future` never moves again, it occupies the `words` words before
/// the span.
// The only code compiled per future: the recording is compiled once, in this crate.
#[inline]
pub(crate) fn poll<F: Future>(
    future: Pin<&mut F>,
    span: &mut Span,
    words: u32,
    context: &mut Context<'_>,
) -> Poll<F::Output> {
    let mut entry = PollEntry::new();
    let running = RunningPoll::enter(span, &mut entry, context.waker());
    // Not dropped if the recorder unwinds, which it never does. So the value stays in registers.
    let poll = ManuallyDrop::new(future.poll(&mut Context::from_waker(running.waker())));
    running.leave(poll.is_pending(), words);
    ManuallyDrop::into_inner(poll)
}
