//! Labels: the formatted `label = "…"` of a span, each text stored once.
//!
//! The number of labels in the trees is limited, because each has nodes of its own. Three quarters
//! of the places go to the first texts. The last quarter is for texts that recur often, so a
//! program that begins with ten thousand users as labels can still distinguish the busy ones later.
//! Once all places are taken, a text that recurs often takes the place of the label that has become
//! rarest.
//!
//! ```text
//! frequent text ─▶ place of its own, if need be that of a rare label ─▶ [other], with its sums
//! other texts ───▶ [other]
//! ```
//! The nodes of a replaced label stay in the trees, and captures add them to `[other]`. Once no
//! call with the label is alive, a capture frees its number, and with it its nodes, for another
//! text. So texts and nodes are bounded however long a program runs. A call that was created with
//! the old label, but is first polled after that, counts for the new text.

mod frequency;
mod unlisted;

use std::collections::HashMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::frequency::FrequencySketch;
use self::unlisted::UnlistedTexts;
use crate::site::Site;
use crate::sync::{Mutex, MutexGuard, OnceCell};
use crate::{switch, text_limit};

/// A label by number. Zero means no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

/// Maximum number of labels at a time; further texts become `[other]` and are counted.
const MAX_LABELS: usize = 1_024;

/// Number of labels for the texts that come first.
const FIRST: usize = MAX_LABELS / 4 * 3;

/// Maximum number of labels, including replaced ones, because those keep their texts and nodes.
/// Tasks store the number of their label in 16 bits.
const MAX_NUMBERS: usize = MAX_LABELS * 4;
const _: () = assert!(MAX_NUMBERS < u16::MAX as usize);

/// Minimum time between two requests to free numbers.
const PAUSE: Duration = Duration::from_secs(10);

/// Number of recent occurrences after which a text gets one of the labels past [`FIRST`].
const OFTEN: u8 = 32;

struct Labels {
    /// The labels that have a place.
    by_text: Option<HashMap<Arc<str>, Label>>,
    /// By number, from 1.
    all: Vec<LabelEntry>,
    /// The numbers without a text.
    free: Vec<Label>,
    /// Time of the last request to free numbers.
    asked: Option<Instant>,
    over: u64,
    frequencies: FrequencySketch,
    unlisted: UnlistedTexts,
}

struct LabelEntry {
    text: Arc<str>,
    /// Approximate number of recent occurrences.
    recent: u8,
    state: LabelState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelState {
    HasPlace,
    /// Another text took its place. Labels with numbers up to [`MAX_LABELS`] stay in this state:
    /// see [`is_replacement`](Label::is_replacement).
    Replaced,
    /// The number has no text.
    Free,
}

/// The labels that have lost their places, as of one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replaced {
    /// Sorted.
    labels: Vec<Label>,
}

static LABELS: Mutex<Labels> = Mutex::new(Labels {
    by_text: None,
    all: Vec::new(),
    free: Vec::new(),
    asked: None,
    over: 0,
    frequencies: FrequencySketch::NOTHING,
    unlisted: UnlistedTexts::NONE,
});

/// The function to call when all numbers are taken.
static WHEN_OUT: OnceCell<fn()> = OnceCell::new();

impl Labels {
    fn label(&mut self, text: &str) -> Label {
        let found = self.by_text.get_or_insert_default().get(text).copied();
        if let Some((label, entry)) = found.and_then(|label| Some((label, self.all.get_mut(label.index()?)?)))
        {
            entry.recent = entry.recent.saturating_add(1);
            return label;
        }
        if self.n_labels() < FIRST {
            return self.add(text, 1);
        }
        let count = self.count(text);
        if self.earns_place(count) {
            return self.add(text, count);
        }
        self.over += 1;
        self.unlisted.put(text).map_or(Label::OTHER, |number| Label(Label::UNLISTED | number))
    }

    fn n_labels(&self) -> usize {
        self.by_text.as_ref().map_or(0, HashMap::len)
    }

