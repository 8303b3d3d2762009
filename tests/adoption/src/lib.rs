//! The binaries of this package are one program, `parity/program.rs`: as it was written, and with one line more.
