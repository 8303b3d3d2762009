//! The library behaves alike with and without the recorder; with it, its calls are recorded.

use diagnose_example_library::Parser;
use futures::executor::block_on;

#[test]
fn a_text_is_parsed() {
    let parsed = block_on(Parser::default().parse_all("a = 1\n?\nb=2"));
    assert_eq!(parsed, (vec![("a".to_owned(), 1), ("b".to_owned(), 2)], 1));
}

#[cfg(feature = "diagnose")]
#[test]
fn the_calls_are_recorded() {
    diagnose::reset();
    block_on(Parser::default().parse("a = 1"));
    let snapshot = diagnose::snapshot();
    assert!(
        snapshot.nodes.iter().any(|node| node.calls > 0 && snapshot.sites[node.site].name == "Parser::parse")
    );
}
