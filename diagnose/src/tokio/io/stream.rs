//! The implementation that both streams share: a sending and a receiving end of pipes.

/// Wraps tokio's stream of this name. A use of one end calls `$beside` with the other end.
///
/// ```text
/// stream! {
///     /// tokio's `SimplexStream`.
///     SimplexStream, |_, _| ()
/// }
/// ```
macro_rules! stream {
    ($(#[$meta:meta])* $name:ident, $beside:expr) => {
        $(#[$meta])*
        pub struct $name {
            // In this order, the stream is dropped first, then its waits end, then its records.
            inner: ::tokio::io::$name,
            writing: LazyWait,
            reading: LazyWait,
            sends: SoleEnd,
            receives: SoleEnd,
            made_at: &'static Location<'static>,
        }

        impl $name {
            const BESIDE: fn(&SoleEnd, &'static Location<'static>) = $beside;

            fn new(
                inner: ::tokio::io::$name,
                sends: SoleEnd,
                receives: SoleEnd,
                made_at: &'static Location<'static>,
            ) -> Self {
                let (writing, reading) = (LazyWait::default(), LazyWait::default());
                Self { inner, sends, receives, writing, reading, made_at }
            }

            /// Returns tokio's own stream. From then on its owner is unknown.
            ///
            /// With the feature `on` only; `.into()` works without it, too.
            #[must_use]
            pub fn into_inner(self) -> ::tokio::io::$name {
                self.sends.lose();
                self.receives.lose();
                self.inner
            }
        }

        impl AsyncRead for $name {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
                let Self { inner, sends, receives, reading, made_at, .. } = self.get_mut();
                Self::BESIDE(sends, made_at);
                let poll = |cx: &mut Context<'_>, buf: &mut ReadBuf<'_>| Pin::new(&mut *inner).poll_read(cx, buf);
                poll_read(receives, reading, made_at, cx, buf, poll)
            }
        }

        impl AsyncWrite for $name {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
                let Self { inner, sends, receives, writing, made_at, .. } = self.get_mut();
                Self::BESIDE(receives, made_at);
                poll_write(sends, writing, made_at, cx, |cx| Pin::new(&mut *inner).poll_write(cx, buf))
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<Result<usize>> {
                let Self { inner, sends, receives, writing, made_at, .. } = self.get_mut();
                Self::BESIDE(receives, made_at);
                let poll = |cx: &mut Context<'_>| Pin::new(&mut *inner).poll_write_vectored(cx, bufs);
                poll_write(sends, writing, made_at, cx, poll)
            }

            fn is_write_vectored(&self) -> bool {
                self.inner.is_write_vectored()
            }

            fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
                Pin::new(&mut self.inner).poll_flush(cx)
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
                let Self { inner, sends, writing, .. } = self.get_mut();
                let poll = Pin::new(inner).poll_shutdown(cx);
                writing.end();
                sends.close();
                poll
            }
        }

        $crate::wrap::debug!([] $name, inner: ::tokio::io::$name);
        $crate::wrap::convert!(
            [] $name: ::tokio::io::$name,
            |inner| Self::new(inner, SoleEnd::none(), SoleEnd::none(), Location::caller()),
            |it| it.into_inner()
        );
    };
}

pub(super) use stream;
