//! Without the feature `on`, the attribute, the macro and the method leave everything unchanged.

use std::future::{Future, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use diagnose::{FutureExt as _, diagnose};

fn run<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("it waits for nothing"),
    }
}

mod bare {
    pub(super) async fn work(a: [u8; 64], _b: &str) -> u8 {
        std::future::ready(()).await;
        a[0]
    }
}

#[diagnose(name = "work", label = "{_b}", root)]
async fn work(a: [u8; 64], _b: &str) -> u8 {
    ready(()).await;
    a[0]
}

#[diagnose]
async fn blocks(a: u32) -> Result<u32, ()> {
    #[diagnose]
    async fn inside() -> u32 {
        #[diagnose(skip)]
        async { 1 }.await
    }

    let first = #[diagnose]
    async move {
        a
    };
    #[diagnose::diagnose(name = "second", label = "{a}")]
    async { Ok(()) }.await?;
    let list = vec![Box::pin(
        #[diagnose(name = "third")]
        async move {
            1
        },
    )];
    let mut sum = first.await;
    for future in list {
        sum += future.await;
    }
    Ok(sum + inside().await)
}

// What a `macro_rules!` has matched reaches the attribute in a group without delimiters.
macro_rules! annotated {
    ($name:literal $function:ident $body:block) => {
        #[diagnose(name = $name)]
        async fn $function() -> u32 $body
    };
}

annotated!("matched" matched {
    #[diagnose]
    async { 3 }.await
});

#[test]
fn what_a_macro_has_matched_is_accepted() {
    assert_eq!(run(matched()), 3);
}

#[diagnose]
mod members {
    pub(super) struct Store<const N: usize>;

    impl Store<{ 1 + 2 }> {
        pub(super) async fn after(&self, map: fn(u32) -> u32) -> u32 {
            let block = #[diagnose(name = "block")]
            async move {
                map(4)
            };
            block.await
        }
    }

    pub(super) trait Five {
        async fn five(&self) -> u32 {
            #[diagnose]
            async { 5 }.await
        }
    }

    impl<const N: usize> Five for Store<N> {}
}

#[test]
fn blocks_of_members_may_be_annotated() {
    use members::Five as _;

    let store = members::Store::<3>;
    assert_eq!(run(store.after(|number| number + 1)) + run(store.five()), 10);
}

#[diagnose]
fn frame(a: u32) -> u32 {
    a
}

#[test]
fn results_are_the_same() {
    assert_eq!(run(work([7; 64], "b")), 7);
    assert_eq!(run(blocks(1)), Ok(3));
    assert_eq!(frame(1), 1);
    assert_eq!(run(diagnose::block!("named", async { 1 })), 1);
    assert_eq!(run(diagnose::block!(async { 2 })), 2);
    assert_eq!(run(ready(3).diagnose("named")), 3);
    diagnose::set_enabled(true);
    diagnose::task_attr("request", 17);
}

#[test]
#[cfg(feature = "alone")]
fn futures_are_those_of_bare_functions() {
    assert_eq!(size_of_val(&work([7; 64], "b")), size_of_val(&bare::work([7; 64], "b")));
    assert!(std::any::type_name_of_val(&work([7; 64], "b")).ends_with("off::work::{{closure}}"));
}

#[test]
#[cfg(not(feature = "alone"))]
fn futures_have_the_outputs_of_bare_functions() {
    assert_eq!(run(work([7; 64], "b")), run(bare::work([7; 64], "b")));
}

#[test]
#[cfg(feature = "alone")]
fn the_macro_and_the_method_return_the_future_itself() {
    let named: std::future::Ready<u32> = diagnose::block!("named", ready(1));
    let unnamed: std::future::Ready<u32> = diagnose::block!(ready(2));
    let method: std::future::Ready<u32> = ready(3).diagnose("named");
    let typed: diagnose::Timed<std::future::Ready<u32>> = ready(4).diagnose("named");
    assert_eq!(run(named) + run(unnamed) + run(method) + run(typed), 10);
}

#[cfg(feature = "alone")]
#[test]
fn a_resource_says_nothing_and_a_wait_is_the_future_itself() {
    let resource = diagnose::Resource::new("pool", 2);
    let waits = diagnose::wait("connection", &resource, ready(1));
    assert_eq!(size_of_val(&waits), size_of_val(&ready(1)));
    assert_eq!(run(waits), 1);
    resource.hold().used();
    drop(resource.hold_many(2));
}

#[cfg(feature = "alone")]
#[test]
fn the_standard_library_is_itself() {
    let mutex: std::sync::Mutex<u8> = diagnose::std::sync::Mutex::new(1);
    assert_eq!(*mutex.lock().unwrap(), 1);
}

