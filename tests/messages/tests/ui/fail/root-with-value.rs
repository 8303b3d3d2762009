use diagnose::diagnose;

#[diagnose(root = true)]
async fn work() {}

fn main() {}
