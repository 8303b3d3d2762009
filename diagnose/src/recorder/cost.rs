//! What recording costs, measured on the machine at hand.

use crate::clock;
use crate::site::Site;
use crate::sync::{Mutex, OnceCell};
use crate::tree::{Chain, Key, Tree, Wait};

/// How many polls are timed.
const POLLS: u64 = 512;

/// Ticks that recording one poll takes: two readings of the clock and the bookkeeping, without the poll itself.
///
/// Measured on a tree of its own that no report shows. About 20 µs.
pub(crate) fn poll_cost() -> u64 {
    static SITE: Site = Site::own("cost");
    static TREE: OnceCell<&'static Tree> = OnceCell::new();
    static TURN: Mutex<()> = Mutex::new(());
    // One writer per tree.
    let _turn = TURN.lock();
    let tree = *TREE.get_or_init(Tree::detached);
    let Some(node) = tree.child(&tree.root, Key::plain(&SITE), clock::now) else { return 0 };
    let mut best = u64::MAX;
    for _ in 0..4 {
        let start = clock::now();
        for _ in 0..POLLS {
            node.times.enter(clock::now(), Some(Wait::Own));
            node.leave(clock::now(), Some(Wait::Own), Chain::NONE);
        }
        best = best.min(clock::now().saturating_sub(start) / POLLS);
    }
    best
}
