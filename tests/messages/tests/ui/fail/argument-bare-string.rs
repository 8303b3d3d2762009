use diagnose::diagnose;

#[diagnose("work")]
async fn work() {}

fn main() {}
