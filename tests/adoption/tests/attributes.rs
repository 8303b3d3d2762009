//! tokio's attributes through the module use the wrapped runtimes; the body is the task `main`.

use diagnose::tokio;
use std::time::Duration;

/// Returns the number of tasks listed as `name` and spawned at `line` of this file.
fn listed(name: &str, line: u32) -> usize {
    let snapshot = diagnose::snapshot();
    let at = format!("tests/attributes.rs:{line}:");
    let is_it = |task: &&diagnose::model::Task| {
        snapshot.sites[task.site].name == name
            && task.spawned_at.as_ref().map_or_else(String::new, ToString::to_string).contains(&at)
            && task.runtime == "tokio"
    };
    snapshot.tasks.iter().filter(is_it).count()
}

#[tokio::test]
async fn a_test_is_the_task_main() {
    diagnose_isolation::isolated!();
    assert_eq!(listed("main", line!()), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_with_workers_blocks_in_place() -> Result<(), tokio::task::JoinError> {
    assert_eq!(tokio::task::block_in_place(|| 3), 3);
    tokio::spawn(async {}).await
}

#[tokio::test(start_paused = true)]
async fn a_test_with_a_paused_clock_skips_time() {
    diagnose_isolation::isolated!();
    tokio::time::sleep(Duration::from_secs(3_600)).await;
}

#[tokio::main(flavor = "current_thread")]
async fn current_thread() -> usize {
    listed("main", line!())
}

#[tokio::main(worker_threads = 1)]
async fn multi_thread() -> usize {
    listed("main", line!())
}

#[test]
fn a_main_function_is_the_task_main() {
    diagnose_isolation::isolated!();
    assert_eq!((current_thread(), multi_thread()), (1, 1));
}

mod tests_of_a_module {
    use super::*;
    use diagnose::tokio;

    #[tokio::test]
    async fn an_explicit_import_overrides_a_glob_import() {
        diagnose_isolation::isolated!();
        assert_eq!(listed("main", line!()), 1);
    }
}
