//! The program as it was written.

include!("../../parity/program.rs");
