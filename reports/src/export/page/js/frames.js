// Frames of the flame graph, made when they are wide enough to be drawn.
//
// A frame stands for the nodes of one site below one path. Its children are made at the first look at
// them, so a graph of a million nodes costs as much as what is on the screen.

import { PARTS, totals, totalsOf } from './model.js';

// What makes the frames of a model: a measure, the shown roots, the scale.
export function framer(model, { measure, groups, perCall, byLabel }) {
  // By node, from its root: what its times are multiplied by, and whether it is shown.
  const factors = new Float64Array(model.size);
  const shown = new Uint8Array(model.size);
  for (const group of groups) {
    const factor = perCall ? 1 / Math.max(1, group.calls) : 1;
    for (const root of group.roots) {
      factors[root] = factor;
      shown[root] = 1;
    }
  }
  for (let node = 0; node < model.size; node += 1) {
    const root = model.root[node];
    factors[node] = factors[root];
    if (node !== root) shown[node] = shown[root] && !model.hidden[node] ? 1 : 0;
  }
  return {
    model, groups, perCall, byLabel,
    sums: totals(model, measure),
    parts: model.parts[measure],
    below: model.parts[measure].map(([part]) => [part, totalsOf(model, measure, part)]),
    factors, shown,
    // By site: the number of its frame while `arrived` runs, from one; zero between calls.
    slots: new Int32Array(model.sites.length),
  };
}

const LEAF_NAMES = { busy: '[busy]', wait: '[waiting]', queued: '[queued]', calls: '[calls]' };

class Frame {
  constructor(context, parent, site, members, value) {
    const it = context.model.sites[site];
    Object.assign(this, { context, parent, members, value, site: it, name: it?.name ?? '[other]', place: it?.short ?? '', label: '', key: it?.key ?? '[other]',
      leaf: null, isTop: false, children: null, mix: null, own: null });
  }

  // Its own times, by kind.
  get parts() { return (this.own ??= this.makeParts()); }

  makeParts() { return partsOf(this.context, this.context.parts, this.members); }

  // The kinds of time in the whole frame, with everything below it.
  kinds() { return (this.mix ??= partsOf(this.context, this.context.below, this.members)); }

  expand() { return (this.children ??= this.makeChildren()); }

  // Own time is a leaf of its own, unless the frame has nothing else.
  makeChildren() {
    const { model } = this.context;
    const below = [];
    for (const node of this.members) {
      for (let at = model.childStart[node]; at < model.childStart[node + 1]; at += 1) below.push(model.children[at]);
    }
    const children = grouped(this, below);
    if (children.length > 0) children.push(...leaves(this));
    return children;
  }

  // Whether it has nothing but time of its own.
  isLeaf() { return this.leaf !== null || this.expand().length === 0; }
}

function partsOf(context, columns, members) {
  const parts = {};
  for (const [part, values] of columns) {
    const value = total(context, members, values);
    if (value > 0) parts[part] = value;
  }
  return parts;
}

// The sum of a column over some nodes, scaled.
function total({ factors }, nodes, values) {
  let value = 0;
  for (let at = 0; at < nodes.length; at += 1) value += values[nodes[at]] * factors[nodes[at]];
  return value;
}

function sum(list, value) {
  let total = 0;
  for (const item of list) total += value(item);
  return total;
}

// The frames of nodes below one frame, by site, the largest first.
function grouped(parent, nodes) {
  const { context } = parent;
  const { model, byLabel, sums } = context;
  const groups = new Map();
  for (const node of nodes) {
    if (!(sums[node] > 0)) continue;
    const site = model.nodes.site[node];
    const label = byLabel ? model.nodes.label[node] : 0;
    const key = label * model.sites.length + site;
    let child = groups.get(key);
    if (!child) {
      groups.set(key, child = new Frame(context, parent, site, [], 0));
      if (label) {
        child.label = String(model.nodes.labels[label - 1]);
        child.key += `{${child.label}}`;
      }
    }
    child.members.push(node);
    child.value += sums[node] * context.factors[node];
  }
  return [...groups.values()].sort((a, b) => b.value - a.value);
}

function leaves(it) {
  const made = PARTS.filter((part) => it.parts[part] > 0).map((part) => {
    const leaf = new Frame(it.context, it, it.site?.index ?? -1, it.members, it.parts[part]);
    const parts = { [part]: leaf.value };
    return Object.assign(leaf, { name: LEAF_NAMES[part], place: '', leaf: part, key: LEAF_NAMES[part], children: [], own: parts, mix: parts });
  });
  return made.sort((a, b) => b.value - a.value);
}

// The first frame of the graph with a frame.
export function topOf(it) {
  let top = it;
  while (top.parent) top = top.parent;
  return top;
}

// The path of keys from the first frame below the top to this one.
export function pathOf(it) {
  const path = [];
  for (let frame = it; frame?.parent; frame = frame.parent) path.push(frame.key);
  return path.reverse();
}

// The frame at the end of a path of keys, or the last one that is there.
export function follow(top, path) {
  let frame = top;
  for (const key of path) {
    const next = frame.expand().find((child) => child.key === key);
    if (!next) break;
    frame = next;
  }
  return frame;
}

