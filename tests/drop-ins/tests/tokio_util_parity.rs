//! Uses every public item of the wrapped part of tokio-util, its `sync`, original and wrapped.
//!
//! Each function runs with original and wrapper. Kept by hand against tokio-util 0.7.20.

use diagnose_drop_ins_tests::now;

macro_rules! tokio_util {
    ($name:ident, $tokio:path, $library:path) => {
        mod $name {
            use std::collections::HashSet;
            use std::fmt::Debug;
            use std::future::pending;
            use std::sync::Arc;
            use std::task::{Context, Poll, Waker};

            use futures::{SinkExt, StreamExt};
            use library::sync::{
                CancellationToken, DropGuard, DropGuardRef, PollSemaphore, PollSendError, PollSender,
                ReusableBoxFuture, WaitForCancellationFuture, WaitForCancellationFutureOwned,
            };
            use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
            use $library as library;
            use $tokio as tokio;

            use super::now;

            fn shown(it: &impl Debug) -> String {
                format!("{it:?}")
            }

            pub(super) fn tokens() -> Vec<String> {
                let token = CancellationToken::new();
                let (child, same) = (token.child_token(), token.clone());
                let mut seen = vec![shown(&token)];
                seen.push(shown(&(
                    token == same,
                    token == child,
                    HashSet::from([token.clone(), same]).len(),
                )));
                let waits: WaitForCancellationFuture<'_> = child.cancelled();
                seen.push(shown(&waits));
                let owned: WaitForCancellationFutureOwned = child.clone().cancelled_owned();
                seen.push(shown(&owned));
                seen.push(shown(&now(token.run_until_cancelled(async { 1 }))));
                seen.push(shown(&now(token.clone().run_until_cancelled_owned(async { 2 }))));
                token.cancel();
                now(waits);
                now(owned);
                seen.push(shown(&(token.is_cancelled(), child.is_cancelled())));
                seen.push(shown(&now(child.run_until_cancelled(pending::<()>()))));
                seen.push(shown(&now(child.clone().run_until_cancelled_owned(async { 3 }))));
                let token = CancellationToken::default();
                token.child_token().cancel();
                seen.push(shown(&token.is_cancelled()));
                let guard: DropGuardRef<'_> = token.drop_guard_ref();
                seen.push(shown(&(guard.token() == &token, guard.disarm().is_cancelled())));
                drop(token.drop_guard_ref());
                seen.push(shown(&token.is_cancelled()));
                let token = CancellationToken::new();
                let guard: DropGuard = token.clone().drop_guard();
                seen.push(shown(&(guard.token() == &token, guard.disarm().is_cancelled())));
                drop(token.clone().drop_guard());
                seen.push(shown(&(token.is_cancelled(), now(token.run_until_cancelled_owned(async { 4 })))));
                seen
            }

            pub(super) fn sender() -> Vec<String> {
                let mut context = Context::from_waker(Waker::noop());
                let (tx, rx) = mpsc::channel::<u8>(1);
                let mut alone: PollSender<u8> = PollSender::new(tx);
                drop(rx);
                let left =
                    shown(&(alone.poll_reserve(&mut context), alone.is_closed(), alone.get_ref().is_some()));
                let (tx, mut rx) = mpsc::channel::<u8>(1);
                let mut sender: PollSender<u8> = PollSender::new(tx.clone());
                let mut seen = vec![
                    left,
                    shown(&(sender.is_closed(), sender.get_ref().is_some_and(|it| it.same_channel(&tx)))),
                ];
                let ready: Poll<Result<(), PollSendError<u8>>> = sender.poll_reserve(&mut context);
                seen.push(shown(&(
                    ready,
                    sender.poll_reserve(&mut context),
                    tx.capacity(),
                    sender.send_item(1),
                )));
                seen.push(shown(&(
                    sender.poll_reserve(&mut context),
                    sender.abort_send(),
                    sender.abort_send(),
                )));
                seen.push(shown(&(
                    rx.try_recv(),
                    sender.poll_reserve(&mut context),
                    sender.abort_send(),
                    tx.capacity(),
                )));
                let mut other = sender.clone();
                seen.push(shown(&(now(sender.send(2)), now(other.flush()), rx.try_recv())));
                seen.push(shown(&(
                    now(SinkExt::close(&mut sender)),
                    sender.is_closed(),
                    sender.get_ref().is_none(),
                )));
                sender.close();
                seen.push(shown(&(sender.poll_reserve(&mut context), sender.send_item(3))));
                let late = PollSender::clone(&sender);
                seen.push(shown(&(late.is_closed(), shown(&late).len() > 3)));
                drop(rx);
                let mut last = PollSender::new(tx);
                seen.push(shown(&now(last.feed(4)).map_err(PollSendError::into_inner)));
                seen
            }

            pub(super) fn semaphore() -> Vec<String> {
                let mut context = Context::from_waker(Waker::noop());
                let semaphore = Arc::new(Semaphore::new(2));
                let mut polls: PollSemaphore = PollSemaphore::new(semaphore.clone());
                let mut seen = vec![shown(&(polls.available_permits(), shown(&polls).len() > 3))];
                let Poll::Ready(one) = polls.poll_acquire(&mut context) else { return seen };
                let one: Option<OwnedSemaphorePermit> = one;
                seen.push(shown(&(one.is_some(), polls.poll_acquire_many(&mut context, 2).is_pending())));
                drop(one);
                let Poll::Ready(two) = polls.poll_acquire_many(&mut context, 2) else { return seen };
                seen.push(shown(&(
                    two.map(|it| it.num_permits()),
                    polls.poll_acquire(&mut context).is_ready(),
                )));
                seen.push(shown(&now(polls.next()).is_some()));
                polls.add_permits(3);
                seen.push(shown(&(polls.as_ref().available_permits(), polls.clone().available_permits())));
                seen.push(shown(&(Arc::ptr_eq(&polls.clone_inner(), &semaphore))));
                polls.close();
                seen.push(shown(&(polls.poll_acquire(&mut context).map(|it| it.is_none()))));
                seen.push(shown(&(Arc::ptr_eq(&polls.into_inner(), &semaphore))));
                let mut boxed: ReusableBoxFuture<'_, u8> = ReusableBoxFuture::new(async { 1 });
                seen.push(shown(&boxed.poll(&mut context)));
                seen
            }
        }
    };
}
tokio_util!(tokio_util_own, ::tokio, ::tokio_util);
tokio_util!(tokio_util_ours, diagnose::tokio, diagnose::tokio_util);

#[test]
fn a_poll_sender_and_the_original_convert_into_each_other() {
    let (sender, mut receiver) = diagnose::tokio::sync::mpsc::channel(1);
    let sender = diagnose::tokio_util::sync::PollSender::new(sender);
    let mut original: tokio_util::sync::PollSender<u8> = sender.into();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(original.poll_reserve(&mut context).is_ready());
    let mut sender = diagnose::tokio_util::sync::PollSender::from(original);
    assert!(sender.send_item(1).is_ok() && sender.get_ref().is_some());
    assert_eq!(receiver.try_recv(), Ok(1));
}

#[test]
fn tokio_util_wrappers_do_what_the_originals_do() {
    assert_eq!(tokio_util_own::tokens(), tokio_util_ours::tokens());
    assert_eq!(tokio_util_own::sender(), tokio_util_ours::sender());
    assert_eq!(tokio_util_own::semaphore(), tokio_util_ours::semaphore());
}
