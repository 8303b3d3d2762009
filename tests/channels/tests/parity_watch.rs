//! `sync::watch` and `sync::broadcast` have every public method of the originals.
//!
//! Kept by hand against tokio 1.54. Each function runs with the original and with the wrapper.

use std::fmt::Debug;

macro_rules! surface {
    ($name:ident, $tokio:path) => {
        mod $name {
            use super::*;
            use library::sync::{broadcast, watch};
            use $tokio as library;

            fn shows(value: &impl Debug) -> String {
                format!("{value:?}").chars().take_while(char::is_ascii_alphabetic).collect()
            }

            pub(super) async fn watched() -> Vec<String> {
                let (tx, mut rx): (watch::Sender<u8>, watch::Receiver<u8>) = watch::channel(1);
                let sent: Result<(), watch::error::SendError<u8>> = tx.send(2);
                let has_changed: Result<bool, watch::error::RecvError> = rx.has_changed();
                let seen = {
                    let seen: watch::Ref<'_, u8> = rx.borrow_and_update();
                    (*seen, seen.has_changed(), format!("{seen:?}").len())
                };
                let again =
                    (*rx.borrow(), rx.borrow().has_changed(), *tx.borrow(), tx.borrow().has_changed());
                tx.send_modify(|value| *value += 1);
                let modified = (
                    tx.send_if_modified(|_| false),
                    tx.send_if_modified(|value| {
                        *value += 1;
                        true
                    }),
                );
                let replaced: u8 = tx.send_replace(9);
                let changed: Result<(), watch::error::RecvError> = rx.changed().await;
                rx.mark_changed();
                let marked = rx.has_changed().unwrap();
                rx.mark_unchanged();
                let unmarked = rx.has_changed().unwrap();
                let waited: u8 = *rx.wait_for(|value| *value == 9).await.unwrap();
                let other: watch::Receiver<u8> = tx.subscribe();
                let counts = (tx.receiver_count(), tx.clone().sender_count(), tx.same_channel(&tx.clone()));
                let flags = (tx.is_closed(), rx.is_closed(), rx.same_channel(&other), shows(&tx), shows(&rx));
                drop((rx.clone(), other));
                let lone = watch::Sender::new(5_u8);
                let alone = (lone.send(6).is_err(), lone.send_replace(7), *lone.borrow(), lone.is_closed());
                lone.closed().await;
                drop(watch::Sender::<u8>::default());
                drop(tx);
                let ended = rx.changed().await.is_err() && rx.wait_for(|_| false).await.is_err();
                let ended = ended && rx.has_changed().is_err();
                vec![
                    format!(
                        "{sent:?} {has_changed:?} {seen:?} {again:?} {modified:?} {replaced} {changed:?}"
                    ),
                    format!("{marked} {unmarked} {waited} {counts:?} {flags:?} {alone:?} {ended:?}"),
                ]
            }

            pub(super) async fn broadcast() -> Vec<String> {
                let (tx, mut rx): (broadcast::Sender<u8>, broadcast::Receiver<u8>) = broadcast::channel(2);
                let sent: Result<usize, broadcast::error::SendError<u8>> = tx.send(1);
                let mut other: broadcast::Receiver<u8> = tx.subscribe();
                drop((tx.send(2), tx.send(3)));
                let lagged: Result<u8, broadcast::error::RecvError> = rx.recv().await;
                let tried: Result<u8, broadcast::error::TryRecvError> = rx.try_recv();
                let counts = (tx.len(), tx.is_empty(), tx.receiver_count(), rx.len(), rx.is_empty());
                let weak: broadcast::WeakSender<u8> = tx.downgrade();
                let weaks =
                    (tx.strong_count(), tx.weak_count(), weak.strong_count(), weak.clone().weak_count());
                let of_receiver = (
                    rx.sender_strong_count(),
                    rx.sender_weak_count(),
                    rx.is_closed(),
                    rx.same_channel(&other),
                );
                let shown = (shows(&tx), shows(&rx), shows(&weak), tx.same_channel(&tx.clone()));
                let up: Option<broadcast::Sender<u8>> = weak.upgrade();
                drop(up);
                let mut late = rx.resubscribe();
                let received = (other.recv().await, other.recv().await, late.try_recv());
                drop((other, late, rx));
                tx.closed().await;
                let lone = broadcast::Sender::<u8>::new(3);
                let alone = (lone.send(4).is_err(), tx.send(5).is_err());
                let mut last = tx.subscribe();
                drop(tx);
                vec![
                    format!("{sent:?} {lagged:?} {tried:?} {counts:?} {weaks:?} {of_receiver:?} {shown:?}"),
                    format!("{received:?} {alone:?} {:?} {:?}", last.recv().await, weak.upgrade().is_none()),
                ]
            }

            pub(super) fn blocking() -> String {
                let (tx, mut rx) = broadcast::channel(2);
                tx.send(1).unwrap();
                format!("{:?}", rx.blocking_recv())
            }
        }
    };
}

surface!(own, ::tokio);
surface!(ours, diagnose::tokio);

#[tokio::test]
async fn watch_channels_do_what_the_originals_do() {
    assert_eq!(ours::watched().await, own::watched().await);
}

#[tokio::test]
async fn broadcast_channels_do_what_the_originals_do() {
    assert_eq!(ours::broadcast().await, own::broadcast().await);
}

#[test]
fn a_blocking_call_does_what_the_original_does() {
    assert_eq!(ours::blocking(), own::blocking());
}
