//! Methods of a trait with `async fn`: in implementations, and as a default.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run, sites};

trait Store {
    async fn get(&self, key: &str) -> Option<String>;

    /// Returns a `Send` future instead of being `async`.
    fn put(&mut self, key: &str) -> impl Future<Output = usize> + Send;

    #[diagnose]
    async fn get_twice(&self, key: &str) -> (Option<String>, Option<String>) {
        (self.get(key).await, self.get(key).await)
    }
}

struct Memory(Vec<String>);

impl Store for Memory {
    #[diagnose(name = "Memory::get")]
    async fn get(&self, key: &str) -> Option<String> {
        pause().await;
        self.0.iter().find(|it| *it == key).cloned()
    }

    #[diagnose(name = "Memory::put")]
    async fn put(&mut self, key: &str) -> usize {
        pause().await;
        self.0.push(key.to_owned());
        self.0.len()
    }
}

struct Empty;

impl Store for Empty {
    #[diagnose(name = "Empty::get")]
    async fn get(&self, _key: &str) -> Option<String> {
        None
    }

    #[diagnose(name = "Empty::put")]
    async fn put(&mut self, _: &str) -> usize {
        0
    }
}

async fn through_a_bound<S: Store>(store: &S) -> (Option<String>, Option<String>) {
    store.get_twice("a").await
}

#[test]
fn implementations_and_defaults_are_timed() {
    let mut memory = Memory(Vec::new());
    assert_eq!(run(memory.put("a")), 1);
    assert_eq!(run(through_a_bound(&memory)).1.as_deref(), Some("a"));
    assert_eq!(run(Empty.put("a")), 0);
    assert_eq!(run(through_a_bound(&Empty)), (None, None));
    assert_eq!(calls("Memory::get"), ["2 Memory::get < get_twice"]);
    assert_eq!(calls("Empty::get"), ["2 Empty::get < get_twice"]);
    assert_eq!(calls("Memory::put"), ["1 Memory::put"]);
    assert_eq!(sites("get_twice").len(), 1);
}
