//! What the programs of this package, and the tests that start them, share.

pub mod child;
pub mod hostile;
pub mod usage;
