//! The original program.

include!("../../parity/program.rs");
