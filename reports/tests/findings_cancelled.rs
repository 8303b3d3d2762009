//! The rule `cancelled` where no `timeout` is on record: calls that code without annotation drops,
//! and calls that a timer in a `select!` drops.

use crate::support::latency::durations;
use crate::support::{node, tree};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{NodeIndex, SiteIndex, SiteKind, Task, TaskId};

const MS: u64 = 1_000_000;

fn rules(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect()
}

/// The sentence of the only finding.
fn sentence(snapshot: &Snapshot) -> String {
    let findings = snapshot.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    finding.sentence.clone()
}

/// A drawn tree in which a name with a call is an await.
fn drawn(drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains('(')) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    snapshot
}

/// Ten seconds of 100 handlers that ask a database; `dropped` and `completed` are their ages in ns.
fn handlers(dropped: &[u64], completed: &[u64]) -> Snapshot {
    let (cancelled, ended) = (dropped.len(), completed.len());
    let calls = cancelled + ended;
    let mut snapshot = drawn(&format!(
        "report | calls={calls} completed={ended} cancelled={cancelled} polls=200 idle=4_000_000_000\n  \
         stream.write_all(query).await | calls={calls} completed={calls} polls=100\n  \
         stream.read_line(row).await | calls={calls} polls=200 idle=4_000_000_000 self_idle=4_000_000_000"
    ));
    snapshot.nodes[0].last_seen_ns = 10_000 * MS;
    snapshot.nodes[0].latency.cancelled = durations(dropped);
    snapshot.nodes[0].latency.completed = durations(completed);
    snapshot
}

#[test]
fn a_timeout_that_is_dropped_itself_has_not_ended_its_call() {
    let hedged = |dropped: u64| {
        let mut snapshot = drawn(&format!(
            "page | calls=1000 completed=1000 polls=2000 idle=4_000_000_000\n  \
             timeout(LIMIT, fetch()).await | calls=1000 cancelled={dropped} completed=900 polls=2000 \
             idle=4_000_000_000\n    \
             fetch | calls=1000 completed=900 cancelled=100 polls=2000 idle=4_000_000_000\n      \
             client.get(page).await | calls=1000 polls=2000 idle=4_000_000_000 self_idle=4_000_000_000"
        ));
        snapshot.nodes[2].latency.cancelled = durations(&[100 * MS; 100]);
        snapshot
    };
    let expected = "100 of 1,000 calls (10 %) of `fetch` (src/main.rs:3) run into the timeout at \
                    `timeout(LIMIT, fetch()).await` (src/main.rs:2), after 100 ms at the longest";
    assert_eq!(sentence(&hedged(0)), expected);
    assert_eq!(rules(&hedged(95)), [""; 0], "the losers of a race, and 5 of 905");
}

/// Fifty clients that send requests for two seconds.
#[test]
fn a_loop_until_its_time_is_over_loses_no_work() {
    let clients = |step: &str, steps: u64, lasted_ms: u64| {
        let mut snapshot = drawn(&format!(
            "main | calls=1 pending=1 polls=9000 idle=2_000_000_000\n  \
             timeout(TIME, join_all(clients)).await | calls=1 completed=1 polls=9000 idle=2_000_000_000\n    \
             client | calls=50 cancelled=50 polls=9000 idle=100_000_000_000\n      \
             http.get(page).send().await | calls=50 polls=50\n      \
             {step} | calls={steps} polls=9000 idle=100_000_000_000 self_idle=100_000_000_000"
        ));
        snapshot.nodes[2].latency.cancelled = durations(&[2_000 * MS; 50]);
        snapshot.nodes[2].last_seen_ns = lasted_ms * MS;
        rules(&snapshot)
    };
    assert_eq!(clients("request(page).await", 800, 2_000), [""; 0]);
    assert_eq!(clients("request(page).await", 799, 2_000), ["cancelled"], "one piece of work");
    assert_eq!(clients("request(page).await", 800, 20_000), ["cancelled"], "tries of many requests");
    assert_eq!(clients("response.chunk().await", 800, 2_000), ["cancelled"], "a download");
}

