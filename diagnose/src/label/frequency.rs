//! Counts texts in bounded memory, to find those that recur often.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Approximate counts of recent texts: sometimes too high, never too low.
pub(super) struct FrequencySketch {
    /// Two counts per text, at places that its hash selects; the lower one is more accurate.
    counts: [[u8; PLACES]; 2],
    texts: u32,
}

const PLACES: usize = 4_096;
/// After this many texts, all counts are halved. So a text that is one in 500 gets a label.
const LATELY: u32 = 1 << 14;

impl FrequencySketch {
    pub(super) const NOTHING: Self = Self { counts: [[0; PLACES]; 2], texts: 0 };

    /// Returns whether the last call of [`count`](Self::count) halved all counts.
    pub(super) fn was_halved(&self) -> bool {
        self.texts == 0
    }

    /// Counts an occurrence of a text, and returns its approximate count.
    pub(super) fn count(&mut self, text: &str) -> u8 {
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

#[cfg(test)]
mod tests {
    use super::FrequencySketch;
    use crate::label::OFTEN;

    #[test]
    fn frequent_texts_are_distinguished_from_rare_ones() {
        let mut frequencies = Box::new(FrequencySketch::NOTHING);
        let mut most = 0;
        for round in 0..OFTEN {
            assert_eq!(frequencies.count("often"), round + 1);
            for text in 0..100 {
                most = most.max(frequencies.count(&format!("{round} {text}")));
            }
        }
        assert!(most < OFTEN, "{most}");
        // Counts of old texts decay.
        for text in 0..(1 << 17) {
            frequencies.count(&text.to_string()[..1]);
        }
        assert!(frequencies.count("often") < OFTEN);
    }
}
