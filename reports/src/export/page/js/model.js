// Times of call paths: self times, totals, roots by kind of work. Everything is an array by node.

import { clean } from './dom.js';
import { shortPlace, longPlace } from './units.js';

// What the width of a frame can show.
export const MEASURES = [
  ['wall', 'Wall', 'Elapsed time of all tasks: busy, waiting and queued. Futures that wait at the same time count once'],
  ['busy', 'Busy', 'Time inside poll: what uses the CPU, or blocks a thread'],
  ['idle', 'Idle', 'Time between polls of each await. Futures that wait at the same time count each'],
  ['queued', 'Queued', 'Time from the wake of a task to its next poll'],
  ['calls', 'Calls', 'Number of calls'],
];

// The kinds of self time, in the order in which they are drawn.
export const PARTS = ['busy', 'wait', 'queued', 'calls'];
// A root whose tasks are all alive, and busy for less than this share of their time, is background.
const BACKGROUND_SHARE = 0.01;
// A root that was polled at most this often per call, and waits since, is parked.
const PARKED_POLLS = 2;

// The model of a snapshot.
export function build(snapshot) {
  const { nodes, sites } = snapshot;
  const model = { snapshot, nodes, sites: sites.map(siteOf), size: nodes.length, sums: new Map() };
  links(model);
  selfTimes(model);
  model.stuck = stuckSites(snapshot, model);
  classify(model);
  return model;
}

function siteOf(site, index) {
  const kind = site.kind ?? 'fn';
  const name = kind === 'other' ? '[other]' : clean(site.name) || '_';
  return {
    index, kind, name, module: clean(site.module), place: site.place, isAwait: kind === 'await',
    short: clean(shortPlace(site.place)), long: clean(longPlace(site.place)),
    // What a link names: stable across snapshots of one program.
    key: `${name}@${clean(longPlace(site.place))}`,
  };
}

// Parents, children and roots. An await whose time is all in the call below it is left out.
function links(model) {
  const { nodes, size, sites } = model;
  const { parent, site } = nodes;
  const hasChild = new Uint8Array(size);
  const own = Float64Array.from(nodes.busy_ns);
  for (let node = 0; node < size; node += 1) {
    if (parent[node] >= node) parent[node] = -1;
    own[node] -= nodes.nested_ns[node];
    if (parent[node] >= 0) {
      own[parent[node]] -= nodes.busy_ns[node];
      hasChild[parent[node]] = 1;
    }
  }
  model.selfBusy = own.map((ns) => Math.max(0, ns));
  model.hidden = new Uint8Array(size);
  model.up = new Int32Array(size).fill(-1);
  model.root = new Int32Array(size);
  const counts = new Int32Array(size + 1);
  for (let node = 0; node < size; node += 1) {
    const above = parent[node];
    // A hidden node stands for itself below a hidden one: `up` leads to the next shown node.
    model.up[node] = above < 0 ? -1 : model.hidden[above] ? model.up[above] : above;
    model.root[node] = above < 0 ? node : model.root[above];
    const isPassing = above >= 0 && hasChild[node] && sites[site[node]]?.isAwait;
    if (isPassing && model.selfBusy[node] === 0 && nodes.self_idle_ns[node] === 0) model.hidden[node] = 1;
    else if (model.up[node] >= 0) counts[model.up[node]] += 1;
  }
  model.childStart = new Int32Array(size + 1);
  for (let node = 0; node < size; node += 1) model.childStart[node + 1] = model.childStart[node] + counts[node];
  model.children = new Int32Array(model.childStart[size]);
  const next = Int32Array.from(model.childStart);
  model.roots = [];
  for (let node = 0; node < size; node += 1) {
    if (model.hidden[node]) continue;
    const above = model.up[node];
    if (above < 0) model.roots.push(node);
    else {
      model.children[next[above]] = node;
      next[above] += 1;
    }
  }
}

// The self times of shown nodes. What a hidden node has goes to the node above.
function selfTimes(model) {
  const { nodes, size, sites, up, hidden, root } = model;
  const wait = Float64Array.from(nodes.wall_ns);
  const rest = Float64Array.from(nodes.idle_ns);
  const queued = new Float64Array(size);
  for (let node = 0; node < size; node += 1) {
    rest[root[node]] -= nodes.wall_ns[node];
    if (hidden[node]) wait[up[node]] += wait[node];
    if (nodes.parent[node] < 0) queued[node] = nodes.queued_ns[node];
  }
  // Idle time that was charged to no path is the root's.
  for (const node of model.roots) wait[node] += Math.max(0, rest[node] - queued[node]);
  const isCall = (node) => !sites[nodes.site[node]]?.isAwait;
  model.self = {
    busy: model.selfBusy,
    wait,
    idle: nodes.self_idle_ns,
    queued,
    calls: nodes.calls.map((calls, node) => (isCall(node) ? calls : 0)),
  };
  model.parts = {
    wall: [['busy', model.self.busy], ['wait', wait], ['queued', queued]],
    busy: [['busy', model.self.busy]],
    idle: [['wait', model.self.idle]],
    queued: [['queued', queued]],
    calls: [['calls', model.self.calls]],
  };
}

