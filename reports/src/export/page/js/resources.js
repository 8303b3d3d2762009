// The view of resources: folded by type, name and the place of their creation.

import { h, fill, clean } from './dom.js';
import { time, count, counted, shortPlace, longPlace } from './units.js';
import { makeTable, markdownTable } from './table.js';
import { resourceType, resourceName, waitText, chip } from './tasks.js';
import { MERGED } from './snapshot.js';
import { state, go } from './state.js';

const ROLES = { holds: 'holds it', sends: 'sender', receives: 'receiver', uses: 'uses it' };
const UNITS_OF = { semaphore: 'permit', mpsc: 'slot', mpmc: 'slot', pipe: 'byte', custom: 'unit' };
// Their units are slots, which are reserved.
const CHANNELS = ['mpsc', 'mpmc', 'oneshot', 'broadcast'];
const MOST = 20;

// One row per place of creation.
export function resourceRows(model) {
  if (model.resourceRows) return model.resourceRows;
  const waits = new Map();
  for (const wait of model.snapshot.waits) {
    if (wait.resource === undefined || wait.resource === null) continue;
    if (!waits.has(wait.resource)) waits.set(wait.resource, []);
    waits.get(wait.resource).push(wait);
  }
  const rows = new Map();
  const add = (resource) => {
    const key = `${resource.kind}|${clean(resource.name ?? '')}|${longPlace(resource.created)}`;
    let row = rows.get(key);
    if (!row) {
      row = { key, type: resourceType(resource), name: clean(resource.name ?? ''), library: clean(resource.library), at: resource.created, members: [], gone: 0, waits: [],
        uses: 0, contended: 0, held: 0, longest: 0, waitP50: 0, waitP99: 0, waitMax: 0, heldP99: 0, heldMax: 0 };
      rows.set(key, row);
    }
    const { usage = {} } = resource;
    // Those of a place that are gone have a number, and no id.
    if (resource.id === undefined) row.gone += resource.count ?? 0;
    else row.members.push(resource);
    // No spread: 125,000 arguments are too many.
    for (const wait of waits.get(resource.id) ?? []) row.waits.push(wait);
    row.uses += usage.acquisitions ?? 0;
    row.contended += usage.contended ?? 0;
    row.held += (resource.holdings ?? []).filter((holding) => holding.role === 'holds').length;
    row.waitP50 = Math.max(row.waitP50, usage.wait?.p50_ns ?? 0);
    row.waitP99 = Math.max(row.waitP99, usage.wait?.p99_ns ?? 0);
    row.waitMax = Math.max(row.waitMax, usage.wait?.max_ns ?? 0);
    row.heldP99 = Math.max(row.heldP99, usage.held?.p99_ns ?? 0);
    row.heldMax = Math.max(row.heldMax, usage.held?.max_ns ?? 0);
  };
  [...model.snapshot.resources, ...model.snapshot.past_resources].forEach(add);
  for (const row of rows.values()) row.longest = row.waits.reduce((most, wait) => Math.max(most, wait.since_ns), 0);
  model.resourceRows = [...rows.values()];
  return model.resourceRows;
}

// How many there are, those included that are gone and were waited for.
export function resourceCount(snapshot) {
  return snapshot.past_resources.reduce((sum, past) => sum + (past.count ?? 0), snapshot.lengths.resources);
}

