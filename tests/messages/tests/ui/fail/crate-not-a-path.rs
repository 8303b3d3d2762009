use diagnose::diagnose;

#[diagnose(crate = "not a path")]
async fn work() {}

fn main() {}
