//! Tasks of other libraries, which end when their handle is dropped.

use std::sync::Arc;

use diagnose::{diagnose, spawn_with};

use super::ms;
use crate::drop_in::{async_lock, smol, tokio};
use crate::row::{Section, likely, row, suspect};
use async_lock::Mutex;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("dropped.rs"),
    rows: &[
        row!(
            "X141",
            two_locks_on_smol,
            "smol: two tasks lock A and B in opposite order, and main awaits them"
        )
        .is(suspect("cycle"))
        .or(likely("cycle")),
        row!(
            "Y222",
            dropped_after_a_while,
            "smol: two tasks lock A and B in opposite order; main gives up and drops them"
        ),
        row!(
            "Y223",
            dropped_with_spawn_with,
            "an executor of the program's own: two tasks lock A and B in opposite order, and main drops them"
        ),
    ],
};

/// How long each program that ends looks stuck, in ms.
const LONG: u64 = 1_500;

#[diagnose]
async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
    let _from = from.lock().await;
    smol::Timer::after(ms(100)).await;
    let _to = to.lock().await;
}

fn accounts() -> [Arc<Mutex<u32>>; 2] {
    [Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2))]
}

async fn two_locks_on_smol() {
    #[diagnose]
    async fn cross(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
        let _from = from.lock().await; // holds
        smol::Timer::after(ms(100)).await;
        let _to = to.lock().await; // waits
    }
    let [a, b] = accounts();
    let one = smol::spawn(cross(Arc::clone(&a), Arc::clone(&b)));
    let other = smol::spawn(cross(b, a));
    one.await;
    other.await;
}

async fn dropped_after_a_while() {
    let [a, b] = accounts();
    let one = smol::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = smol::spawn(transfer(b, a));
    let both = async {
        one.await;
        other.await;
    };
    smol::future::or(both, sleep(ms(LONG))).await;
}

async fn dropped_with_spawn_with() {
    let ([a, b], executor) = (accounts(), smol::Executor::new());
    let one = transfer(Arc::clone(&a), Arc::clone(&b));
    let one = spawn_with(|task| executor.spawn(task), "one", one);
    let other = spawn_with(|task| executor.spawn(task), "other", transfer(b, a));
    let both = async {
        one.await;
        other.await;
    };
    executor.run(smol::future::or(both, sleep(ms(LONG)))).await;
}
