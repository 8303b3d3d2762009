//! The rule `stopped`: calls that wait for far longer than any call that has ended.
//!
//! ```text
//! ended calls     |█| |██| |█| |██| |█|
//! calls now                  |██████████████████████████▶   three or more, for a second
//!                               |███████████████████████▶   at one await, which others have passed
//! ```
//! All calls that have ended were fast, so no latency shows an outage. Each function between the
//! request and the await must have ended often before, and soon: a kind of call that has just begun
//! may be slow. Silent at awaits of the next event, of a moment or of a client that reads, at locks
//! whose holder waits for the next job, and in calls of a loop that has no other await for its next
//! event. Only at what never ends, such as `pending()`, no call needs to have gone on before.

use std::cell::RefCell;
use std::rc::Rc;

use super::endless::{end_for_none, is_far, is_missed, never_ends, next_step};
use super::events::{is_event_or_read_like, is_for_event, is_named_for_event, is_timer, is_write, serves};
use super::facts::Facts;
use super::finding::{Finding, MAX_IDS, Severity};
use super::held::{is_acquisition, lock_words};
use super::pool::ResourcePool;
use super::rule::Rule;
use super::stops::Stops;
use super::workers::CpuShare;
use crate::lists::Lists;
use crate::model::{
    NodeIndex, Resource, ResourceId, Role, RunState, SiteIndex, SiteKind, Span, SpanIndex, Wait, WaitMode,
};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// How long a wait must last, if CPUs are free: longer than a slow query.
const MIN_WAIT_NS: u64 = 1_000_000_000;
/// How many times as long as the longest call that has ended.
const MIN_TIMES: u64 = 20;
/// How many calls must wait.
const MIN_WAITING: usize = 3;
/// How many calls must have ended, also as a multiple of those in flight.
const MIN_ENDED: u64 = 20;
const MIN_ENDED_TIMES: u64 = 3;

/// A function with calls in flight.
#[derive(Debug, Default)]
struct CallsInFlight {
    in_flight: u64,
    /// The number of calls that returned, and the longest of them in ns.
    ended: u64,
    longest_ns: u64,
}

impl CallsInFlight {
    fn new(facts: &Facts<'_>, site: SiteIndex) -> Self {
        let ended = facts.sum(site, |node| node.completed);
        Self { in_flight: 0, ended, longest_ns: facts.totals(site).longest_ns }
    }

    /// For how many ns a call must wait to be far from those that ended; `None` if few did.
    fn bound_ns(&self) -> Option<u64> {
        let least = self.in_flight.saturating_mul(MIN_ENDED_TIMES).max(MIN_ENDED);
        let is_known = self.longest_ns > 0 && self.ended >= least;
        is_known.then(|| self.longest_ns.saturating_mul(MIN_TIMES))
    }
}

/// The calls of one function that wait at one await.
#[derive(Debug, Default)]
struct Calls {
    /// The positions of their spans.
    spans: OrderedSet<usize>,
    /// The spans of a kind that has ended before: many calls have passed each await on the way.
    known: OrderedSet<usize>,
    /// The positions of the spans that wait.
    waiting: Vec<usize>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let stopped = Stopped::new(facts);
    let mut by_await: OrderedMap<SiteIndex, (usize, SiteIndex, Calls)> = OrderedMap::new();
    for ((awaited, function), calls) in stopped.calls() {
        let in_flight = calls.spans.iter().filter(|&&span| stopped.is_old(span)).count();
        let all = stopped.old.get(&function).copied().unwrap_or(0);
        let are_known = if stopped.is_passed(awaited) {
            calls.known.len() >= MIN_WAITING
        } else {
            // Younger calls are not among them.
            let bound_ns = stopped.functions.get(&function).and_then(CallsInFlight::bound_ns);
            let ages = calls.spans.iter().map(|&span| stopped.silent_ns[span]);
            end_for_none(ages, bound_ns.unwrap_or(0).max(stopped.least_ns))
        };
        if !are_known || in_flight * 10 < all * 8 {
            continue;
        }
        // Prefers the caller with the most calls, and the outermost of functions below each other.
        let best = by_await.get(&awaited).map(|(depth, _, best)| (best.spans.len(), *depth));
        let depth = calls.spans.iter().map(|&span| stopped.depth(span)).min().unwrap_or(0);
        if best.is_none_or(|(most, least)| {
            calls.spans.len() > most || calls.spans.len() == most && depth < least
        }) {
            by_await.insert(awaited, (depth, function, calls));
        }
    }
    let finding = |(awaited, (_, function, calls)): (_, (_, _, Calls))| stopped.of(awaited, function, &calls);
    by_await.into_iter().map(finding).collect()
}

