//! The drop-ins of all libraries record owners, holders, waiters and places.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use diagnose::{async_channel, flume, futures, tokio, tokio_util};
use diagnose_channels_tests::{here, look};
use diagnose_drop_ins_tests::{Counting, now, poll_once};
use diagnose_reports::model::{ResourceKind, Role, WaitMode};
use futures::{SinkExt, StreamExt};
use tokio_util::sync::{CancellationToken, PollSemaphore, PollSender};

/// Tests a multi-producer, multi-consumer channel of capacity 1 with the given operations.
macro_rules! many_to_many {
    ($test:ident, $library:literal, $make:expr, $is_fair:literal, |$sender:ident| $send:expr, |$receiver:ident| $recv:expr) => {
        #[test]
        fn $test() {
            diagnose_isolation::isolated!();
            let (made, ($sender, $receiver)) = (here(), $make);
            let (sent, mut first) = (here(), pin!($send));
            assert!(poll_once(first.as_mut()).is_ready());
            assert_eq!(look().waits(made, WaitMode::Send).len(), 0, "what does not wait is not listed");
            let mut second = pin!($send);
            assert!(poll_once(second.as_mut()).is_pending());

            let seen = look();
            let channel = seen.resource(made);
            assert_eq!((channel.kind, channel.library.as_str()), (ResourceKind::Mpmc, $library));
            assert_eq!((channel.capacity, channel.filled, channel.free), (Some(1), 1, 0));
            assert_eq!((channel.is_fair, channel.is_closed), ($is_fair, false));
            let waits = seen.waits(made, WaitMode::Send);
            assert_eq!(waits.len(), 1);
            let place = waits[0].place.as_ref().unwrap();
            // The place is one of the lines of the macro call; which one is unspecified.
            assert!(place.file == sent.0 && (sent.1..sent.1 + 8).contains(&place.line), "{place:?}");

            assert!(now($recv).is_ok());
            assert!(look().waits(made, WaitMode::Send)[0].woken_ns.is_some(), "there is a place");
            assert!(poll_once(second.as_mut()).is_ready());
            assert_eq!((look().resource(made).filled, look().waits(made, WaitMode::Send).len()), (1, 0));

            let (others, more) = ($sender.clone(), $receiver.clone());
            let seen = look();
            assert_eq!(
                (seen.holdings(made, Role::Sends).len(), seen.holdings(made, Role::Receives).len()),
                (2, 2)
            );
            drop((others, more));
            assert!(now($recv).is_ok());
            {
                let mut third = pin!($recv);
                assert!(poll_once(third.as_mut()).is_pending());
                let seen = look();
                assert_eq!((seen.waits(made, WaitMode::Receive).len(), seen.resource(made).filled), (1, 0));
            }
            assert_eq!(look().waits(made, WaitMode::Receive).len(), 0, "it was given up");
        }
    };
}
many_to_many!(an_async_channel, "async-channel", async_channel::bounded(1), false, |tx| tx.send(1), |rx| rx
    .recv());
many_to_many!(a_flume, "flume", flume::bounded(1), true, |tx| tx.send_async(1), |rx| rx.recv_async());

#[test]
fn a_stream_and_a_sink_wait_where_their_channel_was_made_and_nowhere_else() {
    diagnose_isolation::isolated!();
    let (made, (tx, rx)) = (here(), flume::bounded(1));
    let (mut sink, mut stream) = (tx.into_sink(), rx.into_stream());
    now(sink.send(1)).unwrap();
    let mut second = Box::pin(sink.send(2));
    assert!(poll_once(second.as_mut()).is_pending());
    assert_eq!(look().waiting(WaitMode::Send, made).len(), 1);
    assert_eq!(now(stream.next()), Some(1));
    assert!(poll_once(second.as_mut()).is_ready());
    drop(second);
    assert_eq!(now(stream.next()), Some(2));
    assert_eq!(look().resource(made).filled, 0);
    assert!(poll_once(pin!(stream.next())).is_pending());
    assert_eq!(
        look().waiting(WaitMode::Receive, made).len(),
        1,
        "a stream does not tell that it is given up"
    );
    drop(stream);
    assert_eq!(look().waits(made, WaitMode::Receive).len(), 0);
}