/// Handlers of `/updates`, which look again each 20 ms, for a second at most.
#[test]
fn a_function_that_sleeps_and_looks_again_for_an_event_is_a_long_poll() {
    let found = |function: &str, pause: &str| {
        let mut snapshot = drawn(&format!(
            "updates | calls=400 completed=400 polls=9000 idle=200_000_000_000\n  \
             timeout(LIMIT, {function}(user)).await | calls=400 completed=400 polls=9000 idle=200_000_000_000\n    \
             {function} | calls=400 completed=250 cancelled=150 polls=9000 idle=200_000_000_000\n      \
             news.get(user).await | calls=9000 completed=9000 polls=18000 idle=900_000_000\n      \
             {pause} | calls=9000 polls=18000 idle=199_000_000_000 self_idle=199_000_000_000"
        ));
        let ages: Vec<u64> = (1..=250).map(|number| number * 4 * MS).collect();
        snapshot.nodes[2].latency.completed = durations(&ages);
        snapshot.nodes[2].latency.cancelled = durations(&[1_000 * MS; 150]);
        snapshot.nodes[0].latency.completed = durations(&[vec![5 * MS; 320], vec![1_000 * MS; 80]].concat());
        rules(&snapshot)
    };
    assert_eq!(found("wait_for_update", "sleep(PAUSE).await"), [""; 0]);
    assert_eq!(found("Hub::next_update", "sleep(PAUSE).await"), [""; 0]);
    assert_eq!(found("fetch_update", "sleep(PAUSE).await"), ["slow_await", "cancelled"]);
    assert_eq!(found("next_number", "db.query(number).await"), ["slow_await", "cancelled"], "no pause");
}

#[test]
fn handlers_that_are_dropped_at_one_age_are_found() {
    let snapshot = handlers(&[52 * MS; 40], &[30 * MS; 60]);
    let expected = "40 of 100 calls (40 %) of `report` (src/main.rs:1) are dropped before they end, most of them \
                    after 51.4 ms, by code without annotation";
    assert_eq!(rules(&snapshot), ["cancelled"]);
    assert_eq!(sentence(&snapshot), expected);
    assert_eq!(rules(&handlers(&[52 * MS; 40], &[])), ["cancelled"], "none ends");
    assert_eq!(rules(&handlers(&[52 * MS; 19], &[30 * MS; 60])), [""; 0], "few");
    assert_eq!(rules(&handlers(&[52 * MS; 20], &[30 * MS; 90])), [""; 0], "a small share");
}

#[test]
fn calls_that_are_dropped_for_other_reasons_are_not() {
    let ages: Vec<u64> = (1..=40).map(|age| age * MS).collect();
    assert_eq!(rules(&handlers(&ages, &[])), [""; 0], "at any age: at a shutdown");
    assert_eq!(rules(&handlers(&[52 * MS; 40], &[52 * MS; 60])), [""; 0], "as old as the winner of a race");
    assert_eq!(rules(&handlers(&[1_500 * MS; 40], &[])), [""; 0], "all began and were dropped together");
    let mut snapshot = handlers(&[10_500 * MS; 40], &[]);
    snapshot.nodes[0].last_seen_ns = 1_000_000 * MS;
    assert_eq!(rules(&snapshot), [""; 0], "as late as a long poll");
}

#[test]
fn dropped_calls_that_wait_for_an_event_are_not_found() {
    for name in ["events.changed().await", "socket.next().await", "hub.wait(id).await", "sleep(LIMIT).await"]
    {
        let mut snapshot = handlers(&[52 * MS; 40], &[30 * MS; 60]);
        snapshot.sites[1].name = "prepare().await".into();
        snapshot.sites[2].name = name.into();
        assert_eq!(rules(&snapshot), [""; 0], "{name}");
    }
    let mut snapshot = handlers(&[52 * MS; 40], &[30 * MS; 60]);
    snapshot.sites[1].name = "prepare().await".into();
    snapshot.sites[2].name = "rows.fetch_all(&pool).await".into();
    assert_eq!(rules(&snapshot), ["cancelled"], "a client of a database");
}

/// A function without annotation, of which nothing but the name is known.
#[test]
fn dropped_calls_that_wait_for_a_call_name_it() {
    let waiting = |text: &str, dropped_ms: u64, completed_ms: &[u64]| {
        let completed: Vec<u64> = completed_ms.iter().map(|ms| ms * MS).collect();
        let mut snapshot = handlers(&[dropped_ms * MS; 40], &completed);
        snapshot.sites[1].name = "prepare().await".into();
        snapshot.sites[2].name = text.into();
        snapshot
    };
    let fast = [8; 60];
    let found = waiting("build_report(id).await", 52, &fast);
    assert_eq!(rules(&found), ["cancelled"]);
    let next = "find why `build_report(id).await` (src/main.rs:3) takes that long, and look for a time limit around the \
                function, as in a middleware, or for clients that give up by then; what it did is lost";
    assert_eq!(found.findings()[0].next, next);
    for name in
        ["wait_for_news(id).await", "hub.subscribe(id).await", "timeout(LIMIT, news).await", "news().await"]
    {
        assert_eq!(rules(&waiting(name, 52, &fast)), [""; 0], "{name}");
    }
    let events: Vec<u64> = (1..=60).map(|number| number * 40 / 60).collect();
    assert_eq!(rules(&waiting("updates(id).await", 52, &events)), [""; 0], "a long poll");
    assert_eq!(rules(&waiting("updates(id).await", 52, &[])), [""; 0], "a long poll without events");
}

