//! The numbers in tokio's task ids, which tokio displays but does not return.
//!
//! Displaying an id takes 250 instructions, a tenth of the cost of recording a short task. A
//! derived `Hash` passes the number to the hasher unchanged. The first id shows whether tokio's
//! `Hash` does.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::number::shown;

/// How the number of an id is found.
pub(super) struct IdNumbers(AtomicU8);

const UNSEEN: u8 = 0;
const HASHED: u8 = 1;
const SHOWN: u8 = 2;

impl IdNumbers {
    pub(super) const fn new() -> Self {
        Self(AtomicU8::new(UNSEEN))
    }

    /// Returns the number that `id` displays as.
    pub(super) fn of<I: fmt::Display + Hash>(&self, id: I) -> Option<u64> {
        let way = self.0.load(Relaxed);
        if way == HASHED {
            return hashed(&id);
        }
        let number = shown(&id);
        if way == UNSEEN {
            let is_hashed = number.is_some() && hashed(&id) == number;
            self.0.store(if is_hashed { HASHED } else { SHOWN }, Relaxed);
        }
        number
    }
}

/// Returns the number that `id` passes to a hasher, if it passes nothing else.
fn hashed(id: &impl Hash) -> Option<u64> {
    let mut only = OnlyNumber::default();
    id.hash(&mut only);
    (only.parts == 1).then_some(only.number)
}

#[derive(Default)]
struct OnlyNumber {
    number: u64,
    parts: u32,
}

impl Hasher for OnlyNumber {
    fn write(&mut self, _: &[u8]) {
        self.parts = 2;
    }

    fn write_u64(&mut self, number: u64) {
        self.number = number;
        self.parts += 1;
    }

    fn finish(&self) -> u64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::hash::{Hash, Hasher};
    use std::sync::atomic::Ordering::Relaxed;

    use ::tokio::task::{Id, JoinSet};

    use super::{HASHED, IdNumbers, hashed, shown};

    type HashOf = fn(u64, &mut dyn Hasher);

    #[derive(Clone, Copy)]
    struct Other(u64, HashOf);

    impl fmt::Display for Other {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
    }

    impl Hash for Other {
        fn hash<H: Hasher>(&self, state: &mut H) {
            (self.1)(self.0, state);
        }
    }

    #[test]
    fn an_id_has_the_number_that_it_shows_whatever_its_hash_is() {
        let hashes: [HashOf; 4] = [
            |number, state| state.write_u64(number),
            |number, state| state.write_u64(number ^ 1),
            |number, state| state.write(&number.to_ne_bytes()),
            |number, state| [number, 0].into_iter().for_each(|part| state.write_u64(part)),
        ];
        for hash in hashes {
            let numbers = IdNumbers::new();
            for number in [7, 8, u64::MAX] {
                assert_eq!(numbers.of(Other(number, hash)), Some(number));
            }
        }
    }

    #[test]
    fn the_hash_of_an_id_of_tokio_is_that_of_its_number() {
        let runtime = ::tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (numbers, mut tasks) = (IdNumbers::new(), JoinSet::new());
        for _ in 0..3 {
            let id: Id = tasks.spawn_on(async {}, runtime.handle()).id();
            assert_eq!((numbers.of(id), hashed(&id)), (shown(id), shown(id)));
        }
        assert_eq!(numbers.0.load(Relaxed), HASHED);
    }
}
