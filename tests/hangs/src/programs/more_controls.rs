//! More programs that go on: what they wait for has moved, comes late, or comes again and again.

use std::pin::pin;
use std::sync::Arc;
use std::thread;

use diagnose::FutureExt as _;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, row};
use tokio::sync::{Barrier, Mutex, Notify, Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("more_controls.rs"),
    rows: &[
        row!("Y01", guard_moves_to_a_task, "an owned guard moves into a task that sleeps").healthy(),
        row!("Y02", guard_moves_to_a_thread, "an owned guard moves to a thread that sleeps").healthy(),
        row!("Y03", guard_moves_by_async_lock, "async-lock: an owned guard moves into a task that sleeps")
            .healthy(),
        row!("Y04", permit_in_a_message, "an owned permit is sent to a task that is slow").healthy(),
        row!("Y05", slow_reply, "an actor takes its time to reply").healthy(),
        row!("Y06", sender_moves_to_a_task, "the sender of a oneshot moves into a task that sleeps")
            .healthy(),
        row!("Y07", pinned_receiver, "select! in a loop over the same oneshot and an interval").healthy(),
        row!("Y08", swaps_for_ever, "two tasks send each other messages without end").goes_on().keeps_busy(),
        row!("Y09", slow_join_set, "a JoinSet of slow tasks").healthy(),
        row!("Y10", timeout_around, "a timeout around two arms that lock in opposite order").healthy(),
        row!("Y11", late_at_the_barrier, "the third at a barrier comes late").healthy(),
        row!("Y12", refilled, "permits are added by a task, late").healthy(),
        row!("Y13", idle_children, "a FuturesUnordered with one busy child among many that wait").healthy(),
        row!("Y14", notified_late, "notify_waiters() comes late, and then notify_one() early").healthy(),
        row!("Y15", watched, "changes of a watch that come every 300 ms").healthy(),
    ],
};

async fn guard_moves_to_a_task() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    let keeps = async move {
        sleep(ms(600)).await;
        drop(guard);
    };
    tokio::spawn(keeps.diagnose("keeps"));
    drop(lock.lock().await);
}

async fn guard_moves_to_a_thread() {
    let lock = Arc::new(Mutex::new(()));
    let guard = Arc::clone(&lock).lock_owned().await;
    thread::spawn(move || {
        thread::sleep(ms(600));
        drop(guard);
    });
    drop(lock.lock().await);
}

async fn guard_moves_by_async_lock() {
    let lock = Arc::new(async_lock::Mutex::new(()));
    let guard = lock.lock_arc().await;
    let keeps = async move {
        sleep(ms(600)).await;
        drop(guard);
    };
    tokio::spawn(keeps.diagnose("keeps"));
    drop(lock.lock().await);
}

async fn permit_in_a_message() {
    let connections = Arc::new(Semaphore::new(1));
    let (sender, mut jobs) = mpsc::channel(4);
    let worker = async move {
        while let Some(permit) = jobs.recv().await {
            sleep(ms(300)).await;
            drop(permit);
        }
    };
    let worker = tokio::spawn(worker.diagnose("worker"));
    for _ in 0..3 {
        let permit = Arc::clone(&connections).acquire_owned().await.unwrap();
        sender.send(permit).await.unwrap();
    }
    drop(sender);
    worker.await.unwrap();
}

async fn slow_reply() {
    let (requests, mut mailbox) = mpsc::channel::<oneshot::Sender<u32>>(4);
    let actor = async move {
        let mut count = 0;
        while let Some(reply) = mailbox.recv().await {
            sleep(ms(350)).await;
            count += 1;
            reply.send(count).unwrap();
        }
    };
    tokio::spawn(actor.diagnose("actor"));
    for expected in 1..=2 {
        let (reply, answer) = oneshot::channel();
        requests.send(reply).await.unwrap();
        assert_eq!(answer.await.unwrap(), expected);
    }
}

async fn sender_moves_to_a_task() {
    let (sender, receiver) = oneshot::channel();
    let sends = async move {
        sleep(ms(700)).await;
        sender.send(7).unwrap();
    };
    tokio::spawn(sends.diagnose("sends"));
    assert_eq!(receiver.await.unwrap(), 7);
}

