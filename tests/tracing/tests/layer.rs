//! Instrumented functions have their calls, polls and times.

use std::future::Future as _;
use std::sync::{Arc, Mutex};

use diagnose::{FutureExt as _, diagnose};
use tracing::Instrument as _;
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

use crate::support::{Yields, counts, install_layer, node, run};

#[tracing::instrument]
async fn outer(times: u32) {
    for _ in 0..times {
        inner(3).await;
    }
}

#[tracing::instrument]
async fn inner(yields: u32) {
    Yields(yields).await;
}

#[tracing::instrument]
fn sync(depth: u32) -> u32 {
    if depth == 0 { 0 } else { sync(depth - 1) + 1 }
}

#[test]
fn an_instrumented_function_has_its_calls_and_polls() {
    diagnose_isolation::isolated!();
    install_layer();
    run(outer(2));
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["outer"])), [1, 7, 1, 0, 0, 0, 0], "six times pending, then ready");
    let inside = node(&snapshot, &["outer", "inner"]);
    assert_eq!(counts(inside), [2, 8, 2, 0, 0, 0, 0]);
    let polls: u64 = inside.polls_histogram.iter().map(|bucket| bucket.count).sum();
    assert_eq!(polls, 8);
    assert!(inside.self_idle_ns > 0 && inside.busy_ns > 0, "{inside:?}");
    assert_eq!(inside.self_idle_ns, inside.idle_ns, "nothing recorded is below");
    let around = node(&snapshot, &["outer"]);
    assert!(around.busy_ns >= inside.busy_ns && around.idle_ns > 0, "{around:?}");
    assert!(around.self_idle_ns < around.idle_ns, "it waits for the inner one: {around:?}");
    let site = &snapshot.sites[inside.site];
    assert!(site.place.file.ends_with("tests/tracing/tests/layer.rs") && site.place.line > 0, "{site:?}");
    assert_eq!(site.kind, diagnose::model::SiteKind::Traced);
}

/// As the extractors of a web framework: neither can be printed.
struct State<T>(T);

struct Opaque;

#[diagnose]
#[tracing::instrument(skip(state), fields(length = text.len()))]
async fn handler(State(state): State<Opaque>, _: Opaque, (number, text): (u32, &str)) -> usize {
    let Opaque = state;
    Yields(number).await;
    text.len()
}

/// The names of the fields of each new span.
#[derive(Default)]
struct Names(Arc<Mutex<Vec<&'static str>>>);

impl<S: tracing::Subscriber> Layer<S> for Names {
    fn on_new_span(&self, span: &tracing::span::Attributes<'_>, _: &tracing::Id, _: Context<'_, S>) {
        self.0.lock().expect("no panic").extend(span.metadata().fields().iter().map(|field| field.name()));
    }
}

#[test]
fn an_attribute_below_reads_the_patterns_of_the_arguments() {
    diagnose_isolation::isolated!();
    let names = Names::default();
    let seen = Arc::clone(&names.0);
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(names)).expect("the first");
    run(async { assert_eq!(handler(State(Opaque), Opaque, (2, "four")).await, 4) });
    assert_eq!(*seen.lock().expect("nothing panicked"), ["number", "text", "length"]);
}

#[test]
fn a_plain_function_has_a_call_each_time() {
    diagnose_isolation::isolated!();
    install_layer();
    assert_eq!(sync(2) + sync(0), 2);
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["sync"])), [2, 2, 2, 0, 0, 0, 0]);
    assert_eq!(counts(node(&snapshot, &["sync", "sync", "sync"])), [1, 1, 1, 0, 0, 0, 0]);
}

#[diagnose]
async fn annotated(yields: u32) {
    Yields(yields).diagnose("yields").await;
}

#[diagnose]
async fn handles() {
    async { annotated(2).await }.instrument(tracing::info_span!("request")).await;
}