#[test]
fn closed_channels_and_dropped_ends_are_recorded() {
    diagnose_isolation::isolated!();
    let (made, (tx, rx)) = (here(), async_channel::bounded(2));
    assert_eq!(now(tx.send(1)), Ok(()));
    assert_eq!(tx.force_send(2), Ok(None));
    assert_eq!(tx.force_send(3), Ok(Some(1)));
    assert_eq!(look().resource(made).filled, 2, "the oldest was replaced");
    assert!(tx.close());
    assert!(look().resource(made).is_closed);
    assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(2), Ok(3)));
    let weak = tx.downgrade();
    drop((tx, rx));
    assert_eq!(look().holdings(made, Role::Uses).len(), 1, "a weak sender has a part in it");
    drop(weak);
    assert!(look().made(made).is_none(), "it is gone");

    let (made, (tx, _rx)) = (here(), async_channel::unbounded::<u8>());
    let own: ::async_channel::Sender<u8> = tx.into_inner();
    let lost = look().holdings(made, Role::Sends)[0].task;
    assert_eq!((lost, own.sender_count()), (None, 1), "nobody knows who has it");
}

#[test]
fn a_thread_that_blocks_is_seen() {
    diagnose_isolation::isolated!();
    let (made, (tx, rx)) = (here(), flume::bounded(1));
    tx.send(1).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| tx.send(2).unwrap());
        while look().waits(made, WaitMode::Send).is_empty() {
            std::thread::yield_now();
        }
        assert!(look().waits(made, WaitMode::Send)[0].thread_id.is_some() || cfg!(not(target_os = "linux")));
        assert_eq!((rx.recv(), rx.recv()), (Ok(1), Ok(2)));
    });
    assert_eq!((look().resource(made).filled, look().waits(made, WaitMode::Send).len()), (0, 0));
}

#[test]
fn a_stream_that_is_ready_at_once_uses_its_receiver() {
    diagnose_isolation::isolated!();
    let uses = |made| look().holdings(made, Role::Receives)[0].uses;
    let (made, (mut tx, mut rx)) = (here(), futures::channel::mpsc::channel(1));
    now(tx.send(1)).unwrap();
    assert_eq!((now(rx.next()), uses(made)), (Some(1), 1));
    let (made, (tx, rx)) = (here(), async_channel::bounded(1));
    now(tx.send(1)).unwrap();
    assert_eq!((now(pin!(rx).next()), uses(made)), (Some(1), 1));
    let (made, (tx, rx)) = (here(), flume::bounded(1));
    now(tx.send_async(1)).unwrap();
    assert_eq!((now(rx.stream().next()), uses(made)), (Some(1), 2), "the call and the poll");
}

#[test]
fn an_mpsc_channel_of_the_futures_crate_is_recorded() {
    diagnose_isolation::isolated!();
    let (made, (mut tx, mut rx)) = (here(), futures::channel::mpsc::channel(0));
    let mut sends = Box::pin(tx.send(1));
    assert!(poll_once(sends.as_mut()).is_pending(), "it waits until the message is taken");
    let seen = look();
    let channel = seen.resource(made);
    assert_eq!((channel.kind, channel.library.as_str()), (ResourceKind::Mpsc, "futures"));
    assert_eq!((channel.capacity, channel.filled, seen.waits(made, WaitMode::Send).len()), (Some(0), 1, 1));
    assert_eq!(now(rx.next()), Some(1));
    assert!(look().waits(made, WaitMode::Send)[0].woken_ns.is_some());
    assert!(poll_once(sends.as_mut()).is_ready());
    drop(sends);
    assert!(poll_once(pin!(rx.recv())).is_pending());
    assert_eq!((look().resource(made).filled, look().waits(made, WaitMode::Receive).len()), (0, 1));
    drop(rx);
    assert!(look().resource(made).is_closed);
    tx.disconnect();
    assert!(look().made(made).is_none(), "it is gone");
}

#[test]
fn a_oneshot_channel_of_the_futures_crate_is_recorded() {
    diagnose_isolation::isolated!();
    let (made, (mut tx, rx)) = (here(), futures::channel::oneshot::channel());
    let mut rx = Box::pin(rx);
    assert!(poll_once(rx.as_mut()).is_pending());
    assert!(tx.poll_canceled(&mut Context::from_waker(Waker::noop())).is_pending());
    let seen = look();
    assert_eq!(seen.resource(made).kind, ResourceKind::Oneshot);
    assert_eq!((seen.waits(made, WaitMode::Receive).len(), seen.waits(made, WaitMode::Closed).len()), (1, 1));
    tx.send(1).unwrap();
    let seen = look();
    assert!(seen.waits(made, WaitMode::Receive)[0].woken_ns.is_some());
    assert_eq!((seen.resource(made).filled, seen.waits(made, WaitMode::Closed).len()), (1, 0));
    assert_eq!(now(rx), Ok(1));
    assert!(look().made(made).is_none(), "it is gone");
}

