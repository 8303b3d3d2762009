//! A library that spawns on whatever runtime there is, and knows of no recorder. The tests are in `tests/`; they run with
//! `RUSTFLAGS="--cfg tokio_unstable"`.

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Spawns a task that waits until `end` comes, through a future of its caller's if there is one.
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
