//! Labels: the formatted `label = "…"` of a span, each text stored once.
//!
//! Their number is limited, because each label has nodes of its own in the trees. Three quarters of
//! the places go to the first texts. The last quarter is kept for texts that recur often. So a
//! program that begins with ten thousand users as labels can still distinguish the busy ones later.
//! The others share the node `[other]`, which has their sums.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::site::Site;
use crate::sync::{Mutex, MutexGuard};

/// A label by number. Zero means no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

/// Maximum number of labels; further ones become `[other]` and are counted.
const MAX_LABELS: usize = 1_024;

/// Number of labels for the texts that come first.
const FIRST: usize = MAX_LABELS / 4 * 3;

/// Number of recent occurrences that earns a text one of the other labels.
const OFTEN: u8 = 32;

/// Longer labels are cut, so that a whole request body as a label does not stay in memory forever.
const MAX_BYTES: usize = 256;

struct Labels {
    by_text: Option<HashMap<&'static str, Label>>,
    texts: Vec<&'static str>,
    over: u64,
    seen: FrequencySketch,
}

static LABELS: Mutex<Labels> =
    Mutex::new(Labels { by_text: None, texts: Vec::new(), over: 0, seen: FrequencySketch::NOTHING });

impl Label {
    /// No label.
    pub const NONE: Self = Self(0);
    const OTHER: Self = Self(u32::MAX);

    /// The label with this text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary_of(MAX_BYTES)];
        let mut labels = lock();
        if let Some(&label) = labels.by_text.get_or_insert_default().get(text) {
            return label;
        }
        let n_labels = labels.texts.len();
        if n_labels >= MAX_LABELS || n_labels >= FIRST && labels.seen.again(text) < OFTEN {
            labels.over += 1;
            return Self::OTHER;
        }
        let text: &'static str = Box::leak(Box::from(text));
        labels.texts.push(text);
        // Texts are numbered from 1, and there are at most `MAX_LABELS`.
        let label = Self(u32::try_from(labels.texts.len()).unwrap_or(u32::MAX));
        labels.by_text.get_or_insert_default().insert(text, label);
        label
    }

    /// The label of a call, formatted only if the call is recorded.
    #[inline]
    pub fn of(site: &'static Site, text: impl FnOnce() -> String) -> Self {
        if site.is_on() { Self::new(&text()) } else { Self::NONE }
    }

    /// A number that no other label has.
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }

    /// The text; `None` if there is no label.
    pub(crate) fn text(self) -> Option<&'static str> {
        match self {
            Self::NONE => None,
            Self::OTHER => Some("[other]"),
            Self(number) => lock().texts.get(number as usize - 1).copied(),
        }
    }
}

/// Approximate counts of recent texts without a label: sometimes too high, never too low.
struct FrequencySketch {
    /// Two counts per text, at places given by its hash; the lower one is more accurate.
    counts: [[u8; PLACES]; 2],
    texts: u32,
}

const PLACES: usize = 4_096;
/// After this many texts all counts are halved, so a text that makes up one in 500 gets a label.
const LATELY: u32 = 1 << 14;

impl FrequencySketch {
    const NOTHING: Self = Self { counts: [[0; PLACES]; 2], texts: 0 };

    /// Counts an occurrence of a text, and returns its approximate count.
    fn again(&mut self, text: &str) -> u8 {
        self.texts += 1;
        if self.texts == LATELY {
            self.texts = 0;
            self.counts.as_flattened_mut().iter_mut().for_each(|count| *count /= 2);
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let places = [hash % PLACES as u64, (hash >> 32) % PLACES as u64];
        let counts = self.counts.iter_mut().zip(places).map(|(counts, place)| {
            let count = &mut counts[usize::try_from(place).unwrap_or(0)];
            *count = count.saturating_add(1);
            *count
        });
        counts.min().unwrap_or(0)
    }
}

/// Number of spans labeled `[other]`.
pub(crate) fn over() -> u64 {
    lock().over
}

fn lock() -> MutexGuard<'static, Labels> {
    LABELS.lock()
}

/// `str::floor_char_boundary`, which is newer than the oldest supported compiler.
trait FloorCharBoundary {
    fn floor_char_boundary_of(&self, limit: usize) -> usize;
}

impl FloorCharBoundary for str {
    fn floor_char_boundary_of(&self, limit: usize) -> usize {
        if self.len() <= limit {
            return self.len();
        }
        (0..=limit).rev().find(|&at| self.is_char_boundary(at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{FloorCharBoundary, FrequencySketch, Label, OFTEN};

    #[test]
    fn frequent_texts_are_told_from_rare_ones() {
        let mut seen = Box::new(FrequencySketch::NOTHING);
        let mut most = 0;
        for round in 0..OFTEN {
            assert_eq!(seen.again("often"), round + 1);
            for text in 0..100 {
                most = most.max(seen.again(&format!("{round} {text}")));
            }
        }
        assert!(most < OFTEN, "{most}");
        // Counts of old texts decay.
        for text in 0..(1 << 17) {
            seen.again(&text.to_string()[..1]);
        }
        assert!(seen.again("often") < OFTEN);
    }

    #[test]
    fn the_same_text_is_the_same_label() {
        assert_eq!(Label::new("user=7"), Label::new("user=7"));
        assert_ne!(Label::new("user=7"), Label::new("user=8"));
        assert_ne!(Label::new("user=7"), Label::NONE);
    }

    #[test]
    fn a_long_label_is_cut_between_characters() {
        assert_eq!("aé".floor_char_boundary_of(2), 1);
        assert_eq!("aé".floor_char_boundary_of(3), 3);
        assert_eq!(Label::new(&"é".repeat(1_000)), Label::new(&"é".repeat(999)));
    }
}
