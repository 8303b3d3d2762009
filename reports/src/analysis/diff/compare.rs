//! Compares two sides, function by function.

use crate::analysis::diff::recordings::{FunctionKey, Recording, Totals, recordings};
use crate::analysis::diff::spread::{Spread, is_dominant, median, noise};
use crate::analysis::diff::types::{
    Basis, Change, Diff, DiffOptions, DiffSide, FunctionDiff, Measure, MeasureDiff, Presence,
};
use crate::analysis::diff::warnings::warnings;
use crate::clean::printable;
use crate::model::{Durations, Snapshot};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sort::sort_by;

/// Differences below this many ns may come from the resolution of the clock.
const RESOLUTION_NS: f64 = 50.0;
/// Minimum relative noise of means, which are exact, and of quantiles, whose buckets are 6 % wide.
const MEAN_FLOOR: f64 = 0.01;
const QUANTILE_FLOOR: f64 = 0.04;

/// Compares the functions of two sides. Each snapshot counts from the previous snapshot of its
/// process, on either side. See [`Diff`] for the result, and [`Change`] for what is flagged.
///
/// # Examples
/// ```
/// use diagnose_reports::{DiffOptions, Snapshot, diff};
///
/// let (old, new) = ([Snapshot::default()], [Snapshot::default()]);
/// let diff = diff(&old, &new, DiffOptions::default());
/// assert_eq!(diff.slower_than(0.1).count(), 0);
/// ```
#[must_use]
pub fn diff(old: &[Snapshot], new: &[Snapshot], options: DiffOptions) -> Diff {
    let sides = [recordings(old, new), recordings(new, old)];
    let keys: OrderedSet<&FunctionKey> =
        sides.iter().flatten().flat_map(|recording| recording.functions.keys()).collect();
    let names = names(&keys);
    let mut functions: Vec<(u8, f64, FunctionDiff)> =
        keys.iter().map(|key| function(key, &names[key], &sides, options)).collect();
    sort_by(&mut functions, |a, b| {
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then_with(|| a.2.name.cmp(&b.2.name))
    });
    let functions: Vec<FunctionDiff> = functions.into_iter().map(|(_, _, function)| function).collect();
    let warnings = warnings(&sides, &functions, options);
    Diff {
        threshold: options.threshold,
        old: side(old, &sides[0]),
        new: side(new, &sides[1]),
        warnings,
        functions,
    }
}

fn side(snapshots: &[Snapshot], recordings: &[Recording]) -> DiffSide {
    let processes: OrderedSet<&str> = recordings.iter().map(|recording| &recording.process[..]).collect();
    let processes: Vec<String> = processes.into_iter().map(printable).collect();
    let elapsed_ns = median(&recordings.iter().map(|it| float(it.elapsed_ns)).collect::<Vec<_>>());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the median of u64 is one")]
    DiffSide {
        processes: processes.join(", "),
        snapshots: snapshots.len(),
        recordings: recordings.len(),
        elapsed_ns: elapsed_ns.unwrap_or(0.0) as u64,
    }
}

/// Unambiguous names of the functions: the name alone, with the module, with the file, or with a
/// number in the order of the file.
fn names<'a>(keys: &OrderedSet<&'a FunctionKey>) -> OrderedMap<&'a FunctionKey, String> {
    fn qualified(key: &FunctionKey) -> String {
        // The module path is empty if it is unknown.
        [&key.module, &key.name].map(String::as_str).join("::").trim_start_matches("::").to_owned()
    }
    fn with_file(key: &FunctionKey) -> String {
        format!("{} ({})", qualified(key), key.file)
    }
    let styles = [|key: &FunctionKey| key.name.clone(), qualified, with_file];
    let counts = styles.map(|style| {
        let mut counts = OrderedMap::<String, u32>::new();
        for key in keys {
            *counts.entry(style(key)).or_default() += 1;
        }
        counts
    });
    let name = |key: &FunctionKey| {
        let unique = styles.iter().zip(&counts).map(|(style, counts)| (style(key), counts));
        let unique = unique.filter(|(name, counts)| counts[name] == 1).map(|(name, _)| name).next();
        printable(&unique.unwrap_or_else(|| format!("{} #{}", with_file(key), key.ordinal + 1)))
    };
    keys.iter().map(|&key| (key, name(key))).collect()
}

