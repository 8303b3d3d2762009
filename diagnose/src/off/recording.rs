//! Recording without the feature `on`: futures stay as they are, and nothing is recorded.

use std::time::Duration;

/// Does nothing without the feature `on`: there is no recording to switch.
pub fn set_enabled(_enabled: bool) {}

/// Without the feature `on`, futures keep their type.
pub trait FutureExt: Future + Sized {
    /// Returns the future unchanged.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    fn diagnose(self, _name: &'static str) -> Self {
        self
    }
}

impl<F: Future> FutureExt for F {}

/// Without the feature `on`, a future with a name is the future itself.
pub type Timed<F> = F;

/// Without the feature `on`, a spawned future is the future itself.
pub type Spawned<F> = F;

/// Spawns the future unchanged, without the feature `on`.
pub fn spawn_with<F, T>(spawn: impl FnOnce(F) -> T, _name: &str, future: F) -> T
where
    F: Future,
{
    spawn(future)
}

/// Does nothing without the feature `on`, and formats nothing.
pub fn task_attr(_name: &'static str, _value: impl std::fmt::Display) {}

/// Holds nothing without the feature `on`.
#[derive(Debug, Clone)]
pub struct Resource(());

impl Resource {
    /// Does nothing.
    #[must_use]
    pub fn new(_name: &str, _capacity: usize) -> Self {
        Self(())
    }

    /// Does nothing.
    pub fn hold(&self) -> Hold {
        Hold(())
    }

    /// Does nothing.
    pub fn hold_many(&self, _units: usize) -> Hold {
        Hold(())
    }
}

/// Records nothing without the feature `on`.
#[must_use = "dropping a `Hold` releases its units in the records at once"]
#[derive(Debug)]
pub struct Hold(());

impl Hold {
    /// Does nothing.
    pub fn used(&self) {}
}

/// Returns the future unchanged, without the feature `on`.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub fn wait<F: Future>(
    _name: &'static str,
    _resource: &Resource,
    future: F,
) -> impl Future<Output = F::Output> + use<F> {
    future
}

/// Awaits the future without a limit: without the feature `on`, there is nothing to report.
pub async fn within<F: Future>(_limit: Duration, future: F) -> F::Output {
    future.await
}
