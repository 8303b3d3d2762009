//! Warnings about comparisons that may be unreliable.

use crate::analysis::diff::recordings::Recording;
use crate::analysis::diff::spread::median;
use crate::analysis::diff::types::{DiffOptions, FunctionDiff, Measure};
use crate::clean::printable;
use crate::ordered::OrderedSet;
use crate::units::{counted, time};

/// With fewer recordings per side, the estimate of their spread is poor.
const FEW: usize = 5;
/// A shorter recording consists mostly of the start of the program.
const SHORT_NS: u64 = 1_000_000_000;
/// Maximum number of functions that a warning names.
const MAX_NAMED: usize = 3;

/// Returns one sentence per warning, the most serious first.
pub(super) fn warnings(
    sides: &[Vec<Recording>; 2],
    functions: &[FunctionDiff],
    options: DiffOptions,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for (name, side) in ["old", "new"].into_iter().zip(sides) {
        warnings.extend(few(name, side));
        warnings.extend(short(name, side));
        let incomplete = side.iter().filter(|recording| recording.is_incomplete).count();
        if incomplete > 0 {
            let recordings = counted(incomplete as u64, "recording");
            warnings.push(format!(
                "{recordings} of the {name} side dropped calls, so some functions are incomplete"
            ));
        }
    }
    warnings.extend(unequal(sides));
    warnings.extend(not_in_turns(sides));
    warnings.extend(noisy(functions, options));
    warnings
}

fn few(name: &str, side: &[Recording]) -> Option<String> {
    match side.len() {
        0 => Some(format!("the {name} side has recorded nothing")),
        1 => Some(format!(
            "the {name} side has 1 recording, so its noise is unknown, and 50 % is assumed; record 10 a side"
        )),
        number if number < FEW => Some(format!(
            "the {name} side has only {number} recordings to estimate noise from; record 10 a side"
        )),
        _ => None,
    }
}

fn short(name: &str, side: &[Recording]) -> Option<String> {
    let elapsed_ns = side.iter().map(|recording| recording.elapsed_ns).min()?;
    (elapsed_ns < SHORT_NS).then(|| {
        let length = time(elapsed_ns);
        format!("a recording of the {name} side is only {length} long; record 2 s or more")
    })
}

/// Warns of different programs, and of recordings of different lengths.
fn unequal(sides: &[Vec<Recording>; 2]) -> Vec<String> {
    let mut warnings = Vec::new();
    let [old, new] =
        sides.each_ref().map(|side| side.iter().map(|it| printable(&it.process)).collect::<OrderedSet<_>>());
    if !old.is_empty() && !new.is_empty() && !old.iter().any(|name| new.contains(name)) {
        let name = |names: &OrderedSet<String>| names.iter().cloned().collect::<Vec<_>>().join("`, `");
        warnings.push(format!("the sides are of different programs, `{}` and `{}`", name(&old), name(&new)));
    }
    let lengths = sides.each_ref().map(|side| {
        #[expect(clippy::cast_precision_loss, reason = "only compared")]
        median(&side.iter().map(|recording| recording.elapsed_ns as f64).collect::<Vec<_>>())
    });
    if let [Some(old), Some(new)] = lengths {
        if old.max(new) > 2.0 * old.min(new) {
            warnings.push(
                "the recordings of one side are more than twice as long as those of the other".to_owned(),
            );
        }
    }
    warnings
}

/// Warns if all recordings of one side precede those of the other, because the machine may have
/// changed in between.
fn not_in_turns(sides: &[Vec<Recording>; 2]) -> Option<String> {
    let times = |side: &[Recording]| {
        let times = || side.iter().map(|recording| recording.captured_unix_ms);
        let (first, last) = (times().min()?, times().max()?);
        (side.len() > 1 && first > 0).then_some((first, last))
    };
    let [old, new] = sides.each_ref().map(|side| times(side));
    let ((old_first, old_last), (new_first, new_last)) = (old?, new?);
    (old_last < new_first || new_last < old_first).then(|| {
        "one side was recorded after the other, so a change of the machine counts as one of the program; \
         record the sides in turns"
            .to_owned()
    })
}

/// Warns of functions whose noise exceeds the threshold in every measure of their times.
fn noisy(functions: &[FunctionDiff], options: DiffOptions) -> Option<String> {
    let is_steady = |measure: Measure| matches!(measure, Measure::Busy | Measure::P50 | Measure::P90);
    let noise = |function: &FunctionDiff| {
        let measures = function.measures.iter().filter(|it| is_steady(it.measure));
        let least = measures.filter_map(|it| it.noise).min_by(f64::total_cmp);
        least.filter(|noise| *noise > options.threshold)
    };
    let noisy: Vec<(f64, &str)> =
        functions.iter().filter_map(|function| Some((noise(function)?, &function.name[..]))).collect();
    if noisy.is_empty() {
        return None;
    }
    let named = noisy.iter().take(MAX_NAMED).map(|(noise, name)| format!("`{name}` {:.0} %", noise * 100.0));
    let mut named: Vec<String> = named.collect();
    if noisy.len() > MAX_NAMED {
        named.push(format!("{} more", noisy.len() - MAX_NAMED));
    }
    Some(format!(
        "noise hides changes of {:.0} % in {} of {}: {}; record longer and more often, on a quiet machine",
        options.threshold * 100.0,
        noisy.len(),
        counted(functions.len() as u64, "function"),
        named.join(", ")
    ))
}
