//! The size of a task's future, in its record.

use std::hint::black_box;

use diagnose::tokio;
use diagnose_channels_tests::{here, look};
use tokio::task::yield_now;

/// Keeps `BYTES` bytes across its await.
async fn keeps<const BYTES: usize>() {
    let buffer = black_box([1_u8; BYTES]);
    std::future::pending::<()>().await;
    black_box(&buffer);
}

/// The recorded size of the future of the task that was spawned there.
fn size_of_task((_, line): (&str, u32)) -> Option<u64> {
    let seen = look();
    let task = seen.0.tasks.iter().find(|task| task.spawned_at.as_ref().is_some_and(|it| it.line == line));
    task.expect("the task is alive").future_bytes
}

#[tokio::test]
async fn a_task_says_how_large_its_future_is_once_it_was_polled() {
    diagnose_isolation::isolated!();
    let (large_at, _large) = (here(), tokio::spawn(keeps::<65_536>()));
    let (at, _inline) = (here(), tokio::spawn(keeps::<1_800>()));
    let (small_at, _small) = (here(), tokio::spawn(keeps::<64>()));
    assert_eq!(size_of_task(large_at), Some(size_of_val(&keeps::<65_536>()) as u64 / 8 * 8), "boxed");
    assert_eq!(size_of_task(at), None, "unpolled");
    yield_now().await;
    let inline = size_of_task(at).expect("it was polled");
    let own = size_of_val(&keeps::<1_800>()) as u64;
    assert!((own..own + 64).contains(&inline), "{inline} for {own}, with what records it");
    assert_eq!(size_of_task(small_at), None, "under 1 KiB");
}
