//! The tests of the corpus and of its judge.

mod corpus;
mod document;
mod judge;
