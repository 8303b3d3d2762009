use diagnose::diagnose;

#[diagnose(root, root)]
async fn work() {}

fn main() {}
