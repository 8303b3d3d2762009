//! A short word for short times.

use std::time::Duration;

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
