//! Programs to read and to run: see the files beside this one.
