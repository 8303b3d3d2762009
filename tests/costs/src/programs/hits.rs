//! Sixteen tasks that look keys up in a cache under a read lock; missing values are loaded behind a
//! semaphore.
//!
//! Two worker threads. Seven of eight lookups are ready at their first poll: calls with almost no
//! waits. The eighth waits for a permit and yields.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use std::collections::HashMap;
            use std::sync::Arc;

            use tokio::runtime::Builder;
            use tokio::sync::{RwLock, Semaphore};
            use tokio::task::yield_now;
            use $tokio as tokio;

            const TASKS: u64 = 16;

            struct Cache {
                entries: RwLock<HashMap<u64, u64>>,
                loads: Semaphore,
            }

            impl Cache {
                #[$record]
                async fn get(&self, key: u64) -> u64 {
                    match self.hit(key).await {
                        Some(value) => value,
                        None => self.load(key).await,
                    }
                }

                #[$record]
                async fn hit(&self, key: u64) -> Option<u64> {
                    self.entries.read().await.get(&key).copied()
                }

                #[$record]
                async fn load(&self, key: u64) -> u64 {
                    let _permit = self.loads.acquire().await.expect("it is not closed");
                    yield_now().await;
                    let mut entries = self.entries.write().await;
                    if entries.len() > 1024 {
                        entries.clear();
                    }
                    *entries.entry(key).or_insert(key + 1)
                }
            }

            #[$record]
            async fn user(cache: Arc<Cache>, task: u64, requests: u64) -> u64 {
                for request in 0..requests {
                    // A new key for every eighth request.
                    let key = ((request / 8) << 8) | task;
                    assert_eq!(cache.get(key).await, key + 1);
                }
                requests
            }

            #[$record]
            async fn users(size: u64) -> u64 {
                let cache =
                    Arc::new(Cache { entries: RwLock::new(HashMap::new()), loads: Semaphore::new(4) });
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
