use diagnose::diagnose;

#[diagnose]
const fn work() -> u32 {
    1
}
const WORK: u32 = work();

fn main() {}