/// The calls in flight.
#[derive(Debug)]
struct Stopped<'f, 'a> {
    facts: &'f Facts<'a>,
    /// By position of a span: for how many ns nothing below it was polled.
    silent_ns: Vec<u64>,
    /// By position of a span: those that it polled last.
    children: Lists,
    /// By position of a call: the positions of its waits.
    waits: Lists,
    functions: OrderedMap<SiteIndex, CallsInFlight>,
    /// By function: the calls that have waited for long enough.
    old: OrderedMap<SiteIndex, usize>,
    least_ns: u64,
    /// The answers of [`Self::is_event`], [`Self::is_turn`], [`Self::waits_for_events`] and
    /// [`Self::events_of`] so far.
    events: RefCell<Answers<SiteIndex>>,
    turns: RefCell<Answers<ResourceId>>,
    loops: RefCell<Answers<usize>>,
    events_of: RefCell<OrderedMap<SiteIndex, Rc<[SiteIndex]>>>,
}

/// Answers to a question about a site, a lock or a call, each found once: many calls ask it.
#[derive(Debug, Default)]
struct Answers<K>(OrderedMap<K, bool>);

impl<K: Ord> Answers<K> {
    fn find(&mut self, key: K, find: impl FnOnce() -> bool) -> bool {
        *self.0.entry(key).or_insert_with(find)
    }
}

