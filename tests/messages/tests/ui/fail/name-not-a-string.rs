use diagnose::diagnose;

#[diagnose(name = 7)]
async fn work() {}

fn main() {}
