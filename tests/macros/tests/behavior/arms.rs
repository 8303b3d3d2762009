//! `join!` and `select!`, of tokio and of futures: the same values, handlers and borrows.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};
use futures::{FutureExt as _, StreamExt as _};

#[diagnose]
async fn number(number: u32) -> u32 {
    pause().await;
    number
}

async fn fallible(number: u32) -> Result<u32, String> {
    pause().await;
    if number > 3 { Err(format!("{number} is too much")) } else { Ok(number) }
}

#[diagnose]
#[allow(clippy::many_single_char_names)]
async fn joins() -> Result<u32, String> {
    let by_name = number(1);
    let (a, b) = tokio::join!(by_name, async { number(2).await });
    let (c, d) = futures::join!(number(number(3).await), number(4));
    let (e, f) = tokio::try_join!(biased; fallible(1), fallible(2),)?;
    let sum = a + b + c + d + e + f;
    futures::try_join!(fallible(sum), async { Ok::<_, String>(()) }).map(|(sum, ())| sum)
}

#[test]
fn joined_arms_have_the_same_values() {
    assert_eq!(run(joins()), Err("13 is too much".to_owned()));
    assert_eq!(calls("number").iter().filter(|line| line.ends_with("{block} < joins")).count(), 1);
}

#[diagnose]
async fn selects_of_tokio(open: bool) -> u32 {
    let mut stream = futures::stream::iter([1, 2]);
    let mut kept = std::pin::pin!(number(5));
    let mut sum = 0;
    loop {
        tokio::select! {
            biased;
            Some(item) = stream.next(), if fallible(1).await.is_ok() => sum += number(item).await,
            five = &mut kept, if open => {
                sum += five;
                break;
            }
            else => return sum,
        }
    }
    let taken = number(6);
    sum += tokio::select! {
        six = taken => six,
        () = std::future::pending::<()>() => 0,
    };
    sum + tokio::select! {
        seven = async { number(7).await } => async { seven }.await,
    }
}

#[test]
fn tokio_select_takes_its_futures_by_value() {
    assert_eq!(run(selects_of_tokio(true)), 1 + 2 + 5 + 6 + 7);
    assert_eq!(run(selects_of_tokio(false)), 3);
}

#[diagnose]
async fn selects_of_futures() -> u32 {
    let mut stream = futures::stream::iter([1, 2]).fuse();
    let mut again = number(3).boxed().fuse();
    let mut sum = 0;
    loop {
        futures::select! {
            item = stream.select_next_some() => sum += number(item).await,
            three = again => {
                sum += three;
                if sum < 8 {
                    again = number(4).boxed().fuse();
                }
            }
            complete => break,
        }
    }
    let mut unnamed = number(5).boxed().fuse();
    {
        use futures::select_biased as select;
        select! {
            five = unnamed => sum += five,
            six = number(6).fuse() => sum += six,
        }
    }
    futures::select_biased! {
        () = std::future::pending::<()>().fuse() => {}
        default => sum += 1,
    };
    sum
}

#[test]
fn futures_select_borrows_its_futures() {
    assert_eq!(run(selects_of_futures()), 1 + 2 + 3 + 4 + 5 + 1);
}

#[diagnose]
async fn borrows_temporaries(mut pair: (std::future::Ready<u32>, [std::future::Ready<u32>; 1])) -> u32 {
    use std::future::{pending, ready};

    let mut sum = tokio::select! {
        one = &mut ready(1) => one,
        () = (&mut Box::pin(pause()).fuse()) => 0,
        () = &mut *Box::pin(pending()) => 0,
        () = &mut [pending()][0] => 0,
        () = std::pin::pin!(pause()) => 0,
    };
    sum += futures::select! {
        two = &mut Box::pin(number(2)).fuse() => two,
        () = &mut (pending().fuse(),).0 => 0,
    };
    sum += tokio::select! {
        zero = { &mut ready(0) } => zero,
        zero = if sum == 3 { &mut ready(0) } else { &mut ready(1) } => zero,
        zero = match sum {
            3 => &mut number(0).boxed(),
            _ => &mut number(1).boxed(),
        } => zero,
        zero = &mut ready(0_u32) as &mut (dyn Future<Output = u32> + Unpin) => zero,
        zero = std::panic::AssertUnwindSafe(&mut ready(0)) => zero,
    };
    sum += tokio::select! {
        biased;
        three = &mut pair.0 => three,
        () = pending() => 0,
    };
    sum + tokio::select! {
        four = (&mut (pair.1[0])) => four,
    }
}

#[test]
fn a_borrowed_temporary_lives_as_long_as_its_select() {
    use std::future::ready;

    assert_eq!(run(borrows_temporaries((ready(3), [ready(4)]))), 10);
    let snapshot = diagnose::snapshot();
    let arms = snapshot.sites.iter().map(|site| site.name.as_str());
    let arms: Vec<_> = arms.filter(|name| name.contains("&mut")).collect();
    assert_eq!(arms, ["&mut pair.0", "(&mut (pair.1[0]))"]);
}

/// A macro `select` of the program's own.
macro_rules! select {
    (recv($from:expr) -> $item:ident => $handler:expr) => {{
        let $item = $from.await;
        $handler
    }};
}

macro_rules! join {
    ($($text:literal),*) => {
        concat!($($text),*)
    };
}

#[diagnose]
async fn selects_of_nobody() -> String {
    let text = join!("a", "b");
    select! { recv(number(1)) -> item => format!("{text}{item}") }
}

#[test]
fn other_macros_with_these_names_are_left_alone() {
    assert_eq!(run(selects_of_nobody()), "ab1");
}
