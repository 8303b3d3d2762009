use diagnose::diagnose;

#[diagnose(root)]
fn work() {}

fn main() {}
