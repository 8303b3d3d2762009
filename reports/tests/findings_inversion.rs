//! The rule `inversion` on drawn trees: locks that calls acquired in both orders, before a time
//! limit ended their deadlock.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{NodeIndex, Resource, ResourceId, ResourceKind, UsagePlace};

use crate::findings_locks::{MS, drawn, node_named};

/// Two handlers that acquire two locks, one after the other. 100 calls take a millisecond each, and
/// one waited for five seconds.
const HANDLERS: &str = "rename | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_100_000_000
  users.lock().await | calls=100 polls=200 idle=50_000_000 self_idle=50_000_000
  mail.lock().await | calls=100 polls=200 idle=5_050_000_000 self_idle=5_050_000_000
merge | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_100_000_000
  mail.lock_owned().await | calls=100 polls=200 idle=50_000_000 self_idle=50_000_000
  users.lock_owned().await | calls=100 polls=200 idle=5_050_000_000 self_idle=5_050_000_000";

/// 100 waits or holds at this await, of which the longest took `longest_ms`.
fn row(snapshot: &Snapshot, at: &str, longest_ms: u64) -> UsagePlace {
    let node = node_named(snapshot, at);
    let mut row = UsagePlace::default();
    row.place = snapshot.sites[snapshot.nodes[node].site.get()].place.clone();
    row.node = Some(NodeIndex::new(node));
    (row.count, row.total_ns, row.longest_ns) = (100, (longest_ms + 100) * MS, longest_ms * MS);
    row
}

fn lock(snapshot: &mut Snapshot, line: u32, holds: &[(&str, u64)], waits: &[(&str, u64)]) {
    let rows = |rows: &[(&str, u64)]| rows.iter().map(|&(at, ms)| row(snapshot, at, ms)).collect::<Vec<_>>();
    let mut lock = Resource::default();
    lock.id = ResourceId::new(snapshot.resources.len() as u64 + 1);
    lock.kind = ResourceKind::Mutex;
    lock.created = Some(crate::support::place_at(line, 9));
    (lock.usage.holders, lock.usage.waiters) = (rows(holds), rows(waits));
    lock.usage.acquisitions = 200;
    snapshot.resources.push(lock);
}

/// `rename` held `users` for 5 s, and `merge` `mail` for `held_ms`. Of these, they waited for the
/// other lock for 4.9 s, and for `waited_ms`.
fn deadlocked(drawing: &str, held_ms: u64, waited_ms: u64) -> Snapshot {
    let mut snapshot = drawn(drawing);
    let users = [("users.lock().await", 5_000), ("users.lock_owned().await", 1)];
    lock(&mut snapshot, 500, &users, &[("users.lock().await", 1), ("users.lock_owned().await", waited_ms)]);
    let mail = [("mail.lock().await", 1), ("mail.lock_owned().await", held_ms)];
    lock(&mut snapshot, 501, &mail, &[("mail.lock().await", 4_900), ("mail.lock_owned().await", 1)]);
    snapshot
}

