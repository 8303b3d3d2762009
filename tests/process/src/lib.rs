//! The tests are in `tests/`, the programs they start in `src/bin/`.