#[test]
fn a_mutex_of_the_futures_crate_is_recorded() {
    diagnose_isolation::isolated!();
    let (made, mutex) = (here(), Arc::new(futures::lock::Mutex::new(0)));
    let (held, guard) = (here(), now(mutex.lock()));
    let mut owned = Box::pin(mutex.clone().lock_owned());
    assert!(poll_once(owned.as_mut()).is_pending());
    let seen = look();
    let lock = seen.resource(made);
    assert_eq!((lock.kind, lock.library.as_str(), lock.free), (ResourceKind::Mutex, "futures", 0));
    let holds = seen.holdings(made, Role::Holds);
    assert_eq!((holds.len(), holds[0].is_movable), (1, false));
    assert_eq!(holds[0].place.as_ref().unwrap().line, held.1);
    assert_eq!(seen.waits(made, WaitMode::Lock).len(), 1);
    drop(futures::lock::MutexGuard::map(guard, |it| it));
    assert!(look().waits(made, WaitMode::Lock)[0].woken_ns.is_some());
    let guard = now(owned);
    assert!(look().holdings(made, Role::Holds)[0].is_movable, "it can go anywhere");
    drop(guard);
    assert!(look().holdings(made, Role::Holds).is_empty());
}

#[test]
fn a_token_and_its_children_are_one_resource() {
    diagnose_isolation::isolated!();
    let (made, token) = (here(), CancellationToken::new());
    let child = token.child_token();
    let mut waits = Box::pin(child.cancelled());
    let mut owned = Box::pin(token.clone().cancelled_owned());
    assert!(poll_once(waits.as_mut()).is_pending());
    assert!(poll_once(owned.as_mut()).is_pending());
    let seen = look();
    assert_eq!(seen.resource(made).kind, ResourceKind::Cancellation);
    assert_eq!(seen.resource(made).library, "tokio-util");
    assert_eq!((seen.waits(made, WaitMode::Notified).len(), seen.holdings(made, Role::Uses).len()), (2, 3));
    token.cancel();
    let seen = look();
    assert!(seen.waits(made, WaitMode::Notified).iter().all(|wait| wait.woken_ns.is_some()));
    let told = seen.resource(made).last_notified.as_ref().unwrap();
    assert_eq!((told.is_broadcast, told.waiters), (true, 2));
    assert!(poll_once(waits.as_mut()).is_ready() && poll_once(owned.as_mut()).is_ready());
    drop((waits, owned));
    drop((child, token));
    assert!(look().made(made).is_none(), "it is gone");
}

#[test]
fn capacity_reserved_by_poll_reserve_is_held() {
    diagnose_isolation::isolated!();
    let mut context = Context::from_waker(Waker::noop());
    let (made, (tx, mut rx)) = (here(), tokio::sync::mpsc::channel(1));
    let (mut first, mut second) = (PollSender::new(tx.clone()), PollSender::new(tx));
    assert!(first.poll_reserve(&mut context).is_ready());
    assert!(second.poll_reserve(&mut context).is_pending());
    let seen = look();
    assert_eq!((seen.holdings(made, Role::Holds).len(), seen.waits(made, WaitMode::Send).len()), (1, 1));
    first.send_item(1).unwrap();
    assert_eq!((look().holdings(made, Role::Holds).len(), look().resource(made).filled), (0, 1));
    assert_eq!(rx.try_recv(), Ok(1));
    assert!(second.poll_reserve(&mut context).is_ready());
    let seen = look();
    assert_eq!((seen.holdings(made, Role::Holds).len(), seen.waits(made, WaitMode::Send).len()), (1, 0));
    assert!(second.abort_send());
    assert_eq!((look().holdings(made, Role::Holds).len(), look().resource(made).free), (0, 1));
}

