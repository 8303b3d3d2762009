//! Helpers for tests of channels: looking up resources, waits and holdings in a snapshot.

use std::panic::Location;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Holding, Place, Resource, Role, Wait, WaitMode};

/// A snapshot with lookups by place.
#[derive(Debug)]
pub struct Seen(pub Snapshot);

/// Takes a snapshot now.
#[must_use]
pub fn look() -> Seen {
    Seen(diagnose::snapshot().clone())
}

/// Returns the file and line of this call.
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
    /// Returns the resource created at `at`, or `None` if it has no holding.
    #[must_use]
    pub fn made(&self, at: (&str, u32)) -> Option<&Resource> {
        self.0.resources.iter().find(|resource| is_at(resource.created.as_ref(), at))
    }

    /// Returns the resource created at `at`.
    ///
    /// # Panics
    /// If it is not recorded.
    #[must_use]
    pub fn resource(&self, at: (&str, u32)) -> &Resource {
        self.made(at).expect("the resource is on record")
    }

    /// Returns the waits in `mode` for the resource created at `made`.
    #[must_use]
    pub fn waits(&self, made: (&str, u32), mode: WaitMode) -> Vec<&Wait> {
        let made = self.made(made).map(|resource| resource.id);
        let waits = self.0.waits.iter().filter(|wait| wait.mode == mode && wait.resource.is_some());
        waits.filter(|wait| wait.resource == made).collect()
    }

    /// Returns the waits in `mode` at the place `at`.
    #[must_use]
    pub fn waiting(&self, mode: WaitMode, at: (&str, u32)) -> Vec<&Wait> {
        self.0.waits.iter().filter(|wait| wait.mode == mode && is_at(wait.place.as_ref(), at)).collect()
    }

    /// Returns the holdings with `role` in the resource created at `made`.
    #[must_use]
    pub fn holdings(&self, made: (&str, u32), role: Role) -> Vec<&Holding> {
        self.made(made)
            .map_or(&[][..], |it| &it.holdings)
            .iter()
            .filter(|holding| holding.role == role)
            .collect()
    }
}
