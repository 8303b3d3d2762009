use diagnose::diagnose;

#[diagnose(name = "a", root, name = "b")]
async fn work() {}

fn main() {}
