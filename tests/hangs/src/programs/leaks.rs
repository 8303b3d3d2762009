//! What was taken and never given back, and ends of channels that nobody drops.

use std::mem;
use std::sync::Arc;

use diagnose::FutureExt as _;

use super::ms;
use crate::drop_in::{std_sync, tokio};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, Semaphore, mpsc, oneshot};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("leaks.rs"),
    rows: &[
        row!("C28", forgotten_permit, "the only permit is given up by forget()")
            .is(proven("leak"))
            .or(likely("leak"))
            .in_noise(suspect("leak")),
        row!("C29", forgotten_guard, "the guard of a lock is forgotten")
            .is(likely("leak"))
            .or(proven("self_wait")),
        row!("C30", sender_in_a_list, "a oneshot's sender lies in a list that nobody drains")
            .is(likely("leak"))
            .in_noise(suspect("leak")),
        row!("C31", sender_in_scope, "recv() until all senders are gone, in the scope of one")
            .is(proven("leak"))
            .or(likely("leak"))
            .in_noise(suspect("leak")),
        row!(
            "X16",
            guard_forgotten_by_a_helper,
            "a future forgets the guard of a lock and is done, and its task locks again"
        )
        .is(likely("leak"))
        .or(proven("self_wait")),
        row!(
            "X17",
            guard_forgotten_by_a_task,
            "a task forgets the guard of a lock and ends, and another task locks"
        )
        .is(likely("leak"))
        .or(proven("leak")),
        row!("X122", sender_of_a_done_task, "a task leaves the sender of a reply in a list, and ends")
            .is(likely("leak"))
            .in_noise(suspect("leak")),
    ],
};

async fn forgotten_permit() {
    let semaphore = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&semaphore).acquire_owned().await.unwrap();
    permit.forget(); // holds
    let _permit = semaphore.acquire().await.unwrap(); // waits
}

async fn forgotten_guard() {
    let lock = Mutex::new(());
    mem::forget(lock.lock().await); // holds
    let _guard = lock.lock().await; // waits
}

async fn sender_in_a_list() {
    let (sender, receiver) = oneshot::channel::<()>(); // holds
    let list = Arc::new(std_sync::Mutex::new(vec![sender]));
    let shared = Arc::clone(&list);
    let looks = async move {
        sleep(ms(10)).await;
        assert_eq!(shared.lock().unwrap().len(), 1);
    };
    tokio::spawn(looks.diagnose("looks"));
    receiver.await.unwrap(); // waits
    drop(list);
}

async fn sender_in_scope() {
    let (sender, mut receiver) = mpsc::channel(4); // holds
    let tasks = [1, 2, 3].map(|number| {
        let sender = sender.clone(); // holds
        let sends = async move { sender.send(number).await.unwrap() };
        tokio::spawn(sends.diagnose("sends"))
    });
    while receiver.recv().await.is_some() {} // waits
    for task in tasks {
        task.await.unwrap();
    }
    drop(sender);
}

async fn guard_forgotten_by_a_helper() {
    let lock = Mutex::new(());
    let forgets = async {
        mem::forget(lock.lock().await); // holds
    };
    forgets.diagnose("forgets").await;
    let _guard = lock.lock().await; // waits
}

async fn guard_forgotten_by_a_task() {
    let lock = Arc::new(Mutex::new(()));
    let forgotten = Arc::clone(&lock);
    let forgets = async move {
        mem::forget(forgotten.lock().await); // holds
    };
    tokio::spawn(forgets.diagnose("forgets")).await.unwrap();
    let _guard = lock.lock().await; // waits
}

async fn sender_of_a_done_task() {
    let senders = Arc::new(std_sync::Mutex::new(Vec::new()));
    let kept = Arc::clone(&senders);
    let asks = async move {
        let (sender, receiver) = oneshot::channel::<()>(); // holds
        kept.lock().unwrap().push(sender);
        [receiver]
    };
    let [receiver] = tokio::spawn(asks.diagnose("asks")).await.unwrap();
    receiver.await.unwrap(); // waits
}
