//! A receiver's wait is recorded until a message, a drop, or another use.

use diagnose::{FutureExt, tokio};
use diagnose_channels_tests::{here, look};
use diagnose_reports::model::{Attribution, Role, WaitMode};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use std::future::poll_fn;
use std::iter;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::coop::has_budget_remaining;

/// Polls a future once in this task. Returns `true` if it is ready.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_ready())).await
}

#[tokio::test]
async fn a_receiver_waits_until_it_is_dropped() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::unbounded_channel::<u8>());
    let mut receiving = Box::pin(receiver.recv());
    assert!(!poll_once(&mut receiving).await);
    assert_eq!(look().waits(made, WaitMode::Receive).len(), 1);
    drop(receiving);
    assert!(look().waits(made, WaitMode::Receive).is_empty());
    assert_eq!(look().holdings(made, Role::Sends)[0].uses, 0);
    sender.send(1).unwrap();
    assert_eq!(look().holdings(made, Role::Sends)[0].uses, 1);
}

#[tokio::test]
async fn an_abandoned_poll_ends_with_the_next_use() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel(1));
    assert!(poll_fn(|context| Poll::Ready(receiver.poll_recv(context).is_pending())).await);
    assert_eq!(look().waits(made, WaitMode::Receive).len(), 1);
    assert!(receiver.try_recv().is_err());
    assert!(look().waits(made, WaitMode::Receive).is_empty());
    sender.send(1).await.unwrap();
    assert_eq!(receiver.try_recv(), Ok(1));
}

/// tokio's receiver keeps the waker of a dropped future, and some programs rely on it.
#[tokio::test]
async fn a_receiver_that_is_polled_by_a_new_future_each_time_is_woken() {
    diagnose_isolation::isolated!();
    let (sender, mut receiver) = mpsc::channel(1);
    let task = tokio::spawn(poll_fn(move |context| Box::pin(receiver.recv()).as_mut().poll(context)));
    tokio::task::yield_now().await;
    sender.send(1).await.unwrap();
    assert_eq!(task.await.unwrap(), Some(1));
    let (mut sender, receiver) = oneshot::channel::<u8>();
    let task = tokio::spawn(poll_fn(move |context| Box::pin(sender.closed()).as_mut().poll(context)));
    tokio::task::yield_now().await;
    drop(receiver);
    task.await.unwrap();
}

#[tokio::test]
async fn a_oneshot_channel_names_the_owner_of_its_sender() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), oneshot::channel());
    assert!(!poll_once(&mut receiver).await);
    let seen = look();
    assert_eq!(seen.waits(made, WaitMode::Receive).len(), 1);
    assert_eq!(seen.holdings(made, Role::Sends)[0].uses, 0, "nobody has seen it since");
    assert!(!sender.is_closed());
    assert_eq!(look().holdings(made, Role::Sends)[0].uses, 1, "who asks has it");
    sender.send(7).unwrap();
    let seen = look();
    assert!(seen.holdings(made, Role::Sends).is_empty() && seen.resource(made).is_closed);
    assert_eq!(seen.resource(made).filled, 1);
    assert!(seen.waits(made, WaitMode::Receive)[0].woken_ns.is_some());
    assert!(!seen.waits(made, WaitMode::Receive)[0].is_granted);
    assert_eq!(receiver.await, Ok(7));
    assert!(look().made(made).is_none());
}

#[tokio::test]
async fn a_sender_sent_in_a_message_belongs_to_that_channel() {
    diagnose_isolation::isolated!();
    let (mailbox, (requests, mut receiver)) = (here(), mpsc::channel(1));
    let (made, (answers, _answer)) = (here(), oneshot::channel::<u8>());
    requests.send(answers).await.unwrap();
    let seen = look();
    let holding = seen.holdings(made, Role::Sends)[0];
    // A thread without records may own it too.
    if holding.attribution == Attribution::Likely {
        assert_eq!(holding.in_channel, Some(seen.resource(mailbox).id));
    }
    let answers = receiver.recv().await.unwrap();
    assert_eq!(look().holdings(made, Role::Sends)[0].in_channel, None);
    drop(answers);
}

/// A task that is polled by the thread that wakes it, within the wake.
struct PolledByWake(Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl Wake for PolledByWake {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(self.clone());
        let poll = self.0.lock().unwrap().as_mut().poll(&mut Context::from_waker(&waker));
        assert!(poll.is_pending());
    }
}

