//! Shares the texts and places of a snapshot: a million tasks come from few places.

use std::cell::RefCell;
use std::panic::Location;

use diagnose_reports::model::{Place, Text};

use super::numbers::Table;
use crate::label::Label;
use crate::site::Site;
use crate::waits::is_in_std;

/// The texts and places made so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Static texts, by address and length.
    statics: RefCell<Table<(*const u8, usize), Text>>,
    labels: RefCell<Table<Label, Option<Text>>>,
    /// By address: each place, and whether it is in the standard library.
    places: RefCell<Table<*const Location<'static>, (Place, bool)>>,
}

impl Texts {
    /// Returns the shared copy of a static text.
    pub(super) fn of(&self, text: &'static str) -> Text {
        let mut statics = self.statics.borrow_mut();
        statics.entry((text.as_ptr(), text.len())).or_insert_with(|| text.into()).clone()
    }

    /// Returns the shared text of a label.
    pub(super) fn of_label(&self, label: Label) -> Option<Text> {
        let mut labels = self.labels.borrow_mut();
        labels.entry(label).or_insert_with(|| label.text().as_deref().map(Text::from)).clone()
    }

    /// Returns a place in the source.
    pub(super) fn place(&self, location: &'static Location<'static>) -> Place {
        self.find(location).0
    }

    /// Returns a place in the source, unless it is in the standard library.
    pub(super) fn place_outside_std(&self, location: &'static Location<'static>) -> Option<Place> {
        let (place, is_in_std) = self.find(location);
        (!is_in_std).then_some(place)
    }

    fn find(&self, location: &'static Location<'static>) -> (Place, bool) {
        let build = || {
            let mut place = Place::default();
            place.file = self.of(location.file());
            place.line = location.line();
            place.column = location.column();
            (place, is_in_std(location))
        };
        self.places.borrow_mut().entry(location).or_insert_with(build).clone()
    }

    /// Returns the place of a site.
    pub(super) fn place_of_site(&self, site: &'static Site) -> Place {
        let mut place = Place::default();
        place.file = self.of(site.file());
        (place.line, place.column) = site.line_column();
        place
    }
}
