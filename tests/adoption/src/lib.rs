//! The binaries of this package are one program, `parity/program.rs`, with and without diagnose.
