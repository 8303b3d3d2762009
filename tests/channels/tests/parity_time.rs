//! Timers, pipes, handles and task sets have every public method of the originals.
//!
//! Kept by hand against tokio 1.54. Each function runs with the original and with the wrapper.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

macro_rules! surface {
    ($name:ident, $tokio:path) => {
        mod $name {
            use super::*;
            use library::io::{AsyncReadExt as _, AsyncWriteExt as _};
            use library::task::{AbortHandle, JoinError, JoinHandle, JoinSet};
            use library::time::{self, Instant, Interval, MissedTickBehavior, Sleep, Timeout};
            use $tokio as library;

            const STEP: Duration = Duration::from_millis(10);

            pub(super) async fn timers() -> Vec<String> {
                let start = Instant::now();
                time::sleep(STEP).await;
                let mut sleep = pin!(time::sleep_until(start + 2 * STEP));
                let until: Instant = Sleep::deadline(&sleep);
                let is_elapsed = sleep.is_elapsed();
                sleep.as_mut().reset(until + STEP);
                sleep.as_mut().await;
                let slept = (start.elapsed(), until - start, is_elapsed, sleep.is_elapsed());

                let ok: Result<u8, time::error::Elapsed> = time::timeout(STEP, async { 1 }).await;
                let over = time::timeout(STEP, std::future::pending::<()>()).await;
                let at = time::timeout_at(Instant::now() + STEP, std::future::pending::<()>()).await;
                let endless = time::timeout(Duration::MAX, async { 2 }).await;
                let mut kept: Timeout<std::future::Ready<u8>> = time::timeout(STEP, std::future::ready(3));
                let _: &std::future::Ready<u8> = kept.get_ref();
                let _same: &mut std::future::Ready<u8> = kept.get_mut();
                let inside = kept.into_inner().await;
                let zero = time::timeout(Duration::ZERO, time::sleep(Duration::ZERO)).await;
                let waited = start.elapsed();

                let mut interval: Interval = time::interval(STEP);
                interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
                let settings = (interval.period(), interval.missed_tick_behavior());
                let mut ticks = vec![interval.tick().await - start];
                time::sleep(3 * STEP / 2).await;
                ticks.push(interval.tick().await - start);
                ticks.push(interval.tick().await - start);
                interval.reset();
                ticks.push(interval.tick().await - start);
                interval.reset_immediately();
                ticks.push(interval.tick().await - start);
                interval.reset_after(3 * STEP);
                ticks.push(interval.tick().await - start);
                interval.reset_at(Instant::now() + 4 * STEP);
                let mut context = Context::from_waker(Waker::noop());
                let polled: Poll<Instant> = interval.poll_tick(&mut context);
                ticks.push(interval.tick().await - start);
                let mut later = time::interval_at(Instant::now() + STEP, STEP);
                later.set_missed_tick_behavior(MissedTickBehavior::Skip);
                time::sleep(7 * STEP / 2).await;
                for _ in 0..3 {
                    ticks.push(later.tick().await - start);
                }
                vec![
                    format!("{slept:?} {ok:?} {over:?} {at:?} {endless:?} {inside:?} {zero:?} {waited:?}"),
                    format!("{settings:?} {ticks:?} {}", polled.is_pending()),
                ]
            }

            pub(super) async fn pipes() -> Vec<String> {
                let (mut one, mut two): (library::io::DuplexStream, library::io::DuplexStream) =
                    library::io::duplex(4);
                one.write_all(b"abc").await.unwrap();
                let slices = [std::io::IoSlice::new(b"d"), std::io::IoSlice::new(b"ef")];
                let vectored = (one.write_vectored(&slices).await.unwrap(), one.is_write_vectored_());
                one.flush().await.unwrap();
                one.shutdown().await.unwrap();
                let mut text = String::new();
                two.read_to_string(&mut text).await.unwrap();
                two.write_all(b"back").await.unwrap();
                drop(two);
                let mut back = Vec::new();
                one.read_to_end(&mut back).await.unwrap();
                let broken = one.write(b"x").await.unwrap_err().kind();
                let (mut reader, mut writer) = library::io::simplex(4);
                writer.write_all(b"wxyz").await.unwrap();
                writer.shutdown().await.unwrap();
                reader.read_to_string(&mut text).await.unwrap();
                let mut pipe = library::io::SimplexStream::new_unsplit(2);
                pipe.write_all(b"q").await.unwrap();
                let byte = pipe.read_u8().await.unwrap();
                vec![format!("{vectored:?} {text} {back:?} {broken:?} {byte}")]
            }

            trait Vectored {
                fn is_write_vectored_(&self) -> bool;
            }

            impl Vectored for library::io::DuplexStream {
                fn is_write_vectored_(&self) -> bool {
                    library::io::AsyncWrite::is_write_vectored(self)
                }
            }

            pub(super) async fn handles() -> Vec<String> {
                let handle: JoinHandle<u8> = library::spawn(async { 1 });
                let abort: AbortHandle = handle.abort_handle();
                let same = (abort.id() == handle.id(), handle.is_finished());
                let shown = format!("{handle:?}").replace(|digit: char| digit.is_ascii_digit(), "");
                let joined: Result<u8, JoinError> = handle.await;
                let mut endless = library::spawn(std::future::pending::<u8>());
                let pending = time::timeout(STEP, &mut endless).await.is_err();
                endless.abort();
                let aborted = endless.await.unwrap_err().is_cancelled();
                let panics = library::spawn(async { std::panic::resume_unwind(Box::new(())) });
                let panicked: Result<(), JoinError> = panics.await;
                let blocking = library::task::spawn_blocking(|| 2).await.unwrap();

                let mut set: JoinSet<u8> = JoinSet::new();
                let first = set.spawn(async { 3 });
                let id = set.join_next_with_id().await.unwrap().unwrap();
                let known =
                    (id.0 == first.id(), id.1, set.len(), set.is_empty(), set.join_next().await.is_none());
                set.spawn_blocking(|| 4);
                let blocked = set.join_next().await.unwrap().unwrap();
                set.extend([std::future::ready(5), std::future::ready(6)]);
                library::task::yield_now().await;
                let tried =
                    set.try_join_next().unwrap().unwrap() + set.try_join_next_with_id().unwrap().unwrap().1;
                let mut context = Context::from_waker(Waker::noop());
                set.spawn(std::future::pending());
                let polled = (
                    set.poll_join_next(&mut context).is_pending(),
                    set.poll_join_next_with_id(&mut context).is_pending(),
                );
                set.abort_all();
                let stopped = set.join_next().await.unwrap().unwrap_err().is_cancelled();
                set.spawn(std::future::pending());
                set.shutdown().await;
                set.spawn(std::future::pending());
                set.detach_all();
                let mut all =
                    [7_u8, 8].map(std::future::ready).into_iter().collect::<JoinSet<u8>>().join_all().await;
                all.sort_unstable();
                vec![
                    format!(
                        "{same:?} {shown} {joined:?} {pending} {aborted} {} {blocking}",
                        panicked.is_err()
                    ),
                    format!("{known:?} {blocked} {tried} {polled:?} {stopped} {} {all:?}", set.is_empty()),
                ]
            }
        }
    };
}

surface!(own, ::tokio);
surface!(ours, diagnose::tokio);

#[tokio::test(start_paused = true)]
async fn timers_do_what_the_originals_do() {
    assert_eq!(ours::timers().await, own::timers().await);
}

#[tokio::test]
async fn pipes_do_what_the_originals_do() {
    assert_eq!(ours::pipes().await, own::pipes().await);
}

#[tokio::test]
async fn handles_of_tasks_do_what_the_originals_do() {
    assert_eq!(ours::handles().await, own::handles().await);
}
