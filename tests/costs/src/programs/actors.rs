//! Eight actors, each with a mailbox, a tick and a stop signal in one `select!`; 16 clients ask
//! them with a timeout.
//!
//! Two worker threads. As in a program without errors, the timeouts and ticks do not elapse: their
//! cost is to be created, polled and dropped.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use std::time::Duration;

            use tokio::runtime::Builder;
            use tokio::sync::{mpsc, oneshot, watch};
            use tokio::time;
            use $tokio as tokio;

            struct Ask {
                value: u64,
                reply: oneshot::Sender<u64>,
            }

            const ACTORS: usize = 8;
            const CLIENTS: usize = 16;

            #[$record]
            async fn actor(mut mailbox: mpsc::Receiver<Ask>, mut stop: watch::Receiver<bool>) -> u64 {
                let mut total = 0;
                let mut tick = time::interval(Duration::from_secs(1));
                loop {
                    tokio::select! {
                        Some(message) = mailbox.recv() => total += handle(message).await,
                        _ = tick.tick() => {}
                        _ = stop.changed() => return total,
                    }
                }
            }

            #[$record]
            async fn handle(message: Ask) -> u64 {
                let _ = message.reply.send(compute(message.value).await);
                1
            }

            #[$record]
            async fn compute(value: u64) -> u64 {
                std::hint::black_box(value) + 1
            }

            #[$record]
            async fn client(actors: Vec<mpsc::Sender<Ask>>, requests: usize) {
                for request in 0..requests {
                    let value = ask(&actors[request % ACTORS], request as u64).await;
                    assert_eq!(value, request as u64 + 1);
                }
            }

            #[$record]
            async fn ask(actor: &mpsc::Sender<Ask>, value: u64) -> u64 {
                let (reply, answer) = oneshot::channel();
                actor.send(Ask { value, reply }).await.ok().expect("the actor is there");
                time::timeout(Duration::from_secs(60), answer).await.expect("in time").expect("it answers")
            }

            #[$record]
            async fn system(requests: usize) -> u64 {
                let (stop, stopped) = watch::channel(false);
                let mut mailboxes = Vec::new();
                let mut actors = Vec::new();
                for _ in 0..ACTORS {
                    let (mailbox, messages) = mpsc::channel(16);
                    mailboxes.push(mailbox);
                    actors.push(tokio::spawn(actor(messages, stopped.clone())));
                }
                let clients: Vec<_> =
                    (0..CLIENTS).map(|_| tokio::spawn(client(mailboxes.clone(), requests))).collect();
                for client in clients {
                    client.await.expect("no panic");
                }
                stop.send(true).expect("there is a receiver");
                let mut total = 0;
                for actor in actors {
                    total += actor.await.expect("no panic");
                }
                total
            }

            pub(crate) fn run(size: u64) -> u64 {
                let requests = usize::try_from(size).expect("it is small") / CLIENTS;
                let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
                runtime.expect("a runtime").block_on(system(requests))
            }
        }
    };
}

crate::program::three_ways!(program);
