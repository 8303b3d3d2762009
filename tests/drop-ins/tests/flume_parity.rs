//! Uses every public item of the wrapped part of flume, original and wrapped.
//!
//! Each function runs with original and wrapper. Kept by hand against flume 0.12.

use diagnose_drop_ins_tests::now;

macro_rules! flume {
    ($name:ident, $library:path) => {
        mod $name {
            use std::fmt::Debug;
            use std::time::{Duration, Instant};

            use futures::future::FusedFuture;
            use futures::stream::FusedStream;
            use futures::{SinkExt, StreamExt};
            use library::r#async::{RecvFut, RecvStream, SendFut, SendSink};
            use library::{
                Drain, IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, Selector, SendError,
                SendTimeoutError, Sender, TryIter, TryRecvError, TrySendError, WeakSender,
            };
            use $library as library;

            use super::now;

            fn shown(it: &impl Debug) -> String {
                format!("{it:?}")
            }

            pub(super) fn ends() -> Vec<String> {
                let short = Duration::from_millis(1);
                let (tx, rx): (Sender<u8>, Receiver<u8>) = library::bounded(2);
                let mut seen = vec![shown(&tx), shown(&rx)];
                let sent: Result<(), SendError<u8>> = tx.send(1);
                let tried: [Result<(), TrySendError<u8>>; 2] = [tx.try_send(2), tx.try_send(3)];
                seen.push(shown(&(sent, tried)));
                let late: [Result<(), SendTimeoutError<u8>>; 2] =
                    [tx.send_timeout(4, short), tx.send_deadline(5, Instant::now())];
                seen.push(shown(&late));
                seen.push(shown(&(
                    tx.len(),
                    tx.is_full(),
                    tx.is_empty(),
                    tx.capacity(),
                    tx.is_disconnected(),
                )));
                seen.push(shown(&(
                    rx.len(),
                    rx.is_full(),
                    rx.is_empty(),
                    rx.capacity(),
                    rx.is_disconnected(),
                )));
                seen.push(shown(&(
                    tx.sender_count(),
                    tx.receiver_count(),
                    rx.sender_count(),
                    rx.receiver_count(),
                )));
                let got: (Result<u8, RecvError>, Result<u8, RecvTimeoutError>) =
                    (rx.recv(), rx.recv_timeout(short));
                let none: (Result<u8, TryRecvError>, Result<u8, RecvTimeoutError>) =
                    (rx.try_recv(), rx.recv_deadline(Instant::now()));
                seen.push(shown(&(got, none)));
                seen.push(shown(&(tx.send_timeout(1, Duration::MAX), rx.recv_timeout(Duration::MAX))));
                drop((tx, rx));
                seen
            }

            pub(super) fn futures() -> Vec<String> {
                let (tx, rx) = library::bounded(2);
                let mut seen = Vec::new();
                let send: SendFut<'_, u8> = tx.send_async(6);
                seen.push(shown(&(
                    send.len(),
                    send.capacity(),
                    send.is_full(),
                    send.is_empty(),
                    send.is_disconnected(),
                )));
                seen.push(shown(&(&send, send.is_terminated())));
                seen.push(shown(&now(send)));
                let owned: SendFut<'static, u8> = tx.clone().into_send_async(7);
                seen.push(shown(&now(owned)));
                let recv: RecvFut<'_, u8> = rx.recv_async();
                seen.push(shown(&(
                    recv.len(),
                    recv.capacity(),
                    recv.is_full(),
                    recv.is_empty(),
                    recv.is_disconnected(),
                )));
                seen.push(shown(&(&recv, recv.is_terminated())));
                seen.push(shown(&now(recv)));
                let owned: RecvFut<'static, u8> = rx.clone().into_recv_async();
                seen.push(shown(&now(owned)));
                let mut sink: SendSink<'_, u8> = tx.sink();
                seen.push(shown(&(now(sink.send(8)), now(sink.flush()), sink.len(), sink.capacity())));
                seen.push(shown(&(sink.same_channel(&sink.clone()), sink.is_full(), sink.is_empty(), &sink)));
                seen.push(shown(&(sink.sender().same_channel(&tx), sink.is_disconnected())));
                let mut owned_sink: SendSink<'static, u8> = tx.clone().into_sink();
                seen.push(shown(&(now(owned_sink.send(9)), now(owned_sink.close()))));
                let mut stream: RecvStream<'_, u8> = rx.stream();
                seen.push(shown(&(
                    now(stream.next()),
                    stream.len(),
                    stream.capacity(),
                    stream.is_terminated(),
                )));
                seen.push(shown(&(
                    stream.same_channel(&stream.clone()),
                    stream.is_full(),
                    stream.is_empty(),
                    &stream,
                )));
                let mut owned: RecvStream<'static, u8> = rx.clone().into_stream();
                seen.push(shown(&(now(owned.next()), owned.is_disconnected())));
                seen
            }

            pub(super) fn iterators() -> Vec<String> {
                let (tx, rx) = library::bounded(2);
                let (mut seen, short) = (Vec::new(), Duration::from_millis(1));
                tx.send(10).unwrap();
                tx.send(11).unwrap();
                let mut tries: TryIter<'_, u8> = rx.try_iter();
                seen.push(shown(&(tries.next(), tries.next(), tries.next())));
                tx.send(12).unwrap();
                let mut drain: Drain<'_, u8> = rx.drain();
                seen.push(shown(&(drain.len(), drain.next(), drain.next())));
                let weak: WeakSender<u8> = tx.downgrade();
                seen.push(shown(&(weak.clone().upgrade().is_some(), shown(&weak).len() > 3)));
                seen.push(shown(&(tx.same_channel(&tx.clone()), rx.same_channel(&rx.clone()))));
                tx.send(13).unwrap();
                let selected =
                    Selector::new().recv(&rx, |got| got).send(&tx, 14, |_| Ok(0)).wait_timeout(short);
                seen.push(shown(&selected.is_ok()));
                let _ = rx.drain().count();
                tx.send(15).unwrap();
                drop(tx);
                let mut iter: Iter<'_, u8> = rx.iter();
                seen.push(shown(&(iter.next(), iter.next(), weak.upgrade().is_some())));
                let mut own: IntoIter<u8> = rx.into_iter();
                seen.push(shown(&own.next()));
                let (tx, rx) = library::unbounded();
                tx.send("more").unwrap();
                for message in &rx {
                    seen.push(message.to_owned());
                    break;
                }
                drop(rx);
                seen.push(shown(&(tx.send("late"), tx.try_send("late"), tx.send_timeout("late", short))));
                seen.push(shown(&(now(tx.send_async("late")), tx.capacity())));
                seen
            }
        }
    };
}
flume!(flume_own, ::flume);
flume!(flume_ours, diagnose::flume);

#[test]
fn flume_wrappers_do_what_the_originals_do() {
    assert_eq!(flume_own::ends(), flume_ours::ends());
    assert_eq!(flume_own::futures(), flume_ours::futures());
    assert_eq!(flume_own::iterators(), flume_ours::iterators());
}
