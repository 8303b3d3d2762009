//! Polls that sleep until a time has passed or a child process ends, and channels that are older
//! than the tasks.

use std::process::Command;
use std::sync::Arc;
use std::thread;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::{parking_lot, tokio};
use crate::row::{Row, Section, likely, row, suspect};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("sleeping.rs"),
    rows: &[
        Row::new(
            "X136",
            "sender_beside",
            "a block_on waits for a sender that is older than itself",
            |runtime| {
                sender_beside(runtime);
            },
        )
        .is(likely("leak"))
        .in_noise(suspect("leak")),
        Row::new(
            "X137",
            "sender_around",
            "the same, and the code around the block_on has the sender",
            |runtime| {
                sender_around(runtime);
            },
        )
        .is(likely("leak"))
        .in_noise(suspect("leak")),
        row!("Y211", sleeps_in_polls, "polls sleep for longer than a timer and other tasks wait"),
        row!("Y212", tries_in_polls, "polls wait for a lock with a time limit"),
        row!("Y213", waits_for_children, "polls wait for the end of a child process"),
    ],
};

const LONG: u64 = 2_500;

fn sender_beside(runtime: &Runtime) {
    let (sender, receiver) = oneshot::channel::<u8>();
    runtime.block_on(async move {
        let _sender = sender;
        let _ = receiver.await; // waits
    });
}

fn sender_around(runtime: &Runtime) {
    let (sender, mut receiver) = mpsc::channel::<u8>(1);
    runtime.block_on(async move {
        while receiver.recv().await.is_some() {} // waits
    });
    drop(sender);
}

/// Runs `block` in a poll of as many tasks as there are workers, and a timer and another task
/// beside them.
async fn beside_others(block: fn()) {
    let one = |block: fn()| async move {
        sleep(ms(20)).await;
        block();
    };
    let blocked: Vec<_> = (0..2).map(|_| tokio::spawn(one(block).diagnose("blocked"))).collect();
    let timer = tokio::spawn(sleep(ms(50)).diagnose("timer"));
    let other = tokio::spawn(
        async {
            for _ in 0..10 {
                sleep(ms(10)).await;
            }
        }
        .diagnose("other"),
    );
    for task in blocked {
        task.await.unwrap();
    }
    timer.await.unwrap();
    other.await.unwrap();
}

async fn sleeps_in_polls() {
    beside_others(|| thread::sleep(ms(LONG))).await;
}

async fn tries_in_polls() {
    #[diagnose]
    async fn run() {
        beside_others(|| {
            let lock = Arc::new(parking_lot::Mutex::new(()));
            let _guard = lock.lock();
            assert!(lock.try_lock_for(ms(LONG)).is_none());
        })
        .await;
    }
    run().await;
}

async fn waits_for_children() {
    beside_others(|| {
        Command::new("sleep").arg("2.5").status().unwrap();
    })
    .await;
}
