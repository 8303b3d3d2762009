use diagnose::diagnose;

#[diagnose(name = "a" root)]
async fn work() {}

fn main() {}
