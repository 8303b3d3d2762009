//! The same calls without the features behind them: they do nothing, at no cost.

/// Without the feature `record` nothing is recorded, so there is nothing to switch.
pub fn set_enabled(_enabled: bool) {}

/// Without the feature `record`, futures keep their type.
pub trait FutureExt: Future + Sized {
    /// Returns the future as it is.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    fn diagnose(self, _name: &'static str) -> Self {
        self
    }
}

impl<F: Future> FutureExt for F {}

/// Without the feature `record`, a future is spawned as it is.
pub fn spawn_with<F, T>(spawn: impl FnOnce(F) -> T, _name: &str, future: F) -> T
where
    F: Future,
{
    spawn(future)
}
