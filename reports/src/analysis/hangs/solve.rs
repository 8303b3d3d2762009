//! Computes all verdicts of a snapshot, in the order in which reports show them.

use std::cell::OnceCell;

use crate::analysis::hangs::facts::{Facts, IdMap, IdSet, step};
use crate::analysis::hangs::stuck::{StuckGraph, is_any_needed, is_needed, may_be_stuck};
use crate::analysis::hangs::system::{Evidence, Node, NodeId, System};
use crate::analysis::hangs::verdict::{
    Confidence, Hang, Link, LinkRole, Verdict, VerdictKind, classify, knot_holdings,
};
use crate::analysis::hangs::warnings::{SUSPECT_NS, attach_timers_to_causes, warnings};
use crate::analysis::hangs::words::{Chain, ending, push_knot, push_last_forget, push_last_notify};
use crate::model::{Snapshot, TaskId};
use crate::ordered::OrderedSet;
use crate::sort::{sort, sort_by_key};

/// The minimum age of a likely hang, in ns.
const LIKELY_NS: u64 = 250_000_000;

impl Snapshot {
    /// Returns the hangs, root causes first: proven, likely and suspect ones, each with its chain
    /// of waits and the tasks behind it. The list is empty for a program that merely waits.
    ///
    /// Each call computes the verdicts anew, in time proportional to the number of live tasks and
    /// resources. For a hundred thousand waiting tasks, this takes up to 1.2 s while other
    /// processes use the memory, and 50 to 850 ms on a quiet machine.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let facts = Facts::new(self);
        let mut solver = Solver::default();
        if !self.tasks.is_empty() || !facts.blocking_waits.is_empty() {
            let is_any_stuck = may_be_stuck(&facts);
            for evidence in [Evidence::Exact, Evidence::Likely, Evidence::Suspect] {
                if !is_any_stuck || !solver.solve(&facts, evidence) {
                    break;
                }
            }
            let warnings = warnings(&facts, &solver.stuck_tasks, &solver.verdict_of_node, &solver.verdicts);
            solver.verdicts.extend(warnings);
            attach_timers_to_causes(&mut solver.verdicts);
        }
        solver.sorted()
    }
}

/// The verdicts so far, and what they cover.
#[derive(Debug, Default)]
struct Solver {
    verdicts: Vec<Verdict>,
    /// By node of a reported component: the index of the verdict. It prevents a second report of
    /// the component.
    verdict_of_node: IdMap<Node, usize>,
    /// Ids of the tasks that verdicts mention.
    reported: IdSet<TaskId>,
    /// Indices of all stuck tasks.
    stuck_tasks: OrderedSet<usize>,
}

impl Solver {
    /// Solves the graph under this evidence, and reports new hangs. Returns whether weaker evidence
    /// could add more.
    fn solve(&mut self, facts: &Facts<'_>, evidence: Evidence) -> bool {
        let system = System::new(facts, evidence);
        let stuck = StuckGraph::new(&system);
        let nodes = stuck.nodes().iter().map(|&node| system.node(node));
        self.stuck_tasks.extend(nodes.filter_map(|node| node.task()));
        let components = 0..stuck.len();
        let roots: Vec<usize> =
            components.filter(|&component| stuck.dependencies_of(component).next().is_none()).collect();
        let tasks_behind = stuck.victims(&system, &roots);
        let mut verdict_of_component = IdMap::default();
        for (&root, tasks) in roots.iter().zip(&tasks_behind) {
            self.report(&system, &stuck, root, tasks, None, &mut verdict_of_component);
        }
        // Cycles behind a root cause are reported, too, because they remain once the root cause is
        // resolved.
        let mut root_of: Vec<usize> = Vec::new();
        for component in 0..stuck.len() {
            let root = stuck.dependencies_of(component).next().map_or(component, |first| root_of[first]);
            root_of.push(root);
            let has = |wanted: fn(Node) -> bool| {
                stuck.component(component).iter().any(|&node| wanted(system.node(node)))
            };
            let is_of_tasks = has(|node| matches!(node, Node::Task(_)))
                && !has(|node| {
                    matches!(node, Node::AnyNotifier(_) | Node::FreeWorker(_) | Node::FreePoolThread(_))
                });
            if root != component && is_of_tasks && stuck.is_cycle(component) {
                if let Some(&root) = verdict_of_component.get(&root) {
                    self.report(&system, &stuck, component, &[], Some(root), &mut verdict_of_component);
                }
            }
        }
        system.depends_on_evidence
    }

