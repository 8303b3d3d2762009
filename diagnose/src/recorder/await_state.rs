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
    const BETWEEN: u32 = 16;
    const BASE: u32 = 32;

    /// An await that began in this poll, when the body had `base` pending children.
    pub(super) fn new(base: i32) -> Self {
        Self(Self::NEW).with_base(base)
    }

    fn with_base(self, base: i32) -> Self {
        let base = u64::from(u32::from_ne_bytes(base.to_ne_bytes())) << Self::BASE;
        Self(self.0 & (1_u64 << Self::BASE).wrapping_sub(1) | base)
    }

    fn with_between(self, between: i32) -> Self {
        let clamped = between.clamp(i16::MIN.into(), i16::MAX.into());
        let between = i16::try_from(clamped).unwrap_or(0);
        let between = u64::from(u16::from_ne_bytes(between.to_ne_bytes())) << Self::BETWEEN;
        Self(self.0 & !(0xffff << Self::BETWEEN) | between)
    }

    /// The state after this await, when the body has `pending` pending children. It keeps what
    /// another round of the await has to know.
    pub(super) fn ended(self, pending: i32) -> Self {
        Self::NONE.with_between(if self.is_new() { self.between() } else { 0 }).with_base(pending)
    }

    /// The state of the await of a span, or after it.
    pub(super) fn with_span_alone(self, is_span: bool) -> Self {
        Self::NONE.with_between(self.between()).with_base(self.stored_base()).with_span(is_span)
    }

    /// An await that begins now, after this state, when the body has `base` pending children.
    pub(super) fn next(self, base: i32) -> Self {
        Self::new(base).with_between(self.between().wrapping_add(base.wrapping_sub(self.stored_base())))
    }

    /// How the number of pending children has changed in this poll since the body's last await
    /// ended, without what changed in awaits.
    pub(super) fn between(self) -> i32 {
        let between = u16::try_from(self.0 >> Self::BETWEEN & 0xffff).unwrap_or(0);
        i16::from_ne_bytes(between.to_ne_bytes()).into()
    }

    fn stored_base(self) -> i32 {
        i32::from_ne_bytes(u32::try_from(self.0 >> Self::BASE).unwrap_or(0).to_ne_bytes())
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
        self.with_base(self.stored_base().wrapping_sub(1))
    }

    /// The body's pending children when the await began, if it began in this poll.
    pub(super) fn base(self) -> i32 {
        if self.is_new() { self.stored_base() } else { 0 }
    }
}
