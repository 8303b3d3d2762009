//! `tokio::sync::Semaphore` and its permits.

mod count;
mod enter;
mod owned;
mod permit;

pub use self::count::Semaphore;
pub use self::owned::OwnedSemaphorePermit;
pub use self::permit::SemaphorePermit;
