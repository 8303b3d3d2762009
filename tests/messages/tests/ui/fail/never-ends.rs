use diagnose::diagnose;

#[diagnose]
async fn work() -> ! {}

fn main() {}
