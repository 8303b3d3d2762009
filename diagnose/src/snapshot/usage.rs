//! Converts the counts and times of a resource's use, also after its end.

use diagnose_reports::model::{PastResources, Quantiles, Text, Usage, UsagePlace};

use super::capture_context::CaptureContext;
use super::latency;
use crate::clock::Scale;
use crate::waits::{self, PastKey, PastUse, ResourceKind, UNBOUNDED};

/// Converts a usage, without the waits that have not ended. `acquisitions` counts all acquisitions,
/// measured or not.
pub(super) fn usage(
    usage: &waits::Usage,
    acquisitions: u64,
    kind: ResourceKind,
    capture: &CaptureContext<'_>,
) -> Usage {
    let scale = capture.scale;
    let mut built = Usage::default();
    built.acquisitions = acquisitions;
    built.contended = usage.ended_waits;
    // Only granted waits have a duration.
    built.waited = usage.waits.each.calls;
    built.wait = quantiles_ns(&usage.waits, scale);
    built.held = quantiles_ns(&usage.holds, scale);
    built.waited_ns = scale.ns(usage.waits.total);
    let places =
        |of: &[waits::UsagePlace]| of.iter().map(|it| usage_place(it, capture)).collect::<Vec<UsagePlace>>();
    if kind == ResourceKind::Broadcast {
        built.missed = usage.waiters.iter().map(|it| it.ticks).fold(0, u64::saturating_add);
        built.missed_at = usage.waiters.first().map(|it| capture.texts.place(it.at));
    } else {
        built.waiters = places(&usage.waiters);
    }
    built.holders = places(&usage.holders);
    built
}

/// Returns the use of the resources that are gone.
pub(super) fn past_resources(capture: &CaptureContext<'_>) -> Vec<PastResources> {
    waits::past_uses().iter().map(|(key, past)| past_resource(key, past, capture)).collect()
}

fn past_resource(key: &PastKey, past: &PastUse, capture: &CaptureContext<'_>) -> PastResources {
    let (made_at, of_kind, library, name) = key;
    let mut built = PastResources::default();
    built.kind = *of_kind;
    built.library = capture.texts.of(library);
    built.name = name.as_deref().map(Text::from);
    built.created = capture.texts.place_outside_std(made_at);
    built.capacity = Some(past.capacity).filter(|capacity| *capacity != UNBOUNDED);
    built.count = past.count;
    built.most_waited_ns = capture.scale.ns(past.most_waited);
    built.usage = usage(&past.usage, past.acquisitions, *of_kind, capture);
    built
}

fn usage_place(of: &waits::UsagePlace, capture: &CaptureContext<'_>) -> UsagePlace {
    let mut built = UsagePlace::default();
    built.place = capture.texts.place(of.at);
    built.node = of.node.and_then(|node| (capture.node_index)(node));
    built.count = of.count;
    built.total_ns = capture.scale.ns(of.ticks);
    built.longest_ns = capture.scale.ns(of.longest);
    built
}

fn quantiles_ns(durations: &waits::Durations, scale: Scale) -> Quantiles {
    let mut built = Quantiles::default();
    // Skipped for most channels, which have no durations.
    if durations.each.calls > 0 {
        let all = latency::to_model(&durations.each, scale).quantiles();
        (built.p50_ns, built.p99_ns, built.max_ns) = (all.p50_ns, all.p99_ns, all.max_ns);
    }
    built
}
