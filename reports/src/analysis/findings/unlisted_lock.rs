//! The rule `contended` for a lock that is not on record: it comes from its library itself.
//! Likewise for permits, and `full_channel` for slots of a channel.
//!
//! ```text
//! report   |█ cache.lock().await ······· 13 % of its time ·······|█ query(id).await ·······|█
//! next_job |█ jobs.lock().await.recv().await ···|                   workers that take turns
//! ```
//! Only the text of an await says that it waits for a lock, and nothing says who holds it. So the
//! waits have to take more of the calls' time than those for a lock on record, the calls must end,
//! and no function on the way may wait for the next event: then tasks take turns. Permits and slots
//! are there to make tasks wait. So they count only in handlers that wait most of their time, one
//! after the other; slots also in connections, if their receiver is known.

use super::channels::{MIN_MEAN_NS as MIN_BOUND_NS, MIN_WAITING, is_of_handlers, receiver_over};
use super::connections::is_between_read_and_write;
use super::delayed::delayed;
use super::events::{is_channel_read, is_channel_send, is_for_event, is_lock, is_next_job, is_next_moment};
use super::facts::{Facts, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::texts::last_awaited;
use super::unlisted_channel::receiver;
use super::workers::CpuShare;
use crate::analysis::uses::resource_uses;
use crate::model::{NodeIndex, RunState, SiteIndex, UsagePlace, Wait, WaitMode};
use crate::units::time;

/// The least number of calls: fewer may be a start-up.
const MIN_CALLS: u64 = 50;
/// The least mean wait, if CPUs are free; and if that is unknown, as it is of runtimes whose tasks
/// are not on record.
const MIN_MEAN_NS: u64 = 1_000_000;
const UNSURE_MEAN_NS: u64 = 3_000_000;
/// The least share of the calls' time, in thousandths.
const MIN_SHARE: u64 = 100;
/// The least share for permits and slots, which are there to make tasks wait.
const MIN_BOUND_SHARE: u64 = 500;
/// How many times as long as the mean wait for a thread the mean wait must be: a task that was
/// granted the lock waits for a thread as well.
const MIN_QUEUES: u64 = 4;
/// Methods of pools that wait for a connection, as in bb8, deadpool and `mysql_async`.
const POOL_METHODS: [&str; 8] =
    ["checkout", "conn", "connection", "get", "get_conn", "get_connection", "get_owned", "lease"];
/// Names of pools that do not say so. A `get` without an argument can only be for a connection.
const DATABASES: [&str; 7] = ["database", "db", "mysql", "pg", "postgres", "redis", "sqlite"];

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let sites = (0..facts.snapshot.sites.len()).map(SiteIndex::new);
    sites.filter_map(|site| of_await(facts, site, Awaited::new(&facts.snapshot.site(site)?.name)?)).collect()
}

/// The thing that is awaited, by the text of the await.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Lock,
    Permit,
    /// A connection of a pool.
    Connection,
    /// A free slot of a channel, if its name or its receiver says that it is one: clients send too.
    Slot,
}

impl Awaited {
    fn new(text: &str) -> Option<Self> {
        if is_channel_read(text) {
            None
        } else if is_lock(text) {
            Some(Self::Lock)
        } else if is_connection(text) {
            Some(Self::Connection)
        } else if is_permit(text) {
            Some(Self::Permit)
        } else {
            is_channel_send(last_awaited(text)).then_some(Self::Slot)
        }
    }
}

/// Returns whether it acquires a permit of a semaphore. With an argument, it may be a limit on the
/// rate of calls.
fn is_permit(text: &str) -> bool {
    let text = last_awaited(text).trim_end_matches(['?', ' ']);
    text.ends_with(".acquire().await") || text.ends_with(".acquire_owned().await")
}

/// Returns whether it acquires a connection of a pool, by the name of the pool and the method.
fn is_connection(text: &str) -> bool {
    let text = last_awaited(text).trim_end_matches(['?', ' ']);
    let call = text.strip_suffix("().await").and_then(|call| call.rsplit_once('.'));
    call.is_some_and(|(pool, method)| {
        let is_one_of = |names: &[&str]| {
            let is_it = |word: &str| names.iter().any(|name| word.eq_ignore_ascii_case(name));
            last_name(pool).split('_').any(is_it)
        };
        let gets = method == "get" || method == "get_owned";
        is_one_of(&["pool"]) && POOL_METHODS.contains(&method) || gets && is_one_of(&DATABASES)
    })
}

