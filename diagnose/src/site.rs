//! Sites: the annotated places of a program, one static each.

use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::switch;

/// An annotated function, block or future, which the macros put into a `static`.
///
/// A site is identified by its address. It holds a name, a place and its on/off switch.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Site {
    pub(crate) name: &'static str,
    module: &'static str,
    /// `None` for the recorder's own sites.
    place: Option<&'static Location<'static>>,
    /// For a span of `tracing`, its file and line.
    traced_at: Option<&'static (&'static str, u32)>,
    pub(crate) kind: SiteKind,
    /// For an await, line and column where its text ends; zero if the compiler does not provide
    /// them.
    pub(crate) end: (u32, u32),
    /// For an await, the site of the body that contains it.
    pub(crate) owner: Option<&'static Site>,
    /// For an await, whether the body itself polls it, rather than the code of a macro in the body.
    pub(crate) is_direct: bool,
    /// For an await, whether it is an arm of a `join!`.
    pub(crate) is_joined: bool,
    /// For an await or an arm, what the body does with its value, if the value is a guard that the
    /// await acquires.
    pub(crate) guard_use: GuardUse,
    /// For an await or an arm, what the body does with its value, if the value contains a guard, as
    /// a struct may.
    pub(crate) inside_use: GuardUse,
    /// For a named future, whether its `poll` is hand-written.
    pub(crate) is_hand_written: bool,
    /// Whether its calls may block: a closure on a thread for blocking code, or `block_in_place`.
    pub(crate) is_blocking: bool,
    /// [`NEW`], [`ON`] or [`OFF`]; written under the lock of `switch`. Awaits are recorded with
    /// their body, so their own switch is not used. Relaxed: a poll that sees the old value counts
    /// as one from just before the switch.
    switch: AtomicU8,
    /// A score that grows with each future that waited for its first poll, and shrinks with each
    /// that did not.
    late: AtomicU8,
    /// For an await or an arm, the highest [`FutureKind`] that it has ever polled. It is set before
    /// the first such poll. Relaxed: a snapshot that is taken at that moment may miss it, and the
    /// next one does not.
    polls: AtomicU8,
}

/// The weight of one late first poll, where one that is not late has weight 1.
const LATE: u8 = 32;

/// Not registered with `switch` yet.
const NEW: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// The kind of an annotated place.
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
    /// A hand-written future or stream, recorded by its polls.
    Impl,
    /// A synchronous function.
    Sync,
    /// A span of `tracing`.
    Traced,
    /// The recorder's own nodes, such as `[other]`.
    Other,
}

/// Whose code the `poll` of an awaited future is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum FutureKind {
    /// Of this crate: a wrapped lock, a span.
    Own,
    /// Of a library, or of any type behind a box. As a rule, it polls only futures that it owns.
    Library,
    /// Of the program: it may poll futures that other code owns, as in a static or behind an `Arc`.
    Program,
}

/// What a body does with a guard that it acquires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardUse {
    /// Nothing is known.
    Unknown,
    /// Returns it.
    Returns,
    /// Uses it in place, or drops it.
    Stays,
    /// Calls methods on it that may take it by value, which only their types show, or lends it by
    /// `&mut`.
    Calls,
    /// Moves it. It may then be stored anywhere that the lock outlives.
    Moves,
}

impl GuardUse {
    /// Decodes a letter in the attribute's expansion.
    const fn of(letter: u8) -> Self {
        match letter {
            b'r' => Self::Returns,
            b's' => Self::Stays,
            b'c' => Self::Calls,
            b'm' => Self::Moves,
            _ => Self::Unknown,
        }
    }
}

/// The static that the attribute adds to a body: the site of the body, and those of its awaits.
///
/// Most of the attribute's compile time goes into parsing, checking and evaluating each await. To
/// save time, there is one static, the compiler fills in the places, and the awaits are a tuple: an
/// array would add a length to evaluate.
#[derive(Debug)]
pub struct Body<T> {
    /// The annotated function or block.
    pub site: Site,
    /// Its awaits: a tuple of sites.
    pub awaits: T,
}

impl Site {
    /// A site at the place of this call.
    #[must_use]
    #[track_caller]
    pub const fn new(kind: SiteKind, name: &'static str, module: &'static str) -> Self {
        Self::build(kind, name, module, Some(Location::caller()))
    }

    /// An `.await` in the body of `owner`, from the place of this call to `end_line` and
    /// `end_column`, which are zero if unknown.
    #[must_use]
    #[track_caller]
    pub const fn at(owner: &'static Self, text: &'static str, end_line: u32, end_column: u32) -> Self {
        let mut site = Self::build(SiteKind::Await, text, "", Some(Location::caller()));
        site.owner = Some(owner);
        site.end = (end_line, end_column);
        site.is_direct = true;
        site
    }