    /// Counts an occurrence of a text without a label.
    fn count(&mut self, text: &str) -> u8 {
        let count = self.frequencies.count(text);
        if self.frequencies.was_halved() {
            self.all.iter_mut().for_each(|entry| entry.recent /= 2);
        }
        count
    }

    /// Returns whether a text that occurred `count` times gets a label. If all places are taken,
    /// replaces a rarer label. That scans all labels, so it is tried only at every [`OFTEN`]th
    /// occurrence.
    fn earns_place(&mut self, count: u8) -> bool {
        count % OFTEN == 0
            && self.has_number()
            && (self.n_labels() < MAX_LABELS || self.replace_rarer_than(count / 2))
    }

    fn has_number(&self) -> bool {
        self.all.len() < MAX_NUMBERS || !self.free.is_empty()
    }

    /// Returns whether the caller is to request free numbers now.
    fn asks(&mut self) -> bool {
        let asks = !self.has_number() && self.asked.is_none_or(|asked| asked.elapsed() >= PAUSE);
        if asks {
            self.asked = Some(Instant::now());
        }
        asks
    }

    /// Replaces the label that occurs least, if it occurs less than `limit` times.
    fn replace_rarer_than(&mut self, limit: u8) -> bool {
        let with_place = self.all.iter_mut().filter(|entry| entry.state == LabelState::HasPlace);
        let Some(rarest) = with_place.min_by_key(|entry| entry.recent).filter(|it| it.recent < limit) else {
            return false;
        };
        rarest.state = LabelState::Replaced;
        self.by_text.get_or_insert_default().remove(&rarest.text);
        true
    }

    fn add(&mut self, text: &str, recent: u8) -> Label {
        let text: Arc<str> = Arc::from(text);
        let entry = LabelEntry { text: Arc::clone(&text), recent, state: LabelState::HasPlace };
        let reused = self.free.pop().and_then(|label| Some((label, self.all.get_mut(label.index()?)?)));
        let label = match reused {
            Some((label, old)) => {
                *old = entry;
                label
            }
            None => {
                self.all.push(entry);
                // There are at most `MAX_NUMBERS`.
                Label(u32::try_from(self.all.len()).unwrap_or(u32::MAX))
            }
        };
        self.by_text.get_or_insert_default().insert(text, label);
        label
    }
}

impl Replaced {
    /// Returns the current labels without a place, including the numbers without a text.
    pub(crate) fn now() -> Self {
        Self::of_states(|_, state| state != LabelState::HasPlace)
    }

    /// Returns the replaced labels whose numbers can be freed.
    pub(crate) fn reusable() -> Self {
        Self::of_states(|label, state| state == LabelState::Replaced && label.is_replacement())
    }

    fn of_states(is_one: impl Fn(Label, LabelState) -> bool) -> Self {
        let all = &lock().all;
        let labels = (1..).map(Label).zip(all).filter(|(label, entry)| is_one(*label, entry.state));
        Self { labels: labels.map(|(label, _)| label).collect() }
    }

