//! Texts of calls that have the label `[other]` and were not polled yet: if the call becomes a
//! task, the text is shown with it.

use std::sync::Arc;

/// How many texts are kept at once. A call past them has none.
const MAX: usize = 1 << 17;

/// The texts by number.
#[derive(Debug)]
pub(super) struct UnlistedTexts {
    texts: Vec<Option<Arc<str>>>,
    free: Vec<u32>,
}

impl UnlistedTexts {
    pub(super) const NONE: Self = Self { texts: Vec::new(), free: Vec::new() };

    /// Keeps a text. Returns its number; `None` if there are too many.
    pub(super) fn put(&mut self, text: &str) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            *self.texts.get_mut(number as usize)? = Some(Arc::from(text));
            return Some(number);
        }
        let number = u32::try_from(self.texts.len()).ok().filter(|_| self.texts.len() < MAX)?;
        self.texts.push(Some(Arc::from(text)));
        Some(number)
    }

    /// Takes a text, whose number is free then.
    pub(super) fn take(&mut self, number: u32) -> Option<Arc<str>> {
        let text = self.texts.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX, UnlistedTexts};

    #[test]
    fn numbers_are_used_again_and_bounded() {
        let mut texts = UnlistedTexts::NONE;
        let first = texts.put("user=1");
        assert_eq!((first, texts.put("user=2")), (Some(0), Some(1)));
        assert_eq!(texts.take(0).as_deref(), Some("user=1"));
        assert_eq!(texts.take(0), None, "it is gone");
        assert_eq!((texts.put("user=3"), texts.put("user=4")), (Some(0), Some(2)));
        assert_eq!((3..MAX + 2).filter_map(|_| texts.put("")).count(), MAX - 3);
        assert_eq!(texts.take(1).as_deref(), Some("user=2"));
        assert_eq!(texts.put("user=5"), Some(1));
    }
}