/// Compares one function. Returns its rank and its difference, which are the sort keys, and the
/// comparison.
fn function(
    key: &FunctionKey,
    name: &str,
    sides: &[Vec<Recording>; 2],
    options: DiffOptions,
) -> (u8, f64, FunctionDiff) {
    let none = Totals::default();
    // A recording without calls of the function has no value for it.
    let totals = sides.each_ref().map(|side| -> Vec<(&Recording, &Totals)> {
        let totals = side.iter().filter_map(|it| Some((it, it.functions.get(key)?)));
        totals.filter(|(_, totals)| totals.calls > 0 || totals.self_busy_ns > 0).collect()
    });
    // A rate is zero there, unless the side does not have the function.
    let rates = [0, 1].map(|number| -> Vec<(&Recording, &Totals)> {
        let side = sides[number].iter().filter(|_| !totals[number].is_empty());
        side.map(|it| (it, it.functions.get(key).unwrap_or(&none))).collect()
    });
    let is_ended = |(_, it): &&(&Recording, &Totals)| it.ended >= it.calls.div_ceil(2);
    let basis = if totals.iter().flatten().all(|it| is_ended(&it)) { Basis::Call } else { Basis::Second };
    let measures: &[Measure] = match basis {
        Basis::Call => {
            &[Measure::Busy, Measure::Idle, Measure::P50, Measure::P90, Measure::P99, Measure::Calls]
        }
        Basis::Second => &[Measure::Busy, Measure::Calls],
    };
    let measures: Vec<MeasureDiff> = measures
        .iter()
        .filter_map(|&measure| {
            let is_rate = measure == Measure::Calls || basis == Basis::Second;
            let [old, new] = if is_rate { &rates } else { &totals }.each_ref().map(|side| {
                let values: Vec<f64> =
                    side.iter().filter_map(|(it, totals)| value(measure, basis, it, totals)).collect();
                // A quantile that only a few recordings have would describe unusual recordings.
                Spread::new(values).filter(|spread| spread.values.len() * 2 > side.len())
            });
            let resolution = if measure == Measure::Calls { by_chance(&rates) } else { RESOLUTION_NS };
            compare(measure, old, new, resolution, options)
        })
        .collect();
    let presence = match totals.each_ref().map(Vec::is_empty) {
        [true, false] => Presence::Added,
        [false, true] => Presence::Removed,
        _ => Presence::Both,
    };
    let change = overall(&measures);
    let place = totals.iter().rev().flatten().next().map(|(_, totals)| totals.place.clone());
    let rank = match (change, presence) {
        (Change::Slower, _) => 0,
        (Change::Faster, _) => 1,
        (_, Presence::Added | Presence::Removed) => 2,
        (Change::MoreCalls | Change::FewerCalls, _) => 3,
        _ => 4,
    };
    let difference = difference(&measures, basis);
    let function = FunctionDiff {
        name: name.to_owned(),
        place: place.unwrap_or_default(),
        presence,
        basis,
        change,
        measures,
    };
    (rank, difference, function)
}

/// The value of a measure in one recording; `None` if the recording has too few calls.
fn value(measure: Measure, basis: Basis, recording: &Recording, totals: &Totals) -> Option<f64> {
    /// The number of durations that must lie above a quantile.
    const ABOVE: u64 = 10;
    let per = match basis {
        Basis::Call => float(totals.calls),
        Basis::Second => float(recording.elapsed_ns) / 1e9,
    };
    let divided = |value: f64, by: f64| (by > 0.0).then(|| value / by);
    match measure {
        Measure::Busy => divided(float(totals.self_busy_ns), per),
        Measure::Idle => divided(float(totals.self_idle_ns), per),
        Measure::P50 => quantile(&totals.completed, 0.5, ABOVE * 2),
        Measure::P90 => quantile(&totals.completed, 0.9, ABOVE * 10),
        Measure::P99 => quantile(&totals.completed, 0.99, ABOVE * 100),
        Measure::Calls => divided(float(totals.calls), float(recording.elapsed_ns) / 1e9),
    }
}

/// A quantile in ns; `None` with fewer than `least` durations. It is interpolated inside its
/// bucket, so that a small shift of all durations changes it.
fn quantile(durations: &Durations, share: f64, least: u64) -> Option<f64> {
    let total = durations.count();
    if total < least.max(1) {
        return None;
    }
    let target = share * float(total);
    let mut before = 0.0;
    for bucket in durations.buckets.iter().filter(|bucket| bucket.count > 0) {
        let count = float(bucket.count);
        if before + count >= target {
            let width = float(bucket.to_ns.saturating_sub(bucket.from_ns));
            return Some(float(bucket.from_ns) + width * (target - before) / count);
        }
        before += count;
    }
    Some(float(durations.longest_ns))
}

