//! The memory of a pinned future, which cannot leave the task that has it.
//!
//! A boxed future can move to another task without a record, for example through a channel of
//! another crate. A future inside the memory of its task's root cannot. So the address of each
//! listed future is kept, if the future is pinned there until its drop.

use std::any;
use std::ops::Range;

/// The memory of a pinned future in one word: the address above [`SIZE`] bits for the size, both in
/// words of eight bytes. Zero if the future may move, or if its address is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Memory(pub(crate) u64);

const SIZE: u32 = 20;
/// Maximum size, in words. For a larger future, only the end is known.
const MAX: u32 = (1 << SIZE) - 1;
const WORD: u64 = 8;

impl Memory {
    pub(crate) const UNKNOWN: Self = Self(0);

    /// The memory of `future`, which never moves again.
    pub(crate) fn of<F: ?Sized>(future: &F) -> Self {
        let start = std::ptr::from_ref(future).addr() as u64;
        Self::between(start, start.saturating_add(size_of_val(future) as u64))
    }

    /// The last `words` words before `end`, and `end` itself. Unknown if there are none.
    pub(crate) fn before<T>(end: &T, words: u32) -> Self {
        if words == 0 {
            return Self::UNKNOWN;
        }
        let end = std::ptr::from_ref(end) as usize as u64;
        Self::between(end.saturating_sub(u64::from(words) * WORD), end + size_of::<T>() as u64)
    }

    /// The word at this address.
    pub(crate) fn at(address: usize) -> Self {
        let start = address as u64;
        Self::between(start, start.saturating_add(WORD))
    }

    fn between(start: u64, end: u64) -> Self {
        let end = end / WORD;
        let size = end.saturating_sub(start.div_ceil(WORD)).min(MAX.into());
        let start = end - size;
        // Systems use addresses of more than 47 bits only on request.
        if start << SIZE >> SIZE == start { Self(start << SIZE | size) } else { Self::UNKNOWN }
    }

    /// Returns whether `other` is a part of it; `false` if either is unknown.
    pub(crate) fn contains(self, other: Self) -> bool {
        let places = self.range().zip(other.range());
        places.is_some_and(|(own, other)| own.start <= other.start && other.end <= own.end)
    }

    /// The addresses; `None` if unknown.
    pub(crate) fn range(self) -> Option<Range<u64>> {
        let (start, size) = (self.0 >> SIZE, self.0 & u64::from(MAX));
        (size != 0).then(|| start * WORD..(start + size) * WORD)
    }
}

/// The size of `F` in words, at least 1, if a pinned `F` never moves again. Zero if it may: a
/// future that is `Unpin` can be swapped with another one.
// No trait bound can express that a type is not `Unpin`, so the type's name is checked. The
// compiler evaluates this, as it does `is_span`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn pinned_words<F>() -> u32 {
    if !is_async_block(any::type_name::<F>()) {
        return 0;
    }
    u32::try_from(size_of::<F>().div_ceil(8)).unwrap_or(MAX).clamp(1, MAX)
}

/// Returns whether a pinned `F` never moves again.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_pinned<F>() -> bool {
    pinned_words::<F>() != 0
}

/// Returns whether it is the type of the future of an `async` block or function, which is never
/// `Unpin`. Closures are not futures.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_async_block(name: &str) -> bool {
    name.as_bytes().ends_with(b"::{{closure}}")
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::pin::Pin;

    use super::{Memory, pinned_words};

    fn words_of<F>(_: &F) -> u32 {
        pinned_words::<F>()
    }

    async fn of_any<T>(value: T) -> T {
        std::future::ready(()).await;
        value
    }

    struct Type<T>(T);

    impl<T: Copy> Type<T> {
        async fn method(&self) -> T {
            std::future::ready(()).await;
            self.0
        }
    }

    #[test]
    fn async_blocks_and_functions_are_pinned() {
        assert_eq!(words_of(&async {}), 1);
        assert_ne!(words_of(&of_any([0_u64; 4])), 0);
        assert_ne!(words_of(&of_any(Some("text"))), 0);
        assert_ne!(words_of(&Type(1).method()), 0);
    }

    #[test]
    fn unpin_futures_are_not_pinned() {
        assert_eq!(words_of(&std::future::ready(1)), 0);
        assert_eq!(words_of(&Box::pin(async {})), 0);
        assert_eq!(words_of(&(Box::pin(async {}) as Pin<Box<dyn Future<Output = ()>>>)), 0);
        assert_eq!(words_of(&std::future::poll_fn(|_| std::task::Poll::Ready(()))), 0);
    }

    #[test]
    fn memory_is_that_of_the_future() {
        let array = [[0_u64; 4]; 2];
        let start = array.as_ptr() as u64;
        assert_eq!(Memory::of(&array).range(), Some(start..start + 64));
        assert_eq!(Memory::before(&array[1], 4).range(), Some(start..start + 64));
        assert_eq!(Memory::before(&array[1], 3).range(), Some(start + 8..start + 64));
        assert_eq!(Memory::before(&array[1], 0).range(), None);
        assert_eq!(Memory::of(&()).range(), None);
    }
}
