//! All verdicts of a snapshot, in the order in which they are shown.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use super::chain::Chain;
use super::facts::Facts;
use super::kinds::{Judged, judge, knotted};
use super::stuck::Stuck;
use super::system::{Node, System, Trust};
use super::verdict::{Confidence, LinkRole, Verdict, VerdictDetail, VerdictKind};
use super::words::{at, link, resource};
use super::{demand, remarks};
use crate::export::units::time;
use crate::model::{Snapshot, Wait};

/// What is only likely is not said of a wait that is younger.
const LIKELY_NS: u64 = 250_000_000;

impl Snapshot {
    /// What hangs, and what may: the root causes first, each with the chain of who waits for whom and the tasks behind it.
    /// Computed anew on each call, in time proportional to what is alive. Empty for a program that merely waits.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let facts = Facts::new(self);
        let mut found = Found::default();
        if !self.tasks.is_empty() || !facts.blocked.is_empty() {
            found.solve(&facts, Trust::Exact);
            found.solve(&facts, Trust::Likely);
            found.verdicts.extend(remarks::remarks(&facts, &found.stuck));
        }
        found.sorted()
    }
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    verdicts: Vec<Verdict>,
    /// What the groups behind verdicts consist of: the same is not said twice.
    said: HashSet<Node>,
    /// The indices of all tasks that are stuck.
    stuck: BTreeSet<usize>,
}

impl Found {
    fn solve(&mut self, facts: &Facts<'_>, trust: Trust) {
        let system = System::new(facts, trust);
        let stuck = Stuck::new(&system);
        let nodes = stuck.groups.iter().flatten().map(|&gate| system.nodes[gate]);
        self.stuck.extend(nodes.filter_map(|node| node.task()));
        let groups = 0..stuck.groups.len();
        let roots: Vec<usize> = groups.filter(|&group| stuck.waits_for(group).next().is_none()).collect();
        let behind = stuck.behind(&system, &roots);
        let mut said = HashMap::new();
        for (&root, tasks) in roots.iter().zip(&behind) {
            self.say(&system, &stuck, root, tasks, None, &mut said);
        }
        // Circles that wait for a root cause too: whoever resolves that has them next.
        let mut root_of: Vec<usize> = Vec::new();
        for group in 0..stuck.groups.len() {
            let root = stuck.waits_for(group).next().map_or(group, |first| root_of[first]);
            root_of.push(root);
            let has =
                |wanted: fn(Node) -> bool| stuck.groups[group].iter().any(|&gate| wanted(system.nodes[gate]));
            let is_of_tasks = has(|node| matches!(node, Node::Task(_)))
                && !has(|node| matches!(node, Node::Anybody | Node::Workers(_) | Node::Pool(_)));
            if root != group && is_of_tasks && stuck.is_circle(group) {
                if let Some(&root) = said.get(&root) {
                    self.say(&system, &stuck, group, &[], Some(root), &mut said);
                }
            }
        }
    }

    /// Says what a group is, unless it was said, or is not worth it.
    fn say(
        &mut self,
        system: &System<'_>,
        stuck: &Stuck,
        group: usize,
        behind: &[usize],
        root: Option<usize>,
        said: &mut HashMap<usize, usize>,
    ) {
        let facts = system.facts;
        let nodes = || stuck.groups[group].iter().map(|&gate| system.nodes[gate]);
        if nodes().any(|node| self.said.contains(&node)) {
            return;
        }
        for judged in judge(system, stuck, group) {
            let is_young = age_ns(facts, &judged.way) < LIKELY_NS;
            let is_wanted = demand::is_demanded(facts, &judged.way, nodes(), behind);
            if (system.trust == Trust::Likely && is_young) || !is_wanted {
                continue;
            }
            said.entry(group).or_insert(self.verdicts.len());
            let mut verdict = build(system, stuck, group, &judged);
            let own: BTreeSet<u64> = verdict
                .chain
                .iter()
                .filter(|link| link.node == super::verdict::LinkNode::Task)
                .map(|link| link.id)
                .collect();
            let victims = behind.iter().map(|&task| facts.snapshot.tasks[task].id);
            verdict.victims = victims.filter(|id| !own.contains(id)).collect();
            verdict.victims.sort_unstable();
            (verdict.root_cause, verdict.behind) = (root.is_none(), root);
            self.verdicts.push(verdict);
            self.said.extend(nodes());
        }
    }

