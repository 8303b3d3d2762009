//! Alarms reach the program's function, its subscriber or its logger.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diagnose::{AlarmKind, Builder, diagnose};
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

/// Blocks until `ends` is set.
#[diagnose]
async fn blocks(ends: &AtomicBool) {
    while !ends.load(Relaxed) {
        std::thread::yield_now();
    }
}

/// Calls `is_heard` while a poll runs, which returns only after it.
fn block_until(is_heard: impl FnOnce()) {
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| crate::support::run(blocks(&ends)));
        is_heard();
        ends.store(true, Relaxed);
    });
}

fn settings() -> Builder {
    Builder::new().watchdog(Duration::from_millis(20)).signal(None).dir(std::env::temp_dir())
}

#[test]
fn a_function_is_called_for_an_alarm_and_its_end_even_if_it_panics() {
    diagnose_isolation::isolated!();
    let (sender, heard) = mpsc::channel();
    let builder = settings().on_alarm(move |alarm| {
        let _ = sender.send(alarm.clone());
        panic!("on purpose");
    });
    builder.try_install().expect("it is the first");
    for _ in 0..2 {
        let mut raised = None;
        block_until(|| {
            raised = heard
                .iter()
                .find(|alarm| alarm.kind == AlarmKind::LongPoll && alarm.resolved_at_unix_ms.is_none());
        });
        let raised = raised.expect("it is called");
        assert!(raised.sentence().contains("`blocks` has been in one poll for"), "{raised:?}");
        assert!(raised.at_unix_ms > 0 && raised.tasks.len() == 1, "{raised:?}");
        let resolved =
            heard.iter().find(|alarm| alarm.resolved_at_unix_ms.is_some() && alarm.tasks == raised.tasks);
        assert!(resolved.expect("it is called again").resolved_at_unix_ms >= Some(raised.at_unix_ms));
    }
}

#[test]
fn a_function_that_does_not_return_delays_no_alarm_in_the_reports() {
    diagnose_isolation::isolated!();
    let (sender, heard) = mpsc::channel();
    let (_never, waits) = mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let builder = settings().on_alarm(move |_| {
        let _ = sender.send(());
        let _ = waits.lock().map(|waits| waits.recv());
    });
    builder.try_install().expect("it is the first");
    block_until(|| heard.recv().expect("it is called"));
    let raised = || {
        let alarms = diagnose::snapshot().alarms;
        alarms.iter().filter(|alarm| alarm.kind == AlarmKind::LongPoll).count()
    };
    block_until(|| {
        while raised() < 2 {
            std::thread::yield_now();
        }
    });
}

/// Sends each event with its level and fields.
struct Events(Mutex<Sender<Vec<(String, String)>>>);

struct Fields(Vec<(String, String)>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push((field.name().to_owned(), format!("{value:?}")));
    }
}

impl<S: tracing::Subscriber> Layer<S> for Events {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let mut fields = Fields(vec![("level".to_owned(), metadata.level().to_string())]);
        fields.0.push(("target".to_owned(), metadata.target().to_owned()));
        event.record(&mut fields);
        let _ = self.0.lock().expect("no panic").send(fields.0);
    }
}

#[test]
fn a_subscriber_gets_alarms_as_events_with_fields() {
    diagnose_isolation::isolated!();
    let (sender, events) = mpsc::channel();
    let subscriber = tracing_subscriber::registry().with(Events(Mutex::new(sender)));
    tracing::subscriber::set_global_default(subscriber).expect("the only one");
    settings().try_install().expect("it is the first");
    let mut event = Vec::new();
    block_until(|| event = events.recv().expect("it comes"));
    let field = |name: &str| {
        let found = event.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    assert_eq!((field("level"), field("target"), field("kind")), ("WARN", "diagnose", "\"long_poll\""));
    assert!(field("message").contains("`blocks` has been in one poll for"), "{event:?}");
    assert!(field("tasks").trim_matches('"').parse::<u64>().is_ok(), "{event:?}");
    assert!(field("at_unix_ms").parse::<u64>().is_ok_and(|at| at > 0), "{event:?}");
    assert!(field("details").contains("◀ running"), "{event:?}");
}

/// Sends each record as text.
struct Records(Mutex<Sender<String>>);

impl log::Log for Records {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let kind = record.key_values().get("kind".into()).map(|kind| kind.to_string()).unwrap_or_default();
        let text = format!("{} {} {kind} {}", record.level(), record.target(), record.args());
        let _ = self.0.lock().expect("no panic").send(text);
        panic!("on purpose");
    }

    fn flush(&self) {}
}

#[test]
fn a_logger_gets_alarms_if_there_is_no_subscriber_even_if_it_panics() {
    diagnose_isolation::isolated!();
    let (sender, records) = mpsc::channel();
    log::set_boxed_logger(Box::new(Records(Mutex::new(sender)))).expect("the only one");
    log::set_max_level(log::LevelFilter::Info);
    settings().try_install().expect("it is the first");
    for times in ["", "for the 2nd time: "] {
        let mut record = String::new();
        block_until(|| record = records.iter().find(|text| text.starts_with("WARN")).expect("it comes"));
        assert!(record.starts_with(&format!("WARN diagnose long_poll {times}task ")), "{record}");
    }
}

#[test]
fn a_replaced_function_is_not_called_any_more() {
    diagnose_isolation::isolated!();
    let (sender, heard) = mpsc::channel();
    let held = Arc::new(());
    let own = Arc::clone(&held);
    let first = settings().on_alarm(move |_| assert_eq!(Arc::strong_count(&own), 0, "it is never called"));
    first.try_install().expect("it is the first");
    let second = settings().on_alarm(move |alarm| sender.send(alarm.kind).unwrap_or_default());
    second.reinstall().expect("it replaces the first");
    assert_eq!(Arc::strong_count(&held), 1, "the first one is dropped");
    block_until(|| assert_eq!(heard.recv(), Ok(AlarmKind::LongPoll)));
}