#[test]
fn annotated_and_traced_functions_are_one_tree() {
    diagnose_isolation::isolated!();
    install_layer();
    run(handles());
    let snapshot = diagnose::snapshot();
    let path = snapshot.nodes.iter().map(|node| snapshot.sites[node.site].name.clone()).collect::<Vec<_>>();
    let at = path.iter().position(|name| name == "request").expect("it is there");
    let request = &snapshot.nodes[at];
    assert_eq!(counts(request), [1, 3, 1, 0, 0, 0, 0], "{path:?}");
    let below = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == "annotated");
    let below = below.expect("it is there");
    assert_eq!(counts(below), [1, 3, 1, 0, 0, 0, 0]);
    let above = std::iter::successors(below.parent, |above| snapshot.nodes[*above].parent);
    assert!(above.into_iter().any(|above| above.get() == at), "it is below the span");
    assert!(request.self_idle_ns < request.idle_ns, "the annotated function waits: {request:?}");
    let root = snapshot.nodes.iter().find(|node| node.parent.is_none()).expect("there is one");
    assert_eq!((root.polls, snapshot.sites[root.site].name.as_str()), (3, "handles"));
    assert!(root.self_idle_ns < root.idle_ns, "the span waits: {root:?}");
}

#[test]
fn a_task_stays_a_task_inside_a_span_of_code_that_is_not_annotated() {
    diagnose_isolation::isolated!();
    install_layer();
    run(async { annotated(2).await }.instrument(tracing::info_span!("request")));
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["request"])), [1, 3, 1, 0, 0, 0, 0]);
    assert_eq!(counts(node(&snapshot, &["annotated"])), [1, 3, 1, 0, 0, 0, 0]);
    assert!(node(&snapshot, &["request"]).nested_ns > 0, "its time in the task");
}

/// Its last entry, the drop, is outside of the poll.
#[test]
fn a_future_that_is_dropped_elsewhere_stays_on_its_path() {
    diagnose_isolation::isolated!();
    install_layer();
    let runtime = diagnose::tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let finished = inner(2).instrument(tracing::info_span!("conn"));
        diagnose::tokio::spawn(finished).await.unwrap();
    });
    assert_eq!(named("conn"), [(true, [1, 3, 1, 0, 0, 0, 0])]);
    assert_eq!(named("inner"), [(true, [1, 3, 1, 0, 0, 0, 0])]);
}

/// Of each path that ends with this name, whether there is one around it, and its counts.
fn named(name: &str) -> Vec<(bool, [u64; 7])> {
    let snapshot = diagnose::snapshot();
    let nodes = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == name);
    nodes.map(|node| (node.parent.is_some(), counts(node))).collect()
}

#[test]
fn a_future_that_is_cancelled_elsewhere_stays_on_its_path() {
    diagnose_isolation::isolated!();
    install_layer();
    let mut waiting = Box::pin(handles());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..2 {
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    drop(waiting);
    assert_eq!(named("request"), [(true, [1, 2, 1, 0, 0, 0, 0])]);
}

#[diagnose]
#[tracing::instrument]
async fn both(yields: u32) {
    Yields(yields).await;
}

#[test]
fn a_function_with_both_attributes_is_two_paths_with_equal_counts() {
    diagnose_isolation::isolated!();
    install_layer();
    run(both(3));
    let snapshot = diagnose::snapshot();
    let named = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == "both");
    let named: Vec<_> = named.map(counts).collect();
    assert_eq!(named, [[1, 4, 1, 0, 0, 0, 0]; 2]);
}

#[test]
fn an_open_span_is_pending_and_a_dropped_one_is_closed() {
    diagnose_isolation::isolated!();
    install_layer();
    let mut waiting = Box::pin(inner(u32::MAX));
    let mut poll = || {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(waiting.as_mut(), &mut context).is_pending());
    };
    poll();
    poll();
    assert_eq!(counts(node(&diagnose::snapshot(), &["inner"])), [1, 2, 0, 0, 0, 1, 0]);
    drop(waiting);
    assert_eq!(counts(node(&diagnose::snapshot(), &["inner"])), [1, 2, 1, 0, 0, 0, 0]);
}

