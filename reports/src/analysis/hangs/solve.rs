//! All verdicts of a snapshot, in the order in which they are shown.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::analysis::hangs::facts::{Facts, Set, Table, step};
use crate::analysis::hangs::stuck::{Stuck, is_any_wanted, is_demanded};
use crate::analysis::hangs::system::{Gate, Node, System, Trust};
use crate::analysis::hangs::verdict::{
    Confidence, Judged, Link, LinkNode, LinkRole, Verdict, VerdictKind, judge, knotted,
};
use crate::analysis::hangs::warnings::{SUSPECT_NS, fold, remarks};
use crate::analysis::hangs::words::{Chain, ending, push_forgot, push_knot, push_told};
use crate::model::Snapshot;

/// What is only likely is not said of a wait that is younger.
const LIKELY_NS: u64 = 250_000_000;

impl Snapshot {
    /// What hangs, and what may: the root causes first, each with the chain of who waits for whom and the tasks behind it.
    /// Computed anew on each call, in time proportional to what is alive: a hundred thousand tasks that
    /// wait take 60 to 700 ms. Empty for a program that merely waits.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let facts = Facts::new(self);
        let mut found = Found::default();
        if !self.tasks.is_empty() || !facts.blocked.is_empty() {
            for trust in [Trust::Exact, Trust::Likely, Trust::Suspect] {
                if !found.solve(&facts, trust) {
                    break;
                }
            }
            found.verdicts.extend(remarks(&facts, &found.stuck, &found.said));
            fold(&mut found.verdicts);
        }
        found.sorted()
    }
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    verdicts: Vec<Verdict>,
    /// What the groups behind verdicts consist of, with the verdict: the same is not said twice.
    said: Table<Node, usize>,
    /// The tasks that verdicts are about, by number.
    told: Set<u64>,
    /// The indices of all tasks that are stuck.
    stuck: BTreeSet<usize>,
}

impl Found {
    /// Solves the system, and says what is new. Returns whether more trust would make a difference.
    fn solve(&mut self, facts: &Facts<'_>, trust: Trust) -> bool {
        let system = System::new(facts, trust);
        let stuck = Stuck::new(&system);
        let nodes = stuck.all().iter().map(|&gate| system.nodes[gate]);
        self.stuck.extend(nodes.filter_map(|node| node.task()));
        let groups = 0..stuck.len();
        let roots: Vec<usize> = groups.filter(|&group| stuck.waits_for(group).next().is_none()).collect();
        let behind = stuck.behind(&system, &roots);
        let mut said = Table::default();
        for (&root, tasks) in roots.iter().zip(&behind) {
            self.say(&system, &stuck, root, tasks, None, &mut said);
        }
        // Circles that wait for a root cause too: whoever resolves that has them next.
        let mut root_of: Vec<usize> = Vec::new();
        for group in 0..stuck.len() {
            let root = stuck.waits_for(group).next().map_or(group, |first| root_of[first]);
            root_of.push(root);
            let has =
                |wanted: fn(Node) -> bool| stuck.group(group).iter().any(|&gate| wanted(system.nodes[gate]));
            let is_of_tasks = has(|node| matches!(node, Node::Task(_)))
                && !has(|node| matches!(node, Node::Anybody(_) | Node::Workers(_) | Node::Pool(_)));
            if root != group && is_of_tasks && stuck.is_circle(group) {
                if let Some(&root) = said.get(&root) {
                    self.say(&system, &stuck, group, &[], Some(root), &mut said);
                }
            }
        }
        system.is_cautious
    }

    /// Says what a group is, unless it was said, or is not worth it.
    fn say(
        &mut self,
        system: &System<'_>,
        stuck: &Stuck,
        group: usize,
        behind: &[usize],
        root: Option<usize>,
        said: &mut Table<usize, usize>,
    ) {
        let facts = system.facts;
        let nodes = || stuck.group(group).iter().inspect(|_| step()).map(|&gate| system.nodes[gate]);
        let cause =
            if self.said.is_empty() { None } else { nodes().find_map(|node| self.said.get(&node).copied()) };
        if let Some(cause) = cause {
            self.say_behind(system, stuck, group, behind, cause);
            return;
        }
        let before = self.verdicts.len();
        let judged = judge(system, stuck, group);
        let shares = if judged.len() > 1 { shares(system, stuck, group, &judged) } else { Vec::new() };
        let is_group_demanded = OnceCell::new();
        for (number, judged) in judged.iter().enumerate() {
            let is_young = age_ns(facts, &judged.way) < youngest_ns(system.trust);
            let is_wanted = is_demanded(facts, &judged.way)
                || *is_group_demanded.get_or_init(|| is_any_wanted(facts, nodes(), behind));
            if is_young || !is_wanted {
                continue;
            }
            said.entry(group).or_insert(self.verdicts.len());
            let mut verdict = build(system, stuck, group, judged);
            let own: BTreeSet<u64> = tasks_of(&verdict).collect();
            let victims = shares.get(number).map_or(behind, Vec::as_slice).iter();
            let victims = victims.inspect(|_| step()).map(|&task| facts.snapshot.tasks[task].id);
            verdict.victims = victims.filter(|id| !own.contains(id)).collect();
            verdict.victims.sort_unstable();
            (verdict.root_cause, verdict.behind) = (root.is_none(), root);
            self.push(verdict);
        }
        if self.verdicts.len() > before {
            self.said.extend(nodes().map(|node| (node, before)));
        }
    }

