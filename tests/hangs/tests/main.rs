//! The tests of the corpus, and of how it is judged.

mod corpus;
mod document;
mod judge;