    /// Root causes first, then the surest. Keeps the order of what is equal.
    fn sorted(self) -> Vec<Verdict> {
        let mut order: Vec<usize> = (0..self.verdicts.len()).collect();
        order.sort_by_key(|&index| (!self.verdicts[index].root_cause, self.verdicts[index].confidence));
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let mut verdicts: Vec<Option<Verdict>> = self.verdicts.into_iter().map(Some).collect();
        let mut sorted: Vec<Verdict> = order.iter().filter_map(|&index| verdicts[index].take()).collect();
        for verdict in &mut sorted {
            verdict.behind = verdict.behind.and_then(|old| place.get(old)).copied();
        }
        sorted
    }
}

/// How long the youngest wait on the way has lasted: since then nothing has changed.
fn age_ns(facts: &Facts<'_>, way: &[Node]) -> u64 {
    let ages = way.iter().filter_map(|node| match *node {
        Node::Wait(wait) => Some(facts.snapshot.waits[wait].since_ns),
        Node::Woken(task) => Some(facts.snapshot.tasks[task].since_ns),
        _ => None,
    });
    let waits = way.iter().any(|node| matches!(node, Node::Wait(_)));
    let only_waits = ages.zip(way.iter().filter(|node| matches!(node, Node::Wait(_) | Node::Woken(_))));
    let relevant = only_waits.filter(|(_, node)| !waits || matches!(node, Node::Wait(_)));
    relevant.map(|(age_ns, _)| age_ns).min().unwrap_or(u64::MAX)
}

fn build(system: &System<'_>, stuck: &Stuck, group: usize, judged: &Judged) -> Verdict {
    let facts = system.facts;
    let mut chain = Chain::new(facts, &judged.way);
    if let Some(resource) = judged.knot {
        push_knot(&mut chain, facts, resource, &knotted(system, stuck, group, resource));
    }
    if let [Node::Wait(wait), Node::Anybody] = *judged.way.as_slice() {
        push_told(&mut chain, facts, &facts.snapshot.waits[wait]);
    }
    let mut sentence = chain.words;
    sentence.push_str(&ending(facts, judged));
    Verdict {
        kind: judged.kind,
        detail: judged.detail,
        confidence: if system.trust == Trust::Exact { Confidence::Proven } else { Confidence::Likely },
        root_cause: true,
        chain: chain.links,
        sentence,
        victims: Vec::new(),
        behind: None,
    }
}

/// So many holders of a knot are named.
const MAX_HOLDERS: usize = 16;

/// The other holders.
fn push_knot(chain: &mut Chain<'_>, facts: &Facts<'_>, index: usize, held: &[(usize, u64)]) {
    let it = &facts.snapshot.resources[index];
    let mut named: BTreeSet<u64> = BTreeSet::new();
    for &(number, id) in held {
        let stake = &it.stakes[number];
        let is_there = chain.links.iter().any(|link| link.role == LinkRole::Holds && link.id == id);
        if named.insert(id) && !is_there && named.len() <= MAX_HOLDERS {
            if let Some(task) = facts.task(id) {
                let place = stake.place.as_ref();
                chain.links.push(facts.task_link(task, place, LinkRole::Holds, stake.since_ns));
            }
        }
    }
    let tasks: Vec<String> = named.iter().take(MAX_HOLDERS).map(|id| facts.task_words(*id)).collect();
    let units: u64 = held.iter().map(|&(number, _)| it.stakes[number].units.max(1)).sum();
    let _ = write!(chain.words, "; {units} permits of {} are held by {}", resource(it), tasks.join(", "));
}

