//! Every interleaving of a slot that changes hands and one reader, by the model checker. See `tree/loom.rs`.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::slot::{Listed, Slot, State};
use crate::site::Site;
use crate::tree::Node;

static ROOT: Site = Site::own("");

// slot   ├─ span 1 on tree 10 ─┤ free ├─ span 2 on tree 20 ─▶
#[test]
fn a_copy_is_all_of_one_span() {
    static SEEN: Mutex<BTreeSet<Option<(u64, u64, u32)>>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let slot: &'static Slot = Box::leak(Box::new(Slot::free()));
        let span = |id, tree, made| {
            let node: &'static Node = Box::leak(Box::new(Node::root(&ROOT, tree, None)));
            Listed { id, parent: 0, task: 0, state: State::Running, since: made, node, made, polls: 0 }
        };
        slot.occupy(&span(1, 10, 11));
        let reader = loom::thread::spawn(move || {
            let copy = slot.read().map(|listed| (listed.id, listed.made, listed.node.tree));
            SEEN.lock().expect("no panic").insert(copy);
        });
        slot.vacate();
        slot.occupy(&span(2, 20, 22));
        reader.join().expect("no panic");
    });
    let expected = [None, Some((1, 11, 10)), Some((2, 22, 20))];
    assert_eq!(*SEEN.lock().expect("no panic"), BTreeSet::from(expected));
}
