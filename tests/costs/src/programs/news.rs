//! One task that publishes to eight subscribers of a broadcast and to four that watch the newest
//! value.
//!
//! Two worker threads. Messages that a slow subscriber misses count as received. The scheduler
//! decides how many of the watched values are seen.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use tokio::runtime::Builder;
            use tokio::sync::broadcast::error::RecvError;
            use tokio::sync::{broadcast, watch};
            use tokio::task::yield_now;
            use $tokio as tokio;

            const SUBSCRIBERS: u64 = 8;
            const WATCHERS: u64 = 4;

            #[$record]
            async fn publish(news: broadcast::Sender<u64>, newest: watch::Sender<u64>, count: u64) {
                for number in 0..count {
                    news.send(number).expect("there is a receiver");
                    newest.send(number).expect("there is a receiver");
                    yield_now().await;
                }
            }

            #[$record]
            async fn subscriber(mut news: broadcast::Receiver<u64>) -> u64 {
                let mut received = 0;
                while let Some(messages) = next(&mut news).await {
                    received += messages;
                }
                received
            }

            #[$record]
            async fn next(news: &mut broadcast::Receiver<u64>) -> Option<u64> {
                match news.recv().await {
                    Ok(_) => Some(1),
                    Err(RecvError::Lagged(missed)) => Some(missed),
                    Err(RecvError::Closed) => None,
                }
            }

            #[$record]
            async fn watcher(mut newest: watch::Receiver<u64>) {
                while newest.changed().await.is_ok() {
                    std::hint::black_box(*newest.borrow_and_update());
                }
            }

            #[$record]
            async fn all(size: u64) -> u64 {
                let (news, _) = broadcast::channel(64);
                let (newest, _) = watch::channel(0);
                let subscribers: Vec<_> =
                    (0..SUBSCRIBERS).map(|_| tokio::spawn(subscriber(news.subscribe()))).collect();
                let watchers: Vec<_> =
                    (0..WATCHERS).map(|_| tokio::spawn(watcher(newest.subscribe()))).collect();
                tokio::spawn(publish(news, newest, size / SUBSCRIBERS)).await.expect("no panic");
                let mut received = 0;
                for subscriber in subscribers {
                    received += subscriber.await.expect("no panic");
                }
                for watcher in watchers {
                    watcher.await.expect("no panic");
                }
                received
            }

            pub(crate) fn run(size: u64) -> u64 {
                let runtime = Builder::new_multi_thread().worker_threads(2).build();
                runtime.expect("a runtime").block_on(all(size))
            }
        }
    };
}

crate::program::three_ways!(program);
