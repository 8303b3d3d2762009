//! Ends of a node's polls.

use super::node::Node;
use super::node_times::WaitAccount;
use super::poll_totals::PassingChain;

impl Node {
    /// Ends the running poll; a wait begins if it returned `Pending`. The poll also counts for the
    /// ancestors in `chain`. Returns its length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(&self, now: u64, begun: Option<WaitAccount>, chain: PassingChain) -> u64 {
        self.leave_after(now, (self.times.ended(), begun), chain)
    }

    /// Ends the running poll, whose start ended the wait `waits.0`. Constant `waits` halve the work
    /// of `leave`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave_after(
        &self,
        now: u64,
        waits: (Option<WaitAccount>, Option<WaitAccount>),
        chain: PassingChain,
    ) -> u64 {
        let PassingChain { is_through, stopper } = chain;
        // Done first: a reader in between then sees too low a time of the stopper, which the
        // stopper's children make up for.
        if let Some(stopper) = stopper {
            stopper.stop(now.saturating_sub(self.times.entered()), now);
        }
        let length = self.times.leave(&self.spent, now, waits, is_through);
        self.histograms[usize::from(is_through)].count(length);
        self.spent.note_longest(length);
        length
    }

    /// Uncounts a poll of `length` ticks that turned out to be a drop. Its time stays, unless the
    /// drop is `elsewhere`: it is then that of the code around.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn forget_poll(&self, length: u64, elsewhere: bool) {
        self.spent.alone.forget_poll(if elsewhere { length } else { 0 });
        self.histograms[0].forget(length);
    }

    /// Records a poll of `length` ticks, ending at `now`, that passes through nodes below but not
    /// through this one.
    #[inline(never)]
    fn stop(&self, length: u64, now: u64) {
        let stopped = self.stopped.get().unwrap_or_else(|| {
            self.stopped.set(Box::leak(Box::default()));
            self.stopped.get().unwrap_or_else(|| unreachable!("it was just set"))
        });
        stopped.add(length, now);
    }
}