    /// Returns the labels that are not in `labels`, which is sorted.
    pub(crate) fn without(&self, labels: &[Label]) -> Self {
        let is_other = |label: &Label| labels.binary_search(label).is_err();
        Self { labels: self.labels.iter().copied().filter(is_other).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub(crate) fn has(&self, label: Label) -> bool {
        self.labels.binary_search(&label).is_ok()
    }

    /// Frees their numbers for later texts.
    pub(crate) fn free(&self) {
        let mut labels = lock();
        let Labels { all, free, .. } = &mut *labels;
        for label in &self.labels {
            let Some(entry) = label.index().and_then(|index| all.get_mut(index)) else { continue };
            if entry.state == LabelState::Replaced {
                (entry.text, entry.state) = (Arc::from(""), LabelState::Free);
                free.push(*label);
            }
        }
    }

    /// Returns the label under which the nodes of `label` count.
    pub(crate) fn shown(&self, label: Label) -> Label {
        if self.has(label) { Label::OTHER } else { label }
    }
}

impl Label {
    /// No label.
    pub const NONE: Self = Self(0);
    /// The label of all texts without a label of their own.
    pub(crate) const OTHER: Self = Self(u32::MAX);
    /// The bit that marks labels shown as `[other]` in the trees. The other bits are the ticket of
    /// the text, which is shown with the task if the call becomes one.
    const UNLISTED: u32 = 1 << 31;

    /// The label with this text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text_limit::cut(text);
        let mut labels = lock();
        let label = labels.label(text);
        let asks = label.in_tree() == Self::OTHER && labels.asks();
        drop(labels);
        if let (true, Some(call)) = (asks, WHEN_OUT.get()) {
            call();
        }
        label
    }

    /// The label of a call, formatted only if the call is recorded. A panic of the formatting does
    /// not reach the caller: without the attribute, nothing would be formatted.
    #[inline]
    pub fn of(site: &'static Site, text: impl FnOnce() -> String) -> Self {
        if !site.is_on() {
            return Self::NONE;
        }
        match catch_unwind(AssertUnwindSafe(text)) {
            Ok(text) => Self::new(&text),
            Err(payload) => {
                // Its drop may panic.
                mem::forget(payload);
                Self::new("[its label panicked]")
            }
        }
    }

    /// Returns whether the text is kept only until [`take_unlisted`](Self::take_unlisted) takes it.
    #[inline]
    pub(crate) fn is_unlisted(self) -> bool {
        self.0 >= Self::UNLISTED && self != Self::OTHER
    }

    /// Returns the label under which trees count its calls.
    pub(crate) fn in_tree(self) -> Self {
        if self.is_unlisted() { Self::OTHER } else { self }
    }

    /// Takes the kept text. The label must not be used afterwards. Returns `None` while recording
    /// is off, because the table may be locked forever in a forked child. The text then stays until
    /// a later text replaces it.
    #[cold]
    pub(crate) fn take_unlisted(self) -> Option<Arc<str>> {
        let is_kept = self.is_unlisted() && switch::records();
        if is_kept { lock().unlisted.take(self.0 & !Self::UNLISTED) } else { None }
    }

    /// Drops the kept text, if any. Returns the label under which trees count its calls.
    #[inline]
    pub(crate) fn without_text(self) -> Self {
        if self.is_unlisted() {
            drop(self.take_unlisted());
            return Self::OTHER;
        }
        self
    }

    /// A number that no other label has.
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }

    /// The text; `None` if there is no label.
    pub(crate) fn text(self) -> Option<Arc<str>> {
        match self {
            Self::NONE => None,
            Self::OTHER => Some(Arc::from("[other]")),
            label => {
                let labels = lock();
                let entry = labels.all.get(label.index()?).filter(|entry| entry.state != LabelState::Free);
                let text = entry.map(|entry| Arc::clone(&entry.text));
                drop(labels);
                text.or_else(|| Self::OTHER.text())
            }
        }
    }

    /// Returns whether it took the place of another label. Trees have a lower limit for nodes of
    /// such labels, because one number can accumulate nodes of many functions.
    pub(crate) fn is_replacement(self) -> bool {
        self != Self::OTHER && self.number() > MAX_LABELS
    }

    fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// Sets the function to call when all numbers are taken. It has a capture free the numbers without
/// living calls.
pub(crate) fn when_out(call: fn()) {
    // The first one stays.
    let _ = WHEN_OUT.set(call);
}

/// Number of spans labeled `[other]`.
pub(crate) fn over() -> u64 {
    lock().over
}

fn lock() -> MutexGuard<'static, Labels> {
    LABELS.lock()
}

#[cfg(test)]
mod tests {
    use super::Label;

    #[test]
    fn the_same_text_is_the_same_label() {
        assert_eq!(Label::new("user=7"), Label::new("user=7"));
        assert_ne!(Label::new("user=7"), Label::new("user=8"));
        assert_ne!(Label::new("user=7"), Label::NONE);
    }

    #[test]
    fn a_long_label_is_cut() {
        assert_eq!(Label::new(&"é".repeat(1_000)), Label::new(&"é".repeat(999)));
    }
}