    /// Reports a component, unless it already has a verdict or no task needs it to make progress.
    fn report(
        &mut self,
        system: &System<'_>,
        stuck: &StuckGraph,
        component: usize,
        tasks_behind: &[usize],
        root: Option<usize>,
        verdict_of_component: &mut IdMap<usize, usize>,
    ) {
        let facts = system.facts;
        let nodes = || stuck.component(component).iter().inspect(|_| step()).map(|&node| system.node(node));
        let cause = if self.verdict_of_node.is_empty() {
            None
        } else {
            nodes().find_map(|node| self.verdict_of_node.get(&node).copied())
        };
        if let Some(cause) = cause {
            self.report_victims(system, stuck, component, tasks_behind, cause);
            return;
        }
        let before = self.verdicts.len();
        let hangs = classify(system, stuck, component);
        let victims_by_hang =
            if hangs.len() > 1 { victims_by_hang(system, stuck, component, &hangs) } else { Vec::new() };
        let is_component_needed = OnceCell::new();
        for (number, hang) in hangs.iter().enumerate() {
            let is_young = age_ns(facts, &hang.path) < min_age_ns(system.evidence);
            let must_progress = is_needed(facts, &hang.path)
                || *is_component_needed.get_or_init(|| is_any_needed(facts, nodes(), tasks_behind));
            if is_young || !must_progress {
                continue;
            }
            verdict_of_component.entry(component).or_insert(self.verdicts.len());
            let mut verdict = verdict_of_hang(system, stuck, component, hang);
            let victims = victims_by_hang.get(number).map_or(tasks_behind, Vec::as_slice);
            if !victims.is_empty() {
                let own: OrderedSet<TaskId> = tasks_of(&verdict).collect();
                let victims = victims.iter().inspect(|_| step()).map(|&task| facts.snapshot.tasks[task].id);
                verdict.victims = victims.filter(|id| !own.contains(id)).collect();
                sort(&mut verdict.victims);
            }
            (verdict.root_cause, verdict.behind) = (root.is_none(), root);
            self.push(verdict);
        }
        if self.verdicts.len() > before {
            self.verdict_of_node.extend(nodes().map(|node| (node, before)));
        }
    }

    /// Reports the tasks that are stuck behind the component only under weaker evidence.
    fn report_victims(
        &mut self,
        system: &System<'_>,
        stuck: &StuckGraph,
        component: usize,
        tasks_behind: &[usize],
        cause: usize,
    ) {
        let facts = system.facts;
        let reported = &self.reported;
        let is_new = |task: &usize| !reported.contains(&facts.snapshot.tasks[*task].id);
        if !tasks_behind.iter().any(is_new) {
            return;
        }
        let is_start = |node: NodeId| system.node(node).task().is_some_and(|task| is_new(&task));
        let path = match stuck.path_to(component, is_start) {
            // The task is in the component, which has grown.
            Some(path) if path.len() == 1 => {
                stuck.shortest_cycle(path[0], |node| stuck.fixed_point.dependencies.of(node).iter().copied())
            }
            path => path,
        };
        let Some(path) = path else { return };
        let path: Vec<Node> = path.into_iter().map(|node| system.node(node)).collect();
        if age_ns(facts, &path) < min_age_ns(system.evidence) {
            return;
        }
        let chain = Chain::new(facts, &path);
        let ending = match system.evidence {
            Evidence::Exact | Evidence::Likely => ": the code that could end this wait is stuck",
            Evidence::Suspect => ": known code that could end this wait is stuck",
        };
        let mut verdict = Verdict {
            kind: self.verdicts[cause].kind,
            detail: None,
            confidence: confidence(system.evidence),
            root_cause: false,
            chain: chain.links,
            sentence: chain.words + ending,
            victims: Vec::new(),
            behind: Some(cause),
        };
        let own: OrderedSet<TaskId> = tasks_of(&verdict).collect();
        let new = tasks_behind.iter().filter(|&task| is_new(task)).map(|&task| facts.snapshot.tasks[task].id);
        verdict.victims = new.filter(|id| !own.contains(id)).collect();
        sort(&mut verdict.victims);
        self.push(verdict);
    }

    fn push(&mut self, verdict: Verdict) {
        self.reported.extend(tasks_of(&verdict));
        self.verdicts.push(verdict);
    }

    /// Root causes first, then the most certain; equal verdicts keep their order.
    fn sorted(self) -> Vec<Verdict> {
        let mut order: Vec<usize> = (0..self.verdicts.len()).collect();
        sort_by_key(&mut order, |&index| (!self.verdicts[index].root_cause, self.verdicts[index].confidence));
        let mut new_index = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_index[old] = new;
        }
        let mut verdicts: Vec<Option<Verdict>> = self.verdicts.into_iter().map(Some).collect();
        let mut sorted: Vec<Verdict> = order.iter().filter_map(|&index| verdicts[index].take()).collect();
        for verdict in &mut sorted {
            verdict.behind = verdict.behind.and_then(|old| new_index.get(old)).copied();
        }
        sorted
    }
}

