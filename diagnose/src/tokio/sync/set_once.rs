//! `tokio::sync::SetOnce`.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::SetOnceError;

use crate::waits::{Resource, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::{cell, compare, delegate, share};

/// An empty cell has no holder: any task may set it, without waiting.
static TYPE: ResourceType = ResourceType::fair(ResourceKind::OnceCell, "tokio");

/// tokio's `SetOnce`, which also records its waiters, as `OnceCell` does.
///
/// Recorded from the first wait, under its place of creation. It behaves exactly like tokio's.
pub struct SetOnce<T> {
    resource: Resource,
    cell: real::SetOnce<T>,
}

impl<T> SetOnce<T> {
    /// Creates an empty cell.
    #[track_caller]
    pub fn new() -> Self {
        Self::from(real::SetOnce::new())
    }

    /// Creates an empty cell. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(real::SetOnce::const_new())
    }

    /// Creates a cell that contains `value`, or an empty one if it is `None`.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self::from(real::SetOnce::new_with(value))
    }

    /// Creates a cell that contains `value`. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new_with(value: T) -> Self {
        Self::around(real::SetOnce::const_new_with(value))
    }

    #[track_caller]
    const fn around(cell: real::SetOnce<T>) -> Self {
        Self { resource: Resource::new(&TYPE, 1, Location::caller()), cell }
    }

    /// Returns tokio's own cell, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::SetOnce<T> {
        self.cell
    }

    /// Waits until the value is set. Cancel safe.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = &T> {
        let at = Location::caller();
        async move {
            if let Some(value) = self.cell.get() {
                return value;
            }
            let info = WaitInfo::on(self.resource.record(), WaitMode::Initialize, 1, at);
            WaitFuture::new(self.cell.wait(), info).await
        }
    }

    delegate! { cell:
        /// Returns whether the value is set.
        pub fn initialized(&self) -> bool;
        /// Returns the value, or `None` if the cell is empty.
        pub fn get(&self) -> Option<&T>;
        /// Sets the value and notifies all waiters.
        ///
        /// # Errors
        /// If the value is set already.
        pub fn set(&self, value: T) -> Result<(), SetOnceError<T>>;
        /// Consumes the cell, returning the value if it is set.
        pub fn into_inner(self) -> Option<T>;
    }
}

share!([T] SetOnce<T>, cell: real::SetOnce<T>);
cell!(SetOnce<T>, cell: real::SetOnce<T>, Self::around(cell));
compare!(SetOnce<T>, cell);
