//! 1,500 mutated inputs. The program takes a million; see the head of `src/lib.rs`.

use diagnose_fuzz_tests::{check, corpus, mutate};

#[test]
fn no_input_makes_a_report_panic() {
    let corpus = corpus::all();
    let mut read = 0;
    for number in 0..1_500 {
        let input = mutate::input(&corpus, 1, number);
        match check::check(&input, number) {
            Ok(is_read) => read += u64::from(is_read),
            Err(fault) => panic!("input {number}: {fault}\n{}", String::from_utf8_lossy(&input)),
        }
    }
    assert!(read > 500, "{read} inputs got past the reader");
}

#[test]
fn the_corpus_is_read_as_it_is() {
    for (number, dump) in (0..).zip(corpus::all()) {
        assert_eq!(check::check(dump.to_string().as_bytes(), number), Ok(true), "dump {number}");
    }
}
