// Makes a saved snapshot of any size: `node make.mjs NODES TASKS [hostile] > x.json`. Equal arguments give equal files.

import fs from 'node:fs';

const [nodeCount, taskCount, kind = 'plain'] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];

// Names that would break out of a page that sets text as markup.
const HOSTILE = ['</script><script>globalThis.hacked = 1</script>', '<img src=x onerror="globalThis.hacked = 2">',
  '"><b onmouseover=hacked=3>', '{{data}}${1}`\\u0000', 'a\u202eb\u0000c\nd', '__proto__', 'constructor', "'; globalThis.hacked = 4; '", '&lt;i&gt;', ''];

let seed = 12345;
// A random whole number below `limit`.
function random(limit) {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
}

const isHostile = kind === 'hostile';
const VERBS = ['read', 'write', 'flush', 'fetch', 'parse', 'route', 'query', 'commit', 'lookup', 'encode'];
const NOUNS = ['order', 'user', 'cache', 'frame', 'page', 'session', 'stream', 'index', 'batch', 'token'];
const siteCount = Math.min(2000, Math.max(24, Math.ceil(nodeCount / 10)));
const name = (index) => (isHostile ? HOSTILE[index % HOSTILE.length] : `${VERBS[index % 10]}_${NOUNS[Math.floor(index / 10) % 10]}${index >= 100 ? `_${Math.floor(index / 100)}` : ''}`);
const sites = [];
for (let index = 0; index < siteCount; index += 1) {
  const isAwait = index % 3 === 2;
  const file = isHostile ? `src/${HOSTILE[(index + 3) % HOSTILE.length]}.rs` : `src/${NOUNS[index % 10]}/${VERBS[Math.floor(index / 10) % 10]}.rs`;
  sites.push({ place: { file, line: 1 + index * 3, column: 5 }, name: isAwait ? `${name(index)}().await` : name(index), module: isHostile ? name(index + 1) : `server::${NOUNS[index % 10]}`, kind: isAwait ? 'await' : 'fn' });
}
sites.sort((a, b) => (a.place.file < b.place.file ? -1 : a.place.file > b.place.file ? 1 : a.place.line - b.place.line));
const awaits = sites.map((site, index) => [site, index]).filter(([site]) => site.kind === 'await').map(([, index]) => index);
const functions = sites.map((site, index) => [site, index]).filter(([site]) => site.kind === 'fn').map(([, index]) => index);

// Depth first: a parent comes before its children.
const nodes = [];
const depths = [];
function node(parent, site) {
  const own = 1000 + random(2_000_000);
  nodes.push({ site, parent, calls: 1 + random(500), polls: 500 + random(2000), completed: 0, cancelled: random(3), panicked: 0, never_polled: 0, pending: 0, running: 0,
    busy_ns: own, nested_ns: 0, idle_ns: 0, self_idle_ns: 0, queued_ns: 0, wall_ns: 0, unpolled_ns: 0, longest_poll_ns: own, first_seen_ns: 0, last_seen_ns: 1e9,
    polls_histogram: [{ from_ns: 1024, to_ns: 2048, count: 10 + random(300) }, { from_ns: 2048, to_ns: 4096, count: random(90) + 1 }],
    ...(random(4) === 0 ? { label: isHostile ? HOSTILE[random(HOSTILE.length)] : `user=${random(20)}` } : {}) });
  depths.push(parent === null ? 0 : depths[parent] + 1);
  return nodes.length - 1;
}
// Two buckets, and the longest of the durations.
function durations(count, index) {
  const from = 65536 + 4096 * (index % 8);
  const first = Math.ceil((count * (index % 5)) / 5);
  const buckets = [{ from_ns: from, to_ns: from + 4096, count: first }, { from_ns: 2 * from, to_ns: 2 * from + 8192, count: count - first }].filter((bucket) => bucket.count > 0);
  return { buckets, longest_ns: count > 0 ? buckets.at(-1).to_ns - 1000 : 0 };
}
const roots = Math.max(2, Math.min(40, Math.floor(nodeCount / 20)));
let last = [];
while (nodes.length < nodeCount) {
  if (last.length === 0 || (random(Math.ceil(nodeCount / roots)) === 0 && depths[last[last.length - 1]] > 0)) {
    last = [node(null, functions[random(functions.length)])];
    continue;
  }
  while (last.length > 1 && (random(3) === 0 || last.length > 40)) last.pop();
  const parent = last[last.length - 1];
  const isAwait = sites[nodes[parent].site].kind !== 'await' && random(3) === 0;
  const child = node(parent, isAwait ? awaits[random(awaits.length)] : functions[random(functions.length)]);
  if (isAwait) {
    const wait = random(30_000_000);
    nodes[child].self_idle_ns = wait;
    nodes[child].wall_ns = wait;
  }
  last.push(child);
}
for (let index = nodes.length - 1; index >= 0; index -= 1) {
  const it = nodes[index];
  it.idle_ns += it.self_idle_ns;
  it.completed = it.calls - it.cancelled;
  if (it.completed < 0) [it.completed, it.cancelled] = [it.calls, 0];
  it.latency = { completed: durations(it.completed, index), cancelled: durations(it.cancelled, index) };
  if (it.parent !== null) {
    nodes[it.parent].busy_ns += it.busy_ns;
    nodes[it.parent].idle_ns += it.idle_ns;
  } else {
    it.queued_ns = Math.floor(it.idle_ns / 9);
    it.idle_ns += it.queued_ns;
  }
}

