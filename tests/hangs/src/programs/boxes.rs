//! Boxed futures: what owns the box, and so the guards in it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex as StdMutex};
use std::task::Poll;
use std::thread;

use diagnose::diagnose;

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::Mutex;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("boxes.rs"),
    rows: &[
        row!(
            "X120",
            boxed_handlers,
            "boxed handlers, spawned as tasks, acquire two locks in opposite orders"
        )
        .is(proven("cycle"))
        .in_noise(likely("cycle")),
        row!("X121", boxed_calls, "a body awaits boxed calls that acquire two locks in opposite orders")
            .is(proven("cycle"))
            .in_noise(likely("cycle")),
        row!("Y171", handler_in_a_slot, "a body polls a boxed call in a slot, from which a thread drops it"),
        row!("Y172", call_in_a_slot, "the same, by a function without annotation, and deeper in the call"),
    ],
};

type Lock = Arc<Mutex<()>>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;
type Slot = Arc<StdMutex<Option<Boxed>>>;

#[diagnose]
async fn transfer(from: Lock, to: Lock) {
    let _from = from.lock().await;
    sleep(ms(20)).await;
    let _to = to.lock().await;
}

async fn boxed_handlers() {
    #[diagnose]
    async fn transfer(from: Lock, to: Lock) {
        let _from = from.lock().await; // holds
        sleep(ms(20)).await;
        let _to = to.lock().await; // waits
    }
    let (one, two) = (Lock::default(), Lock::default());
    let handlers: [Boxed; 2] = [Box::pin(transfer(one.clone(), two.clone())), Box::pin(transfer(two, one))];
    let [first, second] = handlers.map(|handler| tokio::spawn(handler));
    first.await.unwrap();
    second.await.unwrap();
}

async fn boxed_calls() {
    #[diagnose]
    async fn transfer(from: Lock, to: Lock) {
        let _from = from.lock().await; // holds
        sleep(ms(20)).await;
        let _to = to.lock().await; // waits
    }
    fn boxed(from: Lock, to: Lock) -> Boxed {
        Box::pin(transfer(from, to))
    }
    #[diagnose]
    async fn serve(from: Lock, to: Lock) {
        boxed(from, to).await;
    }
    let (one, two) = (Lock::default(), Lock::default());
    let first = tokio::spawn(serve(one.clone(), two.clone()));
    let second = tokio::spawn(serve(two, one));
    first.await.unwrap();
    second.await.unwrap();
}

#[diagnose]
async fn deeper(from: Lock, to: Lock) {
    transfer(from, to).await;
}

/// Polls the future in the slot until that is done or gone.
fn polled(slot: Slot) -> impl Future<Output = ()> {
    poll_fn(move |context| match slot.lock().unwrap().as_mut() {
        Some(call) => call.as_mut().poll(context),
        None => Poll::Ready(()),
    })
}

#[diagnose]
async fn poll_slot(slot: Slot) {
    polled(slot).await;
}

#[diagnose]
async fn call_slot(slot: Slot) {
    let plain = async { polled(slot).await };
    plain.await;
}

/// A thread that empties the slot after a while, and so releases what its future holds.
fn emptied_late() -> Slot {
    let slot = Slot::default();
    let emptied = Arc::clone(&slot);
    thread::spawn(move || {
        thread::sleep(ms(2_500));
        emptied.lock().unwrap().take();
    });
    slot
}

async fn handler_in_a_slot() {
    let slot = emptied_late();
    let (one, two) = (Lock::default(), Lock::default());
    *slot.lock().unwrap() = Some(Box::pin(transfer(one.clone(), two.clone())));
    tokio::spawn(poll_slot(slot));
    tokio::spawn(transfer(two, one)).await.unwrap();
}

async fn call_in_a_slot() {
    let slot = emptied_late();
    let (one, two) = (Lock::default(), Lock::default());
    *slot.lock().unwrap() = Some(Box::pin(deeper(one.clone(), two.clone())));
    tokio::spawn(call_slot(slot));
    tokio::spawn(transfer(two, one)).await.unwrap();
}
