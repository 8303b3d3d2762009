//! Its only worker blocks inside a poll until the input ends.

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
