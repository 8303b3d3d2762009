//! A call path of 3,000 functions, and a dump of it in each format.
//!
//! Prints the number of bytes of each format.

use diagnose::{Format, diagnose};

/// Calls itself.
#[diagnose]
async fn descends(depth: u64) -> u64 {
    if depth == 0 {
        tokio::task::yield_now().await;
        return 0;
    }
    Box::pin(descends(depth - 1)).await + 1
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    // A frame on the stack for each level.
    let run = move || assert_eq!(runtime.block_on(descends(3_000)), 3_000);
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread").join().expect("no panic");
    let formats =
        [("folded", Format::Folded), ("svg", Format::Svg), ("txt", Format::Text), ("json", Format::Json)];
    for (name, format) in formats {
        let mut report = Vec::new();
        diagnose::dump_to(format, &mut report).expect("it can be written");
        println!("{name} {}", report.len());
    }
}
