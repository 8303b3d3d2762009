//! 1,500 mutated inputs. The program takes a million; see the head of `src/lib.rs`.

use std::thread;

use diagnose_fuzz_tests::{check, corpus, mutate};

/// The inputs are divided among this many threads: it is the only test here that takes long.
const THREADS: u8 = 4;

#[test]
fn no_input_makes_a_report_panic() {
    let corpus = corpus::all();
    let is_read = |number| {
        let input = mutate::input(&corpus, 1, number);
        check::check(&input, number).unwrap_or_else(|fault| {
            panic!("input {number}: {fault}\n{}", String::from_utf8_lossy(&input));
        })
    };
    let read = thread::scope(|scope| {
        let part = |first| (first..1_500).step_by(THREADS.into()).filter(|&number| is_read(number)).count();
        let parts: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || part(first.into()))).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).sum::<usize>()
    });
    assert!(read > 500, "{read} inputs got past the reader");
}

#[test]
fn the_corpus_is_read_as_it_is() {
    for (number, dump) in (0..).zip(corpus::all()) {
        assert_eq!(check::check(dump.to_string().as_bytes(), number), Ok(true), "dump {number}");
    }
}
