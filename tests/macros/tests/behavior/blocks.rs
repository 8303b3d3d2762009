//! `#[diagnose]` on an async block works wherever an expression stands, and so do `block!` and
//! `.diagnose()`.

use std::pin::Pin;

use diagnose::{FutureExt as _, diagnose};
use diagnose_macros_tests::{calls, pause, run};

type Boxed<T> = Pin<Box<dyn Future<Output = T>>>;

#[diagnose]
async fn positions(which: u32) -> Result<u32, ()> {
    let in_let = #[diagnose(name = "let")]
    async {
        1
    };
    let in_let_and_awaited = #[diagnose(name = "let await")]
    async { Ok::<_, ()>(2) }.await?;
    let argument = Box::pin(
        #[diagnose(name = "argument")]
        async move {
            which
        },
    );
    #[diagnose(name = "statement")]
    async { Ok::<_, ()>(()) }.await?;
    let in_arm = match which {
        0 =>
        {
            #[diagnose(name = "arm")]
            async { 4 }.await
        }
        _ => 0,
    };
    let closure = |by: u32| {
        #[diagnose(name = "in a closure")]
        async move {
            by
        }
    };
    let (joined, other) = futures::join!(
        #[diagnose(name = "joined")]
        async {
            6
        },
        async { 7 }
    );
    let listed: Vec<Boxed<u32>> = vec![Box::pin(
        #[diagnose(name = "listed")]
        async move {
            #[diagnose(name = "inside of listed")]
            async { 8 }.await
        },
    )];
    let mut sum =
        in_let.await + in_let_and_awaited + argument.await + in_arm + closure(5).await + joined + other;
    for future in listed {
        sum += future.await;
    }
    let called = #[diagnose(name = "chain")]
    async { Some(9) }.await.unwrap_or_default().min(9);
    #[diagnose(name = "tail")]
    async move { Ok(sum + called) }.await
}

#[test]
fn an_attribute_may_stand_before_every_block() {
    assert_eq!(run(positions(0)), Ok(1 + 2 + 4 + 5 + 6 + 7 + 8 + 9));
    let names = [
        "let",
        "let await",
        "argument",
        "statement",
        "arm",
        "in a closure",
        "joined",
        "listed",
        "chain",
        "tail",
    ];
    for name in names {
        assert_eq!(calls(name), [format!("1 {name} < positions")]);
    }
    assert_eq!(calls("inside of listed"), ["1 inside of listed < listed < positions"]);
}

#[diagnose]
fn spawns() -> u32 {
    run(
        #[diagnose(name = "in a frame")]
        async {
            pause().await;
            1
        },
    )
}

#[test]
fn a_block_that_a_plain_function_runs_is_a_root() {
    assert_eq!(spawns(), 1);
    assert_eq!(calls("in a frame"), ["1 in a frame"]);
}

#[test]
fn the_macro_and_the_method_need_no_attribute() {
    let named = diagnose::block!("a block!", async { 1 });
    let unnamed = diagnose::block!(async { 2 },);
    let method = async { 3 }.diagnose("a method");
    assert_eq!(run(named) + run(unnamed) + run(method), 6);
    assert_eq!(calls("a block!"), ["1 a block!"]);
    assert_eq!(calls("a method"), ["1 a method"]);
}