const states = ['waiting', 'waiting', 'waiting', 'queued', 'running'];
const [tasks, spans, resources, waits] = [[], [], [], []];
for (let index = 0; index < Math.max(2, taskCount / 20); index += 1) {
  resources.push({ id: index + 1, kind: index % 3 ? 'mutex' : 'oneshot', library: 'tokio', created: { file: 'src/main.rs', line: 10 + (index % 7), column: 3 }, age_ns: 1e9, capacity: 1, free: 0, filled: 0,
    forgotten: 0, is_refilled: false, is_fair: true, is_closed: false, usage: { acquisitions: 10, contended: 4, wait: { p50_ns: 1000, p99_ns: 5000, max_ns: 9000 }, held: { p50_ns: 1, p99_ns: 2, max_ns: 3 } },
    ...(isHostile ? { name: HOSTILE[index % HOSTILE.length] } : {}),
    holdings: [{ role: 'holds', units: 1, task: 1 + random(taskCount), attribution: 'exact', place: { file: 'src/main.rs', line: 88, column: 1 }, since_ns: 1000 + index, uses: 1 }] });
}
if (taskCount >= 1000) {
  const receivers = Array.from({ length: taskCount }, (_, index) => ({ role: 'receives', units: 1, task: 1 + index, attribution: 'exact', place: { file: 'src/main.rs', line: 90, column: 1 }, since_ns: 1000 + index, uses: 1 }));
  resources.push({ id: resources.length + 1, kind: 'broadcast', library: 'tokio', created: { file: 'src/main.rs', line: 95, column: 3 }, age_ns: 1e9, capacity: 16, free: 16, filled: 0,
    forgotten: 0, is_refilled: false, is_fair: true, is_closed: false, usage: { acquisitions: 10, contended: 0, wait: { p50_ns: 0, p99_ns: 0, max_ns: 0 }, held: { p50_ns: 0, p99_ns: 0, max_ns: 0 } }, holdings: receivers });
}
for (let id = 1; id <= taskCount; id += 1) {
  const state = states[random(states.length)];
  const site = functions[random(30) % functions.length];
  tasks.push({ id, site, kind: 'future', runtime: 'tokio', spawned_at: sites[site].place, spawned_by: id > 1 ? 1 : undefined, state, since_ns: random(1e9), age_ns: 1e9 + random(1e9), polls: random(1000), busy_ns: random(1e7),
    queued_ns: random(1e6), wakes: 9, self_wakes: 0, runtime_number: 1, is_unstable: false, is_local: false, thread: 'tokio-rt-worker', span: spans.length,
    ...(isHostile ? { label: HOSTILE[id % HOSTILE.length], attributes: { [HOSTILE[(id + 1) % HOSTILE.length] || '#']: HOSTILE[(id + 2) % HOSTILE.length] } } : {}) });
  const [root, leaf] = [spans.length, spans.length + 1];
  spans.push({ id: 2 * id, site, parent: null, task: id, state: 'waiting', since_ns: 500 + id, age_ns: 1e9, polls: 3, is_detached: false, is_set_aside: false });
  spans.push({ id: 2 * id + 1, site: awaits[id % awaits.length], parent: root, task: id, state: 'waiting', since_ns: 500 + id, age_ns: 1e9, polls: 3, is_detached: false, is_set_aside: leaf % 7 === 0 });
  if (state === 'waiting') {
    waits.push({ id: 2 * id + 1, resource: 1 + random(resources.length), mode: 'lock', units: 1, task: id, span: 2 * id + 1, place: { file: 'src/main.rs', line: 60 + (id % 5), column: 9 }, since_ns: random(1e9), polls: 2,
      is_granted: false, is_set_aside: false, is_wake_ignored: false, is_indirect: false, wakers: 1, ahead: 0, is_unstable: false, ...(id % 50 === 0 ? { due_ns: -random(1000) } : {}) });
  }
}
// A list in pieces: the whole may be longer than the longest string.
function write(name, list) {
  fs.writeSync(1, `,"${name}":[`);
  for (let at = 0; at < list.length; at += 1000) fs.writeSync(1, (at ? ',' : '') + JSON.stringify(list.slice(at, at + 1000)).slice(1, -1));
  fs.writeSync(1, ']');
}

const VERSION = Number(/pub const VERSION: u32 = (\d+)/.exec(fs.readFileSync(new URL('../../reports/src/model/mod.rs', import.meta.url), 'utf8'))[1]);
const head = { version: VERSION, producer: 'diagnose 0.1.0', process: { name: isHostile ? HOSTILE[0] : 'orders', pid: 4711, host: 'web-3', build: '1.4.2' }, captured_unix_ms: 1795335243000,
  elapsed_ns: 2_000_000_000, enabled: true, clock: { name: 'tsc' }, costs: [{ activity: 'polls', count: 12, ns: 420 }], dropped: { over_nodes: 0, over_depth: 0, over_labels: 0, unreadable: 0 },
  threads: [{ name: 'tokio-rt-worker', alive: true, nodes: nodeCount }], alarms: isHostile ? HOSTILE.map((text) => ({ at_unix_ms: 1795335203000, kind: 'long_poll', text: `${text}\n  ${text}` })) : [],
  runtimes: [{ number: 1, library: 'tokio', workers: 2, threads: 2 }], workers: [] };
fs.writeSync(1, JSON.stringify(head).slice(0, -1));
for (const [name_, list] of Object.entries({ sites, nodes, tasks, spans, resources, waits })) write(name_, list);
fs.writeSync(1, '}\n');