/// A request to a database, which is a function on record and waits for something else itself.
#[test]
fn a_request_is_known_by_the_await_that_sends_it() {
    let of = |text: &str| {
        let mut snapshot = drawn(&format!(
            "report | calls=100 completed=60 cancelled=40 polls=200 idle=4_000_000_000\n  \
             {text} | calls=100 completed=60 cancelled=40 polls=200 idle=4_000_000_000\n    \
             query | calls=100 completed=60 cancelled=40 polls=200 idle=4_000_000_000\n      \
             sleep(SLOW).await | calls=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000"
        ));
        snapshot.nodes[0].last_seen_ns = 10_000 * MS;
        snapshot.nodes[0].latency.cancelled = durations(&[52 * MS; 40]);
        snapshot.nodes[0].latency.completed = durations(&[30 * MS; 60]);
        rules(&snapshot)
    };
    assert_eq!(of("self.db.query(id).await"), ["cancelled"]);
    assert_eq!(of("self.pause(id).await"), [""; 0]);
}

#[test]
fn dropped_calls_of_spawned_tasks_are_not_found() {
    let mut snapshot = handlers(&[52 * MS; 40], &[30 * MS; 60]);
    let mut task = Task::default();
    (task.id, task.site, task.is_unspawned) = (TaskId::from(1), SiteIndex::new(0), true);
    snapshot.tasks = vec![task];
    assert_eq!(rules(&snapshot), ["cancelled"]);
    snapshot.tasks[0].is_unspawned = false;
    assert_eq!(rules(&snapshot), [""; 0]);
}

/// A loop with a `select!` of `sync` and a timer that was ready `turns` times.
fn raced(read: &str, timer: &str, turns: u64) -> Snapshot {
    let mut snapshot = drawn(&format!(
        "syncer | calls=1 polls=300 pending=1 idle=7_000_000_000\n  \
         {timer} | calls=282 completed={turns} polls=500 idle=7_000_000_000 self_idle=7_000_000_000\n  \
         sync(&db) | calls=282 cancelled=281 polls=400 idle=6_900_000_000\n    \
         sync | calls=282 cancelled=281 polls=400 idle=6_900_000_000\n      \
         db.send(request).await | calls=282 completed=282 polls=282\n      \
         {read} | calls=282 cancelled=281 polls=400 idle=6_900_000_000 self_idle=6_900_000_000"
    ));
    let sync = snapshot.sites.iter().position(|site| site.name == "sync").expect("it is drawn");
    let node = snapshot.nodes.iter_mut().find(|node| node.site.get() == sync).expect("it is drawn");
    node.latency.cancelled = durations(&[25 * MS; 281]);
    snapshot
}

