//! Tasks spawned as fast as they can be, by as many spawners as there are worker threads.
//!
//! On 1, 2, 4 and 8 worker threads, which may exceed the cores: work under one lock shows as CPU
//! that grows with the threads. Each spawner spawns all its tasks before it awaits the first.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use tokio::runtime::Builder;
            use tokio::task::yield_now;
            use $tokio as tokio;

            #[$record]
            async fn task(number: u64) -> u64 {
                yield_now().await;
                std::hint::black_box(number)
            }

            #[$record]
            async fn spawner(count: u64) -> u64 {
                let tasks: Vec<_> = (0..count).map(|number| tokio::spawn(task(number))).collect();
                let mut done = 0;
                for task in tasks {
                    task.await.expect("no panic");
                    done += 1;
                }
                done
            }

            #[$record]
            async fn storm(threads: u64, size: u64) -> u64 {
                let spawners: Vec<_> = (0..threads).map(|_| tokio::spawn(spawner(size / threads))).collect();
                let mut done = 0;
                for spawner in spawners {
                    done += spawner.await.expect("no panic");
                }
                done
            }

            fn run(threads: u8, size: u64) -> u64 {
                let runtime = Builder::new_multi_thread().worker_threads(threads.into()).build();
                runtime.expect("a runtime").block_on(storm(threads.into(), size))
            }

            pub(crate) fn on_1(size: u64) -> u64 {
                run(1, size)
            }

            pub(crate) fn on_2(size: u64) -> u64 {
                run(2, size)
            }

            pub(crate) fn on_4(size: u64) -> u64 {
                run(4, size)
            }

            pub(crate) fn on_8(size: u64) -> u64 {
                run(8, size)
            }
        }
    };
}

crate::program::three_ways!(program);
