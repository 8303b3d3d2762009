// Everything about one frame: times, calls, quantiles, ends, who waits there now.

import { h } from './dom.js';
import { time, count, counted, percent } from './units.js';
import { waitingAt } from './model.js';
import { topOf } from './frames.js';
import { histogram, quantile } from './snapshot.js';

const PART_WORDS = { busy: 'busy', wait: 'waiting', queued: 'queued', calls: 'calls' };
// Futures that were never polled are no calls.
const ENDS = [['completed', 'completed'], ['cancelled', 'cancelled'], ['panicked', 'panicked'], ['pending', 'pending now'],
  ['running', 'running now'], ['never_polled', 'never polled']];
const SITE_KINDS = { task: 'task', fn: 'async function', block: 'async block', await: 'await', impl: 'future', sync: 'function', traced: 'span of tracing', other: '' };

// The contents of the panel for a frame; `show` writes a value of the graph's measure.
export function panelOf(it, { show, onsandwich }) {
  const { model } = it.context;
  const { nodes } = model;
  // Of callers, a node is a member once for each path that comes from it.
  const members = it.site ? [...new Set(it.members)] : [];
  const total = (values) => members.reduce((sum, node) => sum + values[node], 0);
  const calls = total(nodes.calls);
  const top = topOf(it);
  return [
    h('h2', {}, it.leaf ? `${it.name} of ${it.site?.name}` : it.name, it.label ? h('span', { class: 'tag' }, it.label) : null),
    it.site ? h('p', { class: 'place' }, h('span', { class: 'tag' }, SITE_KINDS[it.site.kind]), ' ', h('code', {}, it.site.long || 'place unknown')) : null,
    it.site?.module ? h('p', { class: 'place' }, 'in ', h('code', {}, it.site.module)) : null,
    h('p', { class: 'big' }, show(it.value), ' ', h('small', {}, it.calls ? `${counted(it.calls, 'call')} of ${counted(it.context.groups.length, 'root')}, ${show(it.value / it.calls)} each` : shares(it, top))),
    bar(it, show),
    members.length ? numbers(model, members, total, calls) : null,
    members.length ? durations(nodes, members) : null,
    waiting(model, it),
    it.site && !it.site.isAwait && !it.leaf && !it.isTop ? h('p', {}, h('button', { type: 'button', onclick: () => onsandwich(it.site) }, 'Sandwich: callers and callees')) : null,
  ];
}

function shares(it, top) {
  // In Sandwich, the top is the function in the middle.
  const ofAll = it === top ? '' : `${percent(it.value, top.value)} of ${top.name}`;
  if (!it.parent || it.parent === top || it.isOwn) return ofAll;
  return `${ofAll}, ${percent(it.value, it.parent.value)} of ${it.parent.name}`;
}

// The kinds of time in the frame, each with the part of it that is the frame's own.
function bar(it, show) {
  const kinds = Object.entries(it.kinds?.() ?? {});
  if (!kinds.length) return null;
  const own = (part) => (it.isLeaf?.() || !(it.parts?.[part] > 0) ? '' : `, ${show(it.parts[part])} itself`);
  return h('div', { class: 'composition' },
    h('div', { class: 'stack', 'aria-hidden': 'true' }, kinds.map(([part, value]) => h('i', { class: `fill ${part}`, style: { width: `${(100 * value) / it.value}%` } }))),
    h('ul', {}, kinds.map(([part, value]) => h('li', {}, h('i', { class: `dot ${part}` }), `${show(value)} ${PART_WORDS[part]} (${percent(value, it.value)})${own(part)}`))));
}

// The members below no other one: in Bottom-up and among callers, a call and the calls in it are members.
function outermost({ nodes, size }, members) {
  const [isMember, isInside] = [new Uint8Array(size), new Uint8Array(size)];
  for (const node of members) isMember[node] = 1;
  for (let node = 0; node < size; node += 1) {
    const above = nodes.parent[node];
    if (above >= 0 && (isMember[above] || isInside[above])) isInside[node] = 1;
  }
  return members.filter((node) => !isInside[node]);
}

