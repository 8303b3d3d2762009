//! A cell's initializing future is polled exactly as with the original.
//!
//! No poll is repeated, and it gets the waker that the call was polled with.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

use diagnose_waits_tests::poll;

struct Counts(AtomicU32);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

macro_rules! polled {
    ($name:ident, $($sync:tt)+) => {
        #[test]
        fn $name() {
            use $($sync)+::OnceCell;
            let counts = Arc::new(Counts(AtomicU32::new(0)));
            let waker = Waker::from(Arc::clone(&counts));
            let cell = OnceCell::new();
            let polls = AtomicU32::new(0);
            let make = || {
                poll_fn(|context| {
                    assert!(context.waker().will_wake(&waker));
                    if polls.fetch_add(1, Relaxed) == 2 { Poll::Ready(3) } else { Poll::Pending }
                })
            };
            let mut blocks = Box::pin(cell.get_or_init(std::future::pending));
            assert!(poll(blocks.as_mut()).is_pending());
            let mut call = pin!(cell.get_or_init(make));
            let mut context = Context::from_waker(&waker);
            assert!(call.as_mut().poll(&mut context).is_pending());
            assert_eq!((polls.load(Relaxed), counts.0.load(Relaxed)), (0, 0));
            drop(blocks);
            assert_eq!(counts.0.load(Relaxed), 1, "it is its turn");
            for number in 1..3 {
                assert!(call.as_mut().poll(&mut context).is_pending());
                assert_eq!(polls.load(Relaxed), number);
            }
            assert_eq!(call.as_mut().poll(&mut context), Poll::Ready(&3));
            assert_eq!((polls.load(Relaxed), counts.0.load(Relaxed)), (3, 1));
        }
    };
}

polled!(original, ::tokio::sync);
polled!(wrapper, diagnose::tokio::sync);
