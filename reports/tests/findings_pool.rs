//! The rule `contended` on a pool of connections that is a channel behind a lock.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Holding, Resource, ResourceId, ResourceKind, Role, Wait, WaitMode};

use crate::findings_locks::{MS, add_mutex, drawn, sentences};

/// 400 requests of four connections take something from a channel, for which the lock of its
/// receiver is held, and send it back at the end.
const REQUESTS: &str = "connection | calls=4 pending=4 polls=1_200 busy=10_000_000 idle=39_900_000_000
  socket.read_line(&mut line).await | calls=404 polls=800 idle=1_000_000_000 self_idle=1_000_000_000
  handle(line).await | calls=400 completed=400 polls=800 idle=38_900_000_000
    handle | calls=400 completed=400 polls=800 idle=38_900_000_000
      free.lock().await | calls=400 completed=400 polls=800 idle=28_000_000_000 self_idle=28_000_000_000
      free.lock().await.recv().await | calls=400 completed=400 polls=800 idle=9_000_000_000 self_idle=9_000_000_000
      query(id).await | calls=400 completed=400 polls=800 idle=1_900_000_000 self_idle=1_900_000_000
      put.send(conn).await | calls=400 completed=400 polls=400
  socket.write_all(answer).await | calls=400 completed=400 polls=400 busy=1_000_000
sweep | calls=1 pending=1 polls=10
  put.send(fresh).await | calls=10 completed=10 polls=10
";

/// The drawn service; `sends` is the await that sends into the channel.
fn service(drawing: &str, sends: &str) -> Snapshot {
    let mut snapshot = drawn(drawing);
    let place = |name: &str| snapshot.sites.iter().find(|site| site.name == name).unwrap().place.clone();
    let lock = place("free.lock().await");
    let mut received_at = lock.clone();
    received_at.column += 12;
    let sent_at = place(sends);
    let received = snapshot.sites.iter_mut().find(|site| site.name.ends_with("recv().await")).unwrap();
    (received.place, received.end_line, received.end_column) = (lock.clone(), lock.line, 60);
    add_mutex(&mut snapshot, "free.lock().await", 400, 28_000, 9_000);
    let mut channel = Resource::default();
    (channel.id, channel.kind, channel.capacity) = (ResourceId::new(9), ResourceKind::Mpsc, Some(3));
    channel.created = Some(crate::support::place_at(510, 9));
    let mut sender = Holding::default();
    (sender.role, sender.uses, sender.place) = (Role::Sends, 400, Some(sent_at));
    channel.holdings.push(sender);
    snapshot.resources.push(channel);
    let mut wait = Wait::default();
    (wait.resource, wait.mode, wait.since_ns) = (Some(ResourceId::new(9)), WaitMode::Receive, MS);
    wait.place = Some(received_at);
    snapshot.waits.push(wait);
    snapshot
}

#[test]
fn requests_that_wait_for_an_empty_pool_wait_for_each_other() {
    let [finding] = &sentences(&service(REQUESTS, "put.send(conn).await"))[..] else { panic!("one finding") };
    assert!(finding.contains("makes `handle` wait: 72 % of its time"), "{finding}");
    let end = "over `free.lock().await.recv().await` (src/main.rs:5); the mpsc with 3 slots created at src/main.rs:510 is a \
               pool, and empty: `handle` sends back into it at src/main.rs:8. Next: add items to the pool, or hold \
               each for a shorter time. (contended)";
    assert!(finding.ends_with(end), "{finding}");
}

#[test]
fn requests_that_wait_for_events_of_others_do_not() {
    assert_eq!(sentences(&service(REQUESTS, "put.send(fresh).await")), [""; 0]);
}

#[test]
fn workers_that_send_into_the_channel_they_share_take_turns() {
    let workers = REQUESTS.replace("socket.write_all(answer).await", "done.notify(id).await");
    assert_eq!(sentences(&service(&workers, "put.send(conn).await")), [""; 0], "they answer nobody");
}
