//! The attribute in editions 2018 and 2021: its output has its own edition, and the body keeps the
//! crate's.
#![deny(warnings)]

use std::collections::HashMap;
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use diagnose::{diagnose, FutureExt as _};

/// Has two lifetimes.
#[derive(Debug)]
pub struct View<'a, 'b>(&'a str, &'b [u32]);

impl<'a> View<'a, '_> {
    /// Lifetimes of the type, of `self` and of the argument.
    #[diagnose]
    pub async fn count(&self, more: &str) -> usize {
        self.0.len() + self.1.len() + more.len()
    }

    /// Outlives `self`.
    #[diagnose]
    pub async fn text(&self, _: &str) -> &'a str {
        self.0
    }

    /// A pinned receiver, and a lifetime that is only in a path.
    #[diagnose]
    pub async fn pinned(self: Pin<&mut Self>, other: View<'_, '_>) -> usize {
        self.0.len() + other.0.len()
    }
}

/// Two elided lifetimes, neither in the output.
#[diagnose]
pub async fn longer(a: &str, b: &mut String) -> bool {
    b.push('!');
    a.len() > b.len()
}

/// An opaque output borrows only from the lifetime that it names.
#[diagnose(label = "{key}")]
pub async fn opaque<'a>(map: &'a HashMap<String, u32>, key: &str) -> Result<impl Display + 'a, String> {
    let value = map.get(key).ok_or_else(|| key.to_owned())?;
    Ok(value)
}

/// In this edition the guard in the last expression lives longer than the variables before it.
#[diagnose]
pub async fn last_expression(shared: Arc<Mutex<Vec<u32>>>) -> usize {
    let shared = &shared;
    shared.lock().unwrap().len()
}

/// The guard in the last expression of a block is dropped when the crate's edition says so. `dyn`
/// types may borrow as in a function without the attribute.
#[diagnose]
#[allow(clippy::await_holding_lock, clippy::type_complexity, clippy::useless_vec)]
pub async fn awaits(shared: Arc<Mutex<Vec<u32>>>) -> Result<usize, Box<dyn std::error::Error>> {
    let of = |guard: &std::sync::MutexGuard<'_, Vec<u32>>| std::future::ready(guard.len());
    let counted = of(&shared.lock().unwrap()).await;
    let boxed: Pin<Box<dyn Future<Output = Result<usize, Box<dyn std::error::Error>>>>> =
        Box::pin(async move {
            let parsed: usize = "1".parse()?;
            Ok(parsed + { std::future::ready(counted) }.await)
        });
    let again = async |by: usize| -> Result<usize, Box<dyn std::error::Error>> {
        if by > 9 {
            return Err("too much".into());
        }
        Ok(by + of(&shared.lock().unwrap()).await)
    };
    let listed = vec![again(boxed.await?).await?, std::future::ready(1).await];
    if let Some(first) = std::future::ready(listed.first()).await {
        println!("{} {first}", std::future::ready(first).await);
    }
    Ok(listed.len())
}

/// The whole body of an unsafe function is unsafe, as before edition 2024.
///
/// # Safety
/// The pointer must come from a reference that is valid until the future is done.
#[diagnose]
pub async unsafe fn pointed(at: *const u32) -> u32 {
    *at
}

/// A pattern as an argument, annotated blocks, and a call of an annotated synchronous function.
#[diagnose]
pub async fn blocks((a, _): (u32, u32)) -> u32 {
    let block = #[diagnose]
    async move {
        a
    };
    frame(block.await) + diagnose::block!("one", async { 1 }).diagnose("two").await
}

#[diagnose]
fn frame(a: u32) -> u32 {
    a
}

/// Polls a future that is ready at once.
pub fn ready<F: Future>(future: F) -> F::Output {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("it waits for nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lifetime_is_captured() {
        let numbers = [1, 2];
        let mut text = String::from("a");
        let kept = {
            let short = String::from("b");
            let mut view = View("abc", &numbers);
            assert_eq!(ready(view.count(&short)), 6);
            assert!(!ready(longer(&short, &mut text)));
            assert_eq!(ready(Pin::new(&mut view).pinned(View(&short, &[]))), 4);
            ready(view.text(&short))
        };
        assert_eq!(kept, "abc");
    }

    #[test]
    fn bodies_keep_their_edition() {
        let map = vec![(String::from("a"), 1)].into_iter().collect();
        assert_eq!(ready(opaque(&map, "a")).map(|it| it.to_string()), Ok(String::from("1")));
        assert_eq!(ready(opaque(&map, "b")).map(|it| it.to_string()), Err(String::from("b")));
        assert_eq!(ready(last_expression(Arc::new(Mutex::new(vec![1])))), 1);
        assert_eq!(ready(awaits(Arc::default())).unwrap(), 2);
        assert_eq!(ready(unsafe { pointed(&7) }), 7);
        assert_eq!(ready(blocks((1, 2))), 2);
    }
}