/// The victims and the tasks in the chain, except tasks that could only notify.
fn tasks_of(verdict: &Verdict) -> impl Iterator<Item = TaskId> + '_ {
    let is_in_it = |link: &&Link| link.role != LinkRole::Owns;
    let own = verdict.chain.iter().filter(is_in_it).filter_map(Link::task);
    own.chain(verdict.victims.iter().copied())
}

/// For a component with several hangs: by hang, the tasks on its cycle, the tasks that wait for its
/// resource, and the tasks behind them. Each task is listed once.
fn victims_by_hang(
    system: &System<'_>,
    stuck: &StuckGraph,
    component: usize,
    hangs: &[Hang],
) -> Vec<Vec<usize>> {
    let waits = &system.facts.snapshot.waits;
    let resource = |node: Node| match node {
        Node::Wait(wait) => waits[wait].resource,
        _ => None,
    };
    // Any task may notify any other, so through these nodes all tasks would be behind each hang.
    let is_of_any = |node: Node| matches!(node, Node::AnyNotifier(_) | Node::AnyLaterTask(_));
    let (mut of_resource, mut of_node) = (IdMap::default(), IdMap::default());
    for (number, hang) in hangs.iter().enumerate() {
        for &node in &hang.path {
            if let Node::AnyNotifier(resource) = node {
                of_resource.entry(system.facts.snapshot.resources[resource].id).or_insert(number);
            } else if !is_of_any(node) {
                of_node.entry(node).or_insert(number);
            }
        }
        // A wait whose notification went to another future of its task.
        if let [Node::Wait(wait), Node::WaitEnd(_)] = hang.path[..] {
            if let Some(id) = waits[wait].resource {
                of_resource.entry(id).or_insert(number);
            }
        }
    }
    let mut seeds: Vec<Vec<NodeId>> = vec![Vec::new(); hangs.len()];
    for &id in stuck.component(component) {
        let node = system.node(id);
        let number = of_node.get(&node).or_else(|| of_resource.get(&resource(node)?));
        if let Some(&number) = number {
            seeds[number].push(id);
        }
    }
    stuck.victims_through(system, &seeds, |id| !is_of_any(system.node(id)))
}

fn confidence(evidence: Evidence) -> Confidence {
    match evidence {
        Evidence::Exact => Confidence::Proven,
        Evidence::Likely => Confidence::Likely,
        Evidence::Suspect => Confidence::Suspect,
    }
}

/// The minimum age of the youngest wait on a path.
fn min_age_ns(evidence: Evidence) -> u64 {
    match evidence {
        Evidence::Exact => 0,
        Evidence::Likely => LIKELY_NS,
        Evidence::Suspect => SUSPECT_NS,
    }
}

/// The age of the youngest wait on the path in ns, or of the task that changed last if the path has
/// no wait. Nothing on the path has changed since then.
fn age_ns(facts: &Facts<'_>, path: &[Node]) -> u64 {
    let waits = path.iter().filter_map(|node| match *node {
        Node::Wait(wait) => Some(facts.snapshot.waits[wait].since_ns),
        _ => None,
    });
    let tasks = path.iter().filter_map(Node::task).map(|task| facts.snapshot.tasks[task].since_ns);
    waits.min().or_else(|| tasks.min()).unwrap_or(0)
}

fn verdict_of_hang(system: &System<'_>, stuck: &StuckGraph, component: usize, hang: &Hang) -> Verdict {
    let facts = system.facts;
    let mut chain = Chain::new(facts, &hang.path);
    if let Some(resource) = hang.knot {
        push_knot(&mut chain, facts, resource, &knot_holdings(system, stuck, component, resource));
    }
    if let [Node::Wait(wait), Node::AnyNotifier(_)] = *hang.path.as_slice() {
        push_last_notify(&mut chain, facts, &facts.snapshot.waits[wait]);
    }
    if hang.kind == VerdictKind::Leak {
        push_last_forget(&mut chain, facts, hang);
    }
    // The copy has no spare capacity, because there may be a hundred thousand verdicts.
    let sentence = [chain.words.as_str(), &ending(facts, hang, system.evidence)].concat();
    Verdict {
        kind: hang.kind,
        detail: hang.detail,
        confidence: confidence(system.evidence),
        root_cause: true,
        chain: chain.links,
        sentence,
        victims: Vec::new(),
        behind: None,
    }
}