    /// Says which tasks are likely behind a group that was said with surer facts, which are not enough for these.
    fn say_behind(
        &mut self,
        system: &System<'_>,
        stuck: &Stuck,
        group: usize,
        behind: &[usize],
        cause: usize,
    ) {
        let facts = system.facts;
        let told = &self.told;
        let is_new = |task: &usize| !told.contains(&facts.snapshot.tasks[*task].id);
        if !behind.iter().any(is_new) {
            return;
        }
        let is_start = |gate: Gate| system.nodes[gate].task().is_some_and(|task| is_new(&task));
        let way = match stuck.way_to(group, is_start) {
            // It is in the group, which is larger now.
            Some(way) if way.len() == 1 => stuck.circle(way[0], |gate| stuck.solved.inputs.of(gate).to_vec()),
            way => way,
        };
        let Some(way) = way else { return };
        let way: Vec<Node> = way.into_iter().map(|gate| system.nodes[gate]).collect();
        if age_ns(facts, &way) < youngest_ns(system.trust) {
            return;
        }
        let chain = Chain::new(facts, &way);
        let mut verdict = Verdict {
            kind: self.verdicts[cause].kind,
            detail: None,
            confidence: confidence(system.trust),
            root_cause: false,
            chain: chain.links,
            sentence: chain.words + ": what would let it go on is stuck",
            victims: Vec::new(),
            behind: Some(cause),
        };
        let own: BTreeSet<u64> = tasks_of(&verdict).collect();
        let new = behind.iter().filter(|&task| is_new(task)).map(|&task| facts.snapshot.tasks[task].id);
        verdict.victims = new.filter(|id| !own.contains(id)).collect();
        verdict.victims.sort_unstable();
        self.push(verdict);
    }

    fn push(&mut self, verdict: Verdict) {
        self.told.extend(tasks_of(&verdict));
        self.verdicts.push(verdict);
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

/// The tasks of a verdict: those of its chain, but for who could only tell others, and those behind it.
fn tasks_of(verdict: &Verdict) -> impl Iterator<Item = u64> + '_ {
    let is_in_it = |link: &&Link| link.node == LinkNode::Task && link.role != LinkRole::Owns;
    let own = verdict.chain.iter().filter(is_in_it).map(|link| link.id);
    own.chain(verdict.victims.iter().copied())
}

/// Of a group with a verdict for each resource: the tasks that wait there, and behind those, each under the first of them.
fn shares(system: &System<'_>, stuck: &Stuck, group: usize, judged: &[Judged]) -> Vec<Vec<usize>> {
    let waits = &system.facts.snapshot.waits;
    let resource = |node: Node| match node {
        Node::Wait(wait) => waits[wait].resource,
        _ => None,
    };
    let firsts = judged.iter().map(|judged| judged.way.first().copied().and_then(resource));
    let numbers: Table<usize, usize> =
        firsts.enumerate().filter_map(|(number, resource)| Some((resource?, number))).collect();
    let mut seeds: Vec<Vec<Gate>> = vec![Vec::new(); judged.len()];
    for &gate in stuck.group(group) {
        if let Some(&number) = resource(system.nodes[gate]).and_then(|it| numbers.get(&it)) {
            seeds[number].push(gate);
        }
    }
    // Anybody may tell anybody: that way all of them are behind each.
    let is_close = |gate: Gate| !matches!(system.nodes[gate], Node::Anybody(_) | Node::Later(_));
    stuck.behind_gates(system, &seeds, is_close)
}

fn confidence(trust: Trust) -> Confidence {
    match trust {
        Trust::Exact => Confidence::Proven,
        Trust::Likely => Confidence::Likely,
        Trust::Suspect => Confidence::Suspect,
    }
}

/// A wait that is younger is not spoken of.
fn youngest_ns(trust: Trust) -> u64 {
    match trust {
        Trust::Exact => 0,
        Trust::Likely => LIKELY_NS,
        Trust::Suspect => SUSPECT_NS,
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
        confidence: confidence(system.trust),
        root_cause: true,
        chain: chain.links,
        sentence,
        victims: Vec::new(),
        behind: None,
    }
}
