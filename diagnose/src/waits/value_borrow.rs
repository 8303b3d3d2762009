//! Borrows of a value that a blocking lock in the resource guards. During a borrow, a writer blocks
//! its thread.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use super::holding::Holding;
use super::record::Record;

/// A borrow of the value. Only overlapping borrows are counted, so a single borrow costs no
/// read-modify-write. Two borrows that begin at the same instant may count as one.
#[derive(Debug)]
pub(crate) struct ValueBorrow {
    holding: Holding,
    counted: Option<&'static Record>,
}

impl ValueBorrow {
    /// Records that the running task borrows the value; the borrow cannot move to another thread.
    #[inline]
    pub(crate) fn begin(record: Option<&'static Record>, at: &'static Location<'static>) -> Self {
        let holding = Holding::reserve(record, 1, at, false);
        let counted = record.filter(|record| record.is_borrowed_by_one());
        match counted {
            Some(record) => {
                record.more_borrowed.fetch_add(1, Relaxed);
            }
            None => holding.borrows(),
        }
        Self { holding, counted }
    }

    #[inline]
    pub(crate) fn is_there(record: &'static Record) -> bool {
        record.is_borrowed_by_one() || record.more_borrowed.load(Relaxed) != 0
    }

    /// Records that the running task still uses the borrow.
    #[inline]
    pub(crate) fn accessed(&self) {
        self.holding.accessed();
    }
}

impl Drop for ValueBorrow {
    #[inline]
    fn drop(&mut self) {
        if let Some(record) = self.counted {
            record.more_borrowed.fetch_sub(1, Relaxed);
        }
    }
}
