//! Deadlocks in futures that a supervisor polls, and time limits that end such waits.

use std::pin::pin;
use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, row, suspect};
use tokio::sync::Mutex;
use tokio::time::{interval, sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("supervised.rs"),
    rows: &[
        row!("X133", heartbeats, "a deadlock in arms of select! loops, each beside a heartbeat")
            .is(suspect("cycle")),
        row!("X134", locks_again, "an arm of a select! loop with a heartbeat locks what it has locked")
            .is(suspect("self_wait")),
        row!("X135", one_heartbeat, "a deadlock of two tasks, with a heartbeat in only one of the two tasks")
            .is(suspect("cycle")),
        row!("Y209", slow_beside_heartbeats, "two such arms wait for a slow third one"),
        row!("Y210", time_limits, "a deadlock that a time limit ends, beside heartbeats"),
    ],
};

type Lock = Arc<Mutex<u64>>;

#[diagnose]
async fn both(one: Lock, two: Lock) {
    let mut one = one.lock().await;
    sleep(ms(30)).await;
    *one += *two.lock().await;
}

#[diagnose]
async fn supervise(one: Lock, two: Lock) {
    let mut work = pin!(both(one, two));
    let mut beats = interval(ms(50));
    loop {
        tokio::select! { () = &mut work => return, _ = beats.tick() => {} }
    }
}

async fn heartbeats() {
    #[diagnose]
    async fn both(one: Lock, two: Lock) {
        let mut one = one.lock().await; // holds
        sleep(ms(30)).await;
        *one += *two.lock().await; // waits
    }
    #[diagnose]
    async fn supervise(one: Lock, two: Lock) {
        let mut work = pin!(both(one, two));
        let mut beats = interval(ms(50));
        loop {
            tokio::select! { () = &mut work => return, _ = beats.tick() => {} }
        }
    }
    let (one, two) = (Lock::default(), Lock::default());
    let other = tokio::spawn(supervise(two.clone(), one.clone()));
    tokio::spawn(supervise(one, two)).await.unwrap();
    other.await.unwrap();
}

async fn one_heartbeat() {
    #[diagnose]
    async fn transfer(one: Lock, two: Lock) {
        let mut one = one.lock().await; // holds
        sleep(ms(30)).await;
        *one += *two.lock().await; // waits
    }
    let (one, two) = (Lock::default(), Lock::default());
    let plain = tokio::spawn(transfer(two.clone(), one.clone()));
    let supervise = async {
        let mut work = pin!(transfer(one, two));
        let mut beats = interval(ms(50));
        loop {
            tokio::select! { () = &mut work => return, _ = beats.tick() => {} }
        }
    };
    supervise.diagnose("supervise").await;
    plain.await.unwrap();
}

async fn locks_again() {
    #[diagnose]
    async fn add(to: Lock, from: Lock) {
        let mut to = to.lock().await; // holds
        *to += *from.lock().await; // waits
    }
    let lock = Lock::default();
    let supervise = async {
        let mut work = pin!(add(lock.clone(), lock.clone()));
        let mut beats = interval(ms(50));
        loop {
            tokio::select! { () = &mut work => return, _ = beats.tick() => {} }
        }
    };
    supervise.diagnose("supervise").await;
}

async fn slow_beside_heartbeats() {
    #[diagnose]
    async fn slow(lock: Lock) {
        let mut rows = lock.lock().await;
        sleep(ms(2_500)).await;
        *rows += 1;
    }
    let (one, two, three) = (Lock::default(), Lock::default(), Lock::default());
    let slow = tokio::spawn(slow(two.clone()));
    sleep(ms(10)).await;
    let other = tokio::spawn(supervise(three, one.clone()));
    tokio::spawn(supervise(one, two)).await.unwrap();
    slow.await.unwrap();
    other.await.unwrap();
}

async fn time_limits() {
    #[diagnose]
    async fn limit(one: Lock, two: Lock) {
        let mut work = pin!(timeout(ms(2_500), both(one, two)));
        let mut beats = interval(ms(50));
        loop {
            tokio::select! { _ = &mut work => return, _ = beats.tick() => {} }
        }
    }
    let (one, two) = (Lock::default(), Lock::default());
    let other = tokio::spawn(limit(two.clone(), one.clone()));
    tokio::spawn(limit(one, two)).await.unwrap();
    other.await.unwrap();
}