impl<'f, 'a> Stopped<'f, 'a> {
    fn new(facts: &'f Facts<'a>) -> Self {
        let spans = &facts.snapshot.spans;
        // Parents have smaller positions.
        let children = spans.iter().enumerate().filter_map(|(index, span)| {
            span.parent.map(SpanIndex::get).filter(|&parent| parent < index).map(|parent| (parent, index))
        });
        let waits = facts.snapshot.waits.iter().enumerate();
        let waits = waits.filter_map(|(index, wait)| Some((facts.span_position(wait.span?)?, index)));
        let mut it = Self {
            facts,
            silent_ns: vec![u64::MAX; spans.len()],
            children: Lists::new(spans.len(), children),
            waits: Lists::new(spans.len(), waits),
            functions: OrderedMap::new(),
            old: OrderedMap::new(),
            least_ns: CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS),
            events: RefCell::default(),
            turns: RefCell::default(),
            loops: RefCell::default(),
            events_of: RefCell::default(),
        };
        for (index, span) in spans.iter().enumerate().rev() {
            let own_ns = if span.state == RunState::Waiting { span.since_ns } else { 0 };
            it.silent_ns[index] = it.silent_ns[index].min(own_ns);
            if let Some(parent) = span.parent.map(SpanIndex::get).filter(|&parent| parent < index) {
                it.silent_ns[parent] = it.silent_ns[parent].min(it.silent_ns[index]);
            }
            if it.is_function(span) {
                let new = || CallsInFlight::new(facts, span.site);
                it.functions.entry(span.site).or_insert_with(new).in_flight += 1;
            }
        }
        for (index, span) in spans.iter().enumerate() {
            if it.is_function(span) && it.is_old(index) {
                *it.old.entry(span.site).or_default() += 1;
            }
        }
        it
    }

    fn is_function(&self, span: &Span) -> bool {
        self.facts.snapshot.site(span.site).is_some_and(|site| site.kind == SiteKind::Fn)
    }

    fn span(&self, index: usize) -> &'a Span {
        &self.facts.snapshot.spans[index]
    }

    fn waits(&self, index: usize) -> impl Iterator<Item = &'a Wait> + Clone + use<'a, '_> {
        // An await has the id of its call.
        let call = self.facts.span_position(self.span(index).id).unwrap_or(index);
        self.waits.of(call).iter().map(|&wait| &self.facts.snapshot.waits[wait])
    }

    /// The span and those that called it, innermost first.
    fn path(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |&index| {
            self.span(index).parent.map(SpanIndex::get).filter(|&parent| parent < index)
        })
    }

    fn depth(&self, index: usize) -> usize {
        self.path(index).count()
    }

    /// Returns whether a call has waited for far longer than those of its function that ended.
    fn is_old(&self, index: usize) -> bool {
        let function = self.functions.get(&self.span(index).site);
        let bound_ns = function.and_then(CallsInFlight::bound_ns);
        bound_ns.is_some_and(|ns| self.silent_ns[index] >= ns.max(self.least_ns))
    }

    /// By await and function: the calls that wait there.
    fn calls(&self) -> OrderedMap<(SiteIndex, SiteIndex), Calls> {
        let mut by_place: OrderedMap<(SiteIndex, SiteIndex), Calls> = OrderedMap::new();
        for waiting in 0..self.silent_ns.len() {
            if !self.children.of(waiting).is_empty() || !self.is_stopped(waiting) {
                continue;
            }
            let awaited = self.span(waiting).site;
            let (mut callers, mut is_known) = (Vec::new(), true);
            for index in self.path(waiting) {
                let span = self.span(index);
                // A call of a rare kind may be slow, wherever it waits.
                if index != waiting && self.is_function(span) && !self.is_old(index) {
                    break;
                }
                if self.is_function(span) && self.is_old(index) && self.is_request(index) {
                    callers.push(index);
                }
                if span.at.is_some_and(|at| !self.is_passed(at)) {
                    // Its caller is new: what it asks for may take longer than what others do.
                    is_known = !self.is_function(span);
                    break;
                }
            }
            for index in callers {
                let calls = by_place.entry((awaited, self.span(index).site)).or_default();
                calls.spans.insert(index);
                calls.waiting.push(waiting);
                if is_known {
                    calls.known.insert(index);
                }
            }
        }
        by_place
    }

    /// Returns whether many calls have gone on from an await.
    fn is_passed(&self, site: SiteIndex) -> bool {
        self.facts.totals(site).passed >= MIN_ENDED
    }

    /// Returns whether the span is in a handler, at an await that no call has gone on from, of a
    /// future that is never ready or of a timer that is not due soon: in no arm of a `select!`.
    fn is_endless(&self, index: usize) -> bool {
        let (facts, span) = (self.facts, self.span(index));
        let Some(site) = facts.snapshot.site(span.site) else { return false };
        let above = span.parent.map(SpanIndex::get).filter(|&parent| parent < index);
        facts.totals(span.site).passed == 0
            && above.is_some_and(|above| self.is_function(self.span(above)))
            && self.path(index).last().is_some_and(|root| facts.is_handler(self.span(root).site))
            && never_ends(site, self.waits(index).any(is_far))
    }

    /// Returns whether the span waits for what should have come, and does not go on.
    fn is_stopped(&self, index: usize) -> bool {
        let (facts, span) = (self.facts, self.span(index));
        let task = span.task.and_then(|id| facts.task(id));
        let is_waiting = task.is_some_and(|it| it.state == RunState::Waiting)
            && span.state == RunState::Waiting
            && span.since_ns >= self.least_ns;
        let Some(site) = facts.snapshot.site(span.site).filter(|_| is_waiting) else { return false };
        let is_endless = self.is_endless(index);
        let is_stuck = span.task.is_some_and(|id| facts.stuck_tasks.contains(&id));
        if is_stuck || is_endless || !self.is_passed(span.site) {
            return is_endless && !is_stuck;
        }
        let waits = self.waits(index);
        let has_opaque = task.is_none_or(|task| task.opaque_wakers != Some(0));
        let is_moment = waits.clone().next().is_some()
            && waits.clone().all(|wait| wait.mode == WaitMode::Timer)
            && !has_opaque;
        let goes_on = |wait: &Wait| {
            let joined = wait.tasks.iter().filter_map(|&id| facts.task(id));
            let mut running =
                joined.filter(|it| it.state != RunState::Waiting || it.since_ns < self.least_ns);
            wait.is_granted || wait.woken_ns.is_some() || running.next().is_some()
        };
        if is_moment || is_timer(&site.name) || waits.clone().any(goes_on) {
            return false;
        }
        let is_client = || is_write(&site.name) && waits.clone().all(|wait| wait.resource.is_none());
        let is_event_at = |site: SiteIndex| self.events.borrow_mut().find(site, || self.is_event(site));
        // A joined task may be the reader of a connection.
        let joined = waits.clone().flat_map(|wait| &wait.tasks).filter_map(|&id| facts.task(id));
        let mut joined = joined.filter_map(|task| Stops::of(facts.snapshot, task).only());
        let mut is_event = || is_event_at(span.site) || joined.any(is_event_at);
        let mut locks = waits.clone().filter(|wait| is_acquisition(wait)).filter_map(|wait| wait.resource);
        if locks.clone().any(|id| self.turns.borrow_mut().find(id, || self.is_turn(id))) {
            return false;
        }
        let is_missed = || waits.clone().any(|wait| is_missed(facts.snapshot, wait));
        locks.next().is_some() || is_missed() || !is_client() && !is_event()
    }

    /// Returns whether a lock only says whose turn it is: a holder waits for the next job, as one
    /// of workers that share a receiver. An item that requests take from a pool is not a job.
    fn is_turn(&self, lock: ResourceId) -> bool {
        let facts = self.facts;
        let Some(lock) = facts.snapshot.resource(lock) else { return false };
        let holdings = lock.holdings.iter().filter(|holding| holding.role == Role::Holds);
        let holders = holdings.filter_map(|holding| facts.task(holding.task?));
        let mut jobs = holders.filter_map(|task| Stops::of(facts.snapshot, task).next_job());
        jobs.any(|site| {
            let node = facts.totals(site).most_idle;
            node.is_none_or(|over| ResourcePool::received_from(facts, over, &lock.usage.waiters).is_none())
        })
    }

    /// Returns whether an await is for the next event.
    fn is_event(&self, site: SiteIndex) -> bool {
        let node = self.facts.totals(site).most_idle;
        node.is_none_or(|node| self.is_event_at(node) || serves(self.facts, node))
    }

    fn is_event_at(&self, node: usize) -> bool {
        is_for_event(self.facts, node) || is_event_or_read_like(self.facts, node)
    }

    /// The awaits in which a function waits for the next event.
    fn events_of(&self, function: SiteIndex) -> Rc<[SiteIndex]> {
        if let Some(known) = self.events_of.borrow().get(&function) {
            return Rc::clone(known);
        }
        let facts = self.facts;
        let children = facts.nodes_of_site(function).iter().flat_map(|&node| &facts.tree.children[node]);
        let events = children.filter(|&&child| self.is_event_at(child)).map(|&child| facts.node(child).site);
        let events: OrderedSet<SiteIndex> = events.collect();
        let events: Rc<[SiteIndex]> = events.into_iter().collect();
        self.events_of.borrow_mut().insert(function, Rc::clone(&events));
        events
    }

    /// Returns whether a caller waits for its next event elsewhere, not in what it polls now, as a
    /// worker beside a signal does. An event that each of its `tasks` awaits once does not count.
    fn waits_for_events(&self, caller: usize, tasks: u64) -> bool {
        let is_polled = |site: SiteIndex| {
            let mut children = self.children.of(caller).iter().map(|&child| self.span(child));
            children.any(|it| !it.is_set_aside && (it.site == site || it.at == Some(site)))
        };
        let events = self.events_of(self.span(caller).site);
        events.iter().any(|&site| self.facts.totals(site).passed > tasks && !is_polled(site))
    }

    /// Returns whether a call is one for an event: its task ends, or waits elsewhere for the next
    /// one. A handler such as `next_job` is itself a wait for one.
    fn is_request(&self, index: usize) -> bool {
        let facts = self.facts;
        let Some(root) = self.path(index).last() else { return false };
        let root_site = self.span(root).site;
        let tasks = facts.totals(root_site).calls;
        let waits_for_events =
            |caller: usize| self.loops.borrow_mut().find(caller, || self.waits_for_events(caller, tasks));
        !is_named_for_event(facts, root_site)
            && (root == index || facts.has_ends(root_site) || self.path(index).skip(1).any(waits_for_events))
    }

    fn of(&self, awaited: SiteIndex, function: SiteIndex, calls: &Calls) -> Finding {
        let facts = self.facts;
        let oldest_ns = calls.spans.iter().map(|&span| self.silent_ns[span]).max().unwrap_or(0);
        let (ended, longest_ns) =
            self.functions.get(&function).map_or((0, 0), |it| (it.ended, it.longest_ns));
        let waits = || calls.waiting.iter().flat_map(|&span| self.waits(span));
        let resources: OrderedSet<ResourceId> = waits().filter_map(|wait| wait.resource).collect();
        let only = resources.iter().next().filter(|_| resources.len() == 1);
        let lock: Option<&Resource> = only.and_then(|&id| facts.snapshot.resource(id));
        let what = lock.map_or_else(String::new, |lock| format!(" for {}", lock_words(lock)));
        let sentence = format!(
            "{} calls of {} wait{what} at {}, for {} at the longest; {} others have ended, each within {}",
            count(calls.spans.len() as u64),
            facts.name_and_line(function),
            facts.name_and_line(awaited),
            time(oldest_ns),
            count(ended),
            time(longest_ns),
        );
        let is_missed = waits().any(|wait| is_missed(facts.snapshot, wait));
        let next = next_step(facts, awaited, calls.waiting.first().copied(), is_missed);
        let mut finding = Finding::new(Rule::Stopped, Severity::Slow, &sentence, &next);
        finding.place = facts.place(awaited);
        finding.explains_ns =
            calls.spans.iter().map(|&span| self.silent_ns[span]).fold(0, u64::saturating_add);
        finding.evidence.sites = vec![awaited, function];
        finding.evidence.nodes = facts.totals(awaited).most_idle.map(NodeIndex::new).into_iter().collect();
        let tasks = calls.spans.iter().filter_map(|&span| self.span(span).task);
        finding.evidence.set_tasks(tasks.collect::<OrderedSet<_>>());
        finding.evidence.resources = resources.into_iter().take(MAX_IDS).collect();
        finding
    }
}
