use diagnose::diagnose;

#[diagnose]
pub struct Work {
    pub field: u32,
}

const WORK: Work = Work { field: 1 };

fn main() {}
