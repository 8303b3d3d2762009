use diagnose::diagnose;

#[diagnose(awaits = "no")]
async fn work() {}

fn main() {}
