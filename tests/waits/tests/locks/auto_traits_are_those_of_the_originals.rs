//! Every type has the original's auto traits, for every kind of content.
//!
//! Also checks that guards are covariant in their lifetime.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::Arc;

use ::tokio::sync as real;
use diagnose::tokio::sync as ours;

/// Tests whether a type has a trait. An inherent constant takes precedence over a trait's.
macro_rules! is {
    ($type:ty: $trait:path) => {{
        struct Is<T: ?Sized>(PhantomData<T>);
        #[allow(dead_code)] // Only its presence matters.
        trait IsNot {
            const IS: bool = false;
        }
        impl<T: ?Sized> IsNot for T {}
        #[allow(dead_code)]
        impl<T: ?Sized + $trait> Is<T> {
            const IS: bool = true;
        }
        <Is<$type>>::IS
    }};
}

macro_rules! traits {
    ($type:ty) => {
        [
            ("Send", is!($type: Send)),
            ("Sync", is!($type: Sync)),
            ("Unpin", is!($type: Unpin)),
            ("UnwindSafe", is!($type: UnwindSafe)),
            ("RefUnwindSafe", is!($type: RefUnwindSafe)),
        ]
    };
}

macro_rules! alike {
    ($($($name:ident)::+ $(<$($argument:tt),+>)?;)+) => {
        $(assert_eq!(
            traits!(ours::$($name)::+$(<$($argument),+>)?),
            traits!(real::$($name)::+$(<$($argument),+>)?),
            stringify!($($name)::+ $(<$($argument),+>)?)
        );)+
    };
}

type SendOnly = Cell<u8>;
type SyncOnly = std::sync::MutexGuard<'static, u8>;
type Neither = Rc<u8>;
type NotUnwindSafe = &'static mut u8;
type Pinned = std::marker::PhantomPinned;

macro_rules! alike_for {
    ($($content:ident)+) => {
        $(alike! {
            Mutex<$content>;
            MutexGuard<'static, $content>;
            MappedMutexGuard<'static, $content>;
            OwnedMutexGuard<$content>;
            OwnedMappedMutexGuard<$content, $content>;
            OwnedMappedMutexGuard<$content, u8>;
            OwnedMappedMutexGuard<u8, $content>;
            RwLock<$content>;
            RwLockReadGuard<'static, $content>;
            RwLockWriteGuard<'static, $content>;
            RwLockMappedWriteGuard<'static, $content>;
            OwnedRwLockReadGuard<$content, $content>;
            OwnedRwLockReadGuard<$content, u8>;
            OwnedRwLockReadGuard<u8, $content>;
            OwnedRwLockWriteGuard<$content>;
            OwnedRwLockMappedWriteGuard<$content, $content>;
            OwnedRwLockMappedWriteGuard<$content, u8>;
            OwnedRwLockMappedWriteGuard<u8, $content>;
            OnceCell<$content>;
            SetOnce<$content>;
        })+
    };
}

#[test]
fn every_type_has_the_auto_traits_of_the_original() {
    alike_for!(u8 SendOnly SyncOnly Neither NotUnwindSafe Pinned);
    alike! {
        Semaphore;
        SemaphorePermit<'static>;
        OwnedSemaphorePermit;
        Barrier;
        Notify;
        futures::Notified<'static>;
        futures::OwnedNotified;
    }
}

fn sends<T: Send + Sync>(_: &T) {}

#[test]
fn futures_of_wrappers_can_be_sent_and_shared() {
    let mutex = Arc::new(ours::Mutex::new(1));
    sends(&mutex.lock());
    sends(&Arc::clone(&mutex).lock_owned());
    let lock = Arc::new(ours::RwLock::new(1));
    sends(&lock.read());
    sends(&lock.write());
    sends(&Arc::clone(&lock).read_owned());
    sends(&Arc::clone(&lock).write_owned());
    let semaphore = Arc::new(ours::Semaphore::new(1));
    sends(&semaphore.acquire());
    sends(&semaphore.acquire_many(1));
    sends(&Arc::clone(&semaphore).acquire_owned());
    sends(&Arc::clone(&semaphore).acquire_many_owned(1));
    let cell = ours::OnceCell::new();
    sends(&cell.get_or_init(|| async { 1 }));
    sends(&cell.get_or_try_init(|| async { Ok::<_, ()>(1) }));
    sends(&ours::SetOnce::<u8>::new().wait());
    sends(&ours::Barrier::new(1).wait());
}

/// Only has to compile.
#[test]
fn lifetimes_can_be_shortened() {
    fn read<'a>(guard: ours::RwLockReadGuard<'static, &'static str>) -> ours::RwLockReadGuard<'a, &'a str> {
        guard
    }
    fn owned<'a, T>(
        guard: ours::OwnedRwLockReadGuard<T, &'static str>,
    ) -> ours::OwnedRwLockReadGuard<T, &'a str> {
        guard
    }
    fn lock<'a, T>(guard: ours::MutexGuard<'static, T>) -> ours::MutexGuard<'a, T> {
        guard
    }
    fn permit<'a>(permit: ours::SemaphorePermit<'static>) -> ours::SemaphorePermit<'a> {
        permit
    }
    let _ = (read, owned::<u8>, lock::<u8>, permit);
}

/// An owned guard does not require `'static` data.
#[test]
fn owned_guards_may_borrow() {
    let text = String::from("a");
    let lock = Arc::new(ours::Mutex::new(text.as_str()));
    let guard = lock.try_lock_owned().unwrap();
    assert_eq!(*guard, "a");
}
