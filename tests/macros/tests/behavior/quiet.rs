//! Nothing warns of generated code: this file holds the shapes that provoke lints, and is built
//! with all of them on.
//!
//! `cargo clippy --all-targets -p diagnose-macros-tests -- -D warnings` is the other half of this
//! test.
#![deny(
    warnings,
    clippy::pedantic,
    rust_2018_idioms,
    unreachable_pub,
    single_use_lifetimes,
    unused_lifetimes
)]
#![deny(unused_qualifications, let_underscore_drop, unit_bindings, trivial_casts, missing_docs)]

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

/// A guard that can be disarmed. Its drop reads the flag.
struct Cancels(bool);

impl Drop for Cancels {
    fn drop(&mut self) {
        assert!(!self.0, "dropped before it was done");
    }
}

impl Cancels {
    #[diagnose]
    async fn done(mut self) {
        pause().await;
        self.0 = false;
    }
}

#[diagnose]
async fn disarmed(mut guard: Cancels) {
    pause().await;
    guard.0 = false;
}

#[diagnose]
async fn empty() {
    pause().await;
}

async fn fails() -> ! {
    pause().await;
    panic!("this never returns")
}

#[diagnose]
async fn never_ends(number: Option<u32>) -> u32 {
    let Some(number) = number else { fails().await };
    if number > 3 {
        fails().await;
    }
    let small = if number > 3 { fails().await } else { number };
    let fallback = async || fails().await;
    match small {
        0 => fails().await,
        1 => fallback().await,
        other => other,
    }
}

#[diagnose]
async fn items_first(text: &str) -> String {
    use std::fmt::Write as _;
    const MORE: &str = "!";

    let mut written = String::new();
    pause().await;
    write!(written, "{text}{MORE}").ok();
    written
}

#[diagnose]
fn items_first_in_a_frame(text: &str) -> String {
    #![allow(clippy::let_and_return)]
    use std::fmt::Write as _;

    let mut written = String::new();
    write!(written, "{text}").ok();
    written
}

#[diagnose]
async fn underscored(_unused: u32, _: MutexGuard<'_, u32>, _: impl Future) {
    pause().await;
}

