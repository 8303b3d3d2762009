//! The methods that `Runtime` and `LocalRuntime` share.

/// Implements all of a runtime but its constructor and its spawning of tasks. The fields are
/// `shutdown_start`, `inner`, `handle` and `shutdown_end`.
///
/// ```text
/// runtime!(LocalRuntime);
/// ```
macro_rules! runtime {
    ($name:ident) => {
        impl $name {
            /// Wraps a runtime built with the recorder's hooks. `max_blocking` is the maximum
            /// number of its threads for blocking code.
            #[track_caller]
            pub(super) fn built(runtime: ::tokio::runtime::$name, max_blocking: Option<u64>) -> Self {
                let held = $crate::tokio::runtime::number::hold(runtime.handle(), max_blocking);
                let (shutdown_start, shutdown_end) = super::shutdown::pair(held, ::std::panic::Location::caller());
                Self { shutdown_start, shutdown_end, ..runtime.into() }
            }

            /// Returns the handle of the runtime.
            #[must_use]
            pub fn handle(&self) -> &Handle {
                &self.handle
            }

            /// Runs a closure on a thread for blocking code.
            #[track_caller]
            pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
            where
                F: FnOnce() -> R + Send + 'static,
                R: Send + 'static,
            {
                self.handle.spawn_blocking(func)
            }

            /// Runs a future on the current thread until it completes, as the task `main`.
            #[track_caller]
            pub fn block_on<F: Future>(&self, future: F) -> F::Output {
                let _visit = $crate::live::workers::visit();
                let target = $crate::tokio::runtime::number::around(&self.handle);
                $crate::spawned::launch!(target, Some("main"), future: F, |task, _| {
                    self.inner.block_on(task)
                })
            }

            /// Shuts down the runtime. Waits up to `duration` for blocking code.
            pub fn shutdown_timeout(self, duration: ::std::time::Duration) {
                let Self { shutdown_start, inner, shutdown_end, .. } = self;
                shutdown_start.cancel();
                inner.shutdown_timeout(duration);
                drop(shutdown_end);
            }

            /// Shuts down the runtime without waiting for blocking code.
            pub fn shutdown_background(self) {
                let Self { shutdown_start, inner, shutdown_end, .. } = self;
                shutdown_start.cancel();
                inner.shutdown_background();
                drop(shutdown_end);
            }

            /// Returns tokio's own runtime.
            ///
            /// With the feature `on` only; `.into()` works without it, too.
            #[must_use]
            pub fn into_inner(self) -> ::tokio::runtime::$name {
                self.shutdown_start.cancel();
                self.inner
            }

            $crate::wrap::delegate! { inner:
                /// Enters the runtime: it is the current one until the guard is dropped.
                #[must_use = "the runtime is left when the guard is dropped"]
                pub fn enter(&self) -> ::tokio::runtime::EnterGuard<'_>;
                /// Returns the metrics of the runtime.
                #[must_use]
                pub fn metrics(&self) -> ::tokio::runtime::RuntimeMetrics;
            }
        }

        $crate::wrap::convert!(
            [] $name: ::tokio::runtime::$name,
            |runtime| {
                let handle = runtime.handle().clone().into();
                let (shutdown_start, shutdown_end) = super::shutdown::pair(None, ::std::panic::Location::caller());
                Self { shutdown_start, inner: runtime, handle, shutdown_end }
            },
            |it| it.into_inner()
        );
        $crate::wrap::deref!([] $name, inner: ::tokio::runtime::$name);
        $crate::wrap::debug!([] $name, inner: ::tokio::runtime::$name);
    };
}

pub(super) use runtime;
