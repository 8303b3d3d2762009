//! Tasks that each spawn one task, await it and end; 64 of them at a time.
//!
//! Two worker threads. Most of the work is to create, wake, poll twice and free a task.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use tokio::runtime::Builder;
            use $tokio as tokio;

            const BATCH: u64 = 64;

            #[$record]
            async fn outer(number: u64) -> u64 {
                tokio::spawn(inner(number)).await.expect("no panic")
            }

            #[$record]
            async fn inner(number: u64) -> u64 {
                std::hint::black_box(number)
            }

            #[$record]
            async fn batches(size: u64) -> u64 {
                let mut done = 0;
                while done < size {
                    let tasks: Vec<_> = (0..BATCH).map(|number| tokio::spawn(outer(number))).collect();
                    for task in tasks {
                        task.await.expect("no panic");
                        done += 1;
                    }
                }
                done
            }

            pub(crate) fn run(size: u64) -> u64 {
                let runtime = Builder::new_multi_thread().worker_threads(2).build();
                runtime.expect("a runtime").block_on(batches(size))
            }
        }
    };
}

crate::program::three_ways!(program);
