//! One task that drives 64 futures at a time through `FuturesUnordered`, each of which yields
//! twice.
//!
//! One thread. The set polls each future with a separate waker, and polls the futures in the order
//! of their wakes.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use futures::stream::{FuturesUnordered, StreamExt as _};
            use tokio::runtime::Builder;
            use tokio::task::yield_now;
            use $tokio as tokio;

            const WIDTH: u64 = 64;

            #[$record]
            async fn item(number: u64) -> u64 {
                step().await;
                step().await;
                number
            }

            #[$record]
            async fn step() {
                yield_now().await;
            }

            #[$record]
            async fn fan_out(size: u64) -> u64 {
                let mut items: FuturesUnordered<_> = (0..WIDTH.min(size)).map(item).collect();
                let (mut started, mut done) = (WIDTH.min(size), 0);
                while let Some(number) = items.next().await {
                    std::hint::black_box(number);
                    done += 1;
                    if started < size {
                        items.push(item(started));
                        started += 1;
                    }
                }
                done
            }

            pub(crate) fn run(size: u64) -> u64 {
                Builder::new_current_thread().build().expect("a runtime").block_on(fan_out(size))
            }
        }
    };
}

crate::program::three_ways!(program);
