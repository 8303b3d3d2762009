//! Shares the texts and places of a snapshot: a million tasks come from few places.

use std::cell::RefCell;
use std::panic::Location;

use diagnose_reports::model::{Place, Text};

use super::numbers::Table;
use crate::site::Site;

/// The texts and places made so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// By address and length.
    texts: RefCell<Table<(*const u8, usize), Text>>,
}

impl Texts {
    /// Returns the shared copy of a static text.
    pub(super) fn of(&self, text: &'static str) -> Text {
        let mut texts = self.texts.borrow_mut();
        texts.entry((text.as_ptr(), text.len())).or_insert_with(|| text.into()).clone()
    }

    /// Returns the shared copy of an optional static text.
    pub(super) fn of_any(&self, text: Option<&'static str>) -> Option<Text> {
        text.map(|text| self.of(text))
    }

    /// Returns a place in the source.
    pub(super) fn place(&self, location: &'static Location<'static>) -> Place {
        let mut place = Place::default();
        place.file = self.of(location.file());
        place.line = location.line();
        place.column = location.column();
        place
    }

    /// Returns the place of a site.
    pub(super) fn place_of_site(&self, site: &'static Site) -> Place {
        let mut place = Place::default();
        place.file = self.of(site.file());
        (place.line, place.column) = site.line_column();
        place
    }
}