async fn pinned_receiver() {
    let (sender, receiver) = oneshot::channel();
    let sends = async move {
        sleep(ms(700)).await;
        sender.send(()).unwrap();
    };
    tokio::spawn(sends.diagnose("sends"));
    let mut interval = interval(ms(15));
    let mut receiver = pin!(receiver);
    loop {
        tokio::select! {
            received = &mut receiver => break received.unwrap(),
            _ = interval.tick() => {}
        }
    }
}

async fn swaps_for_ever() {
    async fn swap(mut inbox: mpsc::Receiver<u64>, peer: mpsc::Sender<u64>) {
        while let Some(number) = inbox.recv().await {
            peer.send(number + 1).await.unwrap();
        }
    }
    let (to_one, inbox_of_one) = mpsc::channel(1);
    let (to_two, inbox_of_two) = mpsc::channel(1);
    to_one.send(0).await.unwrap();
    let one = tokio::spawn(swap(inbox_of_one, to_two).diagnose("one"));
    let two = tokio::spawn(swap(inbox_of_two, to_one).diagnose("two"));
    one.await.unwrap();
    two.await.unwrap();
}

async fn slow_join_set() {
    let mut tasks = JoinSet::new();
    for number in 1..8 {
        let slow = async move {
            sleep(ms(100 * number)).await;
            number
        };
        tasks.spawn(slow.diagnose("slow"));
    }
    let mut sum = 0;
    while let Some(number) = tasks.join_next().await {
        sum += number.unwrap();
    }
    assert_eq!(sum, 28);
}

async fn timeout_around() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    let one = async {
        let _a = a.lock().await;
        sleep(ms(20)).await;
        let _b = b.lock().await;
    };
    let other = async {
        let _b = b.lock().await;
        sleep(ms(20)).await;
        let _a = a.lock().await;
    };
    let both = async { tokio::join!(one.diagnose("one"), other.diagnose("other")) };
    timeout(ms(700), both).await.unwrap_err();
}

async fn late_at_the_barrier() {
    let barrier = Arc::new(Barrier::new(3));
    let mut tasks = JoinSet::new();
    for delay in [0, 0, 700] {
        let barrier = Arc::clone(&barrier);
        let arrives = async move {
            sleep(ms(delay)).await;
            barrier.wait().await;
        };
        tasks.spawn(arrives.diagnose("arrives"));
    }
    while tasks.join_next().await.is_some() {}
}

async fn refilled() {
    let permits = Arc::new(Semaphore::new(0));
    let refilled = Arc::clone(&permits);
    let refills = async move {
        for _ in 0..3 {
            sleep(ms(250)).await;
            refilled.add_permits(1);
        }
    };
    tokio::spawn(refills.diagnose("refills"));
    for _ in 0..3 {
        permits.acquire().await.unwrap().forget();
    }
}

async fn idle_children() {
    let semaphore = Arc::new(Semaphore::new(1));
    let mut tasks = FuturesUnordered::new();
    for _ in 0..15 {
        let semaphore = Arc::clone(&semaphore);
        let work = async move {
            let _permit = semaphore.acquire().await.unwrap();
            sleep(ms(40)).await;
        };
        tasks.push(work.diagnose("work"));
    }
    while tasks.next().await.is_some() {}
}

async fn notified_late() {
    let notify = Arc::new(Notify::new());
    let notified = Arc::clone(&notify);
    let tells = async move {
        sleep(ms(600)).await;
        notified.notify_waiters();
        notified.notify_one();
    };
    tokio::spawn(tells.diagnose("tells"));
    notify.notified().await;
    sleep(ms(100)).await;
    notify.notified().await;
}

async fn watched() {
    let (sender, mut receiver) = watch::channel(0);
    let changes = async move {
        for value in 1..=3 {
            sleep(ms(300)).await;
            sender.send_replace(value);
        }
    };
    tokio::spawn(changes.diagnose("changes"));
    while receiver.changed().await.is_ok() {}
    assert_eq!(*receiver.borrow(), 3);
}
