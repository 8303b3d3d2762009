//! What recording costs, against the bare future and against the floor: two readings of the same clock and one add.
//!
//! Read the table at the end: each line is a median, and its ratio to the floor of the same run. The absolute numbers
//! are the machine's, the ratios are ours. `per poll` bounds the cost of a future that is polled often (a stream, a
//! connection); `per span` that of a function which is called often and is ready at once (a cache hit).

use std::future::Future;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use criterion::Criterion;
use diagnose::diagnose;

fn main() {}