/// Who has told the waiting last.
fn push_told(chain: &mut Chain<'_>, facts: &Facts<'_>, wait: &Wait) {
    let Some(it) = wait.resource.and_then(|index| facts.snapshot.resources.get(index)) else { return };
    let Some(told) = &it.told else { return };
    if let Some(id) = told.task {
        let name =
            facts.task(id).map_or_else(String::new, |index| facts.task_name(&facts.snapshot.tasks[index]));
        let node = super::verdict::LinkNode::Task;
        chain.links.push(link(node, id, name, told.place.as_ref(), LinkRole::Owns, told.ago_ns));
    }
    let who = told.task.map(|id| format!(" by {}", facts.task_words(id))).unwrap_or_default();
    let what = match (told.waiting, told.all) {
        (0, _) => "when nobody waited".to_owned(),
        (waiting, true) => format!("and so were all {waiting} who waited then"),
        (1, false) => "and so was the one who waited then".to_owned(),
        (waiting, false) => format!("and so was one of the {waiting} who waited then"),
    };
    let _ = write!(
        chain.words,
        "; it was told last {} ago{who}{}, {what}",
        time(told.ago_ns),
        at(told.place.as_ref())
    );
}

/// What follows from it.
fn ending(facts: &Facts<'_>, judged: &Judged) -> String {
    let last = |wanted: fn(&Node) -> Option<usize>| judged.way.iter().rev().find_map(wanted);
    let level = last(|node| match node {
        Node::Level(resource) => Some(*resource),
        _ => None,
    });
    match (judged.kind, judged.detail) {
        (VerdictKind::Cycle, Some(VerdictDetail::Knot)) => ": all of them wait for more".to_owned(),
        (VerdictKind::Cycle, _) => ": none of them can go on".to_owned(),
        (VerdictKind::SelfWait, _) => ": it waits for itself".to_owned(),
        (VerdictKind::Futurelock, Some(VerdictDetail::Unpolled)) => {
            ": that future has never been polled, and its task waits here".to_owned()
        }
        (VerdictKind::Futurelock, _) => ": its task polls that future only when it goes on itself".to_owned(),
        (VerdictKind::Leak, _) => leak(facts, judged, level),
        (VerdictKind::LostWaker, _) => {
            ": it returned Pending, no clone of its waker is kept, and nobody can wake it".to_owned()
        }
        (VerdictKind::Starved, _) => match level.map(|index| &facts.snapshot.resources[index]) {
            Some(it) => format!(
                ": {} can never have so many, of {} in all",
                resource(it),
                it.capacity.map_or_else(|| "no known number".to_owned(), |units| units.to_string())
            ),
            None => quiet(facts, judged),
        },
        (VerdictKind::MissedNotify, _) => "; nothing else is alive that could tell it".to_owned(),
        (VerdictKind::BlockedWorker, _) => ": what would wake the blocked thread has to run on it".to_owned(),
        (VerdictKind::PoolExhausted, _) => {
            ": all threads for blocking work wait for blocking work that is queued behind them".to_owned()
        }
        _ => String::new(),
    }
}

fn leak(facts: &Facts<'_>, judged: &Judged, level: Option<usize>) -> String {
    match level.map(|index| &facts.snapshot.resources[index]) {
        Some(it) if it.forgotten > 0 => format!(
            ": {} of {} were taken out for ever by forget(), and nobody is left who would give one back",
            it.forgotten,
            resource(it)
        ),
        _ if matches!(judged.way.last(), Some(Node::Stake(..))) => {
            ": it was never given back, and its task is done".to_owned()
        }
        _ => ": it waits for what only it could send, or let go of".to_owned(),
    }
}

fn quiet(facts: &Facts<'_>, judged: &Judged) -> String {
    let it = judged.way.iter().find_map(|node| match node {
        Node::Wait(wait) => facts.snapshot.resources.get(facts.snapshot.waits[*wait].resource?),
        _ => None,
    });
    match it {
        Some(it) if it.kind == crate::model::ResourceKind::Barrier => format!(
            "; {} of {} have arrived, and nothing else is alive that could",
            it.filled,
            it.capacity.unwrap_or(0)
        ),
        _ => "; nothing else is alive that could tell it".to_owned(),
    }
}
