//! Blocks its only worker inside a poll until stdin ends.

use diagnose::diagnose;

#[diagnose]
async fn handler() {
    blocks();
}

#[diagnose]
fn blocks() {
    println!("ready");
    let _ = std::io::read_to_string(std::io::stdin());
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    diagnose::install();
    handler().await;
}
