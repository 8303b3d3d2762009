//! Sites: the annotated places of a program, one static each.

use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::switch;

/// An annotated function, block or future: what the macros put into a `static`.
///
/// A site's identity is its address. It says what it is and where it stands, and whether it records at the moment.
#[derive(Debug)]
pub struct Site {
    pub(crate) name: &'static str,
    module: &'static str,
    /// `None` if it is the recorder's own.
    place: Option<&'static Location<'static>>,
    pub(crate) kind: SiteKind,
    /// Of an await, where its text ends: line and column, zero if the compiler does not say.
    pub(crate) end: (u32, u32),
    /// Of an await, the site in whose body it stands.
    pub(crate) owner: Option<&'static Site>,
    /// Of an await, whether the body itself polls it, and not the code of a macro in it.
    pub(crate) is_direct: bool,
    /// Of an await, whether it is an arm of a `join!`.
    pub(crate) is_joined: bool,
    /// Of a future that was named, whether somebody wrote its `poll` by hand.
    pub(crate) is_hand_written: bool,
    /// What is recorded of a body is recorded of its awaits, whose own switch says nothing. [`NEW`], [`ON`] or [`OFF`]; written under the lock of `switch`. Relaxed: a poll that still sees the old value
    /// is one that was recorded, or not recorded, a moment before the switch.
    switch: AtomicU8,
    /// Grows with each of its futures that was seen to wait for its first poll, and shrinks with each that was not.
    late: AtomicU8,
}

/// What one late first poll weighs, against those that are not.
const LATE: u8 = 32;

/// Not yet known to `switch`.
const NEW: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// What was annotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// A future that is always a root.
    Task,
    /// An async function.
    Fn,
    /// An async block, or a future that was named by hand.
    Block,
    /// An `.await`, or an arm of a `join!` or `select!`.
    Await,
    /// A hand-written future or stream, by its polls.
    Impl,
    /// A synchronous function.
    Sync,
    /// The recorder's own nodes: `[other]` and the like.
    Other,
}

/// What the attribute puts before a body, in one static: the body's site, and those of its awaits. One static, and places
/// that the compiler fills in, because what the compiler has to read, check and evaluate for each await is most of what the
/// attribute costs at compile time. The length of an array would be one thing more to evaluate.
#[derive(Debug)]
pub struct Body<T> {
    /// The annotated function or block.
    pub site: Site,
    /// Its awaits: a tuple of sites.
    pub awaits: T,
}

impl Site {
    /// A site where this is called.
    #[must_use]
    #[track_caller]
    pub const fn new(kind: SiteKind, name: &'static str, module: &'static str) -> Self {
        Self::build(kind, name, module, Some(Location::caller()))
    }

    /// An `.await` in the body of `owner`: from where this is called to `end_line` and `end_column`, which are zero if the
    /// compiler does not say.
    #[must_use]
    #[track_caller]
    pub const fn at(owner: &'static Self, text: &'static str, end_line: u32, end_column: u32) -> Self {
        let mut site = Self::build(SiteKind::Await, text, "", Some(Location::caller()));
        site.owner = Some(owner);
        site.end = (end_line, end_column);
        site.is_direct = true;
        site
    }

    /// A site that is made while the program runs.
    pub(crate) const fn placed(
        kind: SiteKind,
        name: &'static str,
        place: &'static Location<'static>,
    ) -> Self {
        Self::build(kind, name, "", Some(place))
    }

    /// A site of the recorder itself, always on.
    pub(crate) const fn own(name: &'static str) -> Self {
        Self::always_on(SiteKind::Other, name)
    }

    /// A site that nothing switches.
    pub(crate) const fn always_on(kind: SiteKind, name: &'static str) -> Self {
        let mut site = Self::build(kind, name, "", None);
        site.switch = AtomicU8::new(ON);
        site
    }

    const fn build(
        kind: SiteKind,
        name: &'static str,
        module: &'static str,
        place: Option<&'static Location<'static>>,
    ) -> Self {
        let switch = AtomicU8::new(NEW);
        let (end, owner, is_direct, is_joined, is_hand_written) = ((0, 0), None, false, false, false);
        let late = AtomicU8::new(0);
        Self { name, module, place, kind, end, owner, is_direct, is_joined, is_hand_written, switch, late }
    }

    /// The path of the module, that of the body for an await; empty where nobody knows it.
    pub(crate) fn module(&self) -> &'static str {
        self.owner.map_or(self.module, |owner| owner.module)
    }

    /// The path of the file as it was given to the compiler; empty for the recorder's own.
    pub(crate) fn file(&self) -> &'static str {
        self.place.map_or("", Location::file)
    }

    /// Line and column, both from 1; zero for the recorder's own.
    pub(crate) fn line_column(&self) -> (u32, u32) {
        self.place.map_or((0, 0), |place| (place.line(), place.column()))
    }

    /// Whether spans of this site are recorded: one relaxed load, except for the very first time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_on(&'static self) -> bool {
        match self.switch.load(Relaxed) {
            ON => true,
            OFF => false,
            _ => switch::register(self),
        }
    }

    /// The same of a site that was reached before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_still_on(&self) -> bool {
        self.switch.load(Relaxed) == ON
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Relaxed) >= 2 * LATE
    }

    /// One of its futures was polled for the first time, late or not. A thread that is stopped once in between makes none late.
    pub(crate) fn note_unpolled(&self, is_late: bool) {
        let late = self.late.load(Relaxed);
        let now = if is_late { late.saturating_add(LATE) } else { late.saturating_sub(1) };
        if now != late {
            self.late.store(now, Relaxed);
        }
    }

    pub(crate) fn turn(&self, on: bool) {
        self.switch.store(if on { ON } else { OFF }, Relaxed);
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.switch.load(Relaxed) != NEW
    }
}
