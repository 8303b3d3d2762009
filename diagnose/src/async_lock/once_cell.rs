//! `async_lock::OnceCell`, with a record of its initialization and its waiters.

use std::convert::Infallible;
use std::future::Future;
use std::panic::Location;

use crate::waits::{
    BlockedThread, Holding, Resource, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{Turn, cell, delegate, share};

static TYPE: ResourceType = ResourceType::new(ResourceKind::OnceCell, "async-lock");

/// async-lock's `OnceCell`, recorded from its first wait or initialization on, with its creation.
/// Access to an initialized cell costs as much as the original's. Deref gives `get_unchecked`.
pub struct OnceCell<T> {
    resource: Resource,
    cell: ::async_lock::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// Creates a new, uninitialized cell.
    #[track_caller]
    pub const fn new() -> Self {
        Self { resource: Resource::new(&TYPE, 1, Location::caller()), cell: ::async_lock::OnceCell::new() }
    }

    /// Waits until the cell is initialized. Cancel safe.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = &T> {
        let at = Location::caller();
        async move {
            match self.cell.get() {
                Some(value) => value,
                None => {
                    let info = WaitInfo::on(self.resource.record(), WaitMode::Initialize, 1, at);
                    WaitFuture::new(self.cell.wait(), info).await
                }
            }
        }
    }

    /// Waits until the cell is initialized, blocking the current thread.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn wait_blocking(&self) -> &T {
        let at = Location::caller();
        let block = || self.resource.block(WaitMode::Initialize, 1, at, || self.cell.wait_blocking());
        self.cell.get().unwrap_or_else(block)
    }

    /// Returns the value, initializing an empty cell with the result of the future.
    ///
    /// Waits if another call is initializing the cell. If this future is dropped while it
    /// initializes, the next waiting call initializes instead.
    ///
    /// # Errors
    /// Returns the error of the future. The cell stays empty.
    #[track_caller]
    pub fn get_or_try_init<E, Fut: Future<Output = Result<T, E>>>(
        &self,
        closure: impl FnOnce() -> Fut,
    ) -> impl Future<Output = Result<&T, E>> {
        self.initialize(closure, Location::caller())
    }

    /// Returns the value, initializing an empty cell with a function that may block.
    ///
    /// # Errors
    /// Returns the error of the function. The cell stays empty.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn get_or_try_init_blocking<E>(&self, closure: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.cell.get() {
            return Ok(value);
        }
        let at = Location::caller();
        let record = self.resource.record();
        let mut blocked = BlockedThread::begin(record, WaitMode::Initialize, 1, at);
        let result = self.cell.get_or_try_init_blocking(|| {
            blocked = None;
            let _holding = Holding::hold(record, 1, at, false);
            closure()
        });
        drop(blocked);
        result
    }

    /// Returns the value, initializing an empty cell with the output of the future.
    ///
    /// Waits if another call is initializing the cell. If this future is dropped while it
    /// initializes, the next waiting call initializes instead.
    #[track_caller]
    pub fn get_or_init<Fut: Future<Output = T>>(
        &self,
        closure: impl FnOnce() -> Fut,
    ) -> impl Future<Output = &T> {
        let at = Location::caller();
        async move {
            let initialize = || async { Ok::<T, Infallible>(closure().await) };
            match self.initialize(initialize, at).await {
                Ok(value) => value,
                Err(never) => match never {},
            }
        }
    }

    /// Returns the value, initializing an empty cell with a function that may block.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn get_or_init_blocking(&self, closure: impl FnOnce() -> T + Unpin) -> &T {
        match self.get_or_try_init_blocking(|| Ok::<T, Infallible>(closure())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// Initializes the cell with `value`, waiting for a running initialization.
    ///
    /// # Errors
    /// Returns `value` if the cell has another value already.
    #[track_caller]
    pub fn set(&self, value: T) -> impl Future<Output = Result<&T, T>> {
        let at = Location::caller();
        async move {
            let mut value = Some(value);
            let initialize = || {
                let value = value.take();
                async move { value.ok_or(()) }
            };
            let result = self.initialize(initialize, at).await;
            match (value, result) {
                (None, Ok(value)) => Ok(value),
                (Some(value), _) => Err(value),
                (None, Err(())) => unreachable!("the value was there"),
            }
        }
    }

    /// Initializes the cell with `value`, blocking the current thread if another call does so.
    ///
    /// # Errors
    /// Returns `value` if the cell has another value already.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn set_blocking(&self, value: T) -> Result<&T, T> {
        let mut value = Some(value);
        let result = self.get_or_try_init_blocking(|| value.take().ok_or(()));
        match (value, result) {
            (None, Ok(value)) => Ok(value),
            (Some(value), _) => Err(value),
            (None, Err(())) => unreachable!("the value was there"),
        }
    }

    async fn initialize<E, Fut: Future<Output = Result<T, E>>>(
        &self,
        closure: impl FnOnce() -> Fut,
        at: &'static Location<'static>,
    ) -> Result<&T, E> {
        if let Some(value) = self.cell.get() {
            return Ok(value);
        }
        let turn = Turn::new(self.resource.record(), at);
        turn.wait(self.cell.get_or_try_init(|| turn.take(closure))).await
    }

    delegate! { cell:
        /// Returns `true` if the cell is initialized.
        #[inline]
        pub fn is_initialized(&self) -> bool;
        /// Returns a reference to the value, or `None` if the cell is uninitialized.
        #[inline]
        pub fn get(&self) -> Option<&T>;
        /// Returns a mutable reference to the value, or `None` if the cell is uninitialized.
        pub fn get_mut(&mut self) -> Option<&mut T>;
        /// Takes the value out, leaving the cell uninitialized.
        pub fn take(&mut self) -> Option<T>;
        /// Consumes the cell, returning its value if it is initialized.
        pub fn into_inner(self) -> Option<T>;
        /// Initializes the cell with `value` if it is empty and not being initialized.
        ///
        /// # Errors
        /// Returns `value` if the cell is initialized or is being initialized.
        pub fn try_set(&self, value: T) -> Result<(), T>;
    }
}

share!([T] OnceCell<T>, cell: ::async_lock::OnceCell<T>);
cell!(
    OnceCell<T>,
    cell: ::async_lock::OnceCell<T>,
    Self { resource: Resource::new(&TYPE, 1, Location::caller()), cell }
);
