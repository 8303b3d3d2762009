//! Equal snapshots give equal bytes.

use crate::support::{page, random};
use diagnose_reports::{Format, View};
use proptest::prelude::*;

const FORMATS: &[Format] = if cfg!(feature = "svg") {
    &[Format::Svg, Format::Folded, Format::Text, Format::Json, Format::Dot]
} else {
    &[Format::Folded, Format::Text, Format::Json, Format::Dot]
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn two_writes_are_equal(snapshot in random::snapshot(40)) {
        for &format in FORMATS {
            for view in [View::Time, View::Busy, View::Idle] {
                prop_assert_eq!(page(&snapshot, format, view), page(&snapshot.clone(), format, view));
            }
        }
    }
}