function numbers(model, members, total, calls) {
  const { nodes } = model;
  const outer = outermost(model, members);
  const once = (values) => outer.reduce((sum, node) => sum + values[node], 0);
  const ends = ENDS.map(([name, text]) => [text, total(nodes[name])]).filter(([, number]) => number > 0);
  const polls = total(nodes.polls);
  const list = [
    ['Calls', count(calls)],
    ['Polls', `${count(polls)}${calls > 0 ? `, ${count(polls / calls)} a call` : ''}`],
    ['Busy', time(once(nodes.busy_ns))],
    ['Idle', time(once(nodes.idle_ns))],
    ['Mean per call', calls > 0 ? time((total(nodes.busy_ns) + total(nodes.idle_ns)) / calls) : '–'],
    ...ends.map(([text, number]) => [[text === 'cancelled' ? h('i', { class: 'dot cancelled' }) : null, text[0].toUpperCase() + text.slice(1)], `${count(number)}${text === 'never polled' ? '' : ` (${percent(number, calls)})`}`]),
  ];
  return h('dl', {}, list.map(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]));
}

// Quantiles and a histogram of call latencies and poll durations.
function durations(nodes, members) {
  const most = (column) => members.reduce((longest, node) => Math.max(longest, column[node]), 0);
  const kinds = [['latency', 'Latency of completed calls', most(nodes.latency_longest_ns)],
    ['latency_cancelled', 'Time until cancelled', most(nodes.latency_cancelled_longest_ns)],
    ['polls_histogram', 'Length of polls', most(nodes.longest_poll_ns)]];
  return kinds.map(([name, title, limit]) => {
    const buckets = histogram(nodes, name, members);
    if (!buckets.length) return null;
    const quantiles = [['p50', 500], ['p90', 900], ['p99', 990], ['p99.9', 999]].map(([word, perMille]) => [word, quantile(name, buckets, perMille, limit)]);
    return h('section', {}, h('h3', {}, title),
      h('p', { class: 'quantiles' }, [...quantiles, ['max', limit]].map(([word, ns]) => h('span', {}, h('small', {}, word), ' ', time(ns)))),
      chart(buckets));
  });
}

// Bars as wide as their buckets on a logarithmic scale, with the room of the empty buckets between them.
function chart(buckets) {
  const most = Math.max(...buckets.map((bucket) => bucket[2]));
  // In hundredths: bars whose widths add up to less than one would not fill the chart.
  const width = (from, to, limit) => ({ 'flex-grow': String(Math.round(100 * Math.min(limit, from > 0 ? Math.log2(to / from) : 1))) });
  const step = ([from, to, number], index) => [
    index > 0 && from > buckets[index - 1][1] ? h('span', { style: width(buckets[index - 1][1], from, Infinity) }) : null,
    h('i', {
      title: `${time(from)} to ${time(to)}: ${count(number)}`,
      // The last bucket has no end.
      style: { height: `${Math.max(3, (100 * number) / most)}%`, ...width(from, to, 1) },
    }),
  ];
  const [first, last] = [buckets[0], buckets.at(-1)];
  return h('div', { class: 'histogram', role: 'img', 'aria-label': `histogram from ${time(first[0])} to ${time(last[1])}` },
    h('div', {}, buckets.map(step)), h('p', {}, h('span', {}, time(first[0])), h('span', {}, time(last[1]))));
}

// The live spans of the site that wait now. They are known by site, not by path or label.
function waiting(model, it) {
  if (!it.site) return null;
  const { site, pending } = model.nodes;
  const members = new Set(it.members);
  if (![...members].some((node) => pending[node] > 0)) return null;
  const isAll = site.every((own, node) => own !== it.site.index || !pending[node] || members.has(node));
  const spans = waitingAt(model, it.site.index);
  if (!spans.length) return null;
  const longest = spans.reduce((most, span) => Math.max(most, span.since_ns), 0);
  // A span may be of no task.
  const tasks = new Set(spans.map((span) => span.task).filter(Boolean));
  if (!tasks.size) return null;
  const stuck = [...tasks].filter((task) => model.stuckTasks.has(task)).length;
  return h('p', { class: stuck ? 'stuck-note' : '' }, `${counted(tasks.size, 'task')} waiting ${isAll ? 'here now' : `in ${it.site.name} now, on all paths`}, longest ${time(longest)}`,
    stuck ? `; ${stuck} stuck` : null, ' (tasks ', [...tasks].slice(0, 8).join(', '), tasks.size > 8 ? ' …' : '', ')');
}
