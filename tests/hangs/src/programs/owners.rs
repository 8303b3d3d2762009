//! Who has what several could have: what lies in a message, or went into a task, is not with its
//! maker.

use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, Notify, broadcast, mpsc, oneshot, watch};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("owners.rs"),
    rows: &[
        // As in kameo#87 and protoactor-dotnet#1094.
        row!("X19", actors_ask_each_other, "two actors ask each other, and await the replies")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X20", actors_in_a_ring, "three actors, each of which asks the next")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X21", actors_log_first, "two actors ask each other, each after a line for a log")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        // The idiom of mini-redis, as in datafusion-ballista#151 and mintlayer-core#856.
        row!("X22", shutdown_sender_in_a_task, "a task keeps the sender that main waits for to be dropped")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X23", shutdown_sender_in_one_of_three, "one of three tasks never drops its shutdown sender")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X24", receiver_in_a_task, "a receiver is with a task that waits for a lock of the sender")
            .is(likely("cycle"))
            .or(proven("cycle"))
            .in_noise(suspect("cycle")),
        row!("X25", stopped_actor, "a request lies unread with an actor that has stopped reading")
            .is(likely("cycle"))
            .or(likely("starved"))
            .in_noise(suspect("cycle")),
        row!("X26", reply_never_sent, "an actor puts a reply's sender aside and reads on")
            .is(likely("leak"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        // As in kameo#84.
        row!("X27", mailbox_full_at_start, "a mailbox is filled before its actor has started")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!("X28", watch_of_a_stuck_task, "the only sender of a watch is with a task that waits for main")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X29",
            broadcast_of_a_stuck_task,
            "a task that waits for main has the only sender of a broadcast"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!("X30", notifier_needs_the_lock, "a task awaits a notification under a lock its notifier wants")
            .is(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X31",
            notifier_needs_the_lock_later,
            "a task awaits a second notification under a lock its notifier wants"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!("Y45", asks_in_turn, "an actor asks another, which takes its time"),
        row!("Y46", shutdown_sender_in_a_slow_task, "a slow task drops its shutdown sender late"),
        row!("Y47", notified_under_a_lock, "a slow notifier does not need the lock that the waiter holds"),
    ],
};

/// So long the controls look stuck.
const LONG: u64 = 1_500;

struct Ask {
    reply: oneshot::Sender<u32>,
}

async fn actors_ask_each_other() {
    let (to_a, mut mailbox_of_a) = mpsc::channel::<Ask>(8);
    let (to_b, mut mailbox_of_b) = mpsc::channel::<Ask>(8);
    let (ask_b, ask_a) = (to_b.clone(), to_a.clone());
    let a = async move {
        let request = mailbox_of_a.recv().await.unwrap();
        sleep(ms(50)).await;
        let (reply, answer) = oneshot::channel();
        ask_b.send(Ask { reply }).await.ok().unwrap();
        let answer = answer.await.unwrap(); // waits, shown
        request.reply.send(answer).unwrap();
    };
    let b = async move {
        let request = mailbox_of_b.recv().await.unwrap();
        sleep(ms(50)).await;
        let (reply, answer) = oneshot::channel();
        ask_a.send(Ask { reply }).await.ok().unwrap();
        let answer = answer.await.unwrap(); // waits, shown
        request.reply.send(answer).unwrap();
    };
    tokio::spawn(a.diagnose("a"));
    tokio::spawn(b.diagnose("b"));
    let ((reply_of_a, from_a), (reply_of_b, from_b)) = (oneshot::channel(), oneshot::channel());
    to_a.send(Ask { reply: reply_of_a }).await.ok().unwrap();
    to_b.send(Ask { reply: reply_of_b }).await.ok().unwrap();
    from_a.await.unwrap();
    from_b.await.unwrap();
}

async fn actors_in_a_ring() {
    #[diagnose]
    async fn actor(mut mailbox: mpsc::Receiver<Ask>, next: mpsc::Sender<Ask>) {
        while let Some(request) = mailbox.recv().await {
            let (reply, answer) = oneshot::channel();
            next.send(Ask { reply }).await.ok().unwrap();
            let answer = answer.await.unwrap(); // waits, shown
            request.reply.send(answer).unwrap();
        }
    }
    let (to_a, mailbox_of_a) = mpsc::channel(8);
    let (to_b, mailbox_of_b) = mpsc::channel(8);
    let (to_c, mailbox_of_c) = mpsc::channel(8);
    tokio::spawn(actor(mailbox_of_a, to_b));
    tokio::spawn(actor(mailbox_of_b, to_c));
    tokio::spawn(actor(mailbox_of_c, to_a.clone()));
    let (reply, answer) = oneshot::channel();
    to_a.send(Ask { reply }).await.ok().unwrap();
    answer.await.unwrap();
}

async fn actors_log_first() {
    let (log, mut lines) = mpsc::channel::<String>(64);
    let logs = async move { while lines.recv().await.is_some() {} };
    tokio::spawn(logs.diagnose("logs"));
    let (to_a, mut mailbox_of_a) = mpsc::channel::<Ask>(8);
    let (to_b, mut mailbox_of_b) = mpsc::channel::<Ask>(8);
    let (ask_b, ask_a, log_of_b) = (to_b.clone(), to_a.clone(), log.clone());
    let a = async move {
        let request = mailbox_of_a.recv().await.unwrap();
        sleep(ms(50)).await;
        let (reply, answer) = oneshot::channel();
        log.send("a asks b".to_owned()).await.unwrap();
        ask_b.send(Ask { reply }).await.ok().unwrap();
        let answer = answer.await.unwrap(); // waits, shown
        request.reply.send(answer).unwrap();
    };
    let b = async move {
        let request = mailbox_of_b.recv().await.unwrap();
        sleep(ms(50)).await;
        let (reply, answer) = oneshot::channel();
        log_of_b.send("b asks a".to_owned()).await.unwrap();
        ask_a.send(Ask { reply }).await.ok().unwrap();
        let answer = answer.await.unwrap(); // waits, shown
        request.reply.send(answer).unwrap();
    };
    tokio::spawn(a.diagnose("a"));
    tokio::spawn(b.diagnose("b"));
    let ((reply_of_a, from_a), (reply_of_b, from_b)) = (oneshot::channel(), oneshot::channel());
    to_a.send(Ask { reply: reply_of_a }).await.ok().unwrap();
    to_b.send(Ask { reply: reply_of_b }).await.ok().unwrap();
    from_a.await.unwrap();
    from_b.await.unwrap();
}

async fn shutdown_sender_in_a_task() {
    let (jobs, mut queue) = mpsc::channel::<u32>(4);
    let (is_done, mut all_done) = mpsc::channel::<()>(1);
    let theirs = is_done.clone();
    let worker = async move {
        while queue.recv().await.is_some() {} // waits, shown
        drop(theirs);
    };
    tokio::spawn(worker.diagnose("worker"));
    jobs.send(1).await.unwrap();
    drop(is_done);
    all_done.recv().await; // waits, shown
    drop(jobs);
}

async fn shutdown_sender_in_one_of_three() {
    let (is_done, mut all_done) = mpsc::channel::<()>(1);
    let (stop, _) = broadcast::channel::<()>(1);
    for number in 0..3 {
        let (theirs, mut stopped) = (is_done.clone(), stop.subscribe());
        let worker = async move {
            sleep(ms(20)).await;
            if number == 1 {
                let _ = stopped.recv().await; // waits, shown
            }
            drop(theirs);
        };
        tokio::spawn(worker.diagnose("worker"));
    }
    drop(is_done);
    all_done.recv().await; // waits, shown
    stop.send(()).unwrap();
}

async fn receiver_in_a_task() {
    let table = Arc::new(Mutex::new(0));
    let (line, mut lines) = mpsc::channel(1);
    let guard = table.lock().await; // holds, shown
    let theirs = Arc::clone(&table);
    let writes = async move {
        let mut table = theirs.lock().await; // waits, shown
        while let Some(number) = lines.recv().await {
            *table += number;
        }
    };
    let writes = tokio::spawn(writes.diagnose("writes"));
    for number in 0..3 {
        line.send(number).await.unwrap(); // waits, shown
    }
    drop((guard, line));
    writes.await.unwrap();
}

async fn stopped_actor() {
    let (requests, mut mailbox) = mpsc::channel::<Ask>(4);
    let (resume, mut resumed) = watch::channel(false);
    let actor = async move {
        let request = mailbox.recv().await.unwrap();
        request.reply.send(1).unwrap();
        resumed.wait_for(|is_on| *is_on).await.unwrap(); // waits, shown
        while let Some(request) = mailbox.recv().await {
            request.reply.send(2).unwrap();
        }
    };
    tokio::spawn(actor.diagnose("actor"));
    for _ in 0..2 {
        let (reply, answer) = oneshot::channel();
        requests.send(Ask { reply }).await.ok().unwrap();
        answer.await.unwrap(); // waits, shown
    }
    resume.send(true).unwrap();
}

async fn reply_never_sent() {
    let (requests, mut mailbox) = mpsc::channel::<Ask>(4);
    let actor = async move {
        let mut pending = Vec::new();
        loop {
            let request = mailbox.recv().await; // waits, shown
            pending.extend(request);
        }
    };
    tokio::spawn(actor.diagnose("actor"));
    let (reply, answer) = oneshot::channel();
    requests.send(Ask { reply }).await.ok().unwrap();
    answer.await.unwrap(); // waits, shown
}

async fn mailbox_full_at_start() {
    let (is_started, started) = oneshot::channel::<()>();
    let (requests, mut mailbox) = mpsc::channel::<u32>(1);
    let actor = async move {
        started.await.unwrap(); // waits, shown
        while mailbox.recv().await.is_some() {}
    };
    let actor = tokio::spawn(actor.diagnose("actor"));
    for number in 0..3 {
        requests.send(number).await.unwrap(); // waits, shown
    }
    is_started.send(()).unwrap();
    drop(requests);
    actor.await.unwrap();
}

async fn watch_of_a_stuck_task() {
    let (price, mut prices) = watch::channel(0);
    let (begin, begun) = oneshot::channel::<()>();
    let updates = async move {
        begun.await.unwrap(); // waits, shown
        price.send(1).unwrap();
    };
    tokio::spawn(updates.diagnose("updates"));
    prices.changed().await.unwrap(); // waits, shown
    begin.send(()).unwrap();
}

async fn broadcast_of_a_stuck_task() {
    let (news, mut heard) = broadcast::channel(4);
    let (begin, begun) = oneshot::channel::<()>();
    let publishes = async move {
        begun.await.unwrap(); // waits, shown
        news.send(1).unwrap();
    };
    tokio::spawn(publishes.diagnose("publishes"));
    heard.recv().await.unwrap(); // waits, shown
    begin.send(()).unwrap();
}

async fn notifier_needs_the_lock() {
    let (state, changed) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (theirs, notifies) = (Arc::clone(&state), Arc::clone(&changed));
    let changes = async move {
        sleep(ms(50)).await;
        *theirs.lock().await += 1; // waits, shown
        notifies.notify_one();
    };
    tokio::spawn(changes.diagnose("changes"));
    let guard = state.lock().await; // holds, shown
    changed.notified().await; // waits, shown
    drop(guard);
}

async fn notifier_needs_the_lock_later() {
    let (state, changed) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (theirs, notifies) = (Arc::clone(&state), Arc::clone(&changed));
    let changes = async move {
        for _ in 0..2 {
            *theirs.lock().await += 1; // waits, shown
            notifies.notify_one();
            sleep(ms(50)).await;
        }
    };
    let changes = tokio::spawn(changes.diagnose("changes"));
    changed.notified().await;
    let guard = state.lock().await; // holds, shown
    changed.notified().await; // waits, shown
    drop(guard);
    changes.await.unwrap();
}

async fn asks_in_turn() {
    let (to_b, mut mailbox_of_b) = mpsc::channel::<Ask>(8);
    let b = async move {
        while let Some(request) = mailbox_of_b.recv().await {
            sleep(ms(LONG)).await;
            request.reply.send(1).unwrap();
        }
    };
    tokio::spawn(b.diagnose("b"));
    let (to_a, mut mailbox_of_a) = mpsc::channel::<Ask>(8);
    let a = async move {
        while let Some(request) = mailbox_of_a.recv().await {
            let (reply, answer) = oneshot::channel();
            to_b.send(Ask { reply }).await.ok().unwrap();
            request.reply.send(answer.await.unwrap()).unwrap();
        }
    };
    tokio::spawn(a.diagnose("a"));
    let (reply, answer) = oneshot::channel();
    to_a.send(Ask { reply }).await.ok().unwrap();
    answer.await.unwrap();
}

async fn shutdown_sender_in_a_slow_task() {
    let (jobs, mut queue) = mpsc::channel::<u32>(4);
    let (is_done, mut all_done) = mpsc::channel::<()>(1);
    let theirs = is_done.clone();
    let worker = async move {
        queue.recv().await.unwrap();
        sleep(ms(LONG)).await;
        drop(theirs);
    };
    tokio::spawn(worker.diagnose("worker"));
    jobs.send(1).await.unwrap();
    drop(is_done);
    all_done.recv().await;
    drop(jobs);
}

async fn notified_under_a_lock() {
    let (state, changed) = (Arc::new(Mutex::new(0)), Arc::new(Notify::new()));
    let (theirs, notifies) = (Arc::clone(&state), Arc::clone(&changed));
    let changes = async move {
        sleep(ms(LONG)).await;
        notifies.notify_one();
        *theirs.lock().await += 1;
    };
    let changes = tokio::spawn(changes.diagnose("changes"));
    let guard = state.lock().await;
    changed.notified().await;
    drop(guard);
    changes.await.unwrap();
}
