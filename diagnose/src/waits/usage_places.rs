//! The calls that waited for a lock, and those that held it.
//!
//! Only measured waits and holds count here, so an uncontended lock pays nothing. A lock has few
//! calls, so a table has few rows. The last row counts all further calls.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::tree::{Link, Node};

/// Maximum number of calls that are distinguished.
const ROWS: usize = 6;
/// Maximum number of calls that are distinguished for all dropped locks of one place together.
pub(super) const MANY_ROWS: usize = 64;

/// Times by call.
#[derive(Debug, Default)]
pub(super) struct UsagePlaces {
    rows: [UsageRow; ROWS],
}

#[derive(Debug, Default)]
struct UsageRow {
    /// `None` while the row is free.
    at: Link<Location<'static>>,
    /// The node in which the call took longest.
    node: Link<Node>,
    count: AtomicU64,
    ticks: AtomicU64,
    longest: AtomicU64,
}

/// A copy of one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsagePlace {
    pub(crate) at: &'static Location<'static>,
    /// The node in which the call took longest; `None` outside of recorded code.
    pub(crate) node: Option<&'static Node>,
    pub(crate) count: u64,
    /// Their total time, in ticks.
    pub(crate) ticks: u64,
    pub(crate) longest: u64,
}

impl UsagePlaces {
    /// Adds waits or holds of `ticks` each. Concurrent writers may give one call two rows; readers
    /// merge them.
    pub(super) fn add(
        &self,
        at: &'static Location<'static>,
        node: Option<&'static Node>,
        ticks: u64,
        times: u64,
    ) {
        let is_its = |row: &&UsageRow| row.at.get().is_none_or(|own| std::ptr::eq(own, at) || own == at);
        let row = self.rows.iter().find(is_its).unwrap_or(&self.rows[ROWS - 1]);
        if row.at.get().is_none() {
            row.at.set(at);
        }
        row.count.fetch_add(times, Relaxed);
        row.ticks.fetch_add(ticks.saturating_mul(times), Relaxed);
        if ticks >= row.longest.load(Relaxed) {
            row.longest.fetch_max(ticks, Relaxed);
            row.node.put(node);
        }
    }

    pub(super) fn clear(&self) {
        for row in &self.rows {
            row.at.put(None);
            row.node.put(None);
            for counter in [&row.count, &row.ticks, &row.longest] {
                counter.store(0, Relaxed);
            }
        }
    }

    pub(super) fn forget_longest(&self) {
        self.rows.iter().for_each(|row| row.longest.store(0, Relaxed));
    }

    /// Returns the used rows, most time first.
    pub(super) fn read(&self) -> Vec<UsagePlace> {
        let rows = self.rows.iter().filter_map(|row| {
            Some(UsagePlace {
                at: row.at.get()?,
                node: row.node.get(),
                count: row.count.load(Relaxed),
                ticks: row.ticks.load(Relaxed),
                longest: row.longest.load(Relaxed),
            })
        });
        let mut places: Vec<UsagePlace> = Vec::new();
        add_places(&mut places, &rows.collect::<Vec<_>>(), ROWS);
        places
    }
}

/// Adds rows by call. Past `limit` rows, a further call is added to the last row.
pub(super) fn add_places(places: &mut Vec<UsagePlace>, more: &[UsagePlace], limit: usize) {
    for row in more {
        let same = places.iter().position(|place| place.at == row.at);
        match same.or_else(|| places.len().checked_sub(1).filter(|last| last + 1 >= limit)) {
            Some(at) => places[at].merge(row),
            None => places.push(*row),
        }
    }
    sort(places);
}

/// Subtracts earlier rows. Rows without later waits or holds are removed.
pub(super) fn subtract_places(places: &mut Vec<UsagePlace>, before: &[UsagePlace]) {
    for place in places.iter_mut() {
        if let Some(before) = before.iter().find(|before| before.at == place.at) {
            place.count = place.count.saturating_sub(before.count);
            place.ticks = place.ticks.saturating_sub(before.ticks);
        }
    }
    places.retain(|place| place.count > 0);
    sort(places);
}

fn sort(places: &mut [UsagePlace]) {
    places.sort_by_key(|place| (std::cmp::Reverse(place.ticks), place.at.line(), place.at.column()));
}

impl UsagePlace {
    fn merge(&mut self, other: &Self) {
        if other.longest > self.longest {
            (self.node, self.longest) = (other.node, other.longest);
        }
        self.count += other.count;
        self.ticks = self.ticks.saturating_add(other.ticks);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::{ROWS, UsagePlaces};

    #[track_caller]
    fn here() -> &'static Location<'static> {
        Location::caller()
    }

    #[test]
    fn times_are_added_by_call_with_the_most_time_first() {
        let places = UsagePlaces::default();
        let (one, other) = (here(), here());
        assert_ne!(one, other);
        for (at, ticks) in [(one, 5), (other, 40), (one, 7)] {
            places.add(at, None, ticks, 1);
        }
        let rows: Vec<_> =
            places.read().into_iter().map(|row| (row.at, row.count, row.ticks, row.longest)).collect();
        assert_eq!(rows, [(other, 1, 40, 40), (one, 2, 12, 7)]);
        places.clear();
        assert!(places.read().is_empty());
    }

    #[test]
    fn no_time_is_lost_when_all_rows_are_taken() {
        let places = UsagePlaces::default();
        let calls = [here(), here(), here(), here(), here(), here(), here(), here()];
        for at in calls {
            places.add(at, None, 1, 1);
        }
        let rows = places.read();
        assert_eq!(rows.len(), ROWS);
        assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), 8);
    }
}