#[test]
fn work_that_a_timer_of_a_loop_always_drops_is_found() {
    let answer = "db.read_line(row).await";
    let snapshot = raced(answer, "beat.tick()", 281);
    assert_eq!(rules(&snapshot), ["cancelled"]);
    let sentence = sentence(&snapshot);
    assert!(
        sentence.starts_with(
            "none of 281 calls of `sync` (src/main.rs:4) ends: a `select!` drops it when `beat.tick()`"
        ),
        "{sentence}"
    );
    assert_eq!(rules(&raced(answer, "beat.tick()", 28)), [""; 0], "another arm drops it");
    for event in ["rows.recv()", "events.changed()", "listener.accept()"] {
        assert_eq!(rules(&raced(answer, event, 281)), ["cancelled"], "{event}");
        assert_eq!(rules(&raced(answer, event, 28)), [""; 0], "{event}: another arm drops it");
        let mut snapshot = raced(answer, event, 400);
        assert_eq!(rules(&snapshot), [""; 0], "{event}: it is ready while nothing is lost");
        let sync =
            snapshot.nodes.iter().find(|node| !node.latency.cancelled.is_empty()).expect("it is drawn");
        let mut at_once = node(sync.site.get(), Some(0));
        at_once.never_polled = 91;
        snapshot.nodes.push(at_once);
        assert_eq!(rules(&snapshot), ["cancelled"], "{event}: the call was not polled 91 times");
        let ending = |ended: u64| {
            let mut snapshot = raced(answer, event, 281 + ended);
            let sync = snapshot.nodes.iter_mut().find(|node| !node.latency.cancelled.is_empty());
            sync.expect("it is drawn").completed = ended;
            rules(&snapshot)
        };
        assert_eq!(ending(70), ["cancelled"], "{event}: 80 % are lost");
        assert_eq!(ending(71), [""; 0], "{event}: some end in between");
        assert_eq!(
            rules(&raced("sleep(PAUSE).await", event, 281)),
            [""; 0],
            "{event}: until nothing comes for a while"
        );
    }
    assert_eq!(rules(&raced(answer, "other(&db)", 281)), [""; 0], "the loser of a race");
    assert_eq!(rules(&raced("queue.changed().await", "beat.tick()", 281)), [""; 0], "it waits for an event");
    let mut snapshot = raced(answer, "beat.tick()", 281);
    let sync =
        snapshot.nodes.iter_mut().find(|node| !node.latency.cancelled.is_empty()).expect("it is drawn");
    sync.latency.cancelled = durations(&[5_000 * MS; 281]);
    assert_eq!(rules(&snapshot), [""; 0], "a heartbeat of a peer that is silent");
    let sync =
        snapshot.nodes.iter_mut().find(|node| !node.latency.cancelled.is_empty()).expect("it is drawn");
    sync.latency.cancelled = durations(&[25 * MS; 281]);
    snapshot.nodes[0].calls = 282;
    assert_eq!(rules(&snapshot), [""; 0], "no loop");
}

#[test]
fn calls_that_are_dropped_at_one_place_are_one_finding_on_whatever_paths() {
    let mut snapshot = raced("db.read_line(row).await", "beat.tick()", 281);
    let before = snapshot.nodes.clone();
    for label in ["second", "third"] {
        let first = snapshot.nodes.len();
        snapshot.nodes.extend(before.iter().cloned().map(|mut node| {
            match node.parent {
                Some(parent) => node.parent = Some(NodeIndex::new(first + parent.get())),
                None => node.label = Some(label.to_owned()),
            }
            node
        }));
    }
    assert_eq!(rules(&snapshot), ["cancelled"]);
    let sentence = sentence(&snapshot);
    assert!(sentence.starts_with("none of 843 calls of `sync` (src/main.rs:4) ends"), "{sentence}");
    assert_eq!(snapshot.findings()[0].evidence.nodes.len(), 6);
}

#[test]
fn a_sleep_in_a_select_that_cuts_calls_off_is_a_time_limit() {
    // `quote` in three attempts of each `price`, 25 ms each.
    let limited = |wait: &str, timer: &str, ages_ms: [u64; 2]| {
        let mut snapshot = drawn(&format!(
            "price | calls=500 completed=500 polls=3000 idle=25_000_000_000\n  \
             {timer} | calls=1000 completed=600 polls=1600 idle=24_000_000_000 self_idle=24_000_000_000\n  \
             quote(&db) | calls=1000 cancelled=600 completed=400 polls=1400 idle=23_000_000_000\n    \
             quote | calls=1000 cancelled=600 completed=400 polls=1400 idle=23_000_000_000\n      \
             {wait} | calls=1000 cancelled=600 polls=1400 idle=23_000_000_000 self_idle=23_000_000_000"
        ));
        let quote = snapshot.sites.iter().position(|site| site.name == "quote").expect("it is drawn");
        let node = snapshot.nodes.iter_mut().find(|node| node.site.get() == quote).expect("it is drawn");
        node.latency.cancelled = durations(&ages_ms.map(|age| [age * MS; 300]).concat());
        node.latency.completed = durations(&[20 * MS; 400]);
        snapshot
    };
    let snapshot = limited("db.query(id).await", "sleep(LIMIT)", [25, 27]);
    assert_eq!(rules(&snapshot), ["cancelled"]);
    let sentence = sentence(&snapshot);
    let begin = "600 of 1,000 calls (60 %) of `quote` (src/main.rs:4) are dropped by `sleep(LIMIT)`";
    assert!(sentence.starts_with(begin), "{sentence}");
    assert_eq!(rules(&limited("db.query(id).await", "sleep(LIMIT)", [5, 27])), [""; 0], "losers of a race");
    assert_eq!(rules(&limited("db.query(id).await", "beat.tick()", [25, 27])), [""; 0], "a beat");
    assert_eq!(
        rules(&limited("queue.recv().await", "sleep(LIMIT)", [25, 27])),
        [""; 0],
        "it waits for an event"
    );
}
