//! What both kinds of runtime have in common.

/// Implements for a runtime with the fields `goes`, `inner`, `handle` and `gone` all but how it is made and spawns tasks.
///
/// ```text
/// runtime!(LocalRuntime);
/// ```
macro_rules! runtime {
    ($name:ident) => {
        impl $name {
            /// A runtime that was built with the recorder's hooks, and its maximum number of
            /// threads for blocking code.
            #[track_caller]
            pub(super) fn built(runtime: ::tokio::runtime::$name, max_blocking: Option<u64>) -> Self {
                let held = $crate::tokio::runtime::number::hold(runtime.handle(), max_blocking);
                let (goes, gone) = super::shutdown::pair(held, ::std::panic::Location::caller());
                Self { goes, gone, ..runtime.into() }
            }

            /// Its handle.
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

            /// Runs a future on this thread, as the task `main`.
            #[track_caller]
            pub fn block_on<F: Future>(&self, future: F) -> F::Output {
                let _visit = $crate::live::workers::visit();
                let target = $crate::tokio::runtime::number::around(&self.handle);
                $crate::spawned::launch!(target, Some("main"), future: F, |task, _| self.inner.block_on(task))
            }

            /// Ends the runtime, and waits that long for blocking code.
            pub fn shutdown_timeout(self, duration: ::std::time::Duration) {
                let Self { goes, inner, gone, .. } = self;
                goes.never();
                inner.shutdown_timeout(duration);
                drop(gone);
            }

            /// Ends the runtime without waiting for blocking code.
            pub fn shutdown_background(self) {
                let Self { goes, inner, gone, .. } = self;
                goes.never();
                inner.shutdown_background();
                drop(gone);
            }

            /// tokio's own runtime.
            #[must_use]
            pub fn into_inner(self) -> ::tokio::runtime::$name {
                self.goes.never();
                self.inner
            }

            $crate::wrap::delegate! { inner:
                /// Until the guard is dropped, this is the runtime of the thread.
                #[must_use = "the runtime is left when the guard is dropped"]
                pub fn enter(&self) -> ::tokio::runtime::EnterGuard<'_>;
                /// The counters of the runtime.
                #[must_use]
                pub fn metrics(&self) -> ::tokio::runtime::RuntimeMetrics;
            }
        }

        $crate::wrap::convert!(
            [] $name: ::tokio::runtime::$name,
            |runtime| {
                let handle = runtime.handle().clone().into();
                let (goes, gone) = super::shutdown::pair(None, ::std::panic::Location::caller());
                Self { goes, inner: runtime, handle, gone }
            },
            |it| it.into_inner()
        );
        $crate::wrap::deref!([] $name, inner: ::tokio::runtime::$name);
        $crate::wrap::debug!([] $name, inner: ::tokio::runtime::$name);
    };
}

pub(super) use runtime;
