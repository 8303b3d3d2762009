//! Copies of waits for snapshots, and what has changed since a copy.

use std::collections::HashMap;
use std::ops::Deref;
use std::panic::Location;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::fence;

use super::wait_cell::{
    BLOCKING, FORCED, INDIRECT, LISTED, MODES, OVER, PINNED, READY, RESTS, WaitCell, WaitMode,
};
use crate::live::Memory;
use crate::pool;
use crate::site::Site;
use crate::tree::Node;

/// A copy of the fields of a wait that change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct WaitProgress {
    pub(crate) task: u64,
    pub(crate) span: u64,
    pub(crate) polls: u64,
    /// Last reading of the clock before its last poll, as a tick.
    pub(crate) entered: u64,
    pub(crate) woken: u64,
    pub(crate) is_forced: bool,
    pub(crate) is_indirect: bool,
    /// Number of clones of its waker that the resource stores. While there is one, the wait holds a
    /// clone of the task's waker.
    pub(crate) wakers: u32,
    /// Whether the wait is no longer recorded. A blocked thread may go on within the same poll.
    pub(crate) is_ended: bool,
}

impl WaitProgress {
    /// Returns whether the wait is unchanged since `before`, except for polls without a wake. A
    /// future that got its resource would have ended, and left no waker there.
    pub(crate) fn waits_as(&self, before: &Self) -> bool {
        let same = Self { polls: before.polls, entered: before.entered, ..*self };
        same == *before && (self.polls == before.polls || self.woken == 0)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct WaitCopy {
    wait: &'static WaitCell,
    /// Read like the other fields.
    call: Rc<WaitCall>,
    pub(crate) id: u64,
    /// The joined tasks; `None` for most waits, which join none.
    #[expect(clippy::box_collection, reason = "one word in each of a million copies")]
    pub(crate) tasks: Option<Box<Vec<u64>>>,
    /// When a timer is due, or a blocked thread gives up, by
    /// [`instant_ns`](crate::clock::instant_ns); 0 if never, or unknown.
    pub(crate) due: u64,
    /// Number of the resource; 0 if it waits for none.
    pub(crate) resource: u64,
    pub(crate) place: u64,
    pub(crate) asked: u64,
    pub(crate) began: u64,
    pub(crate) memory: Memory,
    pub(crate) polled: WaitProgress,
}

/// The call that waits. Equal ones are stored once: a million waits come from few places.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct WaitCall {
    pub(crate) mode: WaitMode,
    pub(crate) units: u64,
    pub(crate) at: &'static Location<'static>,
    pub(crate) awaited: Option<&'static Site>,
    /// The node that ran when it was polled last.
    pub(crate) polled_in: Option<&'static Node>,
    pub(crate) thread: Option<u32>,
    pub(crate) is_blocking: bool,
    /// Whether it was given up, and only its waker is left.
    pub(crate) is_given_up: bool,
    /// Whether its future was ready before.
    pub(crate) is_ready: bool,
    /// Whether its future was ready, and the primitive does not use its waker any more.
    pub(crate) rests: bool,
    /// Whether its future does not move before it ends.
    pub(crate) is_pinned: bool,
}

/// The calls so far, by address, because each place and each site has one address.
#[derive(Debug, Default)]
struct Calls {
    all: HashMap<CallKey, Rc<WaitCall>>,
    /// The call before: neighbors are often alike.
    last: Option<(CallKey, Rc<WaitCall>)>,
}

type CallKey = (WaitMode, u64, *const Location<'static>, [Option<*const ()>; 2], Option<u32>, [bool; 5]);

impl WaitCall {
    fn share(self, calls: &mut Calls) -> Rc<Self> {
        let Self {
            mode,
            units,
            at,
            awaited,
            polled_in,
            thread,
            is_blocking,
            is_given_up,
            is_ready,
            rests,
            is_pinned,
        } = self;
        let flags = [is_blocking, is_given_up, is_ready, rests, is_pinned];
        let places =
            [awaited.map(|it| ptr::from_ref(it).cast()), polled_in.map(|it| ptr::from_ref(it).cast())];
        let key = (mode, units, ptr::from_ref(at), places, thread, flags);
        match &calls.last {
            Some((last, call)) if *last == key => call.clone(),
            _ => {
                let call = calls.all.entry(key).or_insert_with(|| Rc::new(self)).clone();
                calls.last = Some((key, call.clone()));
                call
            }
        }
    }
}

impl Deref for WaitCopy {
    type Target = WaitCall;

    fn deref(&self) -> &WaitCall {
        &self.call
    }
}

impl WaitCopy {
    pub(crate) fn read(&self) -> WaitProgress {
        let polled = self.wait.polled();
        // Pairs with the Release fence in `take`: the fields read above are of this wait if its
        // number is still there.
        fence(Acquire);
        let is_ended = polled.is_ended || self.wait.id.load(Relaxed) != self.id;
        WaitProgress { is_ended, ..polled }
    }
}

impl WaitCell {
    fn polled(&self) -> WaitProgress {
        let flags = self.flags.load(Relaxed);
        WaitProgress {
            task: self.task.load(Relaxed),
            span: self.span.load(Relaxed),
            polls: self.polls.load(Relaxed),
            entered: self.entered.load(Relaxed),
            woken: self.woken.load(Relaxed),
            is_forced: flags & FORCED != 0,
            is_indirect: flags & INDIRECT != 0,
            wakers: self.forward.clones(),
            is_ended: flags & (LISTED | OVER) == 0,
        }
    }

    /// Returns a copy if it waits, or if it was given up and its waker is still stored.
    fn copy(&'static self, calls: &mut Calls) -> Option<WaitCopy> {
        // Acquire pairs with the Release in `take`: these flags are not from an earlier wait.
        let id = self.id.load(Acquire);
        // Acquire pairs with the Release in `begin`: a reader that finds it listed sees the other
        // fields.
        let flags = self.flags.load(Acquire);
        let is_given_up = flags & OVER != 0 && self.forward.clones() != 0;
        if id == 0 || (flags & LISTED == 0 && !is_given_up) {
            return None;
        }
        let began = self.began.load(Relaxed);
        let call = WaitCall {
            mode: MODES[self.mode.load(Relaxed) as usize % MODES.len()],
            units: self.units.load(Relaxed),
            at: self.at.get()?,
            awaited: self.awaited.get(),
            polled_in: self.polled_in.get(),
            thread: self.thread.load(Relaxed).checked_sub(1).and_then(|thread| u32::try_from(thread).ok()),
            is_blocking: flags & BLOCKING != 0,
            is_given_up,
            is_ready: flags & READY != 0,
            rests: flags & RESTS != 0,
            is_pinned: flags & PINNED != 0,
        };
        let waiting = WaitCopy {
            wait: self,
            call: call.share(calls),
            id,
            tasks: if self.mode.load(Relaxed) == WaitMode::Join as u32
                || self.mode.load(Relaxed) == WaitMode::Shutdown as u32
            {
                Some(Box::new(self.tasks.lock().clone()))
            } else {
                None
            },
            due: self.due.load(Relaxed),
            resource: self.resource.load(Relaxed),
            place: self.place.load(Relaxed),
            asked: self.asked.load(Relaxed),
            // 0 while the first poll is not over.
            began: if began == 0 { self.entered.load(Relaxed) } else { began },
            memory: Memory(self.memory.load(Relaxed)),
            polled: self.polled(),
        };
        // Pairs with the Release fence in `take`: if a field above is from a later wait, the number
        // read below differs.
        fence(Acquire);
        (self.id.load(Relaxed) == id).then_some(waiting)
    }
}

pub(crate) fn all_waits() -> impl Iterator<Item = WaitCopy> {
    let mut calls = Calls::default();
    pool::all::<WaitCell>().filter_map(move |wait| wait.copy(&mut calls))
}
