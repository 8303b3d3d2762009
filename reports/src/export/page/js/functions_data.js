// The rows of the table by function: the totals of all call paths of a site.

import { histogram, quantile } from './snapshot.js';
import { totals } from './model.js';

const SUMS = ['calls', 'polls', 'completed', 'cancelled', 'panicked', 'never_polled', 'pending', 'running', 'unpolled_ns'];

// One row per site. Cumulative times count the outermost call of a recursion only.
export function functionRows(model) {
  if (model.rows) return model.rows;
  const { nodes, size, sites } = model;
  const rows = new Map();
  const wall = totals(model, 'wall');
  const lists = new Map();
  for (let node = 0; node < size; node += 1) {
    const site = nodes.site[node];
    let row = rows.get(site);
    if (!row) {
      row = { site: sites[site], selfBusy: 0, busy: 0, selfIdle: 0, idle: 0, queued: 0, wall: 0, longest: 0, callMax: 0 };
      for (const name of SUMS) row[name] = 0;
      rows.set(site, row);
      lists.set(site, []);
    }
    lists.get(site).push(node);
    for (const name of SUMS) row[name] += nodes[name][node];
    row.selfBusy += model.selfBusy[node];
    row.selfIdle += nodes.self_idle_ns[node];
    row.longest = Math.max(row.longest, nodes.longest_poll_ns[node]);
    row.callMax = Math.max(row.callMax, nodes.latency_longest_ns[node]);
    if (!isBelowItself(nodes, node, site)) {
      row.busy += nodes.busy_ns[node];
      row.idle += nodes.idle_ns[node];
      if (!model.hidden[node]) row.wall += wall[node];
    }
    if (nodes.parent[node] < 0) row.queued += nodes.queued_ns[node];
  }
  for (const [site, row] of rows) {
    row.members = lists.get(site);
    const polls = histogram(nodes, 'polls_histogram', row.members);
    row.p50 = quantile(polls, 0.5, row.longest) ?? 0;
    row.p99 = quantile(polls, 0.99, row.longest) ?? 0;
    const calls = histogram(nodes, 'latency', row.members);
    for (const [name, share] of [['callP50', 0.5], ['callP99', 0.99]]) row[name] = quantile(calls, share, row.callMax) ?? 0;
  }
  model.rows = [...rows.values()].filter((row) => row.site);
  return model.rows;
}

function isBelowItself(nodes, node, site) {
  for (let above = nodes.parent[node]; above >= 0; above = nodes.parent[above]) if (nodes.site[above] === site) return true;
  return false;
}
