//! A primitive that keeps one waker for all who poll it wakes the task also once the future that it
//! was cloned for is ready.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use diagnose::tokio::task::{LocalSet, spawn_local};
use diagnose::tokio::{self, time};

/// Counts its wakes.
#[derive(Default)]
struct Wakes(AtomicU32);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_local_set_that_is_run_twice_wakes_its_task_after_one_run() {
    let set = LocalSet::new();
    let first = async {
        let task = spawn_local(async {
            time::sleep(Duration::from_millis(10)).await;
            5
        });
        task.await.unwrap()
    };
    let both = async { tokio::join!(set.run_until(first), set.run_until(async {})) };
    assert_eq!(time::timeout(Duration::from_secs(60), both).await, Ok((5, ())));
}

#[test]
fn a_custom_wait_that_is_ready_leaves_its_waker_to_another() {
    let resource = diagnose::Resource::new("slot", 1);
    let slot: Rc<RefCell<Option<Waker>>> = Rc::default();
    let registers = |polls: u32| {
        let (slot, mut left) = (Rc::clone(&slot), polls);
        diagnose::wait(
            "slot",
            &resource,
            poll_fn(move |context| {
                slot.replace(Some(context.waker().clone()));
                left -= 1;
                if left == 0 { Poll::Ready(()) } else { Poll::Pending }
            }),
        )
    };
    let (mut stays, mut ends) = (pin!(registers(9)), pin!(registers(2)));
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut context = Context::from_waker(&waker);
    assert!(stays.as_mut().poll(&mut context).is_pending());
    assert!(ends.as_mut().poll(&mut context).is_pending());
    assert!(stays.as_mut().poll(&mut context).is_pending());
    assert!(ends.as_mut().poll(&mut context).is_ready());
    slot.take().expect("registered").wake();
    assert_eq!(wakes.0.load(Relaxed), 1);
}
