use diagnose::diagnose;

#[diagnose]
const fn work() {}

#[diagnose(skip)]
pub const fn skipped() {}

fn main() {}
