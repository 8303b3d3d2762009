//! While recording is off, labels are not formatted. The switch is global.

use std::cell::Cell;
use std::fmt;

use diagnose::diagnose;
use diagnose_isolation::isolated;
use diagnose_macros_tests::{calls, run};

struct Counted<'a>(&'a Cell<u32>);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        f.write_str("counted")
    }
}

#[diagnose(label = "{counted}")]
async fn labeled(counted: Counted<'_>) {
    let _ = counted;
}

#[diagnose(label = "{counted}")]
fn labeled_frame(counted: &Counted<'_>) {
    let _ = counted;
}

#[test]
fn labels_are_formatted_only_while_recording() {
    isolated!();
    let count = Cell::new(0);
    diagnose::set_enabled(false);
    run(labeled(Counted(&count)));
    labeled_frame(&Counted(&count));
    assert_eq!(count.get(), 0);
    diagnose::set_enabled(true);
    run(labeled(Counted(&count)));
    labeled_frame(&Counted(&count));
    assert_eq!(count.get(), 2);
    assert_eq!(calls("labeled"), ["1 labeled{counted}"]);
}
