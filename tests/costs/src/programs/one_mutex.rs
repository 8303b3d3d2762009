//! Two tasks that acquire one lock repeatedly, and hold it across a yield.
//!
//! One thread, so that every acquisition but the first has to wait; contention between two threads
//! would depend on chance.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use std::sync::Arc;

            use tokio::runtime::Builder;
            use tokio::sync::Mutex;
            use tokio::task::yield_now;
            use $tokio as tokio;

            #[$record]
            async fn turn(lock: &Mutex<u64>) {
                let mut turns = lock.lock().await;
                *turns += 1;
                yield_now().await;
            }

            #[$record]
            async fn turns(lock: Arc<Mutex<u64>>, count: u64) {
                for _ in 0..count {
                    turn(&lock).await;
                }
            }

            #[$record]
            async fn both(size: u64) -> u64 {
                let lock = Arc::new(Mutex::new(0));
                let one = tokio::spawn(turns(Arc::clone(&lock), size / 2));
                let other = tokio::spawn(turns(Arc::clone(&lock), size / 2));
                one.await.expect("no panic");
                other.await.expect("no panic");
                let turns = *lock.lock().await;
                turns
            }

            pub(crate) fn run(size: u64) -> u64 {
                Builder::new_current_thread().build().expect("a runtime").block_on(both(size))
            }
        }
    };
}

crate::program::three_ways!(program);
