//! The functions of a module in another file are not seen.

use diagnose::diagnose;

#[diagnose]
#[path = "../elsewhere.rs"]
mod elsewhere;

fn main() {
    drop(elsewhere::unseen());
}
