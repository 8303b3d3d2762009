//! Where a wait and a hold are shown: at the await where the task stands, with the callers of a
//! helper.

use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, MutexGuard, RwLock, Semaphore, mpsc, oneshot};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("shown.rs"),
    rows: &[
        row!(
            "X32",
            waits_behind_its_children,
            "children of a FuturesUnordered queue, and its body waits too"
        )
        .is(suspect("self_wait")),
        row!("X33", arms_with_a_lock_each, "two arms of a join! have one lock each and want the other's")
            .is(proven("self_wait"))
            .or(proven("cycle")),
        row!(
            "X34",
            arms_with_a_lock_each_in_a_task,
            "by a helper in a task, two arms of a join! have one lock each and want the other's"
        )
        .is(proven("self_wait"))
        .or(proven("cycle"))
        .in_noise(likely("self_wait")),
        row!("X35", both_by_a_helper, "two tasks lock A and B in opposite order, by one helper")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!(
            "X36",
            both_by_a_bare_helper,
            "two tasks lock A and B in opposite order, by one helper without annotation"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
        row!("X37", guard_from_a_helper, "a helper gives its caller the guard, which another helper needs")
            .is(likely("self_wait"))
            .in_noise(likely("self_wait")),
        row!("X38", joined_in_an_arm, "a task is joined in an arm of a join!, and needs a lock of the other")
            .is(proven("cycle")),
        row!("X51", joined_with_others, "join_all of tasks that need a lock of the task that joins them")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X52",
            joined_in_a_block,
            "an arm of a join! joins a task by a block; the task needs a lock of the joining task"
        )
        .is(proven("cycle")),
        row!(
            "X53",
            joined_by_name,
            "a task is joined by a named handle, and needs a lock of the joining task"
        )
        .is(proven("cycle"))
        .or(likely("cycle"))
        .in_noise(likely("cycle")),
        row!(
            "X39",
            joined_in_a_select,
            "a task is joined by reference in a select!, under a lock that it needs"
        )
        .is(likely("cycle"))
        .in_noise(suspect("cycle")),
        row!("X40", four_levels_down, "a wait four annotated calls below the task").is(proven("self_wait")),
        // As in tikv#1768 and rust-lang/rust#37612.
        row!("X41", guard_in_a_match, "a guard in a match lives until its end, and an arm locks")
            .is(proven("self_wait")),
        // As in nearai/ironclaw#905.
        row!("X42", read_guard_across_a_send, "a read guard across a send, and a writer who would drain")
            .is(proven("cycle"))
            .or(likely("cycle"))
            .in_noise(suspect("cycle")),
        row!(
            "X43",
            permit_and_lock,
            "one task has a permit and wants a lock, another has the lock and wants a permit"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
    ],
};

async fn waits_behind_its_children() {
    let connections = Arc::new(Semaphore::new(1));
    let first = connections.acquire().await.unwrap(); // holds
    let mut queries = FuturesUnordered::new();
    for _ in 0..3 {
        let connections = Arc::clone(&connections);
        let query = async move {
            let _connection = connections.acquire().await.unwrap(); // queued
        };
        queries.push(query.diagnose("query"));
    }
    tokio::select! {
        // On a busy machine, the time may be over before the first poll.
        biased;
        _ = queries.next() => {}
        () = sleep(ms(30)) => {}
    }
    let second = connections.acquire().await.unwrap(); // waits, shown
    drop((first, second));
}

async fn arms_with_a_lock_each() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    let one = async {
        let _a = a.lock().await; // holds, shown
        sleep(ms(20)).await;
        let _b = b.lock().await; // waits, shown
    };
    let other = async {
        let _b = b.lock().await; // holds, shown
        sleep(ms(20)).await;
        let _a = a.lock().await; // waits, shown
    };
    tokio::join!(one.diagnose("one"), other.diagnose("other"));
}

#[diagnose]
async fn lock_both(first: &Mutex<()>, second: &Mutex<()>) {
    let _first = first.lock().await;
    sleep(ms(20)).await;
    let _second = second.lock().await;
}

async fn arms_with_a_lock_each_in_a_task() {
    #[diagnose]
    async fn lock_both(first: &Mutex<()>, second: &Mutex<()>) {
        let _first = first.lock().await; // holds, shown
        sleep(ms(20)).await;
        let _second = second.lock().await; // waits, shown
    }
    #[diagnose]
    async fn transfers(a: Mutex<()>, b: Mutex<()>) {
        let there = lock_both(&a, &b);
        let back = lock_both(&b, &a);
        tokio::join!(there, back); // shown
    }
    tokio::spawn(transfers(Mutex::new(()), Mutex::new(()))).await.unwrap();
}

async fn both_by_a_helper() {
    #[diagnose]
    async fn there(a: Arc<Mutex<()>>, b: Arc<Mutex<()>>) {
        lock_both(&a, &b).await; // waits, holds, shown
    }
    #[diagnose]
    async fn back(a: Arc<Mutex<()>>, b: Arc<Mutex<()>>) {
        lock_both(&b, &a).await; // waits, holds, shown
    }
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let there = tokio::spawn(there(Arc::clone(&a), Arc::clone(&b)));
    tokio::spawn(back(a, b)).await.unwrap();
    there.await.unwrap();
}

/// Not annotated: what it waits for has no span of its own.
async fn lock_then(first: &Mutex<()>, second: &Mutex<()>) {
    let _first = first.lock().await;
    sleep(ms(20)).await;
    let _second = second.lock().await;
}

