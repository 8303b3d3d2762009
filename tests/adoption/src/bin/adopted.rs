//! The program with one additional line: `use diagnose::tokio`.

use diagnose::tokio;

include!("../../parity/program.rs");
