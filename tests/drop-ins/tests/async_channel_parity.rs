//! Uses every public item of the wrapped part of async-channel, original and wrapped.
//!
//! Each function runs with original and wrapper. Kept by hand against async-channel 2.5.

use diagnose_drop_ins_tests::now;

macro_rules! async_channel {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::Debug;

            use futures::stream::FusedStream;
            use futures::{Stream, StreamExt};
            use library::{
                Closed, Receiver, Recv, RecvError, Send, SendError, Sender, TryRecvError, TrySendError,
                WeakReceiver, WeakSender,
            };
            use $library as library;

            use super::now;

            fn shown(it: &impl Debug) -> String {
                format!("{it:?}")
            }

            pub(super) fn all() -> Vec<String> {
                let (tx, rx): (Sender<u8>, Receiver<u8>) = library::bounded(2);
                let mut seen = vec![shown(&tx), shown(&rx)];
                let send: Send<'_, u8> = tx.send(1);
                seen.push(shown(&now(send)));
                let tried: [Result<(), TrySendError<u8>>; 2] = [tx.try_send(2), tx.try_send(3)];
                seen.push(shown(&tried));
                seen.push(shown(&(tx.len(), tx.is_full(), tx.is_empty(), tx.capacity(), tx.is_closed())));
                seen.push(shown(&(rx.len(), rx.is_full(), rx.is_empty(), rx.capacity(), rx.is_closed())));
                seen.push(shown(&(tx.sender_count(), tx.receiver_count(), rx.sender_count())));
                let forced: Result<Option<u8>, SendError<u8>> = tx.force_send(4);
                seen.push(shown(&forced));
                let recv: Recv<'_, u8> = rx.recv();
                seen.push(shown(&now(recv)));
                let tried: [Result<u8, TryRecvError>; 2] = [rx.try_recv(), rx.try_recv()];
                seen.push(shown(&tried));
                seen.push(shown(&(tx.send_blocking(5), rx.recv_blocking())));
                let (weak_tx, weak_rx): (WeakSender<u8>, WeakReceiver<u8>) = (tx.downgrade(), rx.downgrade());
                seen.push(shown(&(weak_tx.clone().upgrade().is_some(), weak_rx.clone().upgrade().is_some())));
                seen.push(shown(&(shown(&weak_tx).len() > 3, shown(&weak_rx).len() > 3)));
                seen.push(shown(&(tx.same_channel(&tx.clone()), rx.same_channel(&rx.clone()))));
                let mut stream = Box::pin(rx.clone());
                now(tx.send(6)).unwrap();
                seen.push(shown(&(now(stream.next()), stream.size_hint(), stream.is_terminated())));
                let other = tx.clone();
                let closed: Closed<'_, u8> = other.closed();
                seen.push(shown(&(tx.close(), rx.close())));
                now(closed);
                let gone: Result<u8, RecvError> = now(rx.recv());
                seen.push(shown(&(gone, now(stream.next()), tx.try_send(7), now(tx.send(8)))));
                let blocking: (Result<(), SendError<u8>>, Result<u8, RecvError>) =
                    (tx.send_blocking(9), rx.recv_blocking());
                seen.push(shown(&(blocking, tx.force_send(9), weak_tx.upgrade().is_some())));
                let (tx, rx) = library::unbounded();
                now(tx.send("more")).unwrap();
                drop(tx);
                seen.push(shown(&(now(rx.recv()), now(rx.recv()), rx.capacity())));
                seen
            }
        }
    };
}
async_channel!(async_channel_own, ::async_channel);
async_channel!(async_channel_ours, diagnose::async_channel);
async_channel!(smol_ours, diagnose::smol::channel);

#[test]
fn async_channel_wrappers_do_what_the_originals_do() {
    let own = async_channel_own::all();
    assert_eq!(own, async_channel_ours::all());
    assert_eq!(own, smol_ours::all());
}
