//! The tests of the corpus, its marks, its sample and its judge.

mod corpus;
mod document;
mod judge;
mod sample;
mod source;
