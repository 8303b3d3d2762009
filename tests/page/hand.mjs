// Pages with data made by hand: a few calls, tasks and locks, in which a check knows every number.

import fs from 'node:fs';
import zlib from 'node:zlib';

const MS = 1e6;
export const place = (line) => ({ file: 'src/main.rs', line, column: 1 });
export const site = (name, line, kind = 'fn') => ({ name, module: 'made', kind, place: place(line) });

// Writes a page with a snapshot, and returns its address.
export function pageOf(out, name, snapshot, view = 'wall') {
  const data = zlib.deflateRawSync(JSON.stringify({ process: { name: 'made' }, elapsed_ns: 2 * MS, clock: { name: 'tsc' }, sites: [], nodes: [], tasks: [], spans: [], resources: [], waits: [], ...snapshot }));
  const page = fs.readFileSync(`${out}/small.html`, 'utf8').replace(/data-view="\w*"(>)[^<]*/, (_, end) => `data-view="${view}"${end}${data.toString('base64')}`);
  fs.writeFileSync(`${out}/${name}.html`, page);
  return `file://${out}/${name}.html`;
}

// `serve` calls `handle` twice, which calls `leaf` by two awaits whose time is all in `leaf`: 17 ms, 15 of them in `leaf`.
export function calls() {
  const node = (index, parent, number, busy, idle, self = 0) => ({ site: index, parent, calls: number, polls: number, completed: number, busy_ns: busy * MS, idle_ns: idle * MS, self_idle_ns: self * MS, wall_ns: self * MS });
  return {
    sites: [site('serve', 1), site('handle', 2), site('leaf().await', 3, 'await'), site('leaf().await', 4, 'await'), site('leaf', 5)],
    nodes: [node(0, null, 1, 5, 12), node(1, 0, 2, 5, 12), node(2, 1, 2, 2, 8), node(4, 2, 2, 2, 8, 8), node(3, 1, 2, 1, 4), node(4, 4, 2, 1, 4, 4)],
    // More threads have polled than there are workers.
    workers: [{ thread: 'worker', since_ns: 1 }], threads: [1, 2, 3].map((number) => ({ name: `thread ${number}`, alive: true, nodes: 1 })),
  };
}

export const task = (id, more) => ({ id, site: 0, kind: 'future', spawned_at: place(1), state: 'waiting', since_ns: 1e9 - id, age_ns: 1e9, polls: 1, busy_ns: 0, queued_ns: 0, ...more });

// `number` tasks of one place; the last has a chain of `depth` futures.
export function tasks(number, depth) {
  const spans = Array.from({ length: depth }, (_, index) => ({ id: index, site: 0, parent: index ? index - 1 : null, task: number, state: 'waiting', since_ns: 1, age_ns: 1, polls: 1 }));
  return { sites: [site('work', 1)], tasks: Array.from({ length: number }, (_, index) => task(index + 1, index + 1 === number ? { span: 0 } : {})), spans };
}

export const resource = (id, line) => ({ id, kind: 'mutex', library: 'tokio', created: place(line), age_ns: 1e9, capacity: 1, free: 0, holdings: [] });
export const wait = (id, more) => ({ id, mode: 'lock', place: place(60), since_ns: 1000, polls: 1, ...more });

// Two tasks at two locks that look alike, and a thread at a third one.
export function locks() {
  return { sites: [site('work', 1)], tasks: [task(1), task(2), task(7)], resources: [resource(1, 10), resource(2, 10), resource(3, 11)],
    waits: [wait(1, { task: 1, resource: 1 }), wait(2, { task: 2, resource: 2 }), wait(3, { thread_id: 7, resource: 3 })] };
}

// One lock, and `number` waits at it.
export function queue(number) {
  return { sites: [site('work', 1)], tasks: [task(1)], resources: [resource(1, 10)], waits: Array.from({ length: number }, (_, index) => wait(index, { task: 1, resource: 1 })) };
}

// Names of wide characters, with room for the place beside them.
export function wide() {
  const made = calls();
  return { ...made, sites: made.sites.map((one, index) => ({ ...one, name: one.kind === 'fn' ? '注文を処理して送信する🦀'.repeat(1 + index % 3) : one.name })) };
}

// One task of four that is found by its label.
export function filtered() {
  const found = { state: 'queued', label: 'req=4711', since_ns: 200 * MS, age_ns: 400 * MS, busy_ns: 5 * MS };
  return { sites: [site('work', 1)], tasks: [task(1, found), task(2), task(3), task(4)] };
}

// A function that waits below one of its callers only.
export function waiting() {
  const node = (index, parent, calls, pending) => ({ site: index, parent, calls, polls: calls, completed: calls - pending, pending, busy_ns: MS, idle_ns: 0, self_idle_ns: 0, wall_ns: 0 });
  const span = (id, index, parent) => ({ id, site: index, parent, task: 1, state: 'waiting', since_ns: 1e9, age_ns: 1e9, polls: 1 });
  return { sites: [site('login', 1), site('logout', 2), site('acquire', 3)], nodes: [node(0, null, 3, 3), node(2, 0, 3, 3), node(1, null, 5, 0), node(2, 2, 5, 0)],
    tasks: [task(1, { span: 0 })], spans: [span(1, 0, null), span(2, 2, 0)] };
}
