//! Guards whose methods are of the program's own: some take the guard, most borrow it.

use std::sync::Mutex as StdMutex;
use std::sync::{Arc, LazyLock};
use std::thread;

use diagnose::diagnose;
use futures::future::join_all;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("methods.rs"),
    rows: &[
        row!("Y173", method_takes_the_guard, "a trait of the program's own puts the guard into a static")
            .seems(likely("self_wait")),
        row!("Y174", guard_in_a_pipe, "a trait for all types hands the guard to a closure"),
        row!("Y175", guards_appended, "guards of locks in statics are appended to a list in a static")
            .seems(likely("self_wait")),
        row!("X123", methods_of_connections, "two tasks hold connections, whose methods are their own")
            .is(proven("cycle"))
            .or(likely("cycle")),
        row!(
            "X124",
            methods_twice,
            "the same, and each uses its first connection once more after the second"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
    ],
};

type Held = MutexGuard<'static, Connection>;

static PARKED: StdMutex<Vec<Held>> = StdMutex::new(Vec::new());

#[derive(Debug, Default)]
struct Connection {
    queries: u64,
}

impl Connection {
    fn begin(&mut self) {
        self.queries += 1;
    }

    async fn query(&mut self) -> u64 {
        sleep(ms(1)).await;
        self.queries += 1;
        self.queries
    }
}

trait Park {
    fn park(self);
}

impl Park for Held {
    fn park(self) {
        PARKED.lock().unwrap().push(self);
    }
}

trait Pipe: Sized {
    fn pipe<R>(self, with: impl FnOnce(Self) -> R) -> R {
        with(self)
    }
}

impl<T> Pipe for T {}

/// A thread that drops the parked guards after a while.
fn unparks() -> thread::JoinHandle<()> {
    thread::spawn(|| {
        thread::sleep(ms(2_500));
        PARKED.lock().unwrap().clear();
    })
}

async fn method_takes_the_guard() {
    static ONLY: LazyLock<Box<Mutex<Connection>>> = LazyLock::new(Box::default);
    #[diagnose]
    async fn lease() {
        let held = ONLY.lock().await;
        held.park();
        ONLY.lock().await.begin();
    }
    let ends = unparks();
    tokio::spawn(lease()).await.unwrap();
    ends.join().unwrap();
}

async fn guard_in_a_pipe() {
    #[diagnose]
    async fn lease(only: &'static Mutex<Connection>) {
        only.lock().await.pipe(|held| PARKED.lock().unwrap().push(held));
        only.lock().await.begin();
    }
    let ends = unparks();
    tokio::spawn(lease(Box::leak(Box::default()))).await.unwrap();
    ends.join().unwrap();
}

async fn guards_appended() {
    static POOL: LazyLock<Box<[Mutex<Connection>; 2]>> = LazyLock::new(Box::default);
    #[diagnose]
    async fn lease() {
        let mut both = join_all(POOL.iter().map(|one| one.lock())).await;
        PARKED.lock().unwrap().append(&mut both);
        POOL[1].lock().await.begin();
    }
    let ends = unparks();
    tokio::spawn(lease()).await.unwrap();
    ends.join().unwrap();
}

async fn methods_of_connections() {
    #[diagnose]
    async fn copy(from: Arc<Mutex<Connection>>, to: Arc<Mutex<Connection>>) {
        let mut from = from.lock().await; // holds
        from.begin();
        sleep(ms(150)).await;
        to.lock().await.query().await; // waits
    }
    let (one, two) = (Arc::default(), Arc::default());
    let there = tokio::spawn(copy(Arc::clone(&one), Arc::clone(&two)));
    let back = tokio::spawn(copy(two, one));
    there.await.unwrap();
    back.await.unwrap();
}

async fn methods_twice() {
    #[diagnose]
    async fn copy(from: Arc<Mutex<Connection>>, to: Arc<Mutex<Connection>>) {
        let mut from = from.lock().await; // holds
        from.begin();
        sleep(ms(150)).await;
        let mut to = to.lock().await; // waits
        to.query().await;
        from.query().await;
    }
    let (one, two) = (Arc::default(), Arc::default());
    let there = tokio::spawn(copy(Arc::clone(&one), Arc::clone(&two)));
    let back = tokio::spawn(copy(two, one));
    there.await.unwrap();
    back.await.unwrap();
}
