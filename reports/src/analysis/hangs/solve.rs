//! All verdicts of a snapshot, in the order in which they are shown.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::chain::Chain;
use super::endings::{ending, push_forgot, push_knot, push_told};
use super::facts::Facts;
use super::kinds::{Judged, judge, knotted};
use super::stuck::Stuck;
use super::system::{Node, System, Trust};
use super::verdict::{Confidence, LinkNode, Verdict, VerdictKind};
use super::{demand, remarks};
use crate::model::Snapshot;

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
            found.verdicts.extend(remarks::remarks(&facts, &found.stuck, &found.said));
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
                && !has(|node| matches!(node, Node::Anybody(_) | Node::Workers(_) | Node::Pool(_)));
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
            let own: BTreeSet<u64> =
                verdict.chain.iter().filter(|link| link.node == LinkNode::Task).map(|link| link.id).collect();
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

/// How long the youngest wait on the way has lasted, or the task if it waits for nothing known: since then nothing has changed.
fn age_ns(facts: &Facts<'_>, way: &[Node]) -> u64 {
    let waits = way.iter().filter_map(|node| match *node {
        Node::Wait(wait) => Some(facts.snapshot.waits[wait].since_ns),
        _ => None,
    });
    let tasks = way.iter().filter_map(Node::task).map(|task| facts.snapshot.tasks[task].since_ns);
    waits.min().or_else(|| tasks.min()).unwrap_or(0)
}

fn build(system: &System<'_>, stuck: &Stuck, group: usize, judged: &Judged) -> Verdict {
    let facts = system.facts;
    let mut chain = Chain::new(facts, &judged.way);
    if let Some(resource) = judged.knot {
        push_knot(&mut chain, facts, resource, &knotted(system, stuck, group, resource));
    }
    if let [Node::Wait(wait), Node::Anybody(_)] = *judged.way.as_slice() {
        push_told(&mut chain, facts, &facts.snapshot.waits[wait]);
    }
    if judged.kind == VerdictKind::Leak {
        push_forgot(&mut chain, facts, judged);
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
