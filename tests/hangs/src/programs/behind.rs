//! Futures and guards behind code that is not on record: in a slot behind a box, in half of a split
//! stream, in what a function that only has the name of a lock's returns.

use std::future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex as StdMutex};
use std::task::{Context, Poll};
use std::thread;

use diagnose::diagnose;
use futures::stream::SplitStream;
use futures::{Sink, SinkExt as _, Stream, StreamExt as _};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("behind.rs"),
    rows: &[
        row!("Y192", slot_behind_a_box, "a body awaits a box whose future polls what a slot has")
            .seems(likely("cycle")),
        row!(
            "Y193",
            half_of_a_stream,
            "the other half of a split stream drops the future that this half polls"
        )
        .seems(likely("cycle")),
        row!(
            "Y194",
            place_of_the_caller,
            "a function `lock` returns a transaction, and names its caller as place"
        ),
        row!("Y195", committed_by_value, "a method of the program's own hands the guard on"),
        row!("Y196", handed_on_when_dropped, "the drop of a transaction hands the guard on"),
        row!("Y197", handed_on_before_the_end, "a finished task has handed its guard on, out of sight"),
        row!(
            "X132",
            last_used_by_a_method,
            "two tasks hold guards whose last use is a method that is not known"
        )
        .is(proven("cycle"))
        .or(likely("cycle")),
    ],
};

type Lock = Arc<Mutex<()>>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

static TABLES: LazyLock<Vec<Mutex<u64>>> = LazyLock::new(|| (0..6).map(Mutex::new).collect());

#[diagnose]
async fn transfer(from: Lock, to: Lock) {
    let _from = from.lock().await;
    sleep(ms(20)).await;
    let _to = to.lock().await;
}

/// Polls what the slot has, until that is done or gone.
#[derive(Clone)]
struct Slot(Arc<StdMutex<Option<Boxed>>>);

impl Future for Slot {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.0.lock().unwrap().as_mut() {
            Some(call) => call.as_mut().poll(context),
            None => Poll::Ready(()),
        }
    }
}

async fn slot_behind_a_box() {
    #[diagnose]
    async fn run(call: Boxed) {
        call.await;
    }
    let (one, two) = (Lock::default(), Lock::default());
    let slot = Slot(Arc::new(StdMutex::new(Some(Box::pin(transfer(one.clone(), two.clone()))))));
    tokio::spawn(run(Box::pin(slot.clone())));
    thread::spawn(move || {
        thread::sleep(ms(2_500));
        slot.0.lock().unwrap().take();
    });
    tokio::spawn(transfer(two, one)).await.unwrap();
}

/// A connection that drops its request when something is sent.
struct Connection(Option<Boxed>);

impl Stream for Connection {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<()>> {
        match self.0.as_mut() {
            Some(request) => request.as_mut().poll(context).map(Some),
            None => Poll::Ready(None),
        }
    }
}

impl Sink<()> for Connection {
    type Error = ();

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(mut self: Pin<&mut Self>, (): ()) -> Result<(), ()> {
        self.0 = None;
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }
}

async fn half_of_a_stream() {
    #[diagnose]
    async fn read(mut replies: SplitStream<Connection>) {
        while replies.next().await.is_some() {}
    }
    let (one, two) = (Lock::default(), Lock::default());
    let (mut requests, replies) =
        Connection(Some(Box::pin(transfer(one.clone(), two.clone())))).split::<()>();
    tokio::spawn(read(replies));
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(2_500)).await;
        requests.send(()).await.ok();
    });
    tokio::spawn(transfer(two, one)).await.unwrap();
}

struct Transaction {
    rows: MutexGuard<'static, u64>,
    number: u64,
}

struct Database(&'static [Mutex<u64>]);

impl Database {
    #[track_caller]
    fn lock(&self, table: usize) -> impl Future<Output = Transaction> + Send + use<> {
        let rows = self.0[table].lock();
        async move { Transaction { rows: rows.await, number: 1 } }
    }
}

impl Transaction {
    async fn begin(table: usize) -> Self {
        Self { rows: TABLES[table].lock().await, number: 1 }
    }

    fn commit(self) {
        keep(self.rows);
    }
}

/// Keeps it in a task of tokio's own for a while.
fn keep(held: impl Send + 'static) {
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(2_500)).await;
        drop(held);
    });
}

async fn place_of_the_caller() {
    #[diagnose]
    async fn refresh() {
        let begun = Database(&TABLES).lock(0).await;
        keep(begun.rows);
        *TABLES[0].lock().await += begun.number;
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn committed_by_value() {
    #[diagnose]
    async fn refresh() {
        let begun = Transaction::begin(1).await;
        begun.commit();
        *TABLES[1].lock().await += 1;
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn handed_on_when_dropped() {
    struct Late(Option<MutexGuard<'static, u64>>);
    impl Drop for Late {
        fn drop(&mut self) {
            keep(self.0.take());
        }
    }
    async fn begin() -> Late {
        Late(Some(TABLES[2].lock().await))
    }
    #[diagnose]
    async fn refresh() {
        let begun = begin().await;
        future::ready(()).await;
        drop(begun);
        *TABLES[2].lock().await += 1;
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn handed_on_before_the_end() {
    #[diagnose]
    async fn begin() {
        future::ready(()).await;
        keep(TABLES[3].try_lock().unwrap());
    }
    #[diagnose]
    async fn refresh() {
        *TABLES[3].lock().await += 1;
    }
    tokio::spawn(begin()).await.unwrap();
    tokio::spawn(refresh()).await.unwrap();
}

trait Run {
    fn run(&mut self);
}

impl Run for MutexGuard<'static, u64> {
    fn run(&mut self) {
        **self += 1;
    }
}

async fn last_used_by_a_method() {
    #[diagnose]
    async fn copy(from: usize, to: usize) {
        let mut rows = TABLES[from].lock().await; // holds
        rows.run();
        sleep(ms(20)).await;
        TABLES[to].lock().await.run(); // waits
    }
    let first = tokio::spawn(copy(4, 5));
    let second = tokio::spawn(copy(5, 4));
    first.await.unwrap();
    second.await.unwrap();
}
