//! Two producers and a consumer at a channel for one message.
//!
//! One thread. The channel is full whenever a producer runs and empty whenever the consumer does,
//! so each message causes a wait at both ends.

macro_rules! program {
    ($name:ident, $tokio:path, $record:meta) => {
        pub(super) mod $name {
            use tokio::runtime::Builder;
            use tokio::sync::mpsc;
            use $tokio as tokio;

            #[$record]
            async fn produce(messages: mpsc::Sender<u64>, count: u64) {
                for number in 0..count {
                    send(&messages, number).await;
                }
            }

            #[$record]
            async fn send(messages: &mpsc::Sender<u64>, number: u64) {
                messages.send(number).await.expect("the consumer is there");
            }

            #[$record]
            async fn consume(mut messages: mpsc::Receiver<u64>) -> u64 {
                let mut received = 0;
                while let Some(number) = receive(&mut messages).await {
                    std::hint::black_box(number);
                    received += 1;
                }
                received
            }

            #[$record]
            async fn receive(messages: &mut mpsc::Receiver<u64>) -> Option<u64> {
                messages.recv().await
            }

            #[$record]
            async fn all(size: u64) -> u64 {
                let (sender, receiver) = mpsc::channel(1);
                let consumer = tokio::spawn(consume(receiver));
                let one = tokio::spawn(produce(sender.clone(), size / 2));
                let other = tokio::spawn(produce(sender, size / 2));
                one.await.expect("no panic");
                other.await.expect("no panic");
                consumer.await.expect("no panic")
            }

            pub(crate) fn run(size: u64) -> u64 {
                Builder::new_current_thread().build().expect("a runtime").block_on(all(size))
            }
        }
    };
}

crate::program::three_ways!(program);
