//! Programs that look stuck and go on: a static or a box that is not on record has carried the way out to another task.

use std::sync::{Arc, Mutex as StdMutex};
use std::thread;

use diagnose::{FutureExt as _, diagnose};
use futures::FutureExt as _;
use futures::future::{BoxFuture, poll_immediate};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, row};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("carried.rs"),
    rows: &[
        row!("Y105", handles_in_a_static, "A/B and B/A; an unrelated task aborts them, by a static")
            .seems(likely("cycle")),
        row!("Y106", tried_in_a_box, "a guard of try_lock in a box without annotation, which moves")
            .seems(likely("self_wait")),
    ],
};

/// How long each program looks stuck, in ms.
const LONG: u64 = 1_500;

/// The reaper shares no ancestor with the tasks that it aborts.
async fn handles_in_a_static() {
    #[diagnose]
    async fn transfer(from: Arc<Mutex<u32>>, to: Arc<Mutex<u32>>) {
        let _from = from.lock().await;
        sleep(ms(20)).await;
        let _to = to.lock().await;
    }
    static SESSIONS: StdMutex<Vec<JoinHandle<()>>> = StdMutex::new(Vec::new());
    let reaps = async {
        sleep(ms(LONG)).await;
        SESSIONS.lock().unwrap().drain(..).for_each(|session| session.abort());
    };
    let runtime = Handle::current();
    thread::spawn(move || runtime.spawn(reaps.diagnose("reaps"))).join().unwrap();
    let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let one = tokio::spawn(transfer(Arc::clone(&a), Arc::clone(&b)));
    let other = tokio::spawn(transfer(b, Arc::clone(&a)));
    SESSIONS.lock().unwrap().extend([one, other]);
    sleep(ms(10)).await;
    drop(a.lock().await);
}

async fn tried_in_a_box() {
    static LEFT: StdMutex<Option<BoxFuture<'static, ()>>> = StdMutex::new(None);
    let worker = async {
        sleep(ms(LONG)).await;
        let first = LEFT.lock().unwrap().take().unwrap();
        first.await;
    };
    tokio::spawn(worker.diagnose("worker"));
    let lock = Arc::new(Mutex::new(()));
    let theirs = Arc::clone(&lock);
    let first = async move {
        let _guard = theirs.try_lock().unwrap();
        sleep(ms(20)).await;
    };
    let mut first = first.boxed();
    assert!(poll_immediate(&mut first).await.is_none());
    *LEFT.lock().unwrap() = Some(first);
    drop(lock.lock().await);
}
