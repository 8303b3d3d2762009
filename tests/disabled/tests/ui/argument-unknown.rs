use diagnose::diagnose;

#[diagnose(lable = "x")]
async fn work() {}

fn main() {}