    /// Adds what the body does with the value of the await, as letters of `GuardUse`: `itself` if
    /// the value is a guard, `inside` if it contains one.
    #[must_use]
    pub const fn used(mut self, itself: u8, inside: u8) -> Self {
        (self.guard_use, self.inside_use) = (GuardUse::of(itself), GuardUse::of(inside));
        self
    }

    /// A site created at run time.
    pub(crate) const fn placed(
        kind: SiteKind,
        name: &'static str,
        place: &'static Location<'static>,
    ) -> Self {
        Self::build(kind, name, "", Some(place))
    }

    /// A site of a span of `tracing`, created at run time.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn traced(
        name: &'static str,
        module: &'static str,
        at: Option<&'static (&'static str, u32)>,
    ) -> Self {
        Self { traced_at: at, ..Self::build(SiteKind::Traced, name, module, None) }
    }

    /// A site of the recorder itself, always on.
    pub(crate) const fn own(name: &'static str) -> Self {
        Self::always_on(SiteKind::Other, name)
    }

    /// A site that cannot be switched off.
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
        let (end, owner, is_direct, is_joined) = ((0, 0), None, false, false);
        let (guard_use, inside_use) = (GuardUse::Unknown, GuardUse::Unknown);
        let (is_hand_written, is_blocking) = (false, false);
        let (late, polls) = (AtomicU8::new(0), AtomicU8::new(FutureKind::Own as u8));
        let traced_at = None;
        Self {
            name,
            module,
            place,
            traced_at,
            kind,
            end,
            owner,
            is_direct,
            is_joined,
            guard_use,
            inside_use,
            is_hand_written,
            is_blocking,
            switch,
            late,
            polls,
        }
    }

    /// Returns whether the attribute has seen its awaits: an async function, or an async block
    /// without a name. A block with a name may be a future that was only named.
    pub(crate) fn is_body(&self) -> bool {
        let is_seen = self.kind == SiteKind::Fn || self.kind == SiteKind::Block && self.name.starts_with('{');
        is_seen && !self.module.is_empty()
    }

    /// The module path; for an await, the module path of its body. Empty if unknown.
    pub(crate) fn module(&self) -> &'static str {
        self.owner.map_or(self.module, |owner| owner.module)
    }

    /// Returns whether a place is in the text of this await.
    pub(crate) fn contains(&self, place: &Location<'_>) -> bool {
        let at = (place.line(), place.column());
        place.file() == self.file() && self.line_column() <= at && at < self.end
    }

    /// The path of the file as given to the compiler; empty for the recorder's own sites.
    pub(crate) fn file(&self) -> &'static str {
        self.traced_at.map_or_else(|| self.place.map_or("", Location::file), |at| at.0)
    }

    /// Line and column, both from 1; zero for the recorder's own sites.
    pub(crate) fn line_column(&self) -> (u32, u32) {
        let traced = self.traced_at.map(|at| (at.1, 1));
        traced.unwrap_or_else(|| self.place.map_or((0, 0), |place| (place.line(), place.column())))
    }

    /// Returns whether spans of this site are recorded: one relaxed load, except for the first
    /// call.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_on(&'static self) -> bool {
        match self.switch.load(Relaxed) {
            ON => true,
            OFF => false,
            _ => switch::register(self),
        }
    }

    /// Returns whether this is a call of tokio's `block_in_place`. It is recorded whatever else is
    /// left out, because its poll may take long.
    pub(crate) fn is_in_place(&self) -> bool {
        self.is_blocking && self.name == "block_in_place"
    }

    /// Like [`is_on`](Self::is_on), for a site that was reached before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_still_on(&self) -> bool {
        self.switch.load(Relaxed) == ON
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Relaxed) >= 2 * LATE
    }

    /// Records a first poll. One late poll, as from a stopped thread, is not enough to make the
    /// site late.
    pub(crate) fn note_unpolled(&self, is_late: bool) {
        let late = self.late.load(Relaxed);
        let now = if is_late { late.saturating_add(LATE) } else { late.saturating_sub(1) };
        if now != late {
            self.late.store(now, Relaxed);
        }
    }

    /// Records that this await polls a future of this kind.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn note_kind(&self, kind: FutureKind) {
        if kind > FutureKind::Own && self.polls.load(Relaxed) < kind as u8 {
            self.polls.store(kind as u8, Relaxed);
        }
    }

    /// Returns whether this await has polled futures of this kind and of lower ones only.
    pub(crate) fn polls_at_most(&self, kind: FutureKind) -> bool {
        self.polls.load(Relaxed) <= kind as u8
    }

    pub(crate) fn turn(&self, on: bool) {
        self.switch.store(if on { ON } else { OFF }, Relaxed);
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.switch.load(Relaxed) != NEW
    }
}
