//! Shares the texts and places of a snapshot: a million tasks come from few places.

use std::cell::RefCell;
use std::panic::Location;

use diagnose_reports::model::{Place, Text};

use super::numbers::Table;
use crate::label::Label;
use crate::site::Site;

/// The texts and places made so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// By address and length.
    texts: RefCell<Table<(*const u8, usize), Text>>,
    labels: RefCell<Table<Label, Option<Text>>>,
}

impl Texts {
    /// Returns the shared copy of a static text.
    pub(super) fn of(&self, text: &'static str) -> Text {
        let mut texts = self.texts.borrow_mut();
        texts.entry((text.as_ptr(), text.len())).or_insert_with(|| text.into()).clone()
    }

    /// Returns the shared text of a label.
    pub(super) fn of_label(&self, label: Label) -> Option<Text> {
        let mut labels = self.labels.borrow_mut();
        labels.entry(label).or_insert_with(|| label.text().as_deref().map(Text::from)).clone()
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
