//! Calls every public method of tokio's cells, `Barrier` and `Notify`, original and wrapped.
//!
//! Kept by hand against tokio 1.54.

use std::pin::pin;
use std::sync::Arc;

use diagnose_waits_tests::{now, poll};

macro_rules! methods {
    ($module:ident, $($sync:tt)+) => {
        mod $module {
            use super::*;
            use $($sync)+::futures::{Notified, OwnedNotified};
            use $($sync)+::*;

            static CELL: OnceCell<u8> = OnceCell::const_new();
            static FULL: OnceCell<u8> = OnceCell::const_new_with(1);
            static SET: SetOnce<u8> = SetOnce::const_new();
            static SET_FULL: SetOnce<u8> = SetOnce::const_new_with(1);
            static NOTIFY: Notify = Notify::const_new();

            pub(super) fn once_cell() {
                let mut cell: OnceCell<u8> = OnceCell::new();
                assert_eq!((cell.initialized(), cell.get()), (false, None));
                assert_eq!(cell.get_mut(), None);
                let failed: Result<&u8, &str> = now(cell.get_or_try_init(|| async { Err("no") }));
                assert_eq!(failed, Err("no"));
                assert_eq!(now(cell.get_or_try_init(|| async { Ok::<_, ()>(1) })), Ok(&1));
                assert_eq!(now(cell.get_or_init(|| async { 2 })), &1);
                let error: SetError<u8> = cell.set(3).unwrap_err();
                assert!(error.is_already_init_err() && !error.is_initializing_err());
                assert_eq!((cell.clone(), cell.initialized()), (OnceCell::from(1), true));
                assert_eq!((cell.take(), cell.take(), cell.into_inner()), (Some(1), None, None));
                assert_eq!(OnceCell::new_with(Some(1)).into_inner(), Some(1));
                assert_eq!(OnceCell::<u8>::new_with(None), OnceCell::default());
                let cell = OnceCell::new();
                let mut waits = pin!(cell.get_or_init(std::future::pending::<u8>));
                assert!(poll(waits.as_mut()).is_pending());
                assert!(cell.set(1).unwrap_err().is_initializing_err());
                assert_eq!(
                    (CELL.set(1), FULL.get(), now(CELL.get_or_init(|| async { 2 }))),
                    (Ok(()), Some(&1), &1)
                );
            }

            pub(super) fn set_once() {
                let cell: SetOnce<u8> = SetOnce::new();
                assert_eq!((cell.initialized(), cell.get()), (false, None));
                assert!(poll(pin!(cell.wait())).is_pending());
                assert_eq!(cell.set(1), Ok(()));
                assert_eq!(cell.set(2), Err(SetOnceError(2)));
                assert_eq!((now(cell.wait()), cell.clone()), (&1, SetOnce::from(1)));
                assert_eq!((cell.into_inner(), SetOnce::<u8>::default()), (Some(1), SetOnce::new_with(None)));
                assert_eq!((SET.get(), SET_FULL.get()), (None, Some(&1)));
            }

            pub(super) fn barrier() {
                let barrier: Barrier = Barrier::new(2);
                let mut first = pin!(barrier.wait());
                assert!(poll(first.as_mut()).is_pending());
                let result: BarrierWaitResult = now(barrier.wait());
                assert!(result.is_leader() && !now(first).is_leader());
                assert!(now(Barrier::new(0).wait()).clone().is_leader());
            }

            pub(super) fn notify() {
                let notify: Arc<Notify> = Arc::new(Notify::new());
                let mut first: std::pin::Pin<&mut Notified<'_>> = pin!(notify.notified());
                let mut second: std::pin::Pin<&mut OwnedNotified> =
                    pin!(Arc::clone(&notify).notified_owned());
                assert!(!first.as_mut().enable() && !second.as_mut().enable());
                notify.notify_last();
                assert!(poll(first.as_mut()).is_pending() && poll(second).is_ready());
                notify.notify_waiters();
                assert!(poll(first.as_mut()).is_ready());
                notify.notify_one();
                now(notify.notified());
                notify.notify_waiters();
                assert!(poll(pin!(notify.notified())).is_pending());
                let told = notify.notified();
                notify.notify_waiters();
                now(told);
                NOTIFY.notify_one();
                assert!(pin!(NOTIFY.notified()).enable());
                assert!(poll(pin!(Notify::default().notified())).is_pending());
            }
        }

        #[test]
        fn $module() {
            $module::once_cell();
            $module::set_once();
            $module::barrier();
            $module::notify();
        }
    };
}

methods!(original, ::tokio::sync);
methods!(wrapper, diagnose::tokio::sync);
