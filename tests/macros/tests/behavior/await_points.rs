//! An `.await` keeps its meaning: values, temporaries, drops.

use std::cell::RefCell;

use diagnose::diagnose;
use diagnose_macros_tests::{Noisy, calls, drops, note, pause, run};

async fn noisy(name: &'static str) -> Noisy {
    pause().await;
    Noisy(name)
}

async fn borrows(noisy: &Noisy, then: &'static str) -> &'static str {
    pause().await;
    note(then);
    noisy.0
}

macro_rules! temporaries {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        async fn $name() -> usize {
            let first = borrows(&noisy("a").await, "borrowed a").await.len();
            note("statement");
            match borrows(&noisy("b").await, "borrowed b").await {
                "b" => note("arm"),
                _ => {}
            }
            if borrows(&noisy("c").await, "borrowed c").await == "c" {
                note("branch");
            }
            let kept = &noisy("d").await;
            note(kept.0);
            first + borrows(&noisy("e").await, "borrowed e").await.len()
        }
    };
}

temporaries!(bare);
temporaries!(
    #[diagnose]
    timed
);

#[test]
fn temporaries_live_as_long_as_ever() {
    assert_eq!(run(bare()), 2);
    let expected = drops();
    assert_eq!(run(timed()), 2);
    assert_eq!(drops(), expected);
    assert!(expected.len() > 12);
}

struct Store(RefCell<Vec<u32>>);

impl Store {
    async fn get(&self, at: usize) -> Result<u32, String> {
        pause().await;
        self.0.borrow().get(at).copied().ok_or_else(|| format!("no {at}"))
    }
}

#[diagnose]
async fn through_macros(store: &Store) -> Result<String, String> {
    assert_eq!(store.get(0).await?, 1, "{}", store.get(1).await?);
    assert!(store.get(0).await? == 1);
    let listed = vec![store.get(0).await?, store.get(1).await?];
    let repeated = vec![store.get(1).await?; 2];
    let matched = matches!(store.get(5).await, Err(text) if text == "no 5");
    let mut pinned = std::pin::pin!(async { store.get(0).await });
    let pinned = pinned.as_mut().await?;
    Ok(format!(
        "{listed:?} {repeated:?} {matched} {pinned} {} {last}",
        store.get(0).await?,
        last = store.get(1).await?
    ))
}

#[test]
fn arguments_of_macros_are_awaited() {
    let store = Store(RefCell::new(vec![1, 2]));
    assert_eq!(run(through_macros(&store)).unwrap(), "[1, 2] [2, 2] true 1 1 2");
    assert_eq!(calls("through_macros"), ["1 through_macros"]);
}

#[diagnose(awaits = false)]
mod without {
    #[diagnose(awaits = true)]
    pub(super) async fn one() -> u32 {
        let (a, b) = tokio::join!(two(), async { two().await });
        a + b
    }

    pub(super) async fn two() -> u32 {
        async { 2 }.await
    }
}

#[test]
fn the_functions_are_timed_without_await_points_too() {
    assert_eq!(run(without::one()), 4);
    assert_eq!(calls("two").len(), 2);
}
