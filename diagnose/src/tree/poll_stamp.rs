//! The start of a running poll, in one word.

use super::node_times::WaitAccount;

/// The tick above two bits for the wait that ended there. 62 bits of ticks last 48 years at 3 GHz.
/// Zero means no poll, because no tick is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PollStamp(pub(super) u64);

impl PollStamp {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(tick: u64, ended: Option<WaitAccount>) -> Self {
        Self(tick << 2 | ended.map_or(0, |wait| u64::from(wait as u8)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn tick(self) -> u64 {
        self.0 >> 2
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn ended(self) -> Option<WaitAccount> {
        match self.0 & 3 {
            1 => Some(WaitAccount::Own),
            2 => Some(WaitAccount::Child),
            _ => None,
        }
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use super::{PollStamp, WaitAccount};

    #[test]
    fn a_stamp_keeps_its_tick_and_its_wait() {
        for ended in [None, Some(WaitAccount::Own), Some(WaitAccount::Child)] {
            for tick in [1, 2, 12_345, u64::MAX >> 2] {
                let stamp = PollStamp::new(tick, ended);
                assert_eq!((stamp.tick(), stamp.ended()), (tick, ended));
            }
        }
    }
}
