//! Programs that look stuck and go on: on channels, locks and tokens of other crates.

use std::sync::{Arc, Mutex as StdMutex};
use std::thread;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{async_channel, flume, futures, tokio, tokio_util};
use crate::row::{Section, row};
use futures::channel::{mpsc, oneshot};
use futures::lock::{Mutex, OwnedMutexGuard};
use futures::{SinkExt as _, StreamExt as _};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, PollSender};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("crates_controls.rs"),
    rows: &[
        row!("Y50", reply_by_flume, "a reply from an older thread, by flume").healthy(),
        row!("Y51", pool_of_an_async_channel, "a full queue, whose readers are tasks of tokio's own")
            .healthy(),
        row!("Y52", cancelled_by_a_raw_task, "a token moves into a task that tokio itself spawns").healthy(),
        row!(
            "Y53",
            parent_in_a_static,
            "a child's token, and the parent's in a static that a thread empties"
        )
        .healthy(),
        row!("Y54", oneshots_in_a_map, "replies of futures are matched in a map").healthy(),
        row!("Y55", sink_of_an_older_thread, "a channel of futures, read by an older thread").healthy(),
        row!("Y56", guard_of_futures_in_an_option, "an owned guard of futures in an Option behind an Arc"),
        row!("Y57", original_by_deref, "a sender is cloned by deref, and the wrapper is dropped").healthy(),
        row!("Y58", place_reserved_elsewhere, "a PollSender with a place moves to an older task").healthy(),
        row!("Y59", selected_by_a_thread, "a thread selects over receivers, slowly").healthy(),
        row!(
            "Y60",
            weak_sender_upgrades_later,
            "the only sender is weak, and with a task that is not on record"
        )
        .healthy(),
        row!("Y61", drop_guard_in_a_thread, "the drop guard of a token is with a thread").healthy(),
        row!(
            "Y62",
            sender_of_both_kinds,
            "a sender of flume moves through an async-channel without a record"
        )
        .healthy(),
        row!(
            "Y63",
            closed_by_an_older_thread,
            "the receiver of an async-channel is with a thread, which closes it"
        )
        .healthy(),
        row!(
            "Y230",
            read_after_it_was_closed,
            "futures: a sender closes the channel beside one that waits, and the receiver reads later"
        )
        .healthy(),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

async fn reply_by_flume() {
    let (ask, asked) = flume::unbounded::<flume::Sender<u32>>();
    thread::spawn(move || {
        for reply in asked {
            thread::sleep(ms(LONG));
            let _ = reply.send(1);
        }
    });
    sleep(ms(60)).await;
    let (reply, replied) = flume::bounded(1);
    ask.send_async(reply).await.unwrap();
    replied.recv_async().await.unwrap();
}

async fn pool_of_an_async_channel() {
    let (jobs, todo) = async_channel::bounded::<u32>(1);
    for _ in 0..2 {
        let todo = todo.clone();
        ::tokio::spawn(async move {
            while todo.recv().await.is_ok() {
                ::tokio::time::sleep(ms(LONG / 2)).await;
            }
        });
    }
    drop(todo);
    for job in 0..6 {
        jobs.send(job).await.unwrap();
    }
}

async fn cancelled_by_a_raw_task() {
    let token = CancellationToken::new();
    let theirs = token.clone();
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        theirs.cancel();
    });
    token.cancelled().await;
}

async fn parent_in_a_static() {
    static PARENT: StdMutex<Option<CancellationToken>> = StdMutex::new(None);
    thread::spawn(|| {
        thread::sleep(ms(LONG));
        PARENT.lock().unwrap().take().unwrap().cancel();
    });
    sleep(ms(60)).await;
    let parent = CancellationToken::new();
    let child = parent.child_token();
    *PARENT.lock().unwrap() = Some(parent);
    child.cancelled_owned().await;
}

async fn oneshots_in_a_map() {
    let pending = Arc::new(StdMutex::new(std::collections::HashMap::new()));
    let theirs = Arc::clone(&pending);
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        let reply: oneshot::Sender<u32> = theirs.lock().unwrap().remove(&7).unwrap();
        reply.send(49).unwrap();
    });
    sleep(ms(20)).await;
    let (reply, replied) = oneshot::channel();
    pending.lock().unwrap().insert(7, reply);
    replied.await.unwrap();
}

