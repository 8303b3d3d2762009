//! Hangs of tasks that also wait for a signal, such as a shutdown, and of ends that others poll.

use std::sync::Arc;

use ::futures::SinkExt as _;
use diagnose::diagnose;

use super::ms;
use crate::drop_in::{tokio, tokio_util};
use crate::row::{Section, likely, proven, row, suspect};
use tokio::sync::{Mutex, Notify, mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, PollSender};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("signals.rs"),
    rows: &[
        row!(
            "X161",
            crossed_beside_a_shutdown,
            "tasks cross locks in arms, beside a token that main may cancel"
        )
        .is(suspect("cycle")),
        row!("X162", sink_in_a_combinator, "futures' `send` fills a PollSender, and then drains the channel")
            .is(proven("self_wait"))
            .or(likely("self_wait"))
            .in_noise(suspect("self_wait")),
        row!("X163", notified_set_aside, "a notification goes to a `notified()` that the task has set aside")
            .is(likely("futurelock").detail("granted"))
            .in_noise(suspect("futurelock").detail("granted")),
    ],
};

async fn crossed_beside_a_shutdown() {
    #[diagnose]
    async fn transfer(from: Arc<Mutex<u64>>, to: Arc<Mutex<u64>>) {
        let mut from = from.lock().await; // holds, shown
        sleep(ms(30)).await;
        let mut to = to.lock().await; // waits, shown
        *from -= 1;
        *to += 1;
    }
    #[diagnose]
    async fn works(stop: CancellationToken, from: Arc<Mutex<u64>>, to: Arc<Mutex<u64>>) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = transfer(from, to) => {}
        }
    }
    let stop = CancellationToken::new();
    let (a, b) = (Arc::new(Mutex::new(9)), Arc::new(Mutex::new(9)));
    let one = tokio::spawn(works(stop.clone(), Arc::clone(&a), Arc::clone(&b)));
    let two = tokio::spawn(works(stop.clone(), b, a));
    sleep(ms(3_600_000)).await;
    stop.cancel();
    one.await.unwrap();
    two.await.unwrap();
}

#[diagnose]
async fn sink_in_a_combinator() {
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    let mut sink = PollSender::new(sender);
    sink.send(0).await.unwrap();
    receiver.recv().await.unwrap(); // holds, shown
    for n in 1..4 {
        sink.send(n).await.unwrap(); // waits, shown
    }
    drop(sink);
    while receiver.recv().await.is_some() {}
}

async fn notified_set_aside() {
    #[diagnose]
    async fn waits(ready: Arc<Notify>, over: oneshot::Sender<()>, is_sent: oneshot::Receiver<()>) {
        let first = ready.notified(); // holds, shown
        tokio::pin!(first);
        tokio::select! {
            () = &mut first => return,
            () = sleep(ms(50)) => over.send(()).unwrap(),
        }
        is_sent.await.unwrap();
        ready.notified().await; // waits, shown
    }
    let ready = Arc::new(Notify::new());
    let ((over, is_over), (sent, is_sent)) = (oneshot::channel(), oneshot::channel());
    let task = tokio::spawn(waits(Arc::clone(&ready), over, is_sent));
    is_over.await.unwrap();
    ready.notify_one();
    sent.send(()).unwrap();
    task.await.unwrap();
}
