//! `tokio::sync::OnceCell`.

use std::future::Future;
use std::panic::Location;

use ::tokio::sync as real;
use ::tokio::sync::SetError;

use crate::waits::{Resource, ResourceKind, ResourceType};
use crate::wrap::{Turn, cell, compare, delegate, share};

static WHAT: ResourceType = ResourceType::fair(ResourceKind::OnceCell, "tokio");

/// tokio's `OnceCell`; who initialises it and who waits for that is on record.
///
/// It is known from its first use on, under the place where it was made. Order, cancellation and panics are tokio's.
pub struct OnceCell<T> {
    resource: Resource,
    cell: real::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// An empty cell.
    #[track_caller]
    pub fn new() -> Self {
        Self::from(real::OnceCell::new())
    }

    /// The same in a constant.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(real::OnceCell::const_new())
    }

    /// A cell with that value, if there is one.
    #[track_caller]
    pub fn new_with(value: Option<T>) -> Self {
        Self::from(real::OnceCell::new_with(value))
    }

    /// A cell with that value in a constant.
    #[track_caller]
    pub const fn const_new_with(value: T) -> Self {
        Self::around(real::OnceCell::const_new_with(value))
    }

    #[track_caller]
    const fn around(cell: real::OnceCell<T>) -> Self {
        Self { resource: Resource::new(&WHAT, 1, Location::caller()), cell }
    }

    /// tokio's own cell, for other crates that ask for it.
    pub fn into_tokio(self) -> real::OnceCell<T> {
        self.cell
    }

    /// Returns the value. Initializes the cell if it is empty, or waits while another task
    /// initializes it.
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

    /// The same where a value cannot always be made.
    ///
    /// # Errors
    /// That of `f`; the cell is empty then, and the next who waits tries.
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
        /// Whether it has a value.
        pub fn initialized(&self) -> bool;
        /// Its value, if it has one.
        pub fn get(&self) -> Option<&T>;
        /// Its value, if it has one.
        pub fn get_mut(&mut self) -> Option<&mut T>;
        /// Gives it that value.
        ///
        /// # Errors
        /// If the cell is initialized, or is being initialized.
        pub fn set(&self, value: T) -> Result<(), SetError<T>>;
        /// Its value, if it has one.
        pub fn into_inner(self) -> Option<T>;
        /// Takes its value out, if it has one.
        pub fn take(&mut self) -> Option<T>;
    }
}

share!([T] OnceCell<T>, cell: real::OnceCell<T>);
cell!(OnceCell<T>, cell: real::OnceCell<T>, Self::around(cell));
compare!(OnceCell<T>, cell);
