use diagnose::diagnose;

#[deny(unused_variables)]
#[diagnose]
async fn work(unused: u32) {}

fn main() {}
