//! `#[diagnose]` on a trait times the bodies that it has; on an impl of a trait, those of the impl.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

#[diagnose]
trait Greet {
    async fn name(&self) -> String;

    async fn greet(&self) -> String {
        pause().await;
        format!("hello {}", self.name().await)
    }
}

struct World;

#[diagnose]
impl Greet for World {
    async fn name(&self) -> String {
        "world".to_owned()
    }
}

#[test]
fn default_bodies_and_implementations_are_timed() {
    assert_eq!(run(World.greet()), "hello world");
    assert_eq!(calls("Greet::greet"), ["1 Greet::greet"]);
    assert_eq!(calls("World::name"), ["1 World::name < Greet::greet"]);
}
