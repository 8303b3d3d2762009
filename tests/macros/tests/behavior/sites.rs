//! A site has the place of the function's name.

use diagnose::{FutureExt as _, diagnose};
use diagnose_macros_tests::{run, sites};

#[diagnose]
async fn located() {}
const LOCATED: u32 = line!() - 1;

mod inner {
    #[diagnose::diagnose]
    pub(super) async fn located_inside() {}
    pub(super) const LINE: u32 = line!() - 1;
}

#[diagnose]
fn located_frame() {}
const FRAME: u32 = line!() - 1;

#[diagnose]
async fn located_blocks() {
    #[diagnose]
    async {}.await;
    diagnose::block!("located macro", async {}).await;
    async {}.diagnose("located method").await;
}
const BLOCKS: u32 = line!() - 5;

#[test]
fn line_and_column_are_those_of_the_name() {
    run(located());
    run(inner::located_inside());
    located_frame();
    run(located_blocks());
    let here = |line: u32, column: u32| format!("{} {}:{line}:{column}", module_path!(), file!());
    assert_eq!(sites("located"), [format!("fn located {}", here(LOCATED, 10))]);
    let inside = format!("{}::inner {}:{}:25", module_path!(), file!(), inner::LINE);
    assert_eq!(sites("located_inside"), [format!("fn located_inside {inside}")]);
    assert_eq!(sites("located_frame"), [format!("sync located_frame {}", here(FRAME, 4))]);
    let block = format!("block {{block}} {}", here(BLOCKS + 1, 5));
    assert!(sites("{block}").contains(&block), "{:?}", sites("{block}"));
    assert_eq!(sites("located macro"), [format!("block located macro {}", here(BLOCKS + 2, 5))]);
    // The place of the call, but no module: a caller's location does not include it.
    assert_eq!(sites("located method"), [format!("block located method  {}:{}:14", file!(), BLOCKS + 3)]);
}
