//! Await points: what the attribute puts around an awaited expression.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::future::FusedFuture;
use pin_project_lite::pin_project;

use crate::site::{Kind, Site};

/// The static of one `.await`, or of one arm of a `join!` or `select!`.
#[derive(Debug)]
pub struct Await {
    site: Site,
    owner: &'static Site,
    direct: bool,
}

impl Await {
    /// An `.await` in the body of `owner`.
    #[must_use]
    #[allow(clippy::too_many_arguments)]
    pub const fn new(
        owner: &'static Site,
        text: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        column: u32,
        _end_line: u32,
        _end_column: u32,
    ) -> Self {
        Self { site: Site::new(Kind::Block, text, module, file, line, column), owner, direct: true }
    }

    /// An arm of a macro, polled by the macro's code and not by the body itself.
    #[must_use]
    pub const fn arm(mut self) -> Self {
        self.direct = false;
        self
    }
}

/// `expression` in `expression.await`.
#[inline]
pub fn at<T>(place: &'static Await, expression: T) -> Awaited<T> {
    Awaited { place, expression }
}

/// An arm of a macro.
#[inline]
pub fn arm<T: IntoFuture>(place: &'static Await, expression: T) -> At<T::IntoFuture> {
    at(place, expression).into_future()
}

/// What is about to be awaited.
#[derive(Debug)]
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Awaited<T> {
    place: &'static Await,
    expression: T,
}

impl<T: IntoFuture> IntoFuture for Awaited<T> {
    type Output = T::Output;
    type IntoFuture = At<T::IntoFuture>;

    #[inline]
    fn into_future(self) -> Self::IntoFuture {
        _ = (self.place.direct, self.place.owner, &self.place.site);
        At { future: self.expression.into_future() }
    }
}

pin_project! {
    /// A future under the expression that awaits it.
    #[derive(Debug)]
    pub struct At<F> { #[pin] future: F }
}

impl<F: Future> Future for At<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().future.poll(context)
    }
}

impl<F: FusedFuture> FusedFuture for At<F> {
    fn is_terminated(&self) -> bool {
        self.future.is_terminated()
    }
}
