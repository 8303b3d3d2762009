use diagnose::diagnose;

struct Work;

#[diagnose]
impl Work {
    fn new() -> Self {
        Work
    }
}

fn work() -> Work {
    Work::new()
}

fn main() {}
