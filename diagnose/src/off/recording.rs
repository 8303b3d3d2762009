//! Recording, without the feature `on`: futures stay as they are, and nothing is noted.

use std::time::Duration;

/// Without the feature `on` nothing is recorded, so there is nothing to switch.
pub fn set_enabled(_enabled: bool) {}

/// Without the feature `on`, futures keep their type.
pub trait FutureExt: Future + Sized {
    /// Returns the future as it is.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    fn diagnose(self, _name: &'static str) -> Self {
        self
    }
}

impl<F: Future> FutureExt for F {}

/// Without the feature `on`, a future is spawned as it is.
pub fn spawn_with<F, T>(spawn: impl FnOnce(F) -> T, _name: &str, future: F) -> T
where
    F: Future,
{
    spawn(future)
}

/// Without the feature `on` nothing is known of a task, and nothing is formatted.
pub fn task_attr(_name: &'static str, _value: impl std::fmt::Display) {}

/// Without the feature `on` nothing is known of a resource.
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

/// Without the feature `on` it says nothing.
#[must_use = "it ends with its drop"]
#[derive(Debug)]
pub struct Hold(());

impl Hold {
    /// Does nothing.
    pub fn used(&self) {}
}

/// Without the feature `on`, a future waits as it is.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub fn wait<F: Future>(
    _name: &'static str,
    _resource: &Resource,
    future: F,
) -> impl Future<Output = F::Output> + use<F> {
    future
}

/// Without the feature `on`, the future as it is, without a limit: nothing could be reported.
pub async fn within<F: Future>(_limit: Duration, future: F) -> F::Output {
    future.await
}
