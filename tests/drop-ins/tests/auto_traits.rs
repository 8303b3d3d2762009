//! Wrappers are `Send`, `Sync` and `Unpin` where the original is.

use std::cell::Cell;
use std::marker::PhantomData;
use std::rc::Rc;

/// Detects a type's traits: an inherent method whose bounds hold precedes a trait's.
struct Probe<T>(PhantomData<T>);

macro_rules! probes {
    ($($method:ident: $auto:ident),*) => {
        $( impl<T: $auto> Probe<T> { fn $method(&self) -> bool { true } } )*
        trait Otherwise { $( fn $method(&self) -> bool { false } )* }
        impl<T> Otherwise for Probe<T> {}
    };
}
probes!(send: Send, sync: Sync, unpin: Unpin);

macro_rules! probe {
    ($($type:ty),* $(,)?) => {
        vec![$({
            let probe = Probe::<$type>(PhantomData);
            [probe.send(), probe.sync(), probe.unpin()]
        }),*]
    };
}

macro_rules! each_message {
    ($all:ident) => {{
        let mut found = Vec::new();
        found.extend($all!(u8));
        found.extend($all!(Cell<u8>));
        found.extend($all!(Rc<u8>));
        found.extend($all!(std::sync::MutexGuard<'static, u8>));
        found
    }};
}

macro_rules! types {
    ($name:ident, $async_channel:path, $flume:path, $futures:path, $tokio:path, $tokio_util:path) => {
        mod $name {
            use super::*;
            use async_channel as ac;
            use flume::r#async as fl;
            use futures::channel::{mpsc, oneshot};
            use futures::lock;
            use tokio_util::sync;
            use tokio_util::task::{self, task_tracker};
            use {
                $async_channel as async_channel, $flume as flume, $futures as futures,
                $tokio_util as tokio_util,
            };

            pub(super) fn channels() -> Vec<[bool; 3]> {
                macro_rules! all {
                    ($message:ty) => {
                        probe![
                            ac::Sender<$message>,
                            ac::Receiver<$message>,
                            ac::WeakSender<$message>,
                            ac::WeakReceiver<$message>,
                            ac::Send<'static, $message>,
                            ac::Recv<'static, $message>,
                            ac::Closed<'static, $message>,
                            flume::Sender<$message>,
                            flume::Receiver<$message>,
                            flume::WeakSender<$message>,
                            flume::Iter<'static, $message>,
                            flume::TryIter<'static, $message>,
                            flume::IntoIter<$message>,
                            flume::Drain<'static, $message>,
                            fl::SendFut<'static, $message>,
                            fl::SendSink<'static, $message>,
                            fl::RecvFut<'static, $message>,
                            fl::RecvStream<'static, $message>,
                            mpsc::Sender<$message>,
                            mpsc::Receiver<$message>,
                            mpsc::UnboundedSender<$message>,
                            mpsc::UnboundedReceiver<$message>,
                            mpsc::Recv<'static, mpsc::Receiver<$message>>,
                            oneshot::Sender<$message>,
                            oneshot::Receiver<$message>,
                            oneshot::Cancellation<'static, $message>,
                            sync::PollSender<$message>,
                            task::AbortOnDropHandle<$message>,
                            task_tracker::TrackedFuture<$message>,
                        ]
                    };
                }
                each_message!(all)
            }

            pub(super) fn others() -> Vec<[bool; 3]> {
                macro_rules! all {
                    ($guarded:ty) => {
                        probe![
                            lock::Mutex<$guarded>,
                            lock::MutexGuard<'static, $guarded>,
                            lock::MappedMutexGuard<'static, u8, $guarded>,
                            lock::MappedMutexGuard<'static, $guarded, u8>,
                            lock::OwnedMutexGuard<$guarded>,
                            lock::MutexLockFuture<'static, $guarded>,
                            lock::OwnedMutexLockFuture<$guarded>,
                        ]
                    };
                }
                let mut found = each_message!(all);
                found.extend(probe![
                    sync::CancellationToken,
                    sync::WaitForCancellationFuture<'static>,
                    sync::WaitForCancellationFutureOwned,
                    sync::DropGuard,
                    sync::DropGuardRef<'static>,
                    sync::PollSemaphore,
                    task_tracker::TaskTracker,
                    task_tracker::TaskTrackerToken,
                    task_tracker::TaskTrackerWaitFuture<'static>,
                ]);
                found
            }
        }
    };
}
types!(own, ::async_channel, ::flume, ::futures, ::tokio, ::tokio_util);
types!(
    ours,
    diagnose::async_channel,
    diagnose::flume,
    diagnose::futures,
    diagnose::tokio,
    diagnose::tokio_util
);

#[test]
fn channel_ends_have_the_auto_traits_of_the_originals() {
    let (own, ours) = (own::channels(), ours::channels());
    assert_eq!(own.len(), 4 * 29);
    let differ: Vec<_> =
        (0..own.len()).filter(|&at| own[at] != ours[at]).map(|at| (at, own[at], ours[at])).collect();
    assert!(differ.is_empty(), "{differ:?}");
}

#[test]
fn locks_and_tokens_have_the_auto_traits_of_the_originals() {
    let (mut own, ours) = (own::others(), ours::others());
    assert_eq!(own.len(), 4 * 7 + 9);
    // The original's owned lock future is `Sync` even for data that is not `Send`.
    for of_future in [20, 27] {
        assert_eq!((own[of_future], ours[of_future]), ([false, true, true], [false, false, true]));
        own[of_future] = ours[of_future];
    }
    let differ: Vec<_> =
        (0..own.len()).filter(|&at| own[at] != ours[at]).map(|at| (at, own[at], ours[at])).collect();
    assert!(differ.is_empty(), "{differ:?}");
}
