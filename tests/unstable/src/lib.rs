//! A library that spawns on the current runtime and does not know the recorder.
//!
//! The tests are in `tests/`; they run with `RUSTFLAGS="--cfg tokio_unstable"`.

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Spawns a task that waits for `end`, through a future of its caller if there is one.
#[must_use]
pub fn serve(
    end: oneshot::Receiver<()>,
    inside: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        inside.await;
        let _ = end.await;
    })
}
