//! Three stages, each an un-annotated task that calls an annotated handler for each message.
//!
//! Two worker threads. Users put the attribute here first: on the handler, and on nothing above it.
//! Two handlers are ready at their first poll, the third yields for every eighth message.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use tokio::runtime::Builder;
            use tokio::sync::mpsc;
            use tokio::task::yield_now;
            use $tokio as tokio;

            const ROOM: usize = 32;

            #[$record]
            async fn parse(message: u64) -> u64 {
                std::hint::black_box(message)
            }

            #[$record]
            async fn enrich(message: u64) -> u64 {
                normalize(message).await + 1
            }

            #[$record]
            async fn normalize(message: u64) -> u64 {
                std::hint::black_box(message)
            }

            #[$record]
            async fn store(message: u64) -> u64 {
                if message % 8 == 0 {
                    yield_now().await;
                }
                std::hint::black_box(message)
            }

            pub(crate) fn run(size: u64) -> u64 {
                let runtime = Builder::new_multi_thread().worker_threads(2).build();
                runtime.expect("a runtime").block_on(async move {
                    let (to_parse, mut received) = mpsc::channel(ROOM);
                    let (to_enrich, mut parsed) = mpsc::channel(ROOM);
                    let (to_store, mut enriched) = mpsc::channel(ROOM);
                    tokio::spawn(async move {
                        while let Some(message) = received.recv().await {
                            to_enrich.send(parse(message).await).await.expect("the next stage is there");
                        }
                    });
                    tokio::spawn(async move {
                        while let Some(message) = parsed.recv().await {
                            to_store.send(enrich(message).await).await.expect("the next stage is there");
                        }
                    });
                    let stored = tokio::spawn(async move {
                        let mut stored = 0;
                        while let Some(message) = enriched.recv().await {
                            store(message).await;
                            stored += 1;
                        }
                        stored
                    });
                    for number in 0..size {
                        to_parse.send(number).await.expect("the first stage is there");
                    }
                    drop(to_parse);
                    stored.await.expect("no panic")
                })
            }
        }
    };
}

crate::program::three_ways!(program);