async fn sink_of_an_older_thread() {
    let (hand_over, handed) = std::sync::mpsc::channel::<mpsc::Receiver<u32>>();
    let writer = thread::spawn(move || {
        let lines = handed.recv().unwrap();
        thread::sleep(ms(LONG));
        futures::executor::block_on(lines.for_each(|_| async {}));
    });
    sleep(ms(60)).await;
    let (mut line, lines) = mpsc::channel(0);
    hand_over.send(lines).unwrap();
    for number in 0..3 {
        line.send(number).await.unwrap();
    }
    drop(line);
    tokio::task::spawn_blocking(|| writer.join().unwrap()).await.unwrap();
}

async fn guard_of_futures_in_an_option() {
    let parked = Arc::new(StdMutex::new(None::<OwnedMutexGuard<u32>>));
    let theirs = Arc::clone(&parked);
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        drop(theirs.lock().unwrap().take());
    });
    sleep(ms(20)).await;
    let ledger = Arc::new(Mutex::new(0));
    let guard = Arc::clone(&ledger).lock_owned().await;
    *parked.lock().unwrap() = Some(guard);
    drop(ledger.lock().await);
}

async fn original_by_deref() {
    let (sender, receiver) = flume::bounded::<u32>(1);
    let own: ::flume::Sender<u32> = (*sender).clone();
    drop(sender);
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        own.send(1).unwrap();
    });
    receiver.recv_async().await.unwrap();
}

async fn place_reserved_elsewhere() {
    let (give, take) = async_channel::bounded::<PollSender<u32>>(1);
    let lets_go = async move {
        let mut reserved = take.recv().await.unwrap();
        sleep(ms(LONG)).await;
        reserved.abort_send();
    };
    tokio::spawn(lets_go.diagnose("lets go"));
    let (lines, mut inbox) = tokio::sync::mpsc::channel(1);
    let mut reserved = PollSender::new(lines.clone());
    std::future::poll_fn(|context| reserved.poll_reserve(context)).await.unwrap();
    give.send(reserved).await.unwrap();
    lines.send(2).await.unwrap();
    inbox.recv().await.unwrap();
}

async fn selected_by_a_thread() {
    let (left, from_left) = flume::bounded::<u32>(1);
    let (right, from_right) = flume::bounded::<u32>(1);
    thread::spawn(move || {
        for _ in 0..4 {
            thread::sleep(ms(LONG / 3));
            flume::Selector::new().recv(&from_left, drop).recv(&from_right, drop).wait();
        }
    });
    for number in 0..2 {
        left.send_async(number).await.unwrap();
        right.send_async(number).await.unwrap();
    }
}

async fn weak_sender_upgrades_later() {
    let (sender, receiver) = async_channel::bounded::<u32>(1);
    let (weak, keeps) = (sender.downgrade(), sender.clone());
    drop(sender);
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(LONG)).await;
        weak.upgrade().unwrap().send(1).await.unwrap();
        drop(keeps);
    });
    receiver.recv().await.unwrap();
}

async fn drop_guard_in_a_thread() {
    let token = CancellationToken::new();
    let guard = token.clone().drop_guard();
    thread::spawn(move || {
        thread::sleep(ms(LONG));
        drop(guard);
    });
    token.run_until_cancelled(std::future::pending::<()>()).await;
}

async fn sender_of_both_kinds() {
    let (give, take) = ::async_channel::unbounded::<flume::Sender<u32>>();
    let answers = async move {
        let sender = take.recv().await.unwrap();
        sleep(ms(LONG)).await;
        sender.send_async(2).await.unwrap();
    };
    tokio::spawn(answers.diagnose("answers"));
    sleep(ms(20)).await;
    let (sender, inbox) = flume::bounded(2);
    sender.send_async(1).await.unwrap();
    inbox.recv_async().await.unwrap();
    give.send(sender).await.unwrap();
    inbox.recv_async().await.unwrap();
}

async fn closed_by_an_older_thread() {
    let (hand_over, handed) = std::sync::mpsc::channel::<async_channel::Receiver<u32>>();
    thread::spawn(move || {
        let receiver = handed.recv().unwrap();
        thread::sleep(ms(LONG));
        receiver.close();
    });
    sleep(ms(60)).await;
    let (sender, receiver) = async_channel::bounded(1);
    hand_over.send(receiver).unwrap();
    sender.send(1).await.unwrap();
    assert!(sender.send(2).await.is_err());
}

async fn read_after_it_was_closed() {
    let (mut closes, mut rows) = mpsc::channel::<u32>(0);
    let mut sender = closes.clone();
    let reads = async move {
        sleep(ms(LONG)).await;
        while rows.next().await.is_some() {}
    };
    tokio::spawn(reads.diagnose("reads"));
    let sends = async move { while sender.send(1).await.is_ok() {} };
    let sends = tokio::spawn(sends.diagnose("sends"));
    sleep(ms(50)).await;
    closes.close_channel();
    sends.await.unwrap();
}
