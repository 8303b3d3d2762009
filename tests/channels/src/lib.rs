//! What the tests of what waits look at: a snapshot, by place and by kind.

use std::panic::Location;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Holding, Place, Resource, Role, Wait, WaitMode};

/// What was on record at one moment.
#[derive(Debug)]
pub struct Seen(pub Snapshot);

/// What is on record now.
#[must_use]
pub fn look() -> Seen {
    Seen(diagnose::snapshot().clone())
}

/// The place of this call.
#[must_use]
#[track_caller]
pub fn here() -> (&'static str, u32) {
    let location = Location::caller();
    (location.file(), location.line())
}

fn is_at(place: Option<&Place>, at: (&str, u32)) -> bool {
    place.is_some_and(|place| place.file == at.0 && place.line == at.1)
}

impl Seen {
    /// The resource that was made in that line. `None` if nobody has a part in it.
    #[must_use]
    pub fn made(&self, at: (&str, u32)) -> Option<&Resource> {
        self.0.resources.iter().find(|resource| is_at(resource.created.as_ref(), at))
    }

    /// The resource that was made in that line.
    ///
    /// # Panics
    /// If it is not on record.
    #[must_use]
    pub fn resource(&self, at: (&str, u32)) -> &Resource {
        self.made(at).expect("the resource is on record")
    }

    /// Those who wait in that mode for what was made there.
    #[must_use]
    pub fn waits(&self, made: (&str, u32), mode: WaitMode) -> Vec<&Wait> {
        let made = self.made(made).map(|resource| resource.id);
        let waits = self.0.waits.iter().filter(|wait| wait.mode == mode && wait.resource.is_some());
        waits.filter(|wait| wait.resource == made).collect()
    }

    /// Those who wait in that mode at that place.
    #[must_use]
    pub fn waiting(&self, mode: WaitMode, at: (&str, u32)) -> Vec<&Wait> {
        self.0.waits.iter().filter(|wait| wait.mode == mode && is_at(wait.place.as_ref(), at)).collect()
    }

    /// The holdings of that role in what was made there.
    #[must_use]
    pub fn holdings(&self, made: (&str, u32), role: Role) -> Vec<&Holding> {
        self.made(made)
            .map_or(&[][..], |it| &it.holdings)
            .iter()
            .filter(|holding| holding.role == role)
            .collect()
    }
}
