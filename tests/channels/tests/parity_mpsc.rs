//! `sync::mpsc` and `sync::oneshot` have every public method of the originals.
//!
//! Kept by hand against tokio 1.54. Each function runs with the original and with the wrapper.

use std::fmt::Debug;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

macro_rules! surface {
    ($name:ident, $tokio:path) => {
        mod $name {
            use super::*;
            use $tokio as library;
            use library::sync::{mpsc, oneshot};

            fn shows(value: &impl Debug) -> String {
                format!("{value:?}").chars().take_while(char::is_ascii_alphabetic).collect()
            }

            pub(super) async fn bounded() -> Vec<String> {
                let (tx, mut rx): (mpsc::Sender<u8>, mpsc::Receiver<u8>) = mpsc::channel(4);
                let sent: Result<(), mpsc::error::SendError<u8>> = tx.send(1).await;
                let tried: Result<(), mpsc::error::TrySendError<u8>> = tx.try_send(2);
                let timed: Result<(), mpsc::error::SendTimeoutError<u8>> =
                    tx.send_timeout(3, Duration::from_secs(1)).await;
                let counts = (tx.capacity(), tx.max_capacity(), rx.capacity(), rx.max_capacity(), rx.len());
                let flags = (tx.is_closed(), rx.is_closed(), rx.is_empty(), tx.same_channel(&tx.clone()));
                let received: (Option<u8>, Result<u8, mpsc::error::TryRecvError>) = (rx.recv().await, rx.try_recv());
                let mut buffer = Vec::new();
                let many: usize = rx.recv_many(&mut buffer, 9).await;
                let permit: mpsc::Permit<'_, u8> = tx.reserve().await.unwrap();
                let of_permit = shows(&permit);
                permit.send(4);
                drop(tx.try_reserve().unwrap());
                let mut permits: mpsc::PermitIterator<'_, u8> = tx.reserve_many(2).await.unwrap();
                let of_permits = (shows(&permits), permits.size_hint(), permits.len());
                permits.next().unwrap().send(5);
                drop(permits);
                drop(tx.try_reserve_many(3));
                let owned: mpsc::OwnedPermit<u8> = tx.clone().reserve_owned().await.unwrap();
                let same = (owned.same_channel(&owned), owned.same_channel_as_sender(&tx), shows(&owned));
                let again: mpsc::Sender<u8> = owned.send(6);
                let released: mpsc::Sender<u8> = again.try_reserve_owned().unwrap().release();
                let mut context = Context::from_waker(Waker::noop());
                let polled: (Poll<Option<u8>>, Poll<usize>) =
                    (rx.poll_recv(&mut context), rx.poll_recv_many(&mut context, &mut buffer, 9));
                let weak: mpsc::WeakSender<u8> = tx.downgrade();
                let weaks = (tx.strong_count(), tx.weak_count(), weak.strong_count(), weak.clone().weak_count());
                let of_receiver = (rx.sender_strong_count(), rx.sender_weak_count(), shows(&rx), shows(&tx), shows(&weak));
                let up: Option<mpsc::Sender<u8>> = weak.upgrade();
                drop((up, released));
                rx.close();
                tx.closed().await;
                let after = (tx.send(7).await, tx.try_send(8), tx.send_timeout(9, Duration::ZERO).await);
                let errors = (tx.reserve().await.is_err(), tx.try_reserve().is_err(), tx.try_reserve_many(9).is_err());
                vec![
                    format!("{sent:?} {tried:?} {timed:?} {counts:?} {flags:?} {received:?} {many} {buffer:?}"),
                    format!("{of_permit} {of_permits:?} {same:?} {polled:?} {weaks:?} {of_receiver:?} {after:?} {errors:?}"),
                    format!("{:?} {:?}", rx.recv().await, tx.try_reserve_owned().map(|_| ())),
                ]
            }

            pub(super) fn blocking() -> Vec<String> {
                let (tx, mut rx) = mpsc::channel(2);
                let sent = (tx.blocking_send(1), tx.blocking_send(2));
                let first = rx.blocking_recv();
                let mut buffer = Vec::new();
                let many = rx.blocking_recv_many(&mut buffer, 9);
                let (unbounded, mut receiver) = mpsc::unbounded_channel();
                unbounded.send(3).unwrap();
                unbounded.send(4).unwrap();
                let second = (receiver.blocking_recv(), receiver.blocking_recv_many(&mut buffer, 9));
                let (single, one) = oneshot::channel();
                single.send(5).unwrap();
                vec![format!("{sent:?} {first:?} {many} {second:?} {buffer:?} {:?}", one.blocking_recv())]
            }

            pub(super) async fn unbounded() -> Vec<String> {
                let (tx, mut rx): (mpsc::UnboundedSender<u8>, mpsc::UnboundedReceiver<u8>) = mpsc::unbounded_channel();
                let sent: Result<(), mpsc::error::SendError<u8>> = tx.send(1);
                let _ = (tx.send(2), tx.send(3), tx.send(4), tx.send(5));
                let flags = (tx.is_closed(), rx.is_closed(), rx.is_empty(), rx.len(), tx.same_channel(&tx.clone()));
                let received = (rx.recv().await, rx.try_recv());
                let mut context = Context::from_waker(Waker::noop());
                let mut buffer = Vec::new();
                let polled = (rx.poll_recv(&mut context), rx.poll_recv_many(&mut context, &mut buffer, 1));
                let many = rx.recv_many(&mut buffer, 2).await;
                let weak: mpsc::WeakUnboundedSender<u8> = tx.downgrade();
                let weaks = (tx.strong_count(), tx.weak_count(), weak.strong_count(), weak.clone().weak_count());
                let counts = (rx.sender_strong_count(), rx.sender_weak_count(), shows(&tx), shows(&rx), shows(&weak));
                let up: Option<mpsc::UnboundedSender<u8>> = weak.upgrade();
                drop(up);
                rx.close();
                tx.closed().await;
                let after = (tx.send(6), rx.try_recv(), rx.recv().await, rx.recv_many(&mut buffer, 1).await);
                vec![
                    format!("{sent:?} {flags:?} {received:?} {polled:?} {many} {buffer:?}"),
                    format!("{weaks:?} {counts:?} {after:?}"),
                ]
            }

            pub(super) async fn single() -> Vec<String> {
                let (mut tx, mut rx): (oneshot::Sender<u8>, oneshot::Receiver<u8>) = oneshot::channel();
                let mut context = Context::from_waker(Waker::noop());
                let flags = (tx.is_closed(), tx.poll_closed(&mut context), rx.is_empty(), rx.is_terminated());
                let tried: Result<u8, oneshot::error::TryRecvError> = rx.try_recv();
                let shown = (shows(&tx), shows(&rx));
                let sent: Result<(), u8> = tx.send(1);
                let received: Result<u8, oneshot::error::RecvError> = (&mut rx).await;
                let (mut other, mut closed) = oneshot::channel::<u8>();
                closed.close();
                other.closed().await;
                let after = (other.is_closed(), other.send(2), closed.try_recv(), closed.is_terminated());
                vec![format!("{flags:?} {tried:?} {shown:?} {sent:?} {received:?} {after:?} {}", rx.is_terminated())]
            }
        }
    };
}

surface!(own, ::tokio);
surface!(ours, diagnose::tokio);

#[tokio::test]
async fn bounded_channels_do_what_the_originals_do() {
    assert_eq!(ours::bounded().await, own::bounded().await);
}

#[tokio::test]
async fn unbounded_channels_do_what_the_originals_do() {
    assert_eq!(ours::unbounded().await, own::unbounded().await);
}

#[tokio::test]
async fn oneshot_channels_do_what_the_originals_do() {
    assert_eq!(ours::single().await, own::single().await);
}

#[test]
fn blocking_calls_do_what_the_originals_do() {
    assert_eq!(ours::blocking(), own::blocking());
}
