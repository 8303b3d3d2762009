//! The program with one line more.

use diagnose::tokio;

include!("../../parity/program.rs");
