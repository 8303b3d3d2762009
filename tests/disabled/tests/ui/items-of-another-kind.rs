use diagnose::diagnose;

#[diagnose]
pub struct Work;

#[diagnose(name = "one")]
impl Work {}

#[diagnose(all)]
fn all() {}

trait Works {
    #[diagnose]
    fn works();
}

fn main() {}
