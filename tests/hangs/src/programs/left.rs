//! Futures that leave their task in the poll that polled them last, and a reader that keeps out
//! nobody.

use std::pin::{Pin, pin};
use std::sync::Arc;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::{async_lock, tokio};
use crate::row::{Section, likely, row};
use tokio::sync::{Mutex, mpsc};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("left.rs"),
    rows: &[
        row!(
            "Y198",
            sent_before_another_await,
            "a future with a lock is set aside, and sent to a task that drops it"
        )
        .seems(likely("cycle")),
        row!(
            "Y199",
            woken_reader_set_aside,
            "async-lock: a woken reader that is set aside keeps out no writer"
        ),
    ],
};

type Lock = Arc<Mutex<u64>>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[diagnose]
async fn hold(lock: Lock) {
    let _guard = lock.lock().await;
    std::future::pending::<()>().await;
}

#[diagnose]
async fn add(lock: Lock) {
    *lock.lock().await += 1;
}

#[diagnose]
async fn copy(from: Lock, to: Lock) {
    let rows = from.lock().await;
    sleep(ms(100)).await;
    *to.lock().await += *rows;
}

async fn sent_before_another_await() {
    #[diagnose]
    async fn send(one: Lock, two: Lock, calls: mpsc::Sender<Boxed>) {
        let mut call = Box::pin(hold(two));
        tokio::select! { biased; () = &mut call => {}, () = sleep(ms(60)) => {} }
        calls.try_send(call).ok();
        add(one).await;
    }
    #[diagnose]
    async fn drop_late(mut calls: mpsc::Receiver<Boxed>) {
        while let Some(call) = calls.recv().await {
            sleep(ms(2_500)).await;
            drop(call);
        }
    }
    let (one, two) = (Lock::default(), Lock::default());
    let (sender, calls) = mpsc::channel(1);
    tokio::spawn(drop_late(calls));
    tokio::spawn(copy(one.clone(), two.clone()));
    tokio::spawn(send(one, two, sender)).await.unwrap();
}

async fn woken_reader_set_aside() {
    #[diagnose]
    async fn write(lock: Arc<async_lock::RwLock<u64>>, after: u64, for_ms: u64) {
        sleep(ms(after)).await;
        let _rows = lock.write().await;
        sleep(ms(for_ms)).await;
    }
    #[diagnose]
    async fn read_and_write(lock: Arc<async_lock::RwLock<u64>>) {
        sleep(ms(50)).await;
        let mut read = pin!(lock.read());
        tokio::select! { _ = &mut read => {}, () = sleep(ms(50)) => {} }
        sleep(ms(400)).await;
        *lock.write().await += 1;
    }
    let lock = Arc::new(async_lock::RwLock::new(0));
    tokio::spawn(write(lock.clone(), 0, 200));
    tokio::spawn(write(lock.clone(), 300, 2_500));
    tokio::spawn(read_and_write(lock)).await.unwrap();
}