/// The calls of an application, without a `cfg`. With recording on they write files.
#[cfg(feature = "alone")]
#[test]
fn every_function_of_the_root_is_there_and_does_nothing() -> Result<(), diagnose::Error> {
    use diagnose::{Builder, Format, Report, View};

    diagnose::install();
    let settings = Builder::new().signal(diagnose::Signal::Quit).wakers(diagnose::Wakers::All);
    let settings = settings.formats([Report::new(Format::Svg).view(View::Busy)]).watchdog(None);
    assert!(settings.clone().try_install().is_ok() && settings.reinstall().is_ok());
    let settings = Builder::new().on_alarm(|alarm: &diagnose::Alarm| println!("{}", alarm.sentence()));
    let settings = settings.serve("0.0.0.0:0").serve_token("secret");
    assert!(settings.try_install().is_ok() && diagnose::serve_address().is_none());
    let alarm = diagnose::Alarm::default();
    assert_eq!((alarm.kind.name(), alarm.text.as_str()), (diagnose::AlarmKind::Other.name(), ""));
    assert_eq!(diagnose::respond("/metrics").status, 404);
    let registry = tracing_subscriber::registry();
    drop(tracing_subscriber::layer::SubscriberExt::with(registry, diagnose::TracingLayer::new()));
    diagnose::set_enabled(true);
    diagnose::reset();
    assert_eq!(diagnose::snapshot(), diagnose::Snapshot::default());
    assert_eq!(diagnose::tree() + &diagnose::waiters() + &diagnose::lock_order(), "");
    let snapshot = diagnose::snapshot();
    assert!(snapshot.verdicts().is_empty() && snapshot.findings().is_empty() && alarm.tasks.is_empty());
    assert_eq!(snapshot.tree() + &snapshot.waiters() + &snapshot.lock_order_text(), "");
    let path = diagnose::dump("nothing/is/written.svg")?;
    assert!(path.is_absolute() && !path.exists());
    let mut written = Vec::new();
    diagnose::dump_to(Format::Text, &mut written)?;
    diagnose::dump_to("busy.svg", &mut written)?;
    assert!(written.is_empty());
    assert_eq!(run(diagnose::within(std::time::Duration::ZERO, ready(1))), 1);
    diagnose::task_attr("request", 7);
    assert_eq!(diagnose::spawn_with(run, "named", ready(2)), 2);
    Ok(())
}

/// An application names the types in its own functions, without a `cfg`.
#[test]
fn the_types_of_verdicts_findings_and_alarms_have_the_same_names_and_methods() {
    use diagnose::model::{Confidence, Finding, Severity, TaskId, Verdict, VerdictKind};
    use diagnose::{Alarm, Snapshot};

    let is_hang = |verdict: &Verdict| {
        verdict.confidence == Confidence::Proven && verdict.kind == VerdictKind::Cycle && verdict.root_cause
    };
    let words = |verdict: &Verdict| format!("{verdict} {} {:?}", verdict.sentence, verdict.victims);
    let is_urgent = |finding: &Finding| finding.severity <= Severity::Slow;
    let next =
        |finding: &Finding| format!("{finding} {} {} {}", finding.next, finding.page, finding.explains_ns);
    let numbers = |alarm: &Alarm| alarm.tasks.iter().map(|task: &TaskId| task.get()).collect::<Vec<u64>>();
    let earlier: diagnose::model::Snapshot = Snapshot::default();
    let snapshot = Snapshot::default().since(&earlier);
    assert!(!snapshot.verdicts().iter().any(is_hang) && !snapshot.findings().iter().any(is_urgent));
    assert_eq!(snapshot.verdicts().iter().map(words).collect::<String>(), "");
    assert_eq!(snapshot.findings_since(&earlier).iter().map(next).collect::<String>(), "");
    assert!(numbers(&Alarm::default()).is_empty() && !snapshot.began_after(&earlier));
    let words =
        (VerdictKind::SelfWait.to_string(), Confidence::Likely.to_string(), Severity::Risk.to_string());
    assert_eq!(words, ("self_wait".to_owned(), "likely".to_owned(), "risk".to_owned()));
}