async fn both_by_a_bare_helper() {
    #[diagnose]
    async fn there(a: Arc<Mutex<()>>, b: Arc<Mutex<()>>) {
        lock_then(&a, &b).await; // waits, holds, shown
    }
    #[diagnose]
    async fn back(a: Arc<Mutex<()>>, b: Arc<Mutex<()>>) {
        lock_then(&b, &a).await; // waits, holds, shown
    }
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let there = tokio::spawn(there(Arc::clone(&a), Arc::clone(&b)));
    tokio::spawn(back(a, b)).await.unwrap();
    there.await.unwrap();
}

async fn guard_from_a_helper() {
    #[diagnose]
    async fn open(table: &Mutex<u32>) -> MutexGuard<'_, u32> {
        table.lock().await // shown
    }
    #[diagnose]
    async fn count(table: &Mutex<u32>) -> u32 {
        *table.lock().await // shown
    }
    #[diagnose]
    async fn update(table: Arc<Mutex<u32>>) {
        let mut open = open(&table).await; // holds, shown
        *open += count(&table).await; // waits, shown
    }
    tokio::spawn(update(Arc::new(Mutex::new(0)))).await.unwrap();
}

#[diagnose]
async fn joined_in_an_arm() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await; // holds, shown
    let needs = Arc::clone(&lock);
    let needs = async move {
        let _guard = needs.lock().await; // waits, shown
    };
    let task = tokio::spawn(needs.diagnose("needs"));
    let pause = sleep(ms(30));
    let _ = tokio::join!(task, pause); // shown
    drop(guard);
}

#[diagnose]
async fn joined_with_others() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await; // holds, shown
    let needs = |lock: Arc<Mutex<()>>| async move {
        let _guard = lock.lock().await; // waits, shown
    };
    let tasks = [1, 2].map(|_| tokio::spawn(needs(Arc::clone(&lock)).diagnose("needs")));
    futures::future::join_all(tasks).await; // shown
    drop(guard);
}

#[diagnose]
async fn joined_in_a_block() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await; // holds, shown
    let needs = Arc::clone(&lock);
    let needs = async move {
        let _guard = needs.lock().await; // waits, shown
    };
    let task = tokio::spawn(needs.diagnose("needs"));
    let joins = async { task.await }; // shown
    let pause = sleep(ms(30));
    let _ = tokio::join!(joins, pause); // shown
    drop(guard);
}

async fn joined_by_name() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await; // holds, shown
    let needs = Arc::clone(&lock);
    let needs = async move {
        let _guard = needs.lock().await; // waits, shown
    };
    let task = tokio::spawn(needs.diagnose("needs")); // shown
    task.diagnose("joined").await.unwrap();
    drop(guard);
}

#[diagnose]
async fn joined_in_a_select() {
    let lock = Arc::new(Mutex::new(()));
    let guard = lock.lock().await; // holds, shown
    let needs = Arc::clone(&lock);
    let needs = async move {
        let _guard = needs.lock().await; // waits, shown
    };
    let mut task = tokio::spawn(needs.diagnose("needs"));
    let (_cancel, mut cancelled) = oneshot::channel::<()>();
    tokio::select! {
        _ = &mut task => {} // shown
        _ = &mut cancelled => {}
    }
    drop(guard);
}

async fn four_levels_down() {
    #[diagnose]
    async fn one(lock: &Mutex<()>) {
        two(lock).await; // shown
    }
    #[diagnose]
    async fn two(lock: &Mutex<()>) {
        three(lock).await; // shown
    }
    #[diagnose]
    async fn three(lock: &Mutex<()>) {
        let _guard = lock.lock().await; // waits, shown
    }
    let lock = Mutex::new(());
    let works = async {
        let guard = lock.lock().await; // holds, shown
        one(&lock).await;
        drop(guard);
    };
    works.diagnose("works").await;
}

async fn guard_in_a_match() {
    let cache = RwLock::new(None);
    let read = || cache.read(); // holds
    match *read().await {
        Some(_) => {}
        None => *cache.write().await = Some(1), // waits, shown
    }
}

async fn read_guard_across_a_send() {
    let (line, mut lines) = mpsc::channel(1);
    let sender = Arc::new(RwLock::new(Some(line)));
    let theirs = Arc::clone(&sender);
    let restarts = async move {
        sleep(ms(500)).await;
        *theirs.write().await = None; // waits, shown
        while lines.recv().await.is_some() {}
    };
    let restarts = tokio::spawn(restarts.diagnose("restarts"));
    for number in 0..3 {
        let sender = sender.read().await; // holds, shown
        sender.as_ref().unwrap().send(number).await.unwrap(); // waits, shown
    }
    restarts.await.unwrap();
}

async fn permit_and_lock() {
    let (slots, table) = (Arc::new(Semaphore::new(1)), Arc::new(Mutex::new(0)));
    let (their_slots, their_table) = (Arc::clone(&slots), Arc::clone(&table));
    let (takes, taken) = oneshot::channel();
    let reports = async move {
        let mut table = their_table.lock().await; // holds, shown
        takes.send(()).unwrap();
        sleep(ms(50)).await;
        let _slot = their_slots.acquire().await.unwrap(); // waits, shown
        *table += 1;
    };
    let reports = tokio::spawn(reports.diagnose("reports"));
    let slot = slots.acquire().await.unwrap(); // holds, shown
    taken.await.unwrap();
    *table.lock().await += 1; // waits, shown
    drop(slot);
    reports.await.unwrap();
}