#[test]
fn permits_of_a_poll_semaphore_are_those_of_its_semaphore() {
    diagnose_isolation::isolated!();
    let mut context = Context::from_waker(Waker::noop());
    let (made, semaphore) = (here(), Arc::new(tokio::sync::Semaphore::new(1)));
    let mut polls = PollSemaphore::new(semaphore);
    let one = polls.poll_acquire(&mut context);
    assert!(one.is_ready());
    let (at, two) = (here(), polls.poll_acquire(&mut context));
    assert!(two.is_pending());
    let seen = look();
    assert_eq!(seen.holdings(made, Role::Holds).len(), 1);
    assert_eq!(seen.waiting(WaitMode::Acquire, at).len(), 1, "at the program's own line");
    drop(one);
    assert!(polls.poll_acquire(&mut context).is_ready());
}

#[test]
fn recording_polls_nothing_twice() {
    diagnose_isolation::isolated!();
    let (counting, token) = (Counting::default(), CancellationToken::new());
    let mut runs = Box::pin(token.run_until_cancelled(&counting));
    for polls in 1..4 {
        assert!(poll_once(runs.as_mut()).is_pending());
        assert_eq!(counting.0.get(), polls);
    }
    token.cancel();
    assert!(poll_once(runs.as_mut()).is_ready());
    assert_eq!(counting.0.get(), 4, "what it runs comes first");
}

#[test]
fn an_original_in_reach_may_be_cloned() {
    diagnose_isolation::isolated!();
    let (made, (tx, rx)) = (here(), flume::bounded::<u8>(1));
    assert_eq!((tx.len(), tx.is_full(), rx.sender_count(), tx.same_channel(&tx)), (0, false, 1, true));
    assert_eq!(look().holdings(made, Role::Sends).len(), 1, "who only looks has made none");
    let own: ::flume::Sender<u8> = (*tx).clone();
    let again = (*tx).clone();
    let seen = look();
    let holdings = seen.holdings(made, Role::Sends);
    assert_eq!(
        (holdings.len(), holdings.iter().filter(|holding| holding.task.is_none()).count()),
        (2, 2),
        "once"
    );
    drop((tx, again));
    assert!(poll_once(pin!(rx.recv_async())).is_pending());
    assert_eq!(look().holdings(made, Role::Sends).len(), 1, "anybody may have it");
    drop(own);
    assert!(now(rx.recv_async()).is_err());

    let (made, token) = (here(), CancellationToken::new());
    assert!(!token.is_cancelled());
    assert_eq!(look().holdings(made, Role::Uses).len(), 1);
    let child = ::tokio_util::sync::CancellationToken::child_token(&token);
    assert_eq!(look().holdings(made, Role::Uses).len(), 2);
    drop((child, token));
}

/// tokio-util keeps the slot of a closed sender for one more message.
#[test]
fn a_message_in_the_slot_of_a_closed_sender_is_counted() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), tokio::sync::mpsc::channel(4));
    let mut sends = PollSender::new(sender);
    let context = &mut Context::from_waker(Waker::noop());
    assert!(sends.poll_reserve(context).is_ready());
    sends.close();
    assert!(sends.is_closed() && sends.get_ref().is_none());
    sends.send_item(7).unwrap();
    let seen = look();
    assert_eq!((seen.resource(made).filled, seen.holdings(made, Role::Sends).len()), (1, 0));
    assert_eq!(now(receiver.recv()), Some(7));
}

#[test]
fn a_clone_of_a_closed_sender_does_not_keep_the_channel_open() {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(4);
    let mut sends = PollSender::new(sender);
    assert!(sends.poll_reserve(&mut Context::from_waker(Waker::noop())).is_ready());
    sends.close();
    let clone = sends.clone();
    sends.send_item(7).unwrap();
    drop(sends);
    assert_eq!((now(receiver.recv()), now(receiver.recv()), clone.is_closed()), (Some(7), None, true));
}

/// The original still has its sender.
#[test]
fn a_sender_that_becomes_the_original_is_with_anyone() {
    diagnose_isolation::isolated!();
    let (made, (sender, _receiver)) = (here(), tokio::sync::mpsc::channel::<u32>(4));
    let original = ::tokio_util::sync::PollSender::from(PollSender::new(sender));
    let seen = look();
    let senders = seen.holdings(made, Role::Sends);
    assert_eq!(senders.len(), 1);
    assert_eq!(senders[0].task, None);
    drop(original);
}
