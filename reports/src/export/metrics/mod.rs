//! Metrics in the text formats of OpenMetrics and Prometheus.
//!
//! ```text
//! families    which metrics there are: functions, tasks, resources, losses
//! functions   sums by function
//! buckets     histograms with bounds that are equal in every scrape
//! exposition  the two dialects: names, types, escapes
//! ```
//! The number of time series is bounded: only the heaviest 200 functions, 100 spawn sites and 100
//! creation sites of resources are included, and no labels of calls. A gauge counts the functions
//! that are left out.

mod buckets;
mod exposition;
mod families;
mod functions;

pub(crate) use families::{open_metrics, prometheus};
