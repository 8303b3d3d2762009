// The view of functions: a table with bars, filtered by the search.

import { h, fill } from './dom.js';
import { time, count } from './units.js';
import { functionRows, drawnSite } from './functions_data.js';
import { makeTable, markdownTable } from './table.js';
import { state, go } from './state.js';

export function makeFunctions() {
  let shown = [];
  let most = {};
  let columns = [];
  const table = makeTable({
    label: 'Functions', columns: (columns = columnsOf(() => most)), keyOf: (row) => row.site.key, onsort: (sort) => go({ sort }, { replace: true }),
    onopen: (row) => go({ view: 'flame', o: 'sandwich', f: drawnSite(row).key, z: [], roots: 'work,background,parked' }),
  });
  const note = h('p', { class: 'note' });
  const awaits = h('input', { type: 'checkbox', id: 'awaits', onchange: () => go({}) });
  const element = h('section', { class: 'list', 'aria-label': 'Functions' },
    h('div', { class: 'bar-row' }, h('label', {}, awaits, ' awaits too'), note), table.element);
  return {
    element,
    render(model) {
      const query = state.q.toLowerCase();
      const all = functionRows(model).filter((row) => awaits.checked || !row.site.isAwait);
      shown = all.filter((row) => !query || `${row.site.module}::${row.site.name} ${row.site.long}`.toLowerCase().includes(query));
      most = { selfBusy: top(all, 'selfBusy'), busy: top(all, 'busy'), idle: top(all, 'idle') };
      fill(note, `${count(shown.length)} of ${count(all.length)}. A row leads to its callers and callees.`);
      table.update(shown, state.sort || '-selfBusy');
    },
    markdown: () => markdownTable(columns, table.rows),
  };
}

function top(rows, name) {
  return rows.reduce((most, row) => Math.max(most, row[name]), 0) || 1;
}

function columnsOf(most) {
  const ns = (id, name, title, value, bar) => ({ id, name, title, value, text: (row) => time(value(row)), bar });
  // Blank for what has no latency, such as a hand-written future.
  const latency = (id, name, title) => ({ id, name, title, value: (row) => row[id], text: (row) => (row.callMax ? time(row[id]) : '') });
  return [
    { id: 'name', name: 'Function', isMain: true, key: (row) => row.site.name, hint: (row) => row.site.long,
      text: (row) => [h('b', {}, row.site.name), ' ', h('small', {}, row.site.short)], plain: (row) => `\`${row.site.name.replaceAll('`', "'")}\` ${row.site.short}` },
    { id: 'calls', name: 'Calls', value: (row) => row.calls, text: (row) => count(row.calls) },
    latency('callP50', 'p50', 'Median latency of a completed call'),
    latency('callP99', 'p99', '99 % of completed calls took no longer'),
    latency('callMax', 'max', 'The longest completed call'),
    ns('selfBusy', 'Self busy', 'Time inside poll, without annotated callees', (row) => row.selfBusy, (row) => [['busy', row.selfBusy / most().selfBusy]]),
    ns('busy', 'Busy', 'Time inside poll, with callees', (row) => row.busy, (row) => [['busy', row.busy / most().busy]]),
    ns('idle', 'Idle', 'Time between polls, with callees', (row) => row.idle, (row) => [['wait', row.idle / most().idle]]),
    ns('queued', 'Queued', 'Of tasks: time from wakes to polls', (row) => row.queued),
    ns('mean', 'Mean', 'Busy and idle per call', (row) => (row.calls ? row.inCalls / row.calls : 0)),
    { id: 'polls', name: 'Polls', value: (row) => row.polls, text: (row) => count(row.polls) },
    ns('p50', 'p50 poll', 'Median length of a poll', (row) => row.p50),
    ns('p99', 'p99 poll', '99 % of polls are not longer', (row) => row.p99),
    ns('longest', 'Max poll', 'Longest poll', (row) => row.longest),
    { id: 'cancelled', name: 'Cancelled', title: 'Calls dropped while pending', value: (row) => row.cancelled, text: (row) => (row.cancelled ? count(row.cancelled) : '') },
    { id: 'pending', name: 'Alive', title: 'Calls pending or running now', value: (row) => row.pending + row.running, text: (row) => (row.pending + row.running ? count(row.pending + row.running) : '') },
  ];
}
