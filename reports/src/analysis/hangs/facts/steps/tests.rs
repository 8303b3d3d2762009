//! Checks that twice as many tasks take twice as many steps, in every shape.

use std::collections::BTreeMap;

use super::count;

#[path = "../../../../../tests/support/shapes.rs"]
pub(crate) mod shapes;

const SIZES: [usize; 2] = [500, 1000];

#[test]
fn steps_are_linear_in_the_number_of_tasks() {
    let mut steep = Vec::new();
    for shape in shapes::SHAPES {
        let [small, large] = SIZES.map(|tasks| count(|| (shape.make)(tasks).verdicts()).0);
        if small < SIZES[0] as u64 || large > 2 * small + small / 50 {
            steep.push(format!("{}: {small} steps, then {large}", shape.name));
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}

#[test]
fn each_shape_gives_the_verdicts_it_expects() {
    let mut wrong = Vec::new();
    for shape in shapes::SHAPES {
        let mut found = BTreeMap::new();
        for verdict in (shape.make)(SIZES[0]).verdicts() {
            *found.entry(format!("{} {}", verdict.confidence, verdict.kind)).or_insert(0) += 1;
        }
        let (words, count) = shape.expected;
        let expected = (count(SIZES[0]) > 0).then(|| (words.to_owned(), count(SIZES[0])));
        if found != BTreeMap::from_iter(expected) {
            wrong.push(format!("{}: {found:?}", shape.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
