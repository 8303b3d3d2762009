//! The state of the running body's await, besides its node.

/// The state of the await that the running body is at. One word, because each poll saves and
/// restores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AwaitState(u64);

impl AwaitState {
    pub(super) const NONE: Self = Self(0);
    /// The body awaits a span.
    pub(super) const SPAN: Self = Self(1);
    /// The await had waited by itself before this poll.
    const WAITED: u64 = 1 << 1;
    const NEW: u64 = 1 << 2;
    /// The running body is not recorded, so the running node belongs to another call.
    pub(super) const HIDDEN: Self = Self(1 << 3);
    const DEPTH: u32 = 8;
    const BASE: u32 = 32;

    /// An await that began in this poll, when the body had `base` pending children.
    pub(super) fn new(base: i32) -> Self {
        Self(u64::from(u32::from_ne_bytes(base.to_ne_bytes())) << Self::BASE | Self::NEW)
    }

    /// Sets whether the body awaits a span.
    pub(super) fn with_span(self, is_span: bool) -> Self {
        Self(self.0 & !Self::SPAN.0 | u64::from(is_span))
    }

    /// Sets the nesting depth, inside the macro's blocks, of the awaits that the body itself polls.
    pub(super) fn with_depth(self, depth: u8) -> Self {
        Self(self.0 | u64::from(depth) << Self::DEPTH)
    }

    /// The nesting depth; zero if the await is not a macro.
    pub(super) fn depth(self) -> u8 {
        u8::try_from(self.0 >> Self::DEPTH & 0xff).unwrap_or(0)
    }

    pub(super) fn is_span(self) -> bool {
        self.0 & Self::SPAN.0 != 0
    }

    pub(super) fn with_waited(self) -> Self {
        Self(self.0 | Self::WAITED)
    }

    pub(super) fn waited(self) -> bool {
        self.0 & Self::WAITED != 0
    }

    /// Returns whether the running body is not recorded, so its awaits do not belong to the running
    /// node.
    pub(super) fn is_hidden(self) -> bool {
        self.0 & Self::HIDDEN.0 != 0
    }

    /// Returns whether the await began in this poll.
    pub(super) fn is_new(self) -> bool {
        self.0 & Self::NEW != 0
    }

    /// Returns whether the await began in an earlier poll, and the body does not await a span.
    pub(super) fn is_old(self) -> bool {
        self.0 & (Self::NEW | Self::SPAN.0) == 0
    }

    /// Moves one of the children that were pending when the await began into the await.
    pub(super) fn without_one_before(self) -> Self {
        let base = Self::new(self.base().wrapping_sub(1));
        Self(self.0 & (1_u64 << Self::BASE).wrapping_sub(1) | base.0)
    }

    /// The body's pending children when the await began, if it began in this poll.
    pub(super) fn base(self) -> i32 {
        i32::from_ne_bytes(u32::try_from(self.0 >> Self::BASE).unwrap_or(0).to_ne_bytes())
    }
}
