//! async-trait and `#[diagnose]`, in either order, on impl blocks, traits and single methods.

use async_trait::async_trait;
use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

#[async_trait]
trait Fetch: Sync {
    async fn fetch(&self, key: &str) -> Result<String, String>;

    #[diagnose]
    async fn twice(&self, key: &str) -> Result<String, String> {
        Ok(self.fetch(key).await? + &self.fetch(key).await?)
    }
}

struct Above;

#[diagnose]
#[async_trait]
impl Fetch for Above {
    async fn fetch(&self, key: &str) -> Result<String, String> {
        pause().await;
        Ok(key.to_owned())
    }
}

struct Below;

#[async_trait]
#[diagnose]
impl Fetch for Below {
    async fn fetch(&self, key: &str) -> Result<String, String> {
        pause().await;
        if key.is_empty() {
            return Err("empty".to_owned());
        }
        Ok(key.to_owned())
    }
}

#[test]
fn methods_are_timed_above_and_below_async_trait() {
    let objects: [Box<dyn Fetch>; 2] = [Box::new(Above), Box::new(Below)];
    for object in &objects {
        assert_eq!(run(object.twice("a")), Ok("aa".to_owned()));
    }
    assert_eq!(calls("twice"), ["2 twice"]);
    assert_eq!(calls("Above::fetch"), ["2 Above::fetch < twice"]);
    assert_eq!(calls("Below::fetch"), ["2 Below::fetch < twice"]);
    let polls = diagnose::snapshot().nodes.iter().map(|node| node.polls).max();
    assert!(polls >= Some(4), "the polls are the future's");
}
