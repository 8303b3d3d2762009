//! The medians that criterion has written.

use std::{env, fs};

/// Returns the median of a benchmark of this run, in ns; `None` in a run that only tests the
/// benchmarks, because it writes none.
pub(crate) fn median(name: &str) -> Option<f64> {
    let target = env::var("CARGO_TARGET_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../target").to_owned());
    let json = fs::read_to_string(format!("{target}/criterion/{name}/new/estimates.json")).ok()?;
    let (_, median) = json.split_once("\"median\":")?;
    let (_, estimate) = median.split_once("\"point_estimate\":")?;
    estimate.split([',', '}']).next()?.trim().parse().ok()
}