/// The name of the pool or semaphore that an await acquires a connection or a permit of.
pub(super) fn pool(text: &str) -> Option<&str> {
    let call = last_awaited(text).trim_end_matches(['?', ' ']).strip_suffix("().await");
    let (pool, _) = call.filter(|_| is_connection(text) || is_permit(text))?.rsplit_once('.')?;
    Some(last_name(pool.trim_end_matches(".clone()")))
}

/// The last name of an expression: `pool` of `self.pool` and of `app.pool()`.
pub(super) fn last_name(text: &str) -> &str {
    let text = text.trim_end_matches("()");
    text.rsplit(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or_default()
}

/// Returns whether it waits for a free slot of a channel. A client may `send` as well, so only the
/// usual name of a sender counts, and not that of a socket's half.
pub(super) fn is_slot(text: &str) -> bool {
    let text = last_awaited(text).trim_end_matches(['?', ' ']);
    let sender = text.split_once(".send(").map_or("", |(sender, _)| sender);
    let name = last_name(sender);
    let is_sender = name == "tx" || name.ends_with("_tx");
    let sockets = ["body", "client", "peer", "sink", "socket", "stream", "ws"];
    let is_socket = name.split('_').any(|word| sockets.contains(&word));
    text.ends_with(".reserve().await")
        || text.ends_with(".reserve_owned().await")
        || is_sender && !is_socket && !text.contains(".send()")
}

fn of_await(facts: &Facts<'_>, site: SiteIndex, awaited: Awaited) -> Option<Finding> {
    let nodes = facts.nodes_of_site(site);
    let place = facts.place(site)?;
    let (calls, idle_ns) = (facts.totals(site).calls, facts.sum(site, |node| node.idle_ns));
    let (mean_ns, cpu) = (idle_ns.checked_div(calls)?, CpuShare::new(facts.snapshot));
    let is_long = calls >= MIN_CALLS
        && mean_ns >= if cpu.is_known { cpu.stretched(MIN_MEAN_NS) } else { UNSURE_MEAN_NS }
        && idle_ns >= facts.snapshot.elapsed_ns / 100
        && mean_ns >= mean_queue_ns(facts, nodes).saturating_mul(MIN_QUEUES);
    let is_bound = || mean_ns >= cpu.stretched(MIN_BOUND_NS) && wait_in_turn(facts, site);
    if !is_long || awaited != Awaited::Lock && !is_bound() {
        return None;
    }
    let own = facts.snapshot.site(site)?;
    let receive = receiver(facts, site).filter(|_| awaited == Awaited::Slot);
    let is_of_connections =
        receive.is_some() && nodes.iter().all(|&node| is_between_read_and_write(facts, node));
    let is_asked_for = is_of_connections || nodes.iter().all(|&node| is_of_handlers(facts, node));
    let is_known = awaited != Awaited::Slot || receive.is_some() || is_slot(&own.name);
    if awaited != Awaited::Lock && !(is_asked_for && is_known) {
        return None;
    }
    let is_here = |row: &UsagePlace| {
        let at = row.node.filter(|node| node.get() < facts.tree.nodes.len());
        (&row.place.file, row.place.line) == (&place.file, place.line)
            || at.is_some_and(|at| facts.node(at.get()).site == site)
    };
    let lines = place.line..=own.end_line.max(place.line);
    let is_for_slot = |wait: &Wait| {
        let at = wait.place.as_ref().filter(|_| wait.mode == WaitMode::Send);
        at.is_some_and(|at| at.file == place.file && lines.contains(&at.line))
    };
    let is_recorded = resource_uses(facts.snapshot)
        .any(|it| it.usage.waiters.iter().chain(&it.usage.holders).any(is_here))
        || facts.kinds_waited_for(own).next().is_some()
        || awaited == Awaited::Slot && facts.snapshot.waits.iter().any(is_for_slot);
    // The awaits of a recorded function below it are judged on their own.
    if is_recorded || nodes.iter().any(|&node| !facts.tree.children[node].is_empty()) {
        return None;
    }
    let mut row = UsagePlace::default();
    (row.place, row.node) = (place.clone(), nodes.first().map(|&node| NodeIndex::new(node)));
    (row.count, row.total_ns) = (calls, idle_ns);
    let (function, share) = delayed(facts, &[row], None)?;
    let ends = is_of_connections || facts.has_ends(function) || facts.totals(function).is_served(MIN_CALLS);
    let least = if awaited == Awaited::Lock { MIN_SHARE } else { MIN_BOUND_SHARE };
    if share < least || !ends || nodes.iter().any(|&node| takes_turns(facts, node)) {
        return None;
    }
    let (what, rule) = match awaited {
        Awaited::Lock => ("a lock that is", Rule::Contended),
        Awaited::Permit => ("permits that are", Rule::Contended),
        Awaited::Connection => ("a connection of a pool that is", Rule::Contended),
        Awaited::Slot => ("a slot of a channel that is", Rule::FullChannel),
    };
    let by = receive.map_or_else(String::new, |receive| received_at(facts, receive));
    let sentence = format!(
        "{} makes {} wait: {} of its time, {} on average, for {what} not on record{by}",
        facts.name_and_line(site),
        facts.name(function),
        percent(share),
        time(mean_ns),
    );
    let held = over(facts, nodes).map_or_else(String::new, |over| {
        format!("; it may be held over {}, which comes after it", facts.name_and_line(over))
    });
    let next = match awaited {
        Awaited::Slot => {
            "make its receiver faster, or refuse requests earlier; import the channel from `diagnose::tokio` to see the receiver"
                .to_owned()
        }
        Awaited::Connection => format!(
            "keep connections for a shorter time, or add some; record the pool as a `diagnose::Resource` to see who has them{held}"
        ),
        _ => format!(
            "import it from `diagnose::tokio` or `diagnose::async_lock` to see who holds it, and where{held}"
        ),
    };
    let mut finding = Finding::new(rule, Severity::Slow, &sentence, &next);
    finding.place = Some(place);
    finding.explains_ns = idle_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![site, function];
    finding.evidence.nodes = nodes.iter().map(|&node| NodeIndex::new(node)).collect();
    Some(finding)
}

/// Where as many messages are received, and what takes the receiver's time.
fn received_at(facts: &Facts<'_>, receive: usize) -> String {
    let over = receiver_over(facts, receive).map_or_else(String::new, |over| {
        format!(", by a loop that spends most of its time in {}", facts.name_and_line(over))
    });
    format!("; as many messages are received at {}{over}", facts.name_and_line(facts.node(receive).site))
}

/// Returns whether several calls wait there now, and have come one after the other: those of a
/// burst all came at once.
fn wait_in_turn(facts: &Facts<'_>, site: SiteIndex) -> bool {
    let spans = facts.snapshot.spans.iter();
    let waiting = || spans.clone().filter(|it| it.site == site && it.state == RunState::Waiting);
    let since_ns = || waiting().map(|it| it.since_ns);
    waiting().count() >= MIN_WAITING && since_ns().min() < since_ns().max().map(|ns| ns / 2)
}

/// The mean time in the queue, in ns, of the tasks that wait there.
fn mean_queue_ns(facts: &Facts<'_>, nodes: &[usize]) -> u64 {
    let means = nodes.iter().map(|&node| {
        let root = facts.node(facts.root(node));
        root.queued_ns.checked_div(root.polls).unwrap_or(0)
    });
    means.max().unwrap_or(0)
}

/// Returns whether its function also waits for the next event, after it, or a function around it
/// for the next job: it has the lock meanwhile, as workers do that share a receiver.
fn takes_turns(facts: &Facts<'_>, node: usize) -> bool {
    let at = |node: usize| facts.site(node).map(|site| (site.place.line, site.place.column));
    facts.functions(node).enumerate().any(|(depth, function)| {
        let awaits = facts.tree.children[function].iter().copied();
        let mut others = awaits.filter(|&child| child != node && facts.node(child).idle_ns > 0);
        others.any(|child| {
            let is_next = || facts.site(child).is_some_and(|site| is_next_job(&site.name));
            let is_paced = || facts.site(child).is_some_and(|site| is_next_moment(&site.name));
            let is_event = || is_for_event(facts, child) || is_paced();
            let is_after = || depth == 0 && at(child) > at(node) && is_event();
            facts.is_await(child) && (is_next() || is_after())
        })
    })
}

/// The await after it in the same function with the most waiting, if that is a tenth of the waiting
/// for the lock or more.
fn over(facts: &Facts<'_>, nodes: &[usize]) -> Option<SiteIndex> {
    let most =
        nodes.iter().copied().max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    let at = &facts.site(most)?.place;
    let later = facts.tree.children[facts.function(most)?].iter().copied().filter(|&child| {
        let is_after = |child: usize| {
            let place = facts.site(child).map(|site| &site.place);
            place.is_some_and(|place| {
                place.file == at.file && (place.line, place.column) > (at.line, at.column)
            })
        };
        child != most && facts.is_await(child) && is_after(child)
    });
    let longest = later.max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    (facts.node(longest).idle_ns >= facts.node(most).idle_ns / 10).then(|| facts.node(longest).site)
}
