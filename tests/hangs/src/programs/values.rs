//! Permits in the value of a watch channel, and in a message of a broadcast channel, which stay
//! there when they are read.

use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, row, suspect};
use tokio::sync::{Semaphore, broadcast, watch};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("values.rs"),
    rows: &[
        row!("X113", permit_in_a_value, "the sender of a watch waits for the permit in the current value")
            .is(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X114", permit_in_a_broadcast, "the sender of a broadcast waits for the permit in its message")
            .is(likely("futurelock").detail("unpolled"))
            .in_noise(suspect("futurelock").detail("unpolled")),
        row!("Y168", value_is_replaced, "a task waits for the permit in a value, which another replaces"),
    ],
};

/// How long the program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

#[diagnose]
async fn permit_in_a_value() {
    let leases = Arc::new(Semaphore::new(1));
    let (leader, _followers) = watch::channel(None);
    for _ in 0..2 {
        let lease = Arc::clone(&leases).acquire_owned().await.unwrap(); // waits
        leader.send_replace(Some(lease));
    }
}

#[diagnose]
async fn permit_in_a_broadcast() {
    let slots = Arc::new(Semaphore::new(1));
    let (jobs, mut received) = broadcast::channel(2);
    for _ in 0..2 {
        let slot = Arc::clone(&slots).acquire_owned().await.unwrap(); // waits
        jobs.send(Arc::new(slot)).unwrap();
    }
    received.recv().await.unwrap();
}

#[diagnose]
async fn value_is_replaced() {
    let leases = Arc::new(Semaphore::new(1));
    let (leader, _followers) = watch::channel(None);
    leader.send_replace(Some(Arc::clone(&leases).acquire_owned().await.unwrap()));
    let resigns = async move {
        sleep(ms(LONG)).await;
        leader.send_replace(None);
    };
    let resigns = tokio::spawn(resigns.diagnose("resigns"));
    drop(leases.acquire().await.unwrap());
    resigns.await.unwrap();
}
