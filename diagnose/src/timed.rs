//! The timing future.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::future::FusedFuture;
use pin_project_lite::pin_project;

use crate::recorder::{PollEntry, RunningPoll, Span};

pin_project! {
    /// A future whose polls are recorded: what `#[diagnose]`, [`block!`](crate::block) and
    /// [`FutureExt::diagnose`](crate::FutureExt::diagnose) make.
    ///
    /// It has the output of the future inside, is `Send`, `Sync` and `Unpin` where that is, and 64 bytes larger.
    /// All logic is in the recorder; this is the one generic type around it.
    // The span stands last: it is dropped after the future, and books the end of what the future did in its drop. Its type
    // stands first as well, so that the compiler sees that a span is `Send` before it has gone down all the futures inside:
    // that keeps a few more of them within its limit of recursion.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
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
    /// Times `future` as this span.
    // Nothing here can unwind, and the span is there before the future, so that making it is no reason to compile how
    // that future is dropped: it is one only where somebody may.
    #[inline]
    pub const fn new(span: Span, future: F) -> Self {
        Self { of: PhantomData, future, span }
    }
}

impl<F: Future> Future for Timed<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll(this.future, this.span, context)
    }
}

impl<F: FusedFuture> FusedFuture for Timed<F> {
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}

/// A poll of `future` as that span.
// All that is compiled for each future: what is recorded is compiled once, in this crate.
#[inline]
pub(crate) fn poll<F: Future>(
    future: Pin<&mut F>,
    span: &mut Span,
    context: &mut Context<'_>,
) -> Poll<F::Output> {
    let mut entry = PollEntry::new();
    let running = RunningPoll::enter(span, &mut entry, context.waker());
    let poll = future.poll(&mut Context::from_waker(running.waker()));
    running.leave(poll.is_pending());
    poll
}
