use diagnose::diagnose;

#[diagnose(name)]
async fn work() {}

fn main() {}