export function makeResources() {
  const ns = (id, name, title, value, bar) => ({ id, name, title, value, text: (row) => (value(row) ? time(value(row)) : ''), bar });
  let most = 1;
  const columns = [
    { id: 'name', name: 'Resource', isMain: true, key: (row) => row.type, hint: (row) => longPlace(row.at),
      text: (row) => [h('b', {}, row.name || row.type), ' ', h('small', {}, `${row.name ? `${row.type} ` : ''}${row.library} ${clean(shortPlace(row.at))}`)],
      plain: (row) => `${row.type} ${row.name ? `\`${row.name}\` ` : ''}${clean(shortPlace(row.at))}` },
    { id: 'number', name: 'Number', title: 'Those included that are gone and were waited for', value: (row) => row.members.length + row.gone, text: (row) => count(row.members.length + row.gone) },
    { id: 'waiters', name: 'Waiting now', value: (row) => row.waits.length, text: (row) => (row.waits.length ? count(row.waits.length) : '') },
    ns('longest', 'Longest now', 'The longest wait of now', (row) => row.longest),
    { id: 'held', name: 'Held now', title: 'Guards and permits alive', value: (row) => row.held, text: (row) => (row.held ? count(row.held) : '') },
    { id: 'uses', name: 'Uses', title: 'Acquisitions, or messages sent', value: (row) => row.uses, text: (row) => count(row.uses) },
    { id: 'contended', name: 'Waits', title: 'Waits, also those that last or were given up', value: (row) => row.contended, text: (row) => (row.contended ? count(row.contended) : '') },
    ns('p50', 'Wait p50', 'Median wait for the slowest of these resources, within 4 %', (row) => row.waitP50),
    ns('p99', 'Wait p99', '99 % of waits for the slowest of these resources are not longer', (row) => row.waitP99, (row) => [['wait', row.waitP99 / most]]),
    ns('max', 'Wait max', 'The longest wait', (row) => row.waitMax),
    ns('heldP99', 'Held p99', 'From acquisition to release, 99 % for the slowest of these resources', (row) => row.heldP99, (row) => [['busy', row.heldP99 / most]]),
    ns('heldMax', 'Held max', 'From acquisition to release', (row) => row.heldMax),
  ];
  const detail = h('div', { class: 'detail' });
  const note = h('p', { class: 'note' });
  let model = null;
  let selected = null;
  // The resource that a link led to.
  let lit = null;
  const table = makeTable({ label: 'Resources', columns, keyOf: (row) => row.key, onsort: (sort) => go({ sort }, { replace: true }), onopen: (row) => {
    selected = selected === row.key ? null : row.key;
    details();
    table.reveal(selected);
  } });
  const element = h('section', { class: 'list', 'aria-label': 'Resources' }, h('div', { class: 'bar-row' }, note), table.element, detail);

  function details() {
    const row = table.rows.find((one) => one.key === selected);
    detail.hidden = !row;
    if (!row) return;
    // It stands above the first ones, unless it is one of them.
    const pinned = row.members.slice(MOST).filter((resource) => resource.id === lit);
    const left = row.members.length - MOST - pinned.length;
    fill(detail, h('h2', {}, `${row.type} ${row.name}`, h('small', {}, ` ${clean(longPlace(row.at))}`)),
      h('p', {}, `${counted(row.uses, 'use')}, ${counted(row.contended, 'wait')}, finished or not${row.gone ? `, those of ${count(row.gone)} included that ${row.gone === 1 ? 'is' : 'are'} gone` : ''}`),
      [...pinned, ...row.members.slice(0, MOST)].map((resource) => [resource, row.waits.filter((wait) => wait.resource === resource.id)]).map(([resource, waits]) => h('div', { class: resource.id === lit ? 'one lit' : 'one', id: `resource-${resource.id}` }, h('h3', {}, resourceName(resource)),
        h('p', { class: 'note' }, facts(resource, waits)),
        first(resource.holdings ?? [], (holding) => h('p', {}, chip('running', ROLES[holding.role] ?? holding.role), ' ', owner(holding), holding.attribution === 'likely' ? ' (last seen)' : '', sinceWhen(resource, holding))),
        first(waits, (wait) =>
          h('p', {}, chip(model.stuckTasks.has(wait.task) ? 'stuck' : 'waiting', `${wait.mode} for ${time(wait.since_ns)}`), ' ', waiter(wait), ` ${waitText(model, wait)}`)))),
      more(left));
  }

  const more = (left) => (left > 0 ? h('p', { class: 'note' }, `… and ${count(left)} more`) : null);
  const first = (list, line) => [list.slice(0, MOST).map(line), more(list.length - MOST)];

  const taskLink = (task) => h('button', { type: 'button', class: 'link', onclick: () => element.dispatchEvent(new CustomEvent('task', { detail: task, bubbles: true })) }, `task ${task}`);
  const waiter = (wait) => (wait.task ? taskLink(wait.task) : wait.thread_id ? `thread ${wait.thread_id}` : 'a future outside of all tasks');
  const owner = (holding) => (holding.attribution === 'unknown' ? 'owner unknown' : holding.task ? taskLink(holding.task) : holding.thread_id ? `thread ${holding.thread_id}` : 'owner unknown');

  return {
    element,
    render(next) {
      model = next;
      const query = state.q.toLowerCase();
      const all = resourceRows(model);
      most = all.reduce((longest, row) => Math.max(longest, row.waitP99, row.heldP99), 1);
      const shown = all.filter((row) => !query || `${row.type} ${row.name} ${row.library} ${longPlace(row.at)}`.toLowerCase().includes(query));
      fill(note, model.snapshot.merged ? MERGED : `${counted(resourceCount(model.snapshot), 'resource')} of ${counted(all.length, 'place')}`);
      table.update(shown, state.sort || '-longest');
      details();
    },
    // Opens the row with a resource.
    reveal(id) {
      const row = resourceRows(model).find((one) => one.members.some((resource) => resource.id === id));
      [selected, lit] = [row?.key ?? null, id];
      details();
      table.reveal(selected);
    },
    setModel(next) {
      model = next;
    },
    markdown: () => markdownTable(columns, table.rows),
  };
}

// Since when a guard is held, or an end of a channel was last used, and where.
function sinceWhen(resource, holding) {
  const at = holding.place ? ` at ${clean(shortPlace(holding.place))}` : '';
  if (holding.role !== 'holds') return `, ${holding.uses === 0 ? 'created' : 'last used'}${at ? `${at},` : ''} ${time(holding.since_ns)} ago`;
  const verb = resource.kind === 'task_tracker' ? 'added' : CHANNELS.includes(resource.kind) ? 'reserved' : 'acquired';
  return ` for ${time(holding.since_ns)}${at ? `, ${verb}${at}` : ''}`;
}

// What of a resource is free; empty for one without units to acquire.
function freeText({ kind, capacity, free = 0, is_refilled: isRefilled }) {
  if ((capacity ?? null) === null) return '';
  if (kind === 'mutex') return free === 0 ? 'locked' : 'unlocked';
  if (kind === 'rw_lock') return free >= capacity ? 'unlocked' : free === 0 ? 'locked to write' : 'locked to read';
  const unit = UNITS_OF[kind];
  // Such a semaphore has no limit.
  if (!unit || capacity >= 1e8) return '';
  // As in a token bucket: the capacity counts each permit that was ever added.
  return kind === 'semaphore' && isRefilled ? `${counted(free, unit)} free` : `${count(free)} of ${counted(capacity, unit)} free`;
}

function filledText({ kind, capacity, filled = 0 }) {
  if (kind === 'barrier' && capacity) return `${count(filled)} of ${count(capacity)} arrived`;
  return filled ? counted(filled, kind === 'pipe' ? 'byte' : 'message') : '';
}

function facts(resource, waits) {
  const isGranted = ['mutex', 'rw_lock'].includes(resource.kind) && !(resource.holdings ?? []).some((holding) => holding.role === 'holds') && waits.some((wait) => wait.is_granted);
  const list = [isGranted ? 'granted to a waiter' : freeText(resource), filledText(resource)].filter(Boolean);
  if (resource.forgotten) list.push(`${counted(resource.forgotten, 'permit')} forgotten`);
  if (resource.usage?.missed) list.push(`${counted(resource.usage.missed, 'message')} missed`);
  if (resource.is_closed) list.push('closed');
  if (resource.created_by) list.push(`created by task ${resource.created_by}`);
  list.push(`age ${time(resource.age_ns)}`);
  return list.join(', ');
}
