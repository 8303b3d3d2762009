//! Labels: the formatted `label = "…"` of a span, each text stored once.

use std::collections::HashMap;

use crate::site::Site;
use crate::sync::{Mutex, MutexGuard};

/// A label by number. Zero is "no label".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

/// So many different labels are told apart; further ones are `[other]`, and counted.
const MAX_LABELS: usize = 1_024;

/// Longer labels are cut, so that a whole request body as a label does not stay in memory for ever.
const MAX_BYTES: usize = 256;

struct Labels {
    by_text: Option<HashMap<&'static str, Label>>,
    texts: Vec<&'static str>,
    over: u64,
}

static LABELS: Mutex<Labels> = Mutex::new(Labels { by_text: None, texts: Vec::new(), over: 0 });

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
        if labels.texts.len() == MAX_LABELS {
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

    /// The text, or `None` if there is no label.
    pub(crate) fn text(self) -> Option<&'static str> {
        match self {
            Self::NONE => None,
            Self::OTHER => Some("[other]"),
            Self(number) => lock().texts.get(number as usize - 1).copied(),
        }
    }
}

/// How many spans got `[other]` for a label.
pub(crate) fn over() -> u64 {
    lock().over
}

fn lock() -> MutexGuard<'static, Labels> {
    LABELS.lock()
}

/// `str::floor_char_boundary`, which is younger than the oldest supported compiler.
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
    use super::{FloorCharBoundary, Label};

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