#[test]
fn a_panic_is_counted_and_leaves_the_tree_in_order() {
    diagnose_isolation::isolated!();
    install_layer();
    let panics = async {
        Yields(1).await;
        panic!("on purpose");
    };
    let outcome = std::thread::spawn(|| run(panics.instrument(tracing::info_span!("panics")))).join();
    assert!(outcome.is_err());
    run(inner(0));
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["panics"])), [1, 2, 0, 0, 1, 0, 0]);
    assert_eq!(counts(node(&snapshot, &["inner"])), [1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn a_filter_selects_spans_and_so_does_the_switch() {
    diagnose_isolation::isolated!();
    let layer = diagnose::TracingLayer::new().with_filter(filter_fn(|metadata| metadata.name() != "outer"));
    // A second layer does not count again.
    let subscriber = tracing_subscriber::registry()
        .with(layer)
        .with(diagnose::TracingLayer::new().with_filter(filter_fn(|metadata| metadata.name() != "outer")));
    tracing::subscriber::set_global_default(subscriber).expect("the only one");
    run(outer(1));
    let snapshot = diagnose::snapshot();
    assert_eq!(counts(node(&snapshot, &["inner"])), [1, 4, 1, 0, 0, 0, 0]);
    diagnose::set_enabled(false);
    run(inner(5));
    assert_eq!(counts(node(&diagnose::snapshot(), &["inner"])), [1, 4, 1, 0, 0, 0, 0]);
}

/// Collects the numbers that are recorded in spans.
#[derive(Clone, Default)]
struct Numbers(Arc<Mutex<Vec<(String, u64)>>>);

impl Visit for Numbers {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.lock().expect("no panic").push((field.name().to_owned(), value));
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl<S: tracing::Subscriber> Layer<S> for Numbers {
    fn on_record(&self, _: &tracing::Id, values: &tracing::span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }
}

#[diagnose]
async fn spawned(tell: Arc<Mutex<u64>>) {
    let span = tracing::info_span!("request", diagnose.task = tracing::field::Empty);
    async { Yields(1).await }.instrument(span).await;
    let tasks = diagnose::snapshot().tasks;
    *tell.lock().expect("no panic") = tasks[0].id.get();
}

#[test]
fn a_span_has_the_id_of_its_task_in_a_field() {
    diagnose_isolation::isolated!();
    let numbers = Numbers::default();
    let subscriber = tracing_subscriber::registry().with(diagnose::TracingLayer::new()).with(numbers.clone());
    tracing::subscriber::set_global_default(subscriber).expect("the only one");
    let id = Arc::default();
    run(spawned(Arc::clone(&id)));
    let id = *id.lock().expect("no panic");
    assert!(id > 0);
    assert_eq!(*numbers.0.lock().expect("no panic"), [("diagnose.task".to_owned(), id)], "once");
}

#[test]
fn a_span_that_is_not_recorded_has_the_id_once_too() {
    diagnose_isolation::isolated!();
    diagnose::Builder::new().tasks_only(true).signal(None).install();
    let numbers = Numbers::default();
    let subscriber = tracing_subscriber::registry().with(diagnose::TracingLayer::new()).with(numbers.clone());
    tracing::subscriber::set_global_default(subscriber).expect("the only one");
    run(spawned(Arc::default()));
    assert_eq!(numbers.0.lock().expect("no panic").len(), 1);
}

#[tracing::instrument(skip_all)]
async fn moves(times: u32) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

#[test]
fn polls_are_exact_wherever_a_task_moves() {
    diagnose_isolation::isolated!();
    install_layer();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    let tasks: Vec<_> = (0..200).map(|_| runtime.spawn(moves(20))).collect();
    for task in tasks {
        runtime.block_on(task).expect("it ends");
    }
    let snapshot = diagnose::snapshot();
    let moves = node(&snapshot, &["moves"]);
    assert_eq!(counts(moves), [200, 200 * 21, 200, 0, 0, 0, 0]);
    assert_eq!(moves.polls_histogram.iter().map(|bucket| bucket.count).sum::<u64>(), moves.polls);
}
