use diagnose::diagnose;

#[diagnose(nmae = "typo")]
async fn work() {}

fn main() {}
