// The rows of the table by function: the totals of all call paths of a site.

import { histogram, quantile } from './snapshot.js';
import { totals } from './model.js';

const SUMS = ['calls', 'polls', 'completed', 'cancelled', 'panicked', 'never_polled', 'pending', 'running', 'unpolled_ns'];

// One row per site. Cumulative times count the outermost call of a recursion only; `inCalls` counts each call.
export function functionRows(model) {
  if (model.rows) return model.rows;
  const { nodes, size, sites } = model;
  const rows = new Map();
  const wall = totals(model, 'wall');
  // The path down to the present node, and how often each site is on it.
  const path = [];
  const onPath = new Int32Array(sites.length);
  for (let node = 0; node < size; node += 1) {
    const site = nodes.site[node];
    while (path.length && path[path.length - 1] !== nodes.parent[node]) onPath[nodes.site[path.pop()]] -= 1;
    let row = rows.get(site);
    if (!row) rows.set(site, row = new Row(model, sites[site]));
    row.members.push(node);
    for (const name of SUMS) row[name] += nodes[name][node];
    row.selfBusy += model.selfBusy[node];
    row.selfIdle += nodes.self_idle_ns[node];
    row.inCalls += nodes.busy_ns[node] + nodes.idle_ns[node];
    row.longest = Math.max(row.longest, nodes.longest_poll_ns[node]);
    row.callMax = Math.max(row.callMax, nodes.latency_longest_ns[node]);
    if (onPath[site] === 0) {
      row.busy += nodes.busy_ns[node];
      row.idle += nodes.idle_ns[node];
      if (!model.hidden[node]) row.wall += wall[node];
    }
    if (nodes.parent[node] < 0) row.queued += nodes.queued_ns[node];
    path.push(node);
    onPath[site] += 1;
  }
  model.rows = [...rows.values()].filter((row) => row.site);
  return model.rows;
}

// The site whose frames the graph draws for a row. Awaits whose time is all in the calls below them have no
// frames: then it is the site of the most time below.
export function drawnSite({ model, site, members }) {
  const { nodes, size, hidden, sites } = model;
  if (members.some((node) => !hidden[node])) return site;
  const wall = totals(model, 'wall');
  const isBelow = new Uint8Array(size);
  for (const node of members) isBelow[node] = 1;
  const sums = new Map();
  for (let node = 0; node < size; node += 1) {
    if (!isBelow[nodes.parent[node]]) continue;
    if (hidden[node]) isBelow[node] = 1;
    else sums.set(nodes.site[node], (sums.get(nodes.site[node]) ?? 0) + wall[node]);
  }
  const [most] = [...sums].sort((a, b) => b[1] - a[1]);
  return most ? sites[most[0]] : site;
}

// The totals of a site. Quantiles are computed when they are asked for.
class Row {
  constructor(model, site) {
    Object.assign(this, { model, site, members: [], selfBusy: 0, busy: 0, selfIdle: 0, idle: 0, inCalls: 0, queued: 0, wall: 0, longest: 0, callMax: 0, known: {} });
    for (const name of SUMS) this[name] = 0;
  }

  quantile(column, perMille, longest) {
    this.known[column] ??= histogram(this.model.nodes, column, this.members);
    return quantile(column, this.known[column], perMille, longest) ?? 0;
  }

  get p50() { return this.quantile('polls_histogram', 500, this.longest); }

  get p99() { return this.quantile('polls_histogram', 990, this.longest); }

  get callP50() { return this.quantile('latency', 500, this.callMax); }

  get callP99() { return this.quantile('latency', 990, this.callMax); }
}
