// Frames of the flame graph, made when they are wide enough to be drawn.
//
// A frame stands for the nodes of one site below one path. Its children are made at the first look at
// them, so a graph of a million nodes costs as much as what is on the screen.

import { PARTS, totals, totalsOf } from './model.js';

// What makes the frames of a model: a measure, the shown roots, the scale.
export function framer(model, { measure, groups, perCall, byLabel }) {
  const sums = totals(model, measure);
  const scale = new Float64Array(model.size);
  const isShown = new Uint8Array(model.size);
  for (const group of groups) {
    const factor = perCall ? 1 / Math.max(1, group.calls) : 1;
    for (const root of group.roots) {
      scale[root] = factor;
      isShown[root] = 1;
    }
  }
  const context = { model, measure, sums, byLabel, parts: model.parts[measure] };
  context.factor = (node) => scale[model.root[node]];
  context.isShown = (node) => isShown[model.root[node]] === 1 && !model.hidden[node];
  context.groups = groups;
  context.below = context.parts.map(([part]) => [part, totalsOf(model, measure, part)]);
  return context;
}

function frame(context, parent, site, fields) {
  const it = context.model.sites[site];
  return { context, parent, site: it, name: it?.name ?? '[other]', place: it?.short ?? '', label: '', value: 0,
    parts: null, leaf: null, key: it?.key ?? '[other]', children: null, ...fields };
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
  const top = frame(context, null, -1, { name: 'all', key: '', nodes: null, isTop: true });
  const members = context.groups.flatMap((group) => group.roots);
  top.members = members;
  finish(context, top, members);
  top.parts = {};
  top.calls = context.groups.reduce((calls, group) => calls + group.calls, 0);
  top.expand = () => (top.children ??= grouped(context, top, members));
  return top;
}

// The calls of one site, from the outermost down.
export function calleesOf(context, site) {
  const { model } = context;
  const members = [];
  for (let node = 0; node < model.size; node += 1) {
    if (model.nodes.site[node] === site && context.isShown(node) && isOutermost(model, node, site)) members.push(node);
  }
  const top = frame(context, null, site, { isTop: true, members });
  finish(context, top, members);
  return top;
}

function isOutermost(model, node, site) {
  for (let above = model.up[node]; above >= 0; above = model.up[above]) if (model.nodes.site[above] === site) return false;
  return true;
}

function grouped(context, parent, nodes) {
  const { model, byLabel } = context;
  const groups = new Map();
  for (const node of nodes) {
    if (!(context.sums[node] > 0)) continue;
    const label = byLabel ? model.nodes.label[node] : 0;
    const key = label * model.sites.length + model.nodes.site[node];
    const members = groups.get(key);
    if (members) members.push(node);
    else groups.set(key, [node]);
  }
  const children = [];
  for (const members of groups.values()) {
    const label = byLabel ? model.nodes.labels[model.nodes.label[members[0]] - 1] : '';
    const child = frame(context, parent, model.nodes.site[members[0]], { members });
    if (label) {
      child.label = String(label);
      child.key += `{${child.label}}`;
    }
    finish(context, child, members);
    children.push(child);
  }
  return children.sort((a, b) => b.value - a.value);
}

// Value, own parts, and how to get the children of a frame of nodes.
function finish(context, it, members) {
  const { model } = context;
  it.value = sum(members, (node) => context.sums[node] * context.factor(node));
  it.parts = partsOf(context, context.parts, members);
  // The kinds of time in the whole frame, with everything below it.
  it.kinds = () => (it.mix ??= partsOf(context, context.below, members));
  it.expand = () => {
    if (it.children) return it.children;
    const below = [];
    for (const node of members) {
      for (let at = model.childStart[node]; at < model.childStart[node + 1]; at += 1) below.push(model.children[at]);
    }
    it.children = grouped(context, it, below);
    // Own time is a leaf of its own, unless the frame has nothing else.
    if (it.children.length > 0) it.children.push(...leaves(it));
    return it.children;
  };
  it.isLeaf = () => it.expand().length === 0;
}

function partsOf(context, columns, members) {
  const parts = {};
  for (const [part, values] of columns) {
    const value = sum(members, (node) => values[node] * context.factor(node));
    if (value > 0) parts[part] = value;
  }
  return parts;
}

const LEAF_NAMES = { busy: '[busy]', wait: '[waiting]', queued: '[queued]', calls: '[calls]' };

function leaves(it) {
  const made = PARTS.filter((part) => it.parts[part] > 0).map((part) => ({
    context: it.context, parent: it, site: it.site, name: LEAF_NAMES[part], place: '', label: '', value: it.parts[part],
    parts: { [part]: it.parts[part] }, kinds: () => ({ [part]: it.parts[part] }), leaf: part, key: LEAF_NAMES[part], children: [], members: it.members,
    expand: () => [], isLeaf: () => true,
  }));
  return made.sort((a, b) => b.value - a.value);
}

// From the functions that have the time up to their callers.
export function bottomUp(context) {
  const { model } = context;
  const entries = { node: [], value: [] };
  for (let node = 0; node < model.size; node += 1) {
    if (!context.isShown(node)) continue;
    const own = sum(context.parts, ([, values]) => values[node]) * context.factor(node);
    if (own > 0) {
      entries.node.push(node);
      entries.value.push(own);
    }
  }
  const top = frame(context, null, -1, { name: 'all', key: '', isTop: true, members: [], parts: {} });
  top.value = sum(entries.value, (value) => value);
  top.kinds = () => (top.mix ??= partsOf(context, context.parts, entries.node));
  top.expand = () => (top.children ??= callers(context, top, entries.node, entries.node, entries.value, true, false));
  return top;
}

// The callers of a site, by the time below that site.
export function callersOf(context, site) {
  const members = calleesOf(context, site).members;
  const values = members.map((node) => context.sums[node] * context.factor(node));
  const top = frame(context, null, site, { isTop: true, members });
  top.value = sum(values, (value) => value);
  top.expand = () => {
    if (!top.children) top.children = callers(context, top, members.map((node) => context.model.up[node]), members, values, false, true);
    return top.children;
  };
  return top;
}

// Groups entries by the site of where their walk up has arrived.
function callers(context, parent, at, origin, values, isOwn, isSandwich) {
  const { model } = context;
  const groups = new Map();
  at.forEach((node, index) => {
    if (node < 0) return;
    const site = model.nodes.site[node];
    if (!groups.has(site)) groups.set(site, { at: [], origin: [], values: [] });
    const group = groups.get(site);
    group.at.push(node);
    group.origin.push(origin[index]);
    group.values.push(values[index]);
  });
  const children = [...groups].map(([site, group]) => {
    const child = frame(context, parent, site, { members: group.at });
    child.value = sum(group.values, (value) => value);
    const columns = isSandwich ? context.below : context.parts;
    child.mix = partsOf(context, columns, group.origin);
    child.kinds = () => child.mix;
    child.parts = isOwn ? child.mix : {};
    child.isOwn = isOwn;
    child.expand = () => {
      if (child.children) return child.children;
      const above = group.at.map((node) => model.up[node]);
      child.children = callers(context, child, above, group.origin, group.values, false, isSandwich);
      return child.children;
    };
    child.isLeaf = () => isOwn;
    return child;
  });
  return children.sort((a, b) => b.value - a.value);
}

function sum(list, value) {
  let total = 0;
  for (const item of list) total += value(item);
  return total;
}