/// The actor receives a message and sends itself another one before the sender of the first counts
/// it.
#[test]
fn a_message_sent_before_an_earlier_one_is_counted_is_still_unread() {
    diagnose_isolation::isolated!();
    let (mailbox, (requests, mut receiver)) = (here(), mpsc::channel::<Option<oneshot::Sender<u8>>>(2));
    let made = Arc::new(Mutex::new(None));
    let (own, made_there) = (requests.clone(), made.clone());
    let actor = async move {
        assert!(receiver.recv().await.unwrap().is_none());
        let (at, (answers, answer)) = (here(), oneshot::channel());
        *made_there.lock().unwrap() = Some(at);
        own.send(Some(answers)).await.unwrap();
        answer.await.unwrap();
    };
    let actor = Arc::new(PolledByWake(Mutex::new(Box::pin(actor.diagnose("actor")))));
    actor.clone().wake();
    requests.try_send(None).unwrap();
    let seen = look();
    let made = made.lock().unwrap().expect("the actor has received the first message");
    let in_channel = seen.holdings(made, Role::Sends)[0].in_channel;
    assert_eq!(in_channel, Some(seen.resource(mailbox).id));
}

#[tokio::test]
async fn a_receiver_is_in_no_message_of_its_own_channel() {
    diagnose_isolation::isolated!();
    let sends = async {
        let (made, (requests, receiver)) = (here(), mpsc::channel(1));
        let lock = Arc::new(tokio::sync::Mutex::new(0));
        requests.send(lock.lock_owned().await).await.unwrap();
        let seen = look();
        let holding = seen.holdings(made, Role::Receives)[0];
        assert_eq!((holding.in_channel, holding.attribution), (None, Attribution::Likely));
        drop(receiver);
    };
    sends.diagnose("sends").await;
}

/// Runs in a single poll, and so with a single clock reading.
#[tokio::test]
async fn the_last_of_several_unused_ends_is_in_the_last_message() {
    diagnose_isolation::isolated!();
    let (requests, mut receiver) = mpsc::channel(2);
    let (kept, (_settings, _)) = (here(), watch::channel(0));
    let (answers, _answer) = oneshot::channel::<u8>();
    requests.send(answers).await.unwrap();
    drop(receiver.recv().await);
    let (answers, _answer) = oneshot::channel::<u8>();
    requests.send(answers).await.unwrap();
    assert_eq!(look().holdings(kept, Role::Sends)[0].in_channel, None);
}

#[tokio::test]
async fn an_end_converted_to_tokios_type_may_be_anywhere() {
    diagnose_isolation::isolated!();
    let (made, (sender, mut receiver)) = (here(), mpsc::channel::<u8>(1));
    let own: ::tokio::sync::mpsc::Sender<u8> = sender.into();
    let seen = look();
    let holding = seen.holdings(made, Role::Sends)[0];
    assert_eq!((holding.attribution, holding.task), (Attribution::Unknown, None));
    assert!(!seen.resource(made).is_closed);
    own.send(1).await.unwrap();
    assert_eq!(receiver.recv().await, Some(1));
    drop(receiver);
    assert!(look().made(made).is_none());
    let again = mpsc::Sender::from(own);
    assert!(again.is_closed());
}

/// What the original receives is not recorded.
#[tokio::test]
async fn a_channel_whose_receiver_was_converted_does_not_fill() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), mpsc::unbounded_channel::<u8>());
    sender.send(1).unwrap();
    assert_eq!(look().resource(made).filled, 1);
    let mut own: ::tokio::sync::mpsc::UnboundedReceiver<u8> = receiver.into();
    sender.send(2).unwrap();
    assert_eq!((own.recv().await, own.recv().await), (Some(1), Some(2)));
    assert_eq!(look().resource(made).filled, 0);
    let (made, (sender, receiver)) = (here(), mpsc::channel::<u8>(1));
    let mut own: ::tokio::sync::mpsc::Receiver<u8> = receiver.into();
    for _ in 0..3 {
        sender.send(1).await.unwrap();
        own.recv().await.unwrap();
    }
    assert_eq!((look().resource(made).filled, look().resource(made).free), (0, 1));
    sender.send(1).await.unwrap();
    let mut waits = Box::pin(sender.send(2));
    assert!(!poll_once(&mut waits).await);
    assert_eq!(look().resource(made).free, 0, "a sender waits");
}

/// A combinator polls with a waker of its own. So the receive is listed while the budget of its
/// task holds it back, and waits for its channel from the next poll on.
#[tokio::test]
async fn a_receive_that_the_budget_held_back_waits_for_its_channel_later() {
    diagnose_isolation::isolated!();
    let (made, (sender, receiver)) = (here(), oneshot::channel::<u8>());
    let task = tokio::spawn(async move {
        let other = Semaphore::new(1);
        while has_budget_remaining() {
            drop(other.acquire().await.unwrap());
        }
        let mut replies: FuturesUnordered<_> = iter::once(receiver).collect();
        replies.next().await
    });
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    let seen = look();
    let waits = seen.waits(made, WaitMode::Receive);
    assert_eq!((waits.len(), waits[0].wakers, waits[0].woken_ns, waits[0].is_forced), (1, 1, None, false));
    sender.send(1).unwrap();
    assert!(look().waits(made, WaitMode::Receive)[0].woken_ns.is_some());
    assert_eq!(task.await.unwrap(), Some(Ok(1)));
}
