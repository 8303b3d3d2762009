//! Equal snapshots give equal bytes.

use crate::support::{bytes, random};
use diagnose_reports::{Format, View};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn two_writes_are_equal(snapshot in random::snapshot(40)) {
        for format in Format::all() {
            for view in [View::Time, View::Busy, View::Idle] {
                prop_assert_eq!(bytes(&snapshot, format, view), bytes(&snapshot.clone(), format, view));
            }
        }
    }
}
