//! Uses every public item of futures' `channel` and `lock`, original and wrapped.
//!
//! Each function runs with original and wrapper. Kept by hand against futures 0.3.34.

use diagnose_drop_ins_tests::now;

macro_rules! futures {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::{Debug, Display};
            use std::hash::{DefaultHasher, Hasher};
            use std::ops::DerefMut;
            use std::pin::Pin;
            use std::sync::Arc;
            use std::task::{Context, Waker};

            use library::channel::{mpsc, oneshot};
            use library::future::FusedFuture;
            use library::lock::{
                MappedMutexGuard, Mutex, MutexGuard, MutexLockFuture, OwnedMutexGuard, OwnedMutexLockFuture,
            };
            use library::stream::FusedStream;
            use library::{Sink, SinkExt, Stream, StreamExt};
            use $library as library;

            use super::now;

            static MUTEX: Mutex<u8> = Mutex::new(1);

            fn shown(it: &impl Debug) -> String {
                format!("{it:?}")
            }

            fn writes<T: ?Sized + Debug>(guard: &mut (impl DerefMut<Target = T> + Debug)) -> String {
                format!("{:?}", &mut **guard)
            }

            fn hash<T>(add: impl FnOnce(&T, &mut DefaultHasher), sender: &T) -> bool {
                let mut hasher = DefaultHasher::new();
                add(sender, &mut hasher);
                hasher.finish() != 0
            }

            pub(super) fn bounded() -> Vec<String> {
                let mut context = Context::from_waker(Waker::noop());
                let (mut tx, mut rx): (mpsc::Sender<u8>, mpsc::Receiver<u8>) = mpsc::channel(1);
                let mut seen = vec![shown(&rx)];
                seen.push(shown(&(shown(&tx).len() > 3, tx.is_closed(), tx.is_connected_to(&rx))));
                seen.push(shown(&(tx.same_receiver(&tx.clone()), hash(|tx, to| tx.hash_receiver(to), &tx))));
                seen.push(shown(&(tx.poll_ready(&mut context), tx.start_send(1), tx.try_send(2))));
                let full: Result<(), mpsc::TrySendError<u8>> = tx.try_send(3);
                seen.push(shown(&full));
                seen.push(shown(&full.unwrap_err().into_send_error().is_full()));
                seen.push(shown(&(tx.poll_ready(&mut context), now(rx.next()), tx.poll_ready(&mut context))));
                let tried: [Result<u8, mpsc::TryRecvError>; 2] = [rx.try_recv(), rx.try_recv()];
                seen.push(shown(&tried));
                seen.push(shown(&(now(tx.feed(4)), now(tx.flush()), rx.size_hint())));
                let recv: mpsc::Recv<'_, mpsc::Receiver<u8>> = rx.recv();
                seen.push(shown(&recv.is_terminated()));
                let got: Result<u8, mpsc::RecvError> = now(recv);
                seen.push(shown(&got));
                #[allow(deprecated)]
                let next: Result<Option<u8>, mpsc::TryRecvError> = rx.try_next();
                seen.push(shown(&next));
                let mut other = tx.clone();
                other.close_channel();
                let gone: Result<(), mpsc::SendError> = tx.start_send(5);
                seen.push(shown(&(gone, tx.is_closed(), now(rx.next()), rx.is_terminated())));
                #[allow(deprecated)]
                let next = rx.try_next();
                seen.push(shown(&(next, rx.try_recv())));
                tx.disconnect();
                seen.push(shown(&(tx.is_closed(), tx.same_receiver(&other), now(other.close()))));
                let (mut tx, mut rx) = mpsc::channel(0);
                now(tx.feed("hello")).unwrap();
                rx.close();
                seen.push(shown(&(now(rx.next()), now(rx.next()), now(tx.send("late")))));
                drop(rx);
                seen.push(shown(&(now(tx.flush()), Pin::new(&mut tx).poll_ready(&mut context))));
                seen
            }

            pub(super) fn unbounded() -> Vec<String> {
                let (mut tx, mut rx): (mpsc::UnboundedSender<u8>, mpsc::UnboundedReceiver<u8>) =
                    mpsc::unbounded();
                let mut context = Context::from_waker(Waker::noop());
                let mut seen = vec![shown(&rx)];
                seen.push(shown(&(shown(&tx).len() > 3, tx.is_closed(), tx.is_connected_to(&rx))));
                seen.push(shown(&(tx.same_receiver(&tx.clone()), hash(|tx, to| tx.hash_receiver(to), &tx))));
                seen.push(shown(&(tx.poll_ready(&mut context), tx.start_send(1), tx.unbounded_send(2))));
                seen.push(shown(&(tx.len(), tx.is_empty(), now(tx.send(3)), now((&tx).send(4)))));
                seen.push(shown(&(now(rx.next()), rx.try_recv(), now(rx.recv()), rx.size_hint())));
                #[allow(deprecated)]
                let next = rx.try_next();
                seen.push(shown(&(next, now(tx.flush()), now((&tx).flush()))));
                rx.close();
                let late: Result<(), mpsc::TrySendError<u8>> = tx.unbounded_send(5);
                seen.push(shown(&(late, now(rx.next()), rx.is_terminated(), now(tx.send(6)))));
                let (mut tx, rx) = mpsc::unbounded::<u8>();
                tx.close_channel();
                seen.push(shown(&(tx.is_closed(), now((&tx).close()), now(tx.close()))));
                tx.disconnect();
                drop(rx);
                seen.push(shown(&(tx.is_closed(), tx.len())));
                seen
            }

            pub(super) fn oneshots() -> Vec<String> {
                let mut context = Context::from_waker(Waker::noop());
                let (mut tx, mut rx): (oneshot::Sender<u8>, oneshot::Receiver<u8>) = oneshot::channel();
                let mut seen = vec![shown(&tx), shown(&rx)];
                seen.push(shown(&(
                    tx.poll_canceled(&mut context),
                    tx.is_canceled(),
                    tx.is_connected_to(&rx),
                )));
                seen.push(shown(&(rx.try_recv(), rx.is_terminated())));
                seen.push(shown(&(tx.send(1), rx.is_terminated())));
                let got: Result<u8, oneshot::Canceled> = now(rx);
                seen.push(shown(&got));
                let (mut tx, mut rx) = oneshot::channel::<u8>();
                rx.close();
                let cancellation: oneshot::Cancellation<'_, u8> = tx.cancellation();
                now(cancellation);
                seen.push(shown(&(tx.is_canceled(), tx.send(2), rx.try_recv())));
                let (tx, mut rx) = oneshot::channel();
                tx.send("hello").unwrap();
                seen.push(shown(&(rx.try_recv(), rx.try_recv())));
                seen
            }

            pub(super) fn locks() -> Vec<String> {
                let made: [Mutex<u8>; 3] = [Mutex::new(0), Mutex::from(0), Mutex::default()];
                let [mut one, two, _] = made;
                *one.get_mut() += 1;
                let mut seen = vec![shown(&one), shown(&one.into_inner())];
                let lock: MutexLockFuture<'_, u8> = two.lock();
                seen.push(shown(&(&lock, lock.is_terminated())));
                let mut guard: MutexGuard<'_, u8> = now(lock);
                seen.push(writes(&mut guard));
                seen.push(shown(&(shown(&two).len() > 3, two.try_lock().is_none())));
                let mut mapped: MappedMutexGuard<'_, u8, u8> = MutexGuard::map(guard, |it| it);
                seen.push(writes(&mut mapped));
                let mut mapped: MappedMutexGuard<'_, u8, u8> = MappedMutexGuard::map(mapped, |it| it);
                seen.push(writes(&mut mapped));
                drop(mapped);
                let arc = Arc::new(two);
                let lock: OwnedMutexLockFuture<u8> = arc.clone().lock_owned();
                seen.push(shown(&lock.is_terminated()));
                let mut guard: OwnedMutexGuard<u8> = now(lock);
                *guard += 3;
                seen.push(writes(&mut guard));
                seen.push(shown(&(arc.try_lock_owned().is_none(), arc.try_lock().is_none())));
                drop(guard);
                seen.push(shown(&arc.try_lock_owned().map(|guard| *guard)));
                let wide: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2]));
                seen.push(shown(&now(wide.lock()).len()));
                seen.push(shown(&now(wide.clone().lock_owned()).len()));
                seen.push(shown(&MUTEX.try_lock().map(|guard| *guard)));
                seen
            }

            #[allow(dead_code)]
            fn displays(it: &impl Display) -> String {
                it.to_string()
            }
        }
    };
}
futures!(futures_own, ::futures);
futures!(futures_ours, diagnose::futures);

#[test]
fn channels_of_the_futures_crate_do_what_the_originals_do() {
    assert_eq!(futures_own::bounded(), futures_ours::bounded());
    assert_eq!(futures_own::unbounded(), futures_ours::unbounded());
    assert_eq!(futures_own::oneshots(), futures_ours::oneshots());
}

#[test]
fn locks_of_the_futures_crate_do_what_the_originals_do() {
    assert_eq!(futures_own::locks(), futures_ours::locks());
}
