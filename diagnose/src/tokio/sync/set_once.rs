//! `tokio::sync::SetOnce`.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::SetOnceError;

use crate::waits::{Resource, ResourceKind, ResourceType, WaitFuture, WaitInfo, WaitMode};
use crate::wrap::{cell, compare, delegate, share};

/// While it is empty it has no holder: any task may set it, without waiting.
static WHAT: ResourceType = ResourceType::fair(ResourceKind::OnceCell, "tokio");

/// tokio's `SetOnce`; who waits for its value is on record, as at a `OnceCell`.
///
/// It is known from the first wait on, under the place where it was made. Order, cancellation and panics are tokio's.
pub struct SetOnce<T> {
    resource: Resource,
    cell: real::SetOnce<T>,
}

impl<T> SetOnce<T> {
    /// An empty cell.
    #[track_caller]
    pub fn new() -> Self {
        Self::from(real::SetOnce::new())
    }

    /// The same in a constant.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(real::SetOnce::const_new())
    }

    /// A cell with that value, if there is one.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self::from(real::SetOnce::new_with(value))
    }

    /// A cell with that value in a constant.
    #[track_caller]
    pub const fn const_new_with(value: T) -> Self {
        Self::around(real::SetOnce::const_new_with(value))
    }

    #[track_caller]
    const fn around(cell: real::SetOnce<T>) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), cell }
    }

    /// tokio's own cell, for other crates that ask for it.
    pub fn into_tokio(self) -> real::SetOnce<T> {
        self.cell
    }

    /// Waits until it has a value. Cancel safe.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = &T> {
        let at = Location::caller();
        async move {
            if let Some(value) = self.cell.get() {
                return value;
            }
            let leaf = WaitInfo::on(self.resource.record(), WaitMode::Initialise, 1, at);
            WaitFuture::new(self.cell.wait(), leaf).await
        }
    }

    delegate! { cell:
        /// Whether it has a value.
        pub fn initialized(&self) -> bool;
        /// Its value, if it has one.
        pub fn get(&self) -> Option<&T>;
        /// Gives it that value, and tells all who wait.
        ///
        /// # Errors
        /// If it has one.
        pub fn set(&self, value: T) -> Result<(), SetOnceError<T>>;
        /// Its value, if it has one.
        pub fn into_inner(self) -> Option<T>;
    }
}

share!([T] SetOnce<T>, cell: real::SetOnce<T>);
cell!(SetOnce<T>, cell: real::SetOnce<T>, Self::around(cell));
compare!(SetOnce<T>, cell);