// From the roots down.
export function topDown(context) {
  const members = context.groups.flatMap((group) => group.roots);
  const top = new Frame(context, null, -1, members, total(context, members, context.sums));
  const children = grouped(top, members);
  // A value per call is not divided by calls again.
  const calls = context.perCall ? 0 : sum(context.groups, (group) => group.calls);
  return Object.assign(top, { name: 'all', key: '', isTop: true, own: {}, children, calls });
}

// The calls of one site, from the outermost down.
export function calleesOf(context, site) {
  const { model } = context;
  const members = [];
  for (let node = 0; node < model.size; node += 1) {
    if (model.nodes.site[node] === site && context.shown[node] && isOutermost(model, node, site)) members.push(node);
  }
  const top = new Frame(context, null, site, members, total(context, members, context.sums));
  return Object.assign(top, { isTop: true });
}

function isOutermost(model, node, site) {
  for (let above = model.up[node]; above >= 0; above = model.up[above]) if (model.nodes.site[above] === site) return false;
  return true;
}

// A frame of an inverted graph: where walks up from some nodes have arrived. `members`, `origins` and
// `values` are by walk: where it is, where it began, and the time that it has.
class CallerFrame extends Frame {
  constructor(context, parent, site, walks, value, fields) {
    super(context, parent, site, walks.members, value);
    Object.assign(this, { origins: walks.origins, values: walks.values }, fields);
  }

  makeParts() { return this.isOwn ? this.kinds() : {}; }

  kinds() { return (this.mix ??= partsOf(this.context, this.isSandwich ? this.context.below : this.context.parts, this.origins)); }

  isLeaf() { return this.isOwn === true; }

  makeChildren() {
    return arrived(this, this.isTop && !this.isSandwich);
  }
}

// The frames that walks arrive at from this one, by site: counted first, then sorted into one array.
function arrived(parent, isOwn) {
  const { context, isSandwich, isTop, members } = parent;
  const { model, slots } = context;
  const { site } = model.nodes;
  // In the top frame, a walk is where it begins.
  const nodes = isTop ? members : above(model, members);
  const [sites, counts, sums] = [[], [], []];
  let length = 0;
  for (let walk = 0; walk < nodes.length; walk += 1) {
    if (nodes[walk] < 0) continue;
    const at = site[nodes[walk]];
    if (slots[at] === 0) {
      slots[at] = sites.push(at);
      counts.push(0);
      sums.push(0);
    }
    counts[slots[at] - 1] += 1;
    sums[slots[at] - 1] += parent.values[walk];
    length += 1;
  }
  const all = walksOf(length);
  const starts = [];
  counts.reduce((start, count) => (starts.push(start), start + count), 0);
  const next = [...starts];
  for (let walk = 0; walk < nodes.length; walk += 1) {
    if (nodes[walk] < 0) continue;
    const slot = slots[site[nodes[walk]]] - 1;
    const at = next[slot];
    next[slot] += 1;
    all.members[at] = nodes[walk];
    all.origins[at] = parent.origins[walk];
    all.values[at] = parent.values[walk];
  }
  const children = sites.map((index, slot) => new CallerFrame(context, parent, index, part(all, starts[slot], next[slot]), sums[slot], { isOwn, isSandwich }));
  for (const index of sites) slots[index] = 0;
  return children.sort((a, b) => b.value - a.value);
}

// By node of the list: the shown node above it, or -1.
function above({ up }, nodes) {
  const all = new Int32Array(nodes.length);
  for (let at = 0; at < nodes.length; at += 1) all[at] = up[nodes[at]];
  return all;
}

function walksOf(length) {
  return { members: new Int32Array(length), origins: new Int32Array(length), values: new Float64Array(length) };
}

function part({ members, origins, values }, start, end) {
  return { members: members.subarray(start, end), origins: origins.subarray(start, end), values: values.subarray(start, end) };
}

// From the functions that have the time up to their callers.
export function bottomUp(context) {
  const { model, parts, factors, shown } = context;
  const own = new Float64Array(model.size);
  for (const [, values] of parts) {
    for (let node = 0; node < model.size; node += 1) own[node] += values[node];
  }
  const all = walksOf(model.size);
  let [length, value] = [0, 0];
  for (let node = 0; node < model.size; node += 1) {
    if (!shown[node] || !(own[node] > 0)) continue;
    all.members[length] = node;
    all.origins[length] = node;
    all.values[length] = own[node] * factors[node];
    value += all.values[length];
    length += 1;
  }
  return new CallerFrame(context, null, -1, part(all, 0, length), value, { name: 'all', key: '', isTop: true, isSandwich: false });
}

// The callers of a site, by the time below that site.
export function callersOf(context, site) {
  const { members: nodes, value } = calleesOf(context, site);
  const walks = {
    members: above(context.model, nodes),
    origins: Int32Array.from(nodes),
    values: Float64Array.from(nodes, (node) => context.sums[node] * context.factors[node]),
  };
  return new CallerFrame(context, null, site, walks, value, { isTop: true, isSandwich: true });
}
