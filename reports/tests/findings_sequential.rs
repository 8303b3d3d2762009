//! The rule `sequential` on drawn services: a call that a request awaits many times.

use crate::findings_locks::{MS, add_mutex, drawn};
use crate::support::latency::durations;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{ResourceKind, SiteIndex, Task, TaskId};

/// A handler with 100 calls of 100 ms, each with 20 queries of 4.8 ms.
const HANDLER: &str = "list | calls=100 completed=100 polls=2200 busy=100_000_000 idle=9_900_000_000
  rows(id).await | calls=100 polls=200 idle=300_000_000
    rows | calls=100 completed=100 polls=200 idle=300_000_000 self_idle=300_000_000
  load(row).await | calls=2000 polls=2000 idle=9_600_000_000
    load | calls=2000 completed=2000 polls=4000 idle=9_600_000_000 self_idle=9_600_000_000
";

/// The service as changed, while one call of the handler is alive.
fn sentences(drawing: &str, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = drawn(drawing);
    let mut task = Task::default();
    (task.id, task.site, task.is_unspawned, task.opaque_wakers) =
        (TaskId::new(1), SiteIndex::new(0), true, Some(1));
    snapshot.tasks.push(task);
    change(&mut snapshot);
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_call_that_a_handler_awaits_again_and_again_is_found() {
    let [finding] = &sentences(HANDLER, |_| ())[..] else { panic!("one finding") };
    let expected = "`list` awaits `load(row).await` (src/main.rs:4) 20 times per call, one after the other: 96 % of its time, \
                    4.80 ms each, 100 ms per call. Next: ask for all of them at once";
    assert!(finding.starts_with(expected), "{finding}");
    assert!(finding.ends_with("(sequential)"), "{finding}");
}

#[test]
fn tries_of_one_call_are_not_to_be_made_side_by_side() {
    for (name, retried) in
        [("load |", "load_with_retry |"), ("load(row)", "attempt(row)"), ("list |", "retries |")]
    {
        let [finding] = &sentences(&HANDLER.replace(name, retried), |_| ())[..] else {
            panic!("one finding")
        };
        let is_call = retried.starts_with("load");
        let pause = "Next: pause between the tries, for longer after each failure, and bound their number.";
        assert_eq!(
            finding.contains(pause),
            !is_call,
            "only the await and its function are looked at: {finding}"
        );
    }
}

#[test]
fn requests_of_clients_need_no_annotation() {
    let of = |text: &str| {
        let (drawing, _) = HANDLER.split_once("    load |").unwrap();
        sentences(&drawing.replace("load(row).await", text), |_| ()).len()
    };
    assert_eq!(of("sqlx::query(LOAD).bind(row).fetch_one(&pool).await"), 1);
    assert_eq!(of("client.get(url).send().await"), 1);
    assert_eq!(of("handle.await"), 0, "its task runs beside the others");
    assert_eq!(of("timeout(LIMIT, handle).await"), 0);
}

#[test]
fn few_short_and_rare_calls_are_healthy() {
    let changed = |change: fn(&mut Snapshot)| sentences(HANDLER, change);
    let times = |calls: u64| {
        sentences(HANDLER, |it| (it.nodes[3].calls, it.nodes[3].idle_ns) = (calls, 7_900_000_000)).len()
    };
    assert_eq!([times(1_600), times(1_599)], [1, 0], "15 times, and 79 % of the time");
    assert_eq!(changed(|it| it.nodes[3].idle_ns = 5_900_000_000), [""; 0], "59 % of the time");
    assert_eq!(changed(|it| it.nodes[0].completed = 49), [""; 0], "a start");
    let is_fast = |it: &mut Snapshot| {
        it.nodes.iter_mut().for_each(|node| (node.busy_ns, node.idle_ns) = (0, node.idle_ns / 6));
    };
    assert_eq!(sentences(HANDLER, is_fast), [""; 0], "17 ms per call");
    assert_eq!(changed(|it| it.tasks.clear()), [""; 0], "a job");
    assert_eq!(changed(|it| it.tasks[0].is_unspawned = false), [""; 0], "a job");
}

/// As tries of a call that fails at once.
#[test]
fn a_hundred_short_calls_in_each_request_are_found() {
    let many = |times: u64, ms: u64| {
        sentences(HANDLER, |it| {
            for node in [3, 4] {
                (it.nodes[node].calls, it.nodes[node].completed) = (times * 100, times * 100);
                it.nodes[node].idle_ns = ms * 90_000_000;
            }
            (it.nodes[0].busy_ns, it.nodes[0].idle_ns) = (0, ms * 100_000_000);
            (it.nodes[1].idle_ns, it.nodes[2].idle_ns) = (0, 0);
        })
    };
    assert!(many(100, 5)[0].contains("100 times per call, one after the other: 90 % of its time"));
    assert_eq!(many(99, 5), [""; 0], "fewer");
    assert_eq!(many(100, 4), [""; 0], "each request takes 4 ms");
}

/// No call is in flight at the capture, as after the load.
#[test]
fn a_handler_is_known_after_its_calls() {
    let after = |is_unspawned: bool| {
        sentences(HANDLER, |it| {
            it.tasks.clear();
            it.nodes[0].is_unspawned = is_unspawned;
        })
    };
    assert_eq!([after(true).len(), after(false).len()], [1, 0]);
    let spawned = |it: &mut Snapshot| {
        it.nodes[0].is_unspawned = true;
        it.tasks[0].is_unspawned = false;
    };
    assert_eq!(sentences(HANDLER, spawned), [""; 0], "a job");
}

/// 1,000 calls of `load` in all: ten per call.
#[test]
fn a_few_calls_that_are_nearly_all_of_a_long_request_are_found() {
    let found = |loads: u64, load_ms: u64| {
        let idle = load_ms * 1_000_000;
        let drawing = HANDLER
            .replace("load(row).await | calls=2000", &format!("load(row).await | calls={loads}"))
            .replace("load | calls=2000 completed=2000", &format!("load | calls={loads} completed={loads}"))
            .replace("9_600_000_000", &idle.to_string());
        sentences(&drawing, |_| ()).len()
    };
    assert_eq!([found(800, 9_600), found(799, 9_600)], [1, 0], "eight per call");
    assert_eq!([found(800, 8_000), found(800, 7_900)], [1, 0], "80 % of its time");
}

#[test]
fn a_call_for_each_item_that_is_read_is_healthy() {
    for text in [
        "rows.next().await",
        "socket.read(&mut buffer).await",
        "messages.recv().await",
        "field.chunk().await",
        "requests.message().await",
        "form.next_field().await?",
    ] {
        let drawing = HANDLER.replace("rows(id).await | calls=100", &format!("{text} | calls=2000"));
        assert_eq!(sentences(&drawing, |_| ()), [""; 0], "{text}");
    }
    for text in ["socket.write_all(&chunk).await", "interval.tick().await", "sleep(pause).await"] {
        assert_eq!(sentences(&HANDLER.replace("load(row).await", text), |_| ()), [""; 0], "{text}");
    }
}

#[test]
fn waits_for_a_lock_are_no_work_of_the_call() {
    let drawing = format!("{HANDLER}      db.lock().await | calls=2000 polls=2000 idle=9_500_000_000\n");
    let rules = |waited_ms| {
        let findings = sentences(&drawing, |it| add_mutex(it, "db.lock().await", 2_000, waited_ms, 1_000));
        findings.iter().filter(|finding| finding.ends_with("(sequential)")).count()
    };
    assert_eq!(rules(0), 1);
    assert_eq!(rules(9_500), 0);
}

/// As in a pool of connections: each query waits for 4.8 ms and has its permit for 4 ms.
#[test]
fn queries_that_each_wait_for_a_permit_are_found_if_no_other_finding_explains_the_wait() {
    let rules = |drawing: &str, at: &str, held_ms: u64| {
        let pool = |snapshot: &mut Snapshot| {
            add_mutex(snapshot, at, 2_000, 9_500, 8_000);
            let semaphore = snapshot.resources.last_mut().unwrap();
            (semaphore.kind, semaphore.capacity) = (ResourceKind::Semaphore, Some(2));
            semaphore.usage.held.p50_ns = held_ms * MS;
            snapshot.nodes.iter_mut().skip(2).for_each(|it| {
                it.latency.completed = durations(&[5 * MS; 2_000]);
            });
        };
        let findings = sentences(drawing, pool);
        findings.iter().map(|it| it.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let acquire = "permits.acquire().await | calls=2000 polls=4000 idle=9_500_000_000\n";
    let drawing = format!("{HANDLER}      {acquire}");
    assert_eq!(rules(&drawing, "permits.acquire().await", 4), ["(sequential)"], "permits bound what runs");
    assert_eq!(
        rules(&drawing, "permits.acquire().await", 1),
        ["(contended)"],
        "they are waited for too long"
    );
    let drawing = format!("{STREAM}      {acquire}");
    assert_eq!(rules(&drawing, "permits.acquire().await", 4), ["(sequential)"]);
    assert_eq!(rules(&drawing, "permits.acquire().await", 1), ["(contended)"]);
}

/// The text of each await, and how often it is polled.
fn leaf(text: &str, polls: u64) -> usize {
    let (drawing, _) = HANDLER.split_once("    load |").unwrap();
    let drawing = drawing.replace("load(row).await", text);
    let found = sentences(&drawing.replace("polls=2000 idle", &format!("polls={polls} idle")), |_| ());
    found.iter().filter(|finding| finding.ends_with("(sequential)")).count()
}

#[test]
fn a_call_without_annotation_is_found_if_each_of_them_waits() {
    for text in ["load_item(&db, id).await", "self.items.load(id).await?", "api::price(&http, get(id)).await"]
    {
        assert_eq!([leaf(text, 3_600), leaf(text, 3_599)], [1, 0], "{text}");
    }
    let short = |it: &mut Snapshot| {
        it.nodes[3].calls = 10_000;
        it.nodes[3].polls = 20_000;
    };
    let (drawing, _) = HANDLER.split_once("    load |").unwrap();
    assert_eq!(sentences(drawing, short), [""; 0], "under a millisecond each");
}

#[test]
fn calls_that_only_wrap_a_wait_or_are_meant_to_wait_are_healthy() {
    for text in [
        "load_all().await",
        "handle.await",
        "timeout(LIMIT, handle).await",
        "tokio::spawn(load(id)).await",
        "spawn_blocking(hash(part)).await",
        "handles.swap_remove(0).await",
        "join_all(batch.map(load)).await",
        "reply.map_err(Error::from).await",
        "limiter.acquire(1).await",
        "accounts.lock(id).await",
        "tokio::fs::metadata(path).await",
        "wait_for(job).await",
        "out.send_data(chunk).await",
        "delay_for(PAUSE).await",
    ] {
        assert_eq!(leaf(text, 4_000), 0, "{text}");
    }
}

/// Four requests a second, for ten seconds.
#[test]
fn a_rare_request_with_many_calls_is_found() {
    let rare = |calls: u64, times: u64| {
        sentences(HANDLER, |it| {
            (it.nodes[0].calls, it.nodes[0].completed) = (calls, calls);
            it.nodes[3].calls = calls * times;
        })
        .len()
    };
    assert_eq!([rare(20, 16), rare(19, 16), rare(40, 15), rare(50, 15)], [1, 0, 0, 1]);
}

/// A handler with 100 calls of 100 ms, which maps a stream of ids: 20 calls of 4.8 ms each.
const STREAM: &str = "cart | calls=100 completed=100 polls=2200 busy=100_000_000 idle=9_900_000_000
  iter(ids).then(price).collect().await | calls=100 completed=100 polls=2100 idle=9_700_000_000
    price | calls=2000 completed=2000 polls=4000 idle=9_600_000_000 self_idle=9_600_000_000
";

/// The findings if calls of `price` have these lengths, in µs, again and again.
fn stream(drawing: &str, lengths_us: &[u64], change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let lengths_ns: Vec<u64> = lengths_us.iter().cycle().take(2_000).map(|us| us * 1000).collect();
    sentences(drawing, |snapshot| {
        snapshot.nodes[2].latency.completed = durations(&lengths_ns);
        change(snapshot);
    })
}

#[test]
fn calls_that_a_stream_makes_one_after_the_other_are_found() {
    let [finding] = &stream(STREAM, &[4_800], |_| ())[..] else { panic!("one finding") };
    let expected = "`cart` calls `price` (src/main.rs:3) 20 times per call in `iter(ids).then(price).collect().await` \
                    (src/main.rs:2), one after the other: 96 % of its time, 4.80 ms each, 100 ms per call. Next: ask for all";
    assert!(finding.starts_with(expected), "{finding}");
    assert!(finding.ends_with("(sequential)"), "{finding}");
    let retried = stream(&STREAM.replace("iter(ids).then(price)", "retry(price)"), &[4_800], |_| ());
    assert!(retried[0].contains("Next: pause between the tries"), "{retried:?}");
}

#[test]
fn calls_side_by_side_are_healthy() {
    let longer = |it: &mut Snapshot| it.nodes[2].idle_ns = 9_800_000_000;
    assert_eq!(stream(STREAM, &[4_900], longer), [""; 0], "they overlap");
    let mut one_of_twenty = [5; 20];
    one_of_twenty[0] = 95_000;
    assert_eq!(stream(STREAM, &one_of_twenty, |_| ()), [""; 0], "one of them takes all of the time");
}

#[test]
fn what_streams_and_connections_repeat_is_healthy() {
    let of = |from: &str, to: &str| {
        assert!(STREAM.contains(from));
        stream(&STREAM.replace(from, to), &[4_800], |_| ()).len()
    };
    assert_eq!(of("price |", "load |"), 1);
    assert_eq!(of("price |", "Body::write_chunk |"), 0, "a reader may be slow");
    assert_eq!(of("price |", "next_event |"), 0);
    assert_eq!(of("iter(ids).then(price).collect()", "http.serve_connection(io)"), 0, "request by request");
    assert_eq!(
        of("completed=2000 polls=4000 idle=9_600_000_000", "polls=4000 idle=7_900_000_000"),
        0,
        "79 %"
    );
    assert_eq!(stream(STREAM, &[4_800], |it| it.tasks.clear()), [""; 0], "a job");
    let in_a_loop = |it: &mut Snapshot| it.nodes[1].calls = 201;
    assert_eq!(stream(STREAM, &[4_800], in_a_loop), [""; 0], "the awaits are on record");
}
