//! Sites: the annotated places of a program, one static each.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::switch;

/// An annotated function, block or future: what the macros put into a `static`.
///
/// A site's identity is its address. It says what it is and where it stands, and whether it records at the moment.
#[derive(Debug)]
pub struct Site {
    pub(crate) name: &'static str,
    pub(crate) module: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) kind: Kind,
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
}

/// Not yet known to `switch`.
const NEW: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// What was annotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
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

impl Site {
    /// A site at a place in the source; `line` and `column` count from 1.
    #[must_use]
    pub const fn new(
        kind: Kind,
        name: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        column: u32,
    ) -> Self {
        let switch = AtomicU8::new(NEW);
        let (end, owner, is_direct, is_joined, is_hand_written) = ((0, 0), None, false, false, false);
        Self {
            name,
            module,
            file,
            line,
            column,
            kind,
            end,
            owner,
            is_direct,
            is_joined,
            is_hand_written,
            switch,
        }
    }

    /// A site of the recorder itself, always on.
    pub(crate) const fn own(name: &'static str) -> Self {
        let mut site = Self::new(Kind::Other, name, "", "", 0, 0);
        site.switch = AtomicU8::new(ON);
        site
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

    pub(crate) fn turn(&self, on: bool) {
        self.switch.store(if on { ON } else { OFF }, Relaxed);
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.switch.load(Relaxed) != NEW
    }
}
