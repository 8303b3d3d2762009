//! Wrappers have the original's auto traits, futures included.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::time::Duration;

/// Detects a type's traits: an inherent method whose bounds hold precedes a trait's.
struct Probe<T>(PhantomData<T>);

impl<T> Probe<T> {
    fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

macro_rules! probes {
    ($($method:ident: $auto:ident),*) => {
        $( impl<T: $auto> Probe<T> { fn $method(&self) -> bool { true } } )*
        trait Otherwise { $( fn $method(&self) -> bool { false } )* }
        impl<T> Otherwise for Probe<T> {}
    };
}
probes!(send: Send, sync: Sync, unpin: Unpin, unwind: UnwindSafe, ref_unwind: RefUnwindSafe);

macro_rules! probe {
    ($probe:expr) => {{
        let probe = $probe;
        [probe.send(), probe.sync(), probe.unpin(), probe.unwind(), probe.ref_unwind()]
    }};
}

macro_rules! types {
    ($name:ident, $tokio:path) => {
        mod $name {
            use super::*;
            use library::sync::{broadcast, mpsc, oneshot, watch};
            use $tokio as library;

            macro_rules! all {
                ($message:ty) => {
                    vec![
                        probe!(Probe::<mpsc::Sender<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::WeakSender<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::Receiver<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::Permit<'static, $message>>(PhantomData)),
                        probe!(Probe::<mpsc::PermitIterator<'static, $message>>(PhantomData)),
                        probe!(Probe::<mpsc::OwnedPermit<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::UnboundedSender<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::WeakUnboundedSender<$message>>(PhantomData)),
                        probe!(Probe::<mpsc::UnboundedReceiver<$message>>(PhantomData)),
                        probe!(Probe::<oneshot::Sender<$message>>(PhantomData)),
                        probe!(Probe::<oneshot::Receiver<$message>>(PhantomData)),
                        probe!(Probe::<broadcast::Sender<$message>>(PhantomData)),
                        probe!(Probe::<broadcast::WeakSender<$message>>(PhantomData)),
                        probe!(Probe::<broadcast::Receiver<$message>>(PhantomData)),
                        probe!(Probe::<watch::Sender<$message>>(PhantomData)),
                        probe!(Probe::<watch::Receiver<$message>>(PhantomData)),
                        probe!(Probe::<watch::Ref<'static, $message>>(PhantomData)),
                        probe!(Probe::<library::task::JoinHandle<$message>>(PhantomData)),
                        probe!(Probe::<library::task::JoinSet<$message>>(PhantomData)),
                        probe!(Probe::<library::time::Timeout<$message>>(PhantomData)),
                    ]
                };
            }

            pub(super) fn types() -> Vec<[bool; 5]> {
                let mut found = all!(u8);
                found.extend(all!(Cell<u8>));
                found.extend(all!(Rc<u8>));
                found.extend(all!(*const u8));
                found.extend([
                    probe!(Probe::<library::time::Sleep>(PhantomData)),
                    probe!(Probe::<library::time::Interval>(PhantomData)),
                    probe!(Probe::<library::io::DuplexStream>(PhantomData)),
                    probe!(Probe::<library::io::SimplexStream>(PhantomData)),
                    probe!(Probe::<library::task::AbortHandle>(PhantomData)),
                ]);
                found
            }

            macro_rules! futures_of {
                ($message:expr) => {{
                    let (tx, mut rx) = mpsc::channel(1);
                    let (unbounded, mut receiver) = mpsc::unbounded_channel();
                    unbounded.send($message).ok();
                    let (mut single, _one) = oneshot::channel();
                    if false {
                        let _ = oneshot::channel().0.send($message);
                    }
                    let (watched, mut watches) = watch::channel($message);
                    let (all, mut each) = broadcast::channel(1);
                    all.send($message).ok();
                    let mut buffer = Vec::new();
                    let mut set = library::task::JoinSet::new();
                    if false {
                        buffer.push($message);
                        set = [].into_iter().map(|(): ()| std::future::ready(0_u8)).collect();
                        let _ = single.send($message);
                        single = oneshot::channel().0;
                    }
                    vec![
                        probe!(Probe::of(&tx.send($message))),
                        probe!(Probe::of(&tx.send_timeout($message, Duration::ZERO))),
                        probe!(Probe::of(&tx.reserve())),
                        probe!(Probe::of(&tx.reserve_many(1))),
                        probe!(Probe::of(&tx.clone().reserve_owned())),
                        probe!(Probe::of(&tx.closed())),
                        probe!(Probe::of(&rx.recv())),
                        probe!(Probe::of(&rx.recv_many(&mut buffer, 1))),
                        probe!(Probe::of(&unbounded.closed())),
                        probe!(Probe::of(&receiver.recv())),
                        probe!(Probe::of(&receiver.recv_many(&mut buffer, 1))),
                        probe!(Probe::of(&single.closed())),
                        probe!(Probe::of(&watched.closed())),
                        probe!(Probe::of(&watches.changed())),
                        probe!(Probe::of(&watches.wait_for(|_| true))),
                        probe!(Probe::of(&all.closed())),
                        probe!(Probe::of(&each.recv())),
                        probe!(Probe::of(&set.join_next())),
                        probe!(Probe::of(&set.join_next_with_id())),
                        probe!(Probe::of(&set.shutdown())),
                    ]
                }};
            }

            pub(super) fn futures() -> Vec<[bool; 5]> {
                let mut found = futures_of!(1_u8);
                found.extend(futures_of!(Cell::new(1_u8)));
                found.extend(futures_of!(Rc::new(1_u8)));
                found
            }
        }
    };
}

types!(own, ::tokio);
types!(ours, diagnose::tokio);

#[test]
fn types_have_the_auto_traits_of_the_originals() {
    assert_eq!(ours::types(), own::types());
    assert!(own::types().concat().contains(&false), "the probes tell them apart");
}

#[test]
fn futures_have_the_auto_traits_of_the_originals() {
    let futures = (ours::futures(), own::futures());
    for (number, (ours, own)) in futures.0.iter().zip(&futures.1).enumerate() {
        // Wrappers may be unwind safe where the original is not.
        assert_eq!(ours[..3], own[..3], "{number}");
        assert!(ours[3] >= own[3] && ours[4] >= own[4], "{number}: {ours:?} {own:?}");
    }
}