fn found(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

fn is_found(snapshot: &Snapshot) -> bool {
    found(snapshot).iter().any(|finding| finding.starts_with("inversion"))
}

#[test]
fn locks_that_were_acquired_in_both_orders_are_one_finding() {
    let snapshot = deadlocked(HANDLERS, 5_000, 4_800);
    let [finding] = &found(&snapshot)[..] else { panic!("one finding: {:?}", found(&snapshot)) };
    assert_eq!(
        finding,
        "inversion: the Mutex created at src/main.rs:500 and the Mutex created at src/main.rs:501 are acquired in opposite \
         orders: `rename` acquires the first at src/main.rs:2, then the second at src/main.rs:3; `merge` the second at \
         src/main.rs:5, then the first at src/main.rs:6; such calls deadlock until a time limit, 4.90 s at the longest"
    );
    let evidence = &snapshot.findings()[0].evidence;
    assert_eq!((evidence.resources.len(), evidence.nodes.len(), evidence.sites.len()), (2, 2, 2));
}

#[test]
fn locks_that_were_held_for_other_reasons_are_in_no_order() {
    assert!(is_found(&deadlocked(HANDLERS, 5_000, 4_000)));
    assert!(!is_found(&deadlocked(HANDLERS, 5_000, 3_900)), "the hold was longer for another reason");
    assert!(!is_found(&deadlocked(HANDLERS, 4_700, 4_800)), "a lock that was released before the wait");
    assert!(!is_found(&deadlocked(HANDLERS, 99, 99)), "short waits agree by accident");
    assert!(!is_found(&deadlocked(HANDLERS, 5_000, 1)), "one direction: a slow lock");
}

#[test]
fn locks_that_are_acquired_in_one_order_are_healthy() {
    let lines: Vec<&str> = HANDLERS.lines().collect();
    let one_order = [lines[0], lines[1], lines[2], lines[3], lines[5], lines[4]].join("\n");
    assert!(!is_found(&deadlocked(&one_order, 5_000, 4_800)), "`users` first in both");
    let two_calls =
        HANDLERS.replace("  mail.lock_owned().await", "put_mail | calls=1\n  mail.lock_owned().await");
    assert!(is_found(&deadlocked(HANDLERS, 5_000, 4_800)));
    let moved = two_calls.replace("  users.lock_owned()", "put_user | calls=1\n  users.lock_owned()");
    assert!(!is_found(&deadlocked(&moved, 5_000, 4_800)), "in different functions");
}

#[test]
fn branches_of_one_function_have_orders_of_their_own() {
    let lines: Vec<&str> = HANDLERS.lines().collect();
    let joined = |order: [usize; 4]| {
        let [a, b, c, d] = order.map(|line| lines[line]);
        [lines[0], a, b, c, d].join("\n").replace("calls=100 completed", "calls=200 completed")
    };
    assert!(is_found(&deadlocked(&joined([1, 2, 4, 5]), 5_000, 4_800)), "`users`, `mail`; `mail`, `users`");
    // Both branches take `users` first. Under `mail`, one did something slow, and others waited.
    let mut snapshot = drawn(&joined([1, 2, 5, 4]));
    let users = [("users.lock().await", 5_000), ("users.lock_owned().await", 1)];
    lock(&mut snapshot, 500, &users, &[("users.lock().await", 1), ("users.lock_owned().await", 4_800)]);
    let mail = [("mail.lock().await", 5_000), ("mail.lock_owned().await", 1)];
    lock(&mut snapshot, 501, &mail, &[("mail.lock().await", 4_900), ("mail.lock_owned().await", 1)]);
    assert!(!is_found(&snapshot));
}

#[test]
fn the_fields_of_a_struct_that_derives_default_are_told_apart_by_their_lines() {
    let mut snapshot = deadlocked(HANDLERS, 5_000, 4_800);
    snapshot.resources[1].created = snapshot.resources[0].created.clone();
    // A field that is never waited for.
    let mut unused = snapshot.resources[0].clone();
    (unused.id, unused.usage) = (ResourceId::new(3), diagnose_reports::model::Usage::default());
    snapshot.resources.push(unused);
    let [finding] = &found(&snapshot)[..] else { panic!("one finding: {:?}", found(&snapshot)) };
    let locks = "inversion: the Mutex acquired at src/main.rs:2 (created at src/main.rs:500) and the Mutex acquired at \
                 src/main.rs:3 (created at src/main.rs:500) are acquired in opposite orders: ";
    assert!(finding.starts_with(locks), "{finding}");
}

#[test]
fn locks_of_one_place_may_be_acquired_in_the_order_of_their_numbers() {
    let mut snapshot = deadlocked(HANDLERS, 5_000, 4_800);
    snapshot.resources[1].created = snapshot.resources[0].created.clone();
    // One line has acquired both locks.
    let shared = snapshot.resources[0].usage.holders[1].clone();
    snapshot.resources[1].usage.holders.push(shared);
    assert!(!is_found(&snapshot));
    let mut permits = deadlocked(HANDLERS, 5_000, 4_800);
    permits.resources[0].kind = ResourceKind::Semaphore;
    assert!(!is_found(&permits), "there may be several");
}