// The totals of a measure: the node's own time of each kind, and everything below it.
export function totals(model, measure) {
  const known = model.sums.get(measure);
  if (known) return known;
  const sums = new Float64Array(model.size);
  for (const [part] of model.parts[measure]) {
    const below = totalsOf(model, measure, part);
    for (let node = 0; node < model.size; node += 1) sums[node] += below[node];
  }
  model.sums.set(measure, sums);
  return sums;
}

// The totals of one kind of time.
export function totalsOf(model, measure, part) {
  const key = `${measure} ${part}`;
  const known = model.sums.get(key);
  if (known) return known;
  const values = model.parts[measure].find(([name]) => name === part)[1];
  const sums = new Float64Array(model.size);
  for (let node = model.size - 1; node >= 0; node -= 1) {
    if (model.hidden[node]) continue;
    sums[node] += values[node];
    if (model.up[node] >= 0) sums[model.up[node]] += sums[node];
  }
  model.sums.set(key, sums);
  return sums;
}

// The tasks of a verdict's chain, and those behind it.
export function tasksOf(verdict) {
  return [...(verdict.chain ?? []).filter((link) => link.node === 'task').map((link) => link.id), ...(verdict.victims ?? [])];
}

// Whether a verdict is among the findings: a suspicion is not always.
export function isFinding(snapshot, verdict, number) {
  return verdict.confidence !== 'suspect' || (snapshot.findings ?? []).some((finding) => finding.evidence?.verdict === number);
}

// The sites at which tasks of verdicts wait now.
function stuckSites(snapshot, model) {
  const tasks = new Set();
  for (const verdict of snapshot.verdicts) {
    if (verdict.confidence === 'suspect' || verdict.kind === 'hazard') continue;
    for (const id of tasksOf(verdict)) tasks.add(id);
  }
  model.stuckTasks = tasks;
  const stuck = new Set();
  if (!tasks.size) return stuck;
  const parents = new Set(snapshot.spans.map((span) => span.parent));
  snapshot.spans.forEach((span, index) => {
    if (tasks.has(span.task) && !parents.has(index)) stuck.add(span.site);
  });
  return stuck;
}

// The live spans that wait, by site.
export function waitingAt(model, site) {
  if (!model.waiting) {
    model.waiting = new Map();
    for (const span of model.snapshot.spans) {
      if (span.state !== 'waiting') continue;
      if (!model.waiting.has(span.site)) model.waiting.set(span.site, []);
      model.waiting.get(span.site).push(span);
    }
  }
  return model.waiting.get(site) ?? [];
}

// Roots by what they are for: work, background that never ends, or parked since its first polls.
function classify(model) {
  const { nodes, sites } = model;
  const wall = totals(model, 'wall');
  const groups = new Map();
  for (const node of model.roots) {
    const site = nodes.site[node];
    const group = groups.get(site) ?? { site, roots: [], calls: 0, polls: 0, alive: 0, ended: 0, busy: 0, wall: 0 };
    groups.set(site, group);
    group.roots.push(node);
    group.calls += nodes.calls[node];
    group.polls += nodes.polls[node];
    group.alive += nodes.pending[node] + nodes.running[node];
    group.ended += nodes.completed[node] + nodes.cancelled[node] + nodes.panicked[node];
    group.busy += nodes.busy_ns[node];
    group.wall += wall[node];
  }
  model.groups = [...groups.values()];
  // The site of a task is its spawn; that of its root is in its spans.
  const stuckRoots = new Set();
  for (const task of model.stuckTasks.size ? model.snapshot.tasks : []) {
    if (!model.stuckTasks.has(task.id)) continue;
    for (const site of [task.site, model.snapshot.spans[task.span]?.site, task.running?.[0]]) stuckRoots.add(site);
  }
  for (const group of model.groups) {
    const isAlive = group.ended === 0 && group.alive > 0;
    const isQuiet = group.busy < group.wall * BACKGROUND_SHARE;
    group.kind = 'work';
    if (isAlive && isQuiet && !stuckRoots.has(group.site) && sites[group.site]?.kind !== 'sync') {
      group.kind = group.polls <= PARKED_POLLS * group.calls ? 'parked' : 'background';
    }
  }
}
