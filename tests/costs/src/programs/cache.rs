//! Sixteen tasks that look keys up in a cache behind a semaphore with four permits.
//!
//! Two worker threads. Every lookup acquires a permit. One in four loads a missing value and yields
//! while it holds the permit, so most lookups wait for one.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use std::collections::HashMap;
            use std::sync::Arc;

            use tokio::runtime::Builder;
            use tokio::sync::{Mutex, Semaphore};
            use tokio::task::yield_now;
            use $tokio as tokio;

            const TASKS: u64 = 16;

            struct Cache {
                entries: Mutex<HashMap<u64, u64>>,
                permits: Semaphore,
            }

            impl Cache {
                #[$record]
                async fn get(&self, key: u64) -> u64 {
                    let _permit = self.permits.acquire().await.expect("it is not closed");
                    let hit = self.entries.lock().await.get(&key).copied();
                    match hit {
                        Some(value) => value,
                        None => self.load(key).await,
                    }
                }

                #[$record]
                async fn load(&self, key: u64) -> u64 {
                    yield_now().await;
                    let mut entries = self.entries.lock().await;
                    if entries.len() > 1024 {
                        entries.clear();
                    }
                    *entries.entry(key).or_insert(key + 1)
                }
            }

            #[$record]
            async fn user(cache: Arc<Cache>, task: u64, requests: u64) -> u64 {
                for request in 0..requests {
                    // A new key for every fourth request.
                    let key = ((request / 4) << 8) | task;
                    assert_eq!(cache.get(key).await, key + 1);
                }
                requests
            }

            #[$record]
            async fn users(size: u64) -> u64 {
                let cache =
                    Arc::new(Cache { entries: Mutex::new(HashMap::new()), permits: Semaphore::new(4) });
                let tasks: Vec<_> = (0..TASKS)
                    .map(|task| tokio::spawn(user(Arc::clone(&cache), task, size / TASKS)))
                    .collect();
                let mut total = 0;
                for task in tasks {
                    total += task.await.expect("no panic");
                }
                total
            }

            pub(crate) fn run(size: u64) -> u64 {
                let runtime = Builder::new_multi_thread().worker_threads(2).build();
                runtime.expect("a runtime").block_on(users(size))
            }
        }
    };
}

crate::program::three_ways!(program);