#[test]
fn the_types_of_reports_have_the_same_names_and_methods() {
    use diagnose::Format::{
        Csv, Dot, Firefox, Folded, FullText, Html, Json, Mermaid, OpenMetrics, Pprof, Prometheus,
    };
    use diagnose::{Error, Format, Report, View};

    let names =
        |formats: &[Format]| formats.iter().map(|format| format.extension()).collect::<Vec<_>>().join(" ");
    let formats = [Format::Svg, Html, Folded, Format::Text, FullText, Json, Dot, Pprof, Format::Speedscope];
    assert_eq!(names(&formats), "svg html folded txt full.txt json dot pb.gz speedscope.json");
    assert_eq!(names(&[Firefox, OpenMetrics, Prometheus, Mermaid, Csv]), "firefox.json om prom mmd csv");
    assert!(Html.is_text() && !Pprof.is_text() && Format::all().all(|format| format.extension() != ""));
    assert_eq!(Report::new(Folded).view(View::Busy).to_string(), "busy.folded");
    let parsed: Result<Report, Error> = "txt".parse();
    assert_eq!(parsed.expect("a known name"), Report::new(Format::Text));
    let parsed: Result<Format, Error> = "txt".parse();
    assert_eq!(parsed.expect("a known name"), Format::Text);
    assert!(Report::try_from(std::path::Path::new("x.txt")).is_ok());
}

/// What a report in the program's own words reads of a verdict and of a finding.
#[test]
fn the_parts_of_verdicts_and_findings_have_the_same_names() {
    use diagnose::model::{
        Evidence, FunctionLatency, LatencyQuantiles, Link, LinkNode, LinkRole, LockInversion, Place,
        ResourceId, Rule, SiteIndex, TaskId, Text, VerdictDetail,
    };
    use diagnose::{Alarm, AlarmKind, Snapshot};

    let snapshot = Snapshot::default();
    let describe = |link: &Link| match (link.node, link.role) {
        (LinkNode::Task, LinkRole::Waits) => link.task().map_or(0, TaskId::get),
        (LinkNode::Resource, _) => link.resource().map_or(0, ResourceId::get),
        _ => link.id + link.since_ns + u64::from(link.line) + link.callers.len() as u64,
    };
    for verdict in snapshot.verdicts() {
        assert_ne!((verdict.detail, verdict.behind), (Some(VerdictDetail::Knot), Some(0)));
        assert!(verdict.chain.iter().map(describe).sum::<u64>() < 7);
    }
    for finding in snapshot.findings() {
        let Evidence { sites, nodes, tasks, all_tasks, resources, verdict, .. } = finding.evidence;
        assert_eq!(
            sites.len() + nodes.len() + tasks.len() + resources.len(),
            all_tasks.or(verdict).unwrap_or(0)
        );
        let place: Option<Place> = finding.place;
        assert!(finding.rule != Rule::Contended && place.is_none() && finding.per_mille.is_none());
    }
    let latencies: Vec<FunctionLatency> = snapshot.latencies();
    let longest = |latency: &FunctionLatency| -> LatencyQuantiles { latency.completed };
    assert_eq!(latencies.iter().map(|latency| longest(latency).max_ns).max(), None);
    let inversions: Vec<LockInversion> = snapshot.lock_inversions();
    assert!(inversions.iter().all(|inversion| inversion.pairs.is_empty()));
    assert_eq!((Rule::Hog.to_string(), Rule::Hog.page()), ("hog".to_owned(), "docs/findings.md#hog"));
    assert_eq!((u64::from(TaskId::from(7)), SiteIndex::new(3).get()), (7, 3));
    assert_eq!(Text::from("a"), "a");
    assert_eq!(Alarm::from("a\nb".to_owned()).sentence(), "a");
    assert_eq!(AlarmKind::default(), AlarmKind::Other);
}

#[test]
fn formats_have_the_same_names_and_descriptions() {
    use diagnose::Format::{
        Csv, Dot, Firefox, Folded, FullText, Html, Json, Mermaid, OpenMetrics, Pprof, Prometheus, Speedscope,
        Svg, Text,
    };

    let names =
        |format: diagnose::Format| format!("{format}: {}: {}", format.names().join(" "), format.about());
    let all = [
        Svg,
        Html,
        Folded,
        Text,
        FullText,
        Json,
        Dot,
        Pprof,
        Speedscope,
        Firefox,
        OpenMetrics,
        Prometheus,
        Mermaid,
        Csv,
    ];
    assert_eq!(
        all.map(names).join("\n"),
        "\
svg: svg: flame graph for a browser
html: html: findings, flame graphs, tables and tasks as one page for a browser
folded: folded collapsed: folded stacks for flame graph tools
txt: txt text: text report for a terminal
full.txt: full.txt full.text: text report with nothing folded
json: json: the snapshot, which every command reads back
dot: dot gv: graph of waiters and holders for Graphviz
pb.gz: pb.gz pprof pb: profile for `go tool pprof`, Pyroscope and Parca
speedscope.json: speedscope.json speedscope: profiles for speedscope
firefox.json: firefox.json firefox: profile for the Firefox Profiler
om: om openmetrics metrics: metrics in the text format of OpenMetrics
prom: prom prometheus: metrics in the text format of Prometheus
mmd: mmd mermaid: flowchart of waiters and holders for Mermaid
csv: csv: table by function for spreadsheets"
    );
}
