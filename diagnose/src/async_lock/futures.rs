//! The wrappers' futures, named as in `async_lock::futures`.

pub use super::acquiring::{Acquire, Lock, Read, UpgradableRead, Write};
pub use super::barrier::BarrierWait;
pub use super::mutex_arc::LockArc;
pub use super::rwlock_arc::{ReadArc, UpgradableReadArc, UpgradeArc, WriteArc};
pub use super::rwlock_guards::Upgrade;
pub use super::semaphore::AcquireArc;
