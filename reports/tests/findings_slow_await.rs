//! The rule `slow_await` at a sleep of the function itself: a pause before it looks again, or what
//! clients of a handler wait for.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Resource, ResourceId, ResourceKind, SiteKind, Wait};

use crate::findings_locks::MS;
use crate::support::latency::durations;
use crate::support::{split, tree};

/// 500 calls of a handler: each awaits a query of 5 ms, and 25 of them sleep for 800 ms.
const SEARCH: &str = "search | calls=500 completed=500 polls=1025 busy=2_000_000 idle=22_500_000_000
  query(id).await | calls=500 polls=1000 idle=2_500_000_000 self_idle=2_500_000_000
  sleep(SLOW).await | calls=25 polls=50 idle=20_000_000_000 self_idle=20_000_000_000
";

fn search(drawing: &str, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    let mut lengths = vec![5 * MS; 475];
    lengths.resize(500, 805 * MS);
    snapshot.nodes[0].latency.completed = durations(&lengths);
    snapshot.nodes[0].is_unspawned = true;
    change(&mut snapshot);
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_handler_that_sleeps_in_a_few_calls_is_found() {
    let [finding] = &search(SEARCH, |_| ())[..] else { panic!("one finding") };
    let expected = "25 of 500 calls (5 %) of `search` (src/main.rs:1) take 500 ms or more, at a median of ";
    assert!(finding.starts_with(expected), "{finding}");
    assert!(finding.contains("they wait at `sleep(SLOW).await` (src/main.rs:3)"), "{finding}");
    assert_eq!(search(SEARCH, |it| it.nodes[0].is_unspawned = false), [""; 0], "a job: it looks again later");
}

/// One call in twenty sleeps for 800 ms, the others for 5 ms.
#[test]
fn a_handler_that_sleeps_once_in_each_call_is_found() {
    let each =
        SEARCH.replace("sleep(SLOW).await | calls=25 polls=50", "sleep(LATENCY).await | calls=500 polls=525");
    assert_eq!(search(&each, |_| ()).len(), 1);
    let named = |name: &str| search(&each.replace("search |", &format!("{name} |")), |_| ()).len();
    assert_eq!([named("accept_order"), named("watch_price")], [1, 1], "no event, by its name alone");
}

#[test]
fn a_handler_that_looks_again_after_its_sleep_is_healthy() {
    assert_eq!(search(SEARCH, |it| it.nodes[2].calls = 49).len(), 1);
    assert_eq!(search(SEARCH, |it| it.nodes[2].calls = 50), [""; 0], "it sleeps several times");
    assert_eq!(search(SEARCH, |it| it.nodes[1].calls = 511).len(), 1);
    assert_eq!(search(SEARCH, |it| it.nodes[1].calls = 525), [""; 0], "it asks again after each sleep");
}

/// A handler that asks another function in 25 of 500 calls.
const QUERIES: &str = "search | calls=500 completed=500 polls=1025 busy=2_000_000 idle=22_500_000_000
  query(id).await | calls=500 polls=1000 idle=2_500_000_000 self_idle=2_500_000_000
  archive(id).await | calls=25 polls=50 idle=20_000_000_000
    archive | calls=25 completed=25 polls=50 idle=20_000_000_000
      db.query(row).await | calls=25 polls=50 idle=20_000_000_000 self_idle=20_000_000_000
";

#[test]
fn labels_on_the_way_to_a_slow_await_change_nothing() {
    let whole = search(QUERIES, |_| ());
    assert!(whole.len() == 1 && whole[0].contains("they wait at `db.query(row).await`"), "{whole:?}");
    assert_eq!(search(QUERIES, |it| split(it, 3, 5)), whole);
    let event = QUERIES.replace("db.query(row)", "news.changed()");
    assert_eq!(search(&event, |it| split(it, 3, 5)), [""; 0], "it waits for an event");
}

/// The sleep is the time limit of a long poll.
#[test]
fn a_sleep_in_an_arm_of_a_select_is_healthy() {
    let (before, sleep) = SEARCH.split_once("  sleep").unwrap();
    let arm = format!(
        "{before}  select! {{…}}.await | calls=25 polls=50 idle=20_000_000_000\n    sleep{sleep}    \
         news.changed().await | calls=25 polls=50 idle=20_000_000_000 self_idle=20_000_000_000\n"
    );
    assert_eq!(search(&arm, |_| ()), [""; 0]);
}

/// Tasks that run jobs of their own at intervals of their own: 25 jobs take 800 ms each.
#[test]
fn a_job_at_an_interval_may_take_its_time() {
    const EVERY: &str = "every | calls=4 pending=4 polls=1025 busy=2_000_000 idle=40_000_000_000
  timer.tick().await | calls=502 completed=500 polls=1002 idle=17_500_000_000 self_idle=17_500_000_000
  job(name).await | calls=500 completed=500 polls=1000 idle=22_500_000_000
    job | calls=500 completed=500 polls=1000 busy=1_000_000 idle=22_500_000_000
      sync(name).await | calls=500 completed=500 polls=1000 idle=22_500_000_000 self_idle=22_500_000_000
";
    let found = |drawing: &str| {
        let findings = search(drawing, |it| {
            let latency = std::mem::take(&mut it.nodes[0].latency);
            it.nodes[3].latency = latency;
            it.nodes[0].is_unspawned = false;
        });
        findings.len()
    };
    assert_eq!(found(EVERY), 0);
    assert_eq!(found(&EVERY.replace("timer.tick()", "jobs.recv()")), 1, "a worker: its callers wait");
    let paced = EVERY.replace("completed=500 polls=1002", "completed=249 polls=1002");
    assert_eq!(found(&paced), 1, "it hardly ever pauses");
    let ends = EVERY.replace("calls=4 pending=4", "calls=5 completed=1 pending=4");
    assert_eq!(found(&ends), 1, "a call with an end");
}

/// A file server, 25 of whose clients read for 800 ms.
#[test]
fn a_client_that_reads_or_sends_slowly_is_no_fault_of_the_server() {
    let found = |text: &str| search(&SEARCH.replace("sleep(SLOW).await", text), |_| ()).len();
    for text in [
        "socket.write_all(&file).await?",
        "self.stream.flush().await",
        "conn.write_frame(&answer).await",
        "body::to_bytes(body, LIMIT).await",
        "to_bytes(body, LIMIT).await",
        "field.bytes().await?",
        "multipart.next_field().await?",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
    for text in [
        "file.write_all(&rows).await?",
        "self.log_file.flush().await?",
        "store.write_order(&order).await?",
        "store.put(id, value.to_bytes()).await?",
        "store.hash(name.bytes()).await?",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    let answer = SEARCH.replace("query(id).await", "client.get(url).send().await?");
    let answer = answer.replace("sleep(SLOW).await", "response.bytes().await?");
    assert_eq!(search(&answer, |_| ()).len(), 1, "the body of an answer");
    let answer = answer.replace("client.get(url).send().await?", "reqwest::get(url).await?");
    assert_eq!(search(&answer, |_| ()).len(), 1, "the body of an answer");
    let waits = |it: &mut Snapshot| {
        let mut wait = Wait::default();
        wait.place = Some(it.sites[2].place.clone());
        wait.resource = Some(ResourceId::new(1));
        it.waits.push(wait);
        let mut resource = Resource::default();
        (resource.id, resource.kind) = (ResourceId::new(1), ResourceKind::Custom);
        it.resources.push(resource);
    };
    assert_eq!(search(&SEARCH.replace("sleep(SLOW)", "out.write_all(&row)"), waits).len(), 1, "not a client");
}

/// Middleware that is not annotated sleeps between two functions on record.
#[test]
fn what_is_not_annotated_under_an_await_is_to_be_annotated() {
    let below = "    item | calls=25 completed=25 polls=50 idle=75_000_000 self_idle=75_000_000\n";
    let drawing = SEARCH.replace("sleep(SLOW).await", "next.run(request).await") + below;
    let [finding] = &search(&drawing, |_| ())[..] else { panic!("one finding") };
    let next = "Next: annotate what is called there: most of the time is not spent in `item`. (slow_await)";
    assert!(finding.ends_with(next), "{finding}");
}

/// The function inside is not annotated.
#[test]
fn what_is_awaited_under_a_time_limit_is_named() {
    let next = |awaited: &str| {
        let drawing = SEARCH.replace("sleep(SLOW).await", awaited);
        let [finding] = &search(&drawing, |_| ())[..] else { panic!("one finding") };
        finding.split_once("Next: ").expect("there is a next step").1.to_owned()
    };
    let named = "look at `fetch(&db, (id, 2))`: annotate it to see where it waits, and what was asked for in the slow calls. \
                 (slow_await)";
    assert_eq!(next("timeout(LIMIT, fetch(&db, (id, 2))).await"), named);
    assert_eq!(next("tokio::time::timeout(ms(5, 3), fetch(&db, (id, 2))).await??"), named);
    for awaited in [
        "timeout(LIMIT, async {…}).await",
        "timeout(LIMIT, cache.lock()).await",
        "timeout(LIMIT).fetch(id).await",
        "call(timeout(a, b), c).await",
        "fetch(id).await",
    ] {
        assert!(next(awaited).starts_with("look at the other end of that await"), "{awaited}");
    }
}