#[diagnose(label = "{type} {width}")]
async fn named_in_strings(r#type: u32, width: usize, precise: usize) -> String {
    pause().await;
    format!("{type:0width$.precise$}", r#type = f64::from(r#type))
}

#[diagnose]
async fn raw_in_a_string(r#type: u32) -> String {
    pause().await;
    format!("{type}")
}

#[diagnose]
async fn elided(parts: impl Iterator<Item = &str>, between: &(impl Display + '_)) -> String {
    pause().await;
    parts.fold(String::new(), |text, part| text + part + &between.to_string())
}

#[diagnose]
async fn output_is_a_future() -> Pin<Box<dyn Future<Output = u32>>> {
    pause().await;
    Box::pin(async { 1 })
}

#[diagnose]
async fn output_is_a_task() -> tokio::task::JoinHandle<u32> {
    pause().await;
    tokio::spawn(async { 1 })
}

#[diagnose]
async fn only_awaits() -> impl Display {
    text().await
}

#[diagnose]
async fn text() -> &'static str {
    pause().await;
    "text"
}

#[diagnose]
async fn questions(text: &str) -> Result<u32, std::num::ParseIntError> {
    pause().await;
    let number = text.parse::<u32>()?;
    if number > 7 {
        return Ok(7);
    }
    Ok(number)
}

#[diagnose]
async fn takes_apart((a, mut b): (u32, u32), [c, ..]: [u32; 3]) -> u32 {
    pause().await;
    b += 1;
    a + b + c
}

#[diagnose]
async fn hides((a, b): (u32, u32), _hidden: u32) -> u32 {
    let mut sum = 0;
    let mut add = async |by: u32, mut twice: u32, _hidden: u32| {
        pause().await;
        twice *= 2;
        sum += by + twice;
        sum
    };
    add(a, b, 3).await
}

#[diagnose]
async fn changes(mut a: u32, values: &mut [u32]) -> u32 {
    a += 1;
    pause().await;
    values[0] = a;
    a
}

#[diagnose]
async fn never() -> ! {
    pause().await;
    panic!("as it should")
}

#[diagnose]
#[must_use]
async fn must_be_used() -> u32 {
    pause().await;
    1
}

/// A function with documentation and a visibility.
#[diagnose]
pub(crate) async fn generic<T: Display + ?Sized, const N: usize>(values: [&T; N]) -> String {
    pause().await;
    values.iter().map(ToString::to_string).collect()
}

#[diagnose]
async fn in_blocks() -> u32 {
    let block = #[diagnose]
    async {
        pause().await;
        1
    };
    let other = diagnose::block!("other", async {
        pause().await;
        2
    });
    block.await + other.await
}

#[diagnose]
async fn explicit_unit(run: impl Fn()) {
    pause().await;
    run();
}

#[diagnose]
async fn awaits_everywhere(lock: &Mutex<u32>) -> u32 {
    use std::future::ready;

    let block = async {
        pause().await;
        1
    };
    #[allow(clippy::identity_op)]
    let sum = (block).await + 0 + { ready(1) }.await;
    let sum = sum + if ready(true).await { (async { 2 }).await } else { (ready(3)).await };
    let closure = async |by: u32| ready(by).await + sum;
    let Ok(locked) = ready(lock.lock().map(|it| *it)).await else { return 0 };
    match ready(locked).await {
        0 => (),
        _ => pause().await,
    }
    #[allow(clippy::let_unit_value)]
    async {
        pause().await;
    }
    .await;
    closure(locked).await
}

#[diagnose]
async fn arms() -> u32 {
    let (a, ()) = tokio::join!(text(), pause());
    tokio::select! {
        () = pause() => {}
        _ = text() => {}
    }
    let printed = format!("{a} {}", text().await);
    u32::try_from(printed.len()).unwrap_or_default()
}

macro_rules! statements {
    ($($tokens:tt)*) => {
        $($tokens)*
    };
}

#[diagnose]
async fn ends_with_a_macro(text: &str) -> usize {
    if text.is_empty() {
        statements! { let one = std::future::ready(1).await; return one; }
    }
    for _ in text.chars() {
        statements! { pause().await; }
    }
    statements! { let two = std::future::ready(2).await; text.len() + two }
}

#[tokio::test]
async fn every_lint_is_silent() {
    run(Cancels(true).done());
    run(disarmed(Cancels(true)));
    let lock = Mutex::new(1);
    run(empty());
    assert_eq!(run(items_first("a")), "a!");
    assert_eq!(items_first_in_a_frame("a"), "a");
    assert_eq!(run(hides((1, 2), 3)), 5);
    run(underscored(1, lock.lock().unwrap(), async {}));
    assert_eq!(run(named_in_strings(1, 6, 2)), "001.00");
    assert_eq!(run(raw_in_a_string(1)), "1");
    assert_eq!(run(elided("ab".split('b'), &1)), "a11");
    assert_eq!(run(run(output_is_a_future())), 1);
    assert_eq!(run(output_is_a_task()).await.unwrap(), 1);
    assert_eq!(run(only_awaits()).to_string(), "text");
    assert_eq!(run(questions("8")), Ok(7));
    assert_eq!(run(takes_apart((1, 2), [3, 4, 5])), 7);
    assert_eq!(run(changes(1, &mut [0])), 2);
    assert!(std::panic::catch_unwind(|| run(never())).is_err());
    assert_eq!(run(must_be_used()), 1);
    assert_eq!(run(generic(["a", "b"])), "ab");
    assert_eq!(run(in_blocks()), 3);
    run(explicit_unit(|| ()));
    assert_eq!(run(never_ends(Some(2))), 2);
    assert_eq!(run(awaits_everywhere(&lock)), 5);
    assert_eq!(run(arms()), 9);
    assert_eq!(run(ends_with_a_macro("")) + run(ends_with_a_macro("a")), 4);
}
