//! Names and labels with terminal control sequences: in an alarm, in the panic hook, in every
//! report.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use diagnose::{FutureExt as _, diagnose, tokio};
use diagnose_abuse_tests::hostile::HOSTILE;

#[diagnose(label = "{text}")]
async fn panics(text: &str) {
    panic!("of its own accord, {} bytes", text.len());
}

fn block_on(future: impl Future<Output = ()>) {
    let runtime = ::tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(future);
}

fn main() {
    diagnose::Builder::new().panic_hook(true).watchdog(Duration::from_millis(50)).signal(None).install();
    let panicked = catch_unwind(AssertUnwindSafe(|| block_on(panics(HOSTILE).diagnose(HOSTILE))));
    assert!(panicked.is_err());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name(HOSTILE).build();
    let runtime = runtime.expect("a runtime");
    let blocks = async {
        let end = Instant::now() + Duration::from_secs(10);
        while diagnose::snapshot().alarms.is_empty() && Instant::now() < end {
            thread::sleep(Duration::from_millis(10));
        }
        println!("{}", diagnose::tree());
    };
    runtime.block_on(runtime.spawn(blocks.diagnose(HOSTILE))).expect("it ends");
    assert!(!diagnose::snapshot().alarms.is_empty());
}
