//! Programs that look stuck and go on: a task on record, which is older than what they wait for,
//! drops that after a while.

use std::any::Any;
use std::sync::{Arc, Mutex as StdMutex};

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;

use super::ms;
use crate::drop_in::{tokio, tokio_util};
use crate::row::{Section, row};
use tokio::runtime::Builder;
use tokio::sync::Mutex;
use tokio::task::{JoinSet, LocalSet, spawn_blocking, spawn_local};
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("released.rs"),
    rows: &[
        row!(
            "Y240",
            set_dropped_without_a_look,
            "two tasks of a JoinSet lock A and B in opposite order; main sleeps, and drops the set"
        ),
        row!(
            "Y241",
            aborted_by_a_drop,
            "two tasks lock A and B in opposite order, and an older one drops an AbortOnDropHandle"
        ),
        row!(
            "Y242",
            handed_to_a_closure,
            "`lock().map()` hands the guard to a closure, which leaves it to an older task"
        ),
        row!(
            "Y243",
            set_run_for_a_while,
            "two tasks of a LocalSet lock A and B in opposite order; a thread runs the set for a while"
        ),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

type Kept = Arc<StdMutex<Vec<Box<dyn Any + Send>>>>;

/// A list that a task empties after a while.
async fn emptied_later() -> Kept {
    let kept = Kept::default();
    let theirs = Arc::clone(&kept);
    let empties = async move {
        sleep(ms(LONG)).await;
        drop(std::mem::take(&mut *theirs.lock().unwrap()));
    };
    tokio::spawn(empties.diagnose("empties"));
    sleep(ms(20)).await;
    kept
}

#[diagnose]
async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
    let _from = from.lock().await;
    sleep(ms(20)).await;
    let _to = to.lock().await;
}

fn accounts() -> [Arc<Mutex<u32>>; 2] {
    [Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2))]
}

async fn set_dropped_without_a_look() {
    let [a, b] = accounts();
    let mut set = JoinSet::new();
    set.spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    set.spawn(transfer(b, a));
    sleep(ms(LONG)).await;
    drop(set);
}

async fn aborted_by_a_drop() {
    let kept = emptied_later().await;
    let [a, b] = accounts();
    let one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, a));
    kept.lock().unwrap().push(Box::new(AbortOnDropHandle::new(one)));
    other.await.unwrap();
}

#[diagnose]
async fn keeps(table: &'static Mutex<u32>, kept: Kept) {
    table.lock().map(|rows| kept.lock().unwrap().push(Box::new(rows))).await;
    *table.lock().await += 1;
}

async fn handed_to_a_closure() {
    let kept = emptied_later().await;
    keeps(Box::leak(Box::default()), kept).await;
}

async fn set_run_for_a_while() {
    let runs = || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let set = LocalSet::new();
        set.block_on(&runtime, async {
            let [a, b] = accounts();
            spawn_local(transfer(Arc::clone(&a), Arc::clone(&b)));
            spawn_local(transfer(b, a));
            sleep(ms(LONG)).await;
        });
    };
    spawn_blocking(runs).await.unwrap();
}
