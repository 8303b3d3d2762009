//! `tokio::sync::OnceCell`.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::SetError;

use crate::waits::{Resource, ResourceKind, ResourceType};
use crate::wrap::{Turn, cell, compare, delegate, share};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::OnceCell, "tokio");

/// tokio's `OnceCell`, which also records the initializing task and the tasks that wait for it.
///
/// Recorded from its first use, under its place of creation. It behaves exactly like tokio's.
pub struct OnceCell<T> {
    resource: Resource,
    cell: real::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// Creates an empty cell.
    #[track_caller]
    pub fn new() -> Self {
        Self::from(real::OnceCell::new())
    }

    /// Creates an empty cell. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(real::OnceCell::const_new())
    }

    /// Creates a cell that contains `value`, or an empty one if it is `None`.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self::from(real::OnceCell::new_with(value))
    }

    /// Creates a cell that contains `value`. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new_with(value: T) -> Self {
        Self::around(real::OnceCell::const_new_with(value))
    }

    #[track_caller]
    const fn around(cell: real::OnceCell<T>) -> Self {
        Self { resource: Resource::new(&TYPE, 1, Location::caller()), cell }
    }

    /// Returns tokio's own cell, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::OnceCell<T> {
        self.cell
    }

    /// Returns the value. Initializes the cell if it is empty, or waits while another task does.
    ///
    /// Cancel safe. If the initializing task is cancelled or panics, the next waiter initializes
    /// the cell.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, f: F) -> impl Future<Output = &T>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let at = Location::caller();
        async move {
            if let Some(value) = self.cell.get() {
                return value;
            }
            let turn = Turn::new(self.resource.record(), at);
            turn.wait(self.cell.get_or_init(|| turn.take(f))).await
        }
    }

    /// Like [`get_or_init`](Self::get_or_init), with an initializer that can fail.
    ///
    /// # Errors
    /// If `f` fails. The cell stays empty, and the next waiter tries to initialize it.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, f: F) -> impl Future<Output = Result<&T, E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let at = Location::caller();
        async move {
            if let Some(value) = self.cell.get() {
                return Ok(value);
            }
            let turn = Turn::new(self.resource.record(), at);
            turn.wait(self.cell.get_or_try_init(|| turn.take(f))).await
        }
    }

    delegate! { cell:
        /// Returns whether the cell is initialized.
        pub fn initialized(&self) -> bool;
        /// Returns the value, or `None` if the cell is empty.
        pub fn get(&self) -> Option<&T>;
        /// Returns a mutable reference to the value, or `None` if the cell is empty.
        pub fn get_mut(&mut self) -> Option<&mut T>;
        /// Initializes the cell with `value`.
        ///
        /// # Errors
        /// If the cell is initialized, or is being initialized.
        pub fn set(&self, value: T) -> Result<(), SetError<T>>;
        /// Consumes the cell, returning the value if there is one.
        pub fn into_inner(self) -> Option<T>;
        /// Takes the value out of the cell, which leaves it empty.
        pub fn take(&mut self) -> Option<T>;
    }
}

share!([T] OnceCell<T>, cell: real::OnceCell<T>);
cell!(OnceCell<T>, cell: real::OnceCell<T>, Self::around(cell));
compare!(OnceCell<T>, cell);