/// The difference in calls per second that chance may cause: twice the standard deviation, if calls
/// are independent. Without this bound, a function that is called once, such as `main`, would be
/// flagged: in a recording of three times the length, its rate drops to a third.
fn by_chance(totals: &[Vec<(&Recording, &Totals)>; 2]) -> f64 {
    let variance = |side: &Vec<(&Recording, &Totals)>| {
        let calls: f64 = side.iter().map(|(_, totals)| float(totals.calls)).sum();
        let seconds: f64 = side.iter().map(|(it, _)| float(it.elapsed_ns) / 1e9).sum();
        if seconds > 0.0 { calls / (seconds * seconds) } else { 0.0 }
    };
    2.0 * totals.iter().map(variance).sum::<f64>().sqrt()
}

/// Compares a measure; `None` if neither side has a value above zero. Differences up to
/// `resolution` do not count.
fn compare(
    measure: Measure,
    old: Option<Spread>,
    new: Option<Spread>,
    resolution: f64,
    options: DiffOptions,
) -> Option<MeasureDiff> {
    let is_nothing =
        |side: &Option<Spread>| side.as_ref().is_none_or(|it| it.values.iter().all(|value| *value <= 0.0));
    if is_nothing(&old) && is_nothing(&new) {
        return None;
    }
    let (mut relative, mut relative_noise, mut change) = (None, None, Change::Same);
    if let (Some(old), Some(new)) = (&old, &new) {
        let floor = if matches!(measure, Measure::P50 | Measure::P90 | Measure::P99) {
            QUANTILE_FLOOR
        } else {
            MEAN_FLOOR
        };
        let noise = noise(old, new, floor * old.median);
        let difference = new.median - old.median;
        if old.median > 0.0 {
            relative = Some(difference / old.median);
            relative_noise = Some(noise / old.median);
        }
        let is_over = difference.abs() > resolution && difference.abs() > options.threshold * old.median;
        let is_real = difference.abs() > noise && is_dominant(old, new);
        change = match (is_over, is_real, measure == Measure::Calls, difference > 0.0) {
            (false, ..) => Change::Same,
            (true, false, ..) => Change::Unsure,
            (true, true, true, true) => Change::MoreCalls,
            (true, true, true, false) => Change::FewerCalls,
            (true, true, false, true) => Change::Slower,
            (true, true, false, false) => Change::Faster,
        };
    }
    Some(MeasureDiff { measure, old, new, relative, noise: relative_noise, change })
}

/// The change of a function: slower if any of its times is slower, else faster if any is faster,
/// else the change of its calls.
fn overall(measures: &[MeasureDiff]) -> Change {
    let order = [Change::Slower, Change::Faster, Change::MoreCalls, Change::FewerCalls, Change::Unsure];
    let has = |change: &Change| measures.iter().any(|measure| measure.change == *change);
    order.into_iter().find(has).unwrap_or_default()
}

/// The absolute difference of busy and idle time, in ns per second of the recording.
fn difference(measures: &[MeasureDiff], basis: Basis) -> f64 {
    let median = |measure: Measure| {
        let found = measures.iter().find(|it| it.measure == measure)?;
        let median = |side: &Option<Spread>| side.as_ref().map_or(0.0, |spread| spread.median);
        Some((median(&found.old), median(&found.new)))
    };
    // The median rate is zero if fewer than half of the recordings have calls.
    let rates = measures.iter().find(|it| it.measure == Measure::Calls);
    let rate = |side: &Option<Spread>| side.as_ref().map_or(0.0, Spread::mean);
    let calls = rates.map_or(0.0, |it| rate(&it.old).max(rate(&it.new)));
    let scale = if basis == Basis::Call { calls } else { 1.0 };
    let times = [Measure::Busy, Measure::Idle].into_iter().filter_map(median);
    times.map(|(old, new)| (new - old).abs() * scale).sum()
}

/// A count or a time as a number to compute with.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 1e-16 does not matter")]
fn float(value: u64) -> f64 {
    value as f64
}
