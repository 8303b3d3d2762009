//! Every kind of `self`, and every kind of argument.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

#[derive(Clone)]
struct Counter<const N: usize> {
    counts: [u32; N],
}

impl<const N: usize> Counter<N> {
    #[diagnose]
    async fn by_value(self) -> u32 {
        pause().await;
        self.counts[0]
    }

    #[diagnose]
    async fn by_mutable_value(mut self) -> Self {
        self.counts[0] += 1;
        pause().await;
        self
    }

    #[diagnose]
    async fn by_reference(&self) -> &u32 {
        pause().await;
        &self.counts[0]
    }

    #[diagnose]
    async fn by_mutable_reference(&mut self) -> &mut u32 {
        pause().await;
        self.counts[0] += 1;
        &mut self.counts[0]
    }

    #[diagnose]
    async fn by_pin(mut self: Pin<&mut Self>) -> u32 {
        pause().await;
        self.as_mut().counts[0] += 1;
        self.counts[0]
    }

    #[diagnose]
    async fn by_arc(self: Arc<Self>) -> u32 {
        pause().await;
        self.counts[0]
    }

    #[diagnose]
    async fn by_reference_to_rc(self: &Rc<Self>) -> usize {
        pause().await;
        Rc::strong_count(self)
    }

    #[diagnose]
    async fn by_explicit_lifetime<'a, 'b>(&'a self, other: &'b [u32]) -> (&'a u32, &'b u32) {
        pause().await;
        (&self.counts[0], &other[0])
    }

    #[diagnose]
    async fn without_self<T>(of: T, map: impl Fn(T) -> usize) -> impl std::fmt::Display
    where
        T: Copy,
    {
        pause().await;
        map(of)
    }

    #[diagnose]
    async unsafe fn uncertain(&self, at: *const u32) -> u32 {
        // SAFETY: the caller guarantees that `at` is valid.
        unsafe { *at }
    }

    #[diagnose]
    #[allow(clippy::unused_async)]
    async fn patterns(
        &self,
        (a, mut b): (u32, u32),
        Self { counts: c }: Self,
        ref d @ 0..: u32,
        _: u32,
    ) -> u32
    where
        Self: Sized,
    {
        b += 1;
        a + b + c[0] + d
    }

    #[diagnose]
    async fn fails(&self, text: &str) -> Result<u32, Box<dyn std::error::Error>> {
        let number: u32 = text.parse()?;
        if number == 13 {
            return Err("unlucky".into());
        }
        Ok(number)
    }
}

#[test]
fn every_receiver_and_argument_works() {
    let mut counter = Counter { counts: [1, 2] };
    assert_eq!(run(counter.clone().by_value()), 1);
    assert_eq!(run(counter.clone().by_mutable_value()).counts, [2, 2]);
    assert_eq!(*run(counter.by_reference()), 1);
    *run(counter.by_mutable_reference()) += 1;
    assert_eq!(run(Pin::new(&mut counter).by_pin()), 4);
    assert_eq!(run(Arc::new(counter.clone()).by_arc()), 4);
    assert_eq!(run(Rc::new(counter.clone()).by_reference_to_rc()), 1);
    assert_eq!(run(counter.by_explicit_lifetime(&[7])), (&4, &7));
    assert_eq!(run(Counter::<2>::without_self("abc", str::len)).to_string(), "3");
    // SAFETY: the pointer comes from a reference.
    assert_eq!(run(unsafe { counter.uncertain(&raw const counter.counts[1]) }), 2);
    assert_eq!(run(counter.patterns((1, 2), counter.clone(), 5, 6)), 1 + 3 + 4 + 5);
    assert_eq!(run(counter.fails("12")).ok(), Some(12));
    assert_eq!(run(counter.fails("x")).unwrap_err().to_string(), "invalid digit found in string");
    assert_eq!(run(counter.fails("13")).unwrap_err().to_string(), "unlucky");
    assert_eq!(calls("by_pin"), ["1 by_pin"]);
    assert_eq!(calls("fails"), ["3 fails"]);
}
