// A snapshot with its lists unfolded and its nodes as columns, from the page or from a saved file.

import { unfold, lengthOf } from './unpack.js';

// What is missing in the sum of several snapshots.
export const MERGED = 'Live tasks are left out of a merged snapshot, and so are hangs and full channels.';
const COUNTERS = ['calls', 'polls', 'completed', 'cancelled', 'panicked', 'never_polled', 'pending', 'running',
  'busy_ns', 'nested_ns', 'idle_ns', 'self_idle_ns', 'queued_ns', 'wall_ns', 'unpolled_ns', 'longest_poll_ns', 'last_seen_ns', 'latency_longest_ns', 'latency_cancelled_longest_ns'];
// The histograms of a node in a saved file: their buckets, by the name of their column.
const HISTOGRAMS = {
  polls_histogram: (node) => node.polls_histogram ?? [],
  latency: (node) => node.latency?.completed?.buckets ?? [],
  latency_cancelled: (node) => node.latency?.cancelled?.buckets ?? [],
};
const LONGEST = {
  latency_longest_ns: (node) => node.latency?.completed?.longest_ns ?? 0,
  latency_cancelled_longest_ns: (node) => node.latency?.cancelled?.longest_ns ?? 0,
};
const LISTS = ['costs', 'threads', 'sites', 'alarms', 'runtimes', 'workers', 'blocking_pools', 'past_resources', 'verdicts', 'findings',
  'lock_inversions'];

// Makes every list present, so that no view asks for what is not there.
export function read(json) {
  const { tasks: _tasks, spans: _spans, resources: _resources, waits: _waits, ...rest } = json;
  const snapshot = { process: {}, clock: {}, dropped: {}, ...rest };
  for (const name of LISTS) snapshot[name] = Array.isArray(json[name]) ? json[name] : [];
  // Long lists are unfolded when a view needs them; their lengths are known before.
  snapshot.lengths = {};
  for (const name of ['tasks', 'spans', 'resources', 'waits']) {
    snapshot.lengths[name] = lengthOf(json[name]);
    let list = null;
    Object.defineProperty(snapshot, name, { get: () => (list ??= unfold(json[name]).map(unfoldHoldings)) });
  }
  let byId = null;
  Object.defineProperty(snapshot, 'resourceById', { get: () => (byId ??= new Map(snapshot.resources.map((resource) => [resource.id, resource]))) });
  snapshot.nodes = Array.isArray(json.nodes) ? fromRecords(json.nodes) : fromColumns(json.nodes ?? {});
  return snapshot;
}

// A channel may have thousands of receivers.
function unfoldHoldings(record) {
  return record.holdings ? { ...record, holdings: unfold(record.holdings) } : record;
}

function fromColumns(columns) {
  const nodes = { ...columns };
  nodes.site = Int32Array.from(columns.site ?? []);
  nodes.length = nodes.site.length;
  nodes.parent = Int32Array.from(columns.parent ?? []);
  nodes.label = Int32Array.from(columns.label ?? []);
  nodes.labels = columns.labels ?? [];
  nodes.bounds = columns.bounds ?? [];
  for (const name of COUNTERS) nodes[name] = Float64Array.from(columns[name] ?? []);
  for (const name of Object.keys(HISTOGRAMS)) nodes[name] = histograms(columns[name], nodes.length);
  return nodes;
}

// Where the buckets of each node begin in the flat list.
function histograms(flat, length) {
  if (!flat) return null;
  const starts = new Int32Array(length);
  for (let node = 0, at = 0; node < length; node += 1) {
    starts[node] = at;
    at += 1 + 2 * (flat[at] ?? 0);
  }
  return { flat, starts };
}

function fromRecords(records) {
  const labels = [...new Set(records.map((node) => node.label).filter((label) => label !== undefined && label !== null))];
  const numbers = new Map(labels.map((label, index) => [label, index + 1]));
  const bounds = [];
  const known = new Map();
  const bucket = ({ from_ns: from, to_ns: to, count }) => {
    const key = `${from} ${to}`;
    if (!known.has(key)) known.set(key, bounds.push([from, to]) - 1);
    return [known.get(key), count];
  };
  const columns = {
    site: records.map((node) => node.site),
    parent: records.map((node) => node.parent ?? -1),
    label: records.map((node) => numbers.get(node.label) ?? 0),
    labels,
    bounds,
  };
  for (const name of COUNTERS) columns[name] = records.map(LONGEST[name] ?? ((node) => node[name] ?? 0));
  for (const [name, buckets] of Object.entries(HISTOGRAMS)) {
    columns[name] = records.flatMap((node) => [buckets(node).length, ...buckets(node).flatMap(bucket)]);
  }
  return fromColumns(columns);
}

// The buckets of some nodes together, as `[from, to, count]`, ascending.
export function histogram(nodes, name, members) {
  const column = nodes[name];
  if (!column) return [];
  const counts = new Map();
  for (const node of members) {
    const start = column.starts[node];
    for (let pair = 0; pair < column.flat[start]; pair += 1) {
      const index = column.flat[start + 1 + 2 * pair];
      counts.set(index, (counts.get(index) ?? 0) + column.flat[start + 2 + 2 * pair]);
    }
  }
  const buckets = [...counts].map(([index, count]) => [...(nodes.bounds[index] ?? [0, 0]), count]);
  return buckets.sort((a, b) => a[0] - b[0]);
}

// The duration in ns that `perMille` of 1000 durations do not exceed, as in the other reports; `null` without any.
export function quantile(name, buckets, perMille, longest) {
  const total = buckets.reduce((sum, bucket) => sum + bucket[2], 0);
  if (total === 0) return null;
  return name === 'polls_histogram' ? interpolated(buckets, total, perMille, longest) : middleOfBucket(buckets, total, perMille, longest);
}

// Of polls, whose buckets are wide: durations lie evenly in a bucket. As in `analysis/quantile.rs`.
function interpolated(buckets, total, perMille, longest) {
  const target = total * perMille;
  let before = 0;
  for (const [from, to, count] of buckets) {
    const inside = count * 1000;
    if (inside > 0 && before + inside >= target) return Math.min(longest, from + Math.floor(((to - from) * (target - before)) / inside));
    before += inside;
  }
  return null;
}

// Of calls, whose buckets are narrow: the middle is off by at most half a bucket. As in `analysis/latency.rs`.
function middleOfBucket(buckets, total, perMille, longest) {
  const rank = Math.max(1, Math.ceil((total * perMille) / 1000));
  let before = 0;
  for (const [from, to, count] of buckets) {
    before += count;
    // The last duration is the longest one.
    if (before >= rank && rank < total) return Math.min(longest, from + Math.floor(Math.max(0, to - from - 1) / 2));
  }
  return longest;
}
