//! A value that is borrowed from a resource under a lock of threads: whoever wants to change it is blocked.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use super::holding::Holding;
use super::record::Record;

/// Somebody looks at the value. Only what overlaps is counted, so that a look alone costs no read-modify-write: two that
/// begin at the same instant can be taken for one.
#[derive(Debug)]
pub(crate) struct ValueBorrow {
    holding: Holding,
    counted: Option<&'static Record>,
}

impl ValueBorrow {
    /// The running task looks at the value, and cannot take that to another thread.
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

    /// Whether somebody looks at the value.
    #[inline]
    pub(crate) fn is_there(record: &'static Record) -> bool {
        record.is_borrowed_by_one() || record.more_borrowed.load(Relaxed) != 0
    }

    /// The running task looks at it still.
    #[inline]
    pub(crate) fn looked_at(&self) {
        self.holding.looked_at();
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
