//! The rule `large_future` on drawn tasks: the size of one future, and of all together.

use crate::support::hangs::Program;

const KIB: u64 = 1 << 10;

/// The findings for `tasks` sleeping tasks of one spawn, whose futures take `bytes` each.
fn findings(tasks: usize, bytes: u64) -> Vec<String> {
    let mut program = Program::new();
    let mut first = None;
    for _ in 0..tasks {
        let task = program.task("serve");
        program.has_timer(task);
        let task = program.of(task);
        let (site, at) = first.get_or_insert_with(|| (task.site, task.spawned_at.clone()));
        (task.site, task.spawned_at, task.future_bytes) = (*site, at.clone(), Some(bytes));
    }
    program.snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn many_tasks_with_large_futures_are_a_note() {
    let [finding] = &findings(512, 64 * KIB)[..] else { panic!("one finding") };
    assert!(
        finding.starts_with("512 tasks `serve`")
            && finding.contains(" take 32.0 MiB: a future of 64.0 KiB each. Next: put large buffers"),
        "{finding}"
    );
}

#[test]
fn few_large_futures_are_healthy_and_so_are_many_small_ones() {
    assert_eq!(findings(511, 64 * KIB), [""; 0], "31.9 MiB");
    assert_eq!(findings(1, 8 * KIB * KIB), [""; 0], "a server");
    assert_eq!(findings(8_000, 16 * KIB - 8), [""; 0], "each is small");
    assert_eq!(findings(2_048, 16 * KIB).len(), 1);
}
