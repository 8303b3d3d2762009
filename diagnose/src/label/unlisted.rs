//! Texts of calls that have the label `[other]` and were not polled yet: if the call becomes a
//! task, the text is shown with it.

use std::sync::Arc;

/// Maximum number of texts that are kept at once. Past this limit, each new text replaces the
/// oldest. So a call that is never polled and never dropped, as after a panic in its arguments,
/// does not keep its text forever.
const MAX: u32 = (1 << INDEX_BITS) - 1;
const INDEX_BITS: u32 = 17;
/// Number of uses of a place after which its tickets repeat.
const MAX_USES: u32 = 1 << (31 - INDEX_BITS);

/// The texts by ticket. The low bits of a ticket are the place, the high bits count the earlier
/// uses of that place. Tickets have 31 bits, not all of which are set.
#[derive(Debug)]
pub(super) struct UnlistedTexts {
    places: Vec<KeptText>,
    free: Vec<u32>,
    /// The place whose text is replaced next, once no place is free.
    next: u32,
}

#[derive(Debug)]
struct KeptText {
    uses: u32,
    text: Option<Arc<str>>,
}

impl UnlistedTexts {
    pub(super) const NONE: Self = Self { places: Vec::new(), free: Vec::new(), next: 0 };

    /// Keeps a text. Returns its ticket.
    pub(super) fn put(&mut self, text: &str) -> Option<u32> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.places.len() < MAX as usize => {
                self.places.push(KeptText { uses: 0, text: None });
                u32::try_from(self.places.len() - 1).ok()?
            }
            None => {
                self.next = (self.next + 1) % MAX;
                self.next
            }
        };
        let place = self.places.get_mut(index as usize)?;
        *place = KeptText { uses: (place.uses + 1) % MAX_USES, text: Some(Arc::from(text)) };
        Some(place.uses << INDEX_BITS | index)
    }

    /// Takes a text. `None` if another one has its place.
    pub(super) fn take(&mut self, ticket: u32) -> Option<Arc<str>> {
        let index = ticket & MAX;
        let place = self.places.get_mut(index as usize)?;
        if place.uses != ticket >> INDEX_BITS {
            return None;
        }
        let text = place.text.take()?;
        self.free.push(index);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX, UnlistedTexts};

    #[test]
    fn places_are_used_again_under_other_tickets() {
        let mut texts = UnlistedTexts::NONE;
        let [first, second] = ["user=1", "user=2"].map(|text| texts.put(text).expect("a ticket"));
        assert_eq!(texts.take(first).as_deref(), Some("user=1"));
        assert_eq!(texts.take(first), None, "it is gone");
        let third = texts.put("user=3").expect("a ticket");
        assert_eq!((texts.places.len(), texts.take(first)), (2, None));
        assert_eq!(texts.take(third).as_deref(), Some("user=3"));
        assert_eq!(texts.take(second).as_deref(), Some("user=2"));
    }

    #[test]
    fn past_the_bound_the_oldest_text_makes_room() {
        let mut texts = UnlistedTexts::NONE;
        let tickets: Vec<u32> = (0..MAX + 2).filter_map(|user| texts.put(&user.to_string())).collect();
        assert_eq!((tickets.len(), texts.places.len()), (MAX as usize + 2, MAX as usize));
        let taken = tickets.iter().filter(|ticket| texts.take(**ticket).is_some()).count();
        assert_eq!(taken, MAX as usize);
        assert!(tickets.iter().all(|ticket| *ticket < u32::MAX >> 1));
    }
}
