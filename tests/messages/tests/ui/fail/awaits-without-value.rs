use diagnose::diagnose;

#[diagnose(awaits)]
async fn work() {}

fn main() {}
