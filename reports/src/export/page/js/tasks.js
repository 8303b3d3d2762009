// The view of tasks: folded by spawn site, each with its await tree.

import { h, fill, clean, keepFocus } from './dom.js';
import { time, count, counted, shortPlace, longPlace } from './units.js';
import { MERGED } from './snapshot.js';
import { state, go } from './state.js';

export const STATES = [['running', 'running'], ['queued', 'queued'], ['waiting', 'waiting'], ['unpolled', 'not polled yet']];
const MAX_GROUPS = 200;
const MAX_TASKS = 25;
// How many tasks of a wait are named.
const MAX_JOINED = 4;
// What waits without a resource or a task are for.
const UNNAMED = { timer: 'a timer', join: 'a task', shutdown: 'blocking work' };
// The depth down to which an await tree is drawn.
const MAX_TREE = 128;

// The tasks of a snapshot by where they are spawned, the most first.
export function taskGroups(model) {
  if (model.taskGroups) return model.taskGroups;
  const groups = new Map();
  for (const task of model.snapshot.tasks) {
    const site = model.sites[task.site];
    const at = task.spawned_at ?? site?.place;
    const key = `${site?.key}|${longPlace(at)}`;
    let group = groups.get(key);
    if (!group) {
      group = { key, name: site?.name ?? 'task', at, site, tasks: [] };
      groups.set(key, group);
    }
    group.tasks.push(task);
  }
  for (const group of groups.values()) group.tasks.sort((a, b) => b.since_ns - a.since_ns);
  model.taskGroups = [...groups.values()].map((group) => withTasks(model, group, group.tasks)).sort((a, b) => b.stuck - a.stuck || b.tasks.length - a.tasks.length || b.longest - a.longest);
  return model.taskGroups;
}

// The group with these of its tasks, and their numbers.
function withTasks(model, group, tasks) {
  const states = {};
  for (const task of tasks) states[task.state] = (states[task.state] ?? 0) + 1;
  const most = (value) => tasks.reduce((found, task) => Math.max(found, task[value]), 0);
  const busy = tasks.reduce((sum, task) => sum + task.busy_ns, 0);
  const stuck = tasks.filter((task) => model.stuckTasks.has(task.id)).length;
  return { ...group, tasks, states, oldest: most('age_ns'), longest: most('since_ns'), busy, stuck };
}

export function makeTasks() {
  const [bar, list] = [h('div', { class: 'bar-row' }), h('div', { class: 'groups' })];
  const element = h('section', { class: 'list', 'aria-label': 'Tasks' }, bar, list);
  // By key of a group: whether the reader has opened or closed it. A single one is open before that.
  const open = new Map();
  const isOpen = (group) => open.get(group.key) ?? shown.length === 1;
  const openTasks = new Set();
  const shownOf = new Map();
  let only = '';
  let model = null;
  let shown = [];
  // The task that a link led to, and whether it is still to be put into view.
  let [lit, isWanted] = [null, false];

  const it = { element };
  it.render = (next) => {
    model = next;
    const query = state.q.toLowerCase();
    const isShown = (task, group) => (!only || (only === 'stuck' ? model.stuckTasks.has(task.id) : task.state === only)) && (!query || textOf(task, group).includes(query));
    shown = taskGroups(model).map((group) => withTasks(model, group, group.tasks.filter((task) => isShown(task, group)))).filter((group) => group.tasks.length);
    // The group that a link leads to is drawn in any case.
    const led = shown.length > MAX_GROUPS && lit !== null ? shown.findIndex((group) => group.tasks.some((task) => task.id === lit)) : -1;
    if (led >= MAX_GROUPS) shown.unshift(...shown.splice(led, 1));
    const total = shown.reduce((sum, group) => sum + group.tasks.length, 0);
    const counts = [...STATES, ['stuck', 'stuck']].map(([name, word]) => [name, word,
      name === 'stuck' ? model.snapshot.tasks.filter((task) => model.stuckTasks.has(task.id)).length : model.snapshot.tasks.filter((task) => task.state === name).length]);
    bar.hidden = !model.snapshot.lengths.tasks;
    fill(bar, h('div', { class: 'choice', role: 'group', 'aria-label': 'State' }, counts.filter(([name, , number]) => number > 0 || name === only).map(([name, word, number]) =>
      h('button', { type: 'button', 'aria-pressed': String(only === name), onclick: () => {
        only = only === name ? '' : name;
        keepFocus(() => it.render(model));
      } }, h('i', { class: `dot ${name}` }), `${count(number)} ${word}`))), h('p', { class: 'note' }, `${counted(total, 'task')} of ${counted(shown.length, 'spawn site')}`));
    fill(list, shown.length ? shown.slice(0, MAX_GROUPS).map(groupOf) : h('p', { class: 'note' }, model.snapshot.tasks.length ? 'No task matches.' : model.snapshot.merged ? MERGED : 'No task is alive.'),
      shown.length > MAX_GROUPS ? h('p', { class: 'note' }, `… and ${count(shown.length - MAX_GROUPS)} more spawn sites: filter with the search.`) : null);
    if (isWanted) list.querySelector(`#task-${lit}`)?.scrollIntoView({ block: 'center' });
    isWanted = false;
  };

  // What the search looks at, made once per task.
  function textOf(task, group) {
    model.taskTexts ??= new Map();
    const known = model.taskTexts.get(task);
    if (known !== undefined) return known;
    const text = `${task.id} ${group.name} ${longPlace(group.at)} ${task.label ?? ''} ${Object.entries(task.attributes ?? {}).flat().join(' ')} ${task.thread ?? ''}`.toLowerCase();
    model.taskTexts.set(task, text);
    return text;
  }

  function groupOf(group) {
    const details = h('details', { class: `group${group.stuck ? ' has-stuck' : ''}`, open: isOpen(group) },
      h('summary', {},
        h('span', { class: 'times' }, count(group.tasks.length), ' ×'),
        h('b', {}, group.name), h('small', {}, clean(shortPlace(group.at))),
        h('span', { class: 'chips' }, group.stuck ? chip('stuck', `${count(group.stuck)} stuck`) : null, STATES.filter(([name]) => group.states[name]).map(([name, word]) => chip(name, `${count(group.states[name])} ${word}`))),
        h('span', { class: 'right' }, `oldest ${time(group.oldest)}, longest in its state ${time(group.longest)}, busy ${time(group.busy)}`)));
    const content = () => fill(details, details.firstChild, tasksOf(group));
    if (details.open) content();
    details.addEventListener('toggle', () => {
      if (details.open === isOpen(group)) return;
      open.set(group.key, details.open);
      if (details.open) content();
    });
    return details;
  }

  function tasksOf(group) {
    const most = shownOf.get(group.key) ?? MAX_TASKS;
    // The task of a link stands above the first ones, unless it is one of them.
    const pinned = group.tasks.slice(most).filter((task) => task.id === lit);
    const rest = group.tasks.length - most - pinned.length;
    return h('div', { class: 'tasks' }, [...pinned, ...group.tasks.slice(0, most)].map((task) => taskOf(task)),
      rest > 0 ? h('button', { type: 'button', onclick: (event) => {
        shownOf.set(group.key, most + 100);
        const all = tasksOf(group);
        event.target.closest('.tasks').replaceWith(all);
        // The first task that is new has the focus of the button.
        all.querySelector(`#task-${group.tasks[most].id} summary`)?.focus({ preventScroll: true });
      } }, `${count(Math.min(100, rest))} more of ${count(rest)}`) : null);
  }

  function taskOf(task) {
    const details = h('details', { class: task.id === lit ? 'task lit' : 'task', id: `task-${task.id}`, open: openTasks.has(task.id) },
      h('summary', {}, h('b', {}, `${task.kind === 'blocking' ? 'blocking ' : ''}task ${task.id}`), task.label ? h('span', { class: 'tag' }, task.label) : null,
        chip(model.stuckTasks.has(task.id) ? 'stuck' : task.state, `${model.stuckTasks.has(task.id) ? 'stuck, ' : ''}${STATES.find(([name]) => name === task.state)?.[1] ?? task.state} ${time(task.since_ns)}`),
        h('span', { class: 'right' }, `age ${time(task.age_ns)}, ${counted(task.polls, 'poll')}, busy ${time(task.busy_ns)}, queued ${time(task.queued_ns)}`)));
    const content = () => fill(details, details.firstChild, h('div', { class: 'tree' }, awaitTree(model, task)));
    if (details.open) content();
    details.addEventListener('toggle', () => {
      if (details.open === openTasks.has(task.id)) return;
      if (details.open) {
        openTasks.add(task.id);
        content();
      } else openTasks.delete(task.id);
    });
    return details;
  }

  // Opens the tree of a task and puts it into view.
  it.reveal = (id) => {
    only = '';
    [lit, isWanted] = [id, true];
    const group = taskGroups(model).find(({ tasks }) => tasks.some((task) => task.id === id));
    if (group) open.set(group.key, true);
    openTasks.add(id);
    go({ q: '' }, { replace: true });
  };
  it.markdown = () => shown.slice(0, 30).map((group) => `- ${count(group.tasks.length)} × \`${group.name.replaceAll('`', "'")}\` ${clean(shortPlace(group.at))}: `
    + `${STATES.filter(([name]) => group.states[name]).map(([name, word]) => `${count(group.states[name])} ${word}`).join(', ')}; oldest ${time(group.oldest)}`).join('\n');
  it.setModel = (next) => {
    model = next;
  };
  return it;
}

export function chip(kind, text) {
  return h('span', { class: `chip ${kind}` }, h('i', { class: `dot ${kind}` }), text);
}

// The futures of a task, from its root down to where it waits.
function awaitTree(model, task) {
  const { spans } = model.snapshot;
  if (!model.spanChildren) {
    model.spanChildren = new Map();
    spans.forEach((span, index) => {
      const key = span.parent ?? (span.is_detached ? `task ${span.task}` : null);
      if (key === null) return;
      if (!model.spanChildren.has(key)) model.spanChildren.set(key, []);
      model.spanChildren.get(key).push(index);
    });
  }
  const facts = [];
  if (task.spawned_at) facts.push(`spawned at ${clean(longPlace(task.spawned_at))}${task.spawned_by ? ` by task ${task.spawned_by}` : ''}`);
  if (task.thread) facts.push(`last polled on ${clean(task.thread)}`);
  if (task.wakes) facts.push(`${counted(task.wakes, 'wake')}${task.self_wakes ? `, ${count(task.self_wakes)} by itself` : ''}`);
  if (task.wakers === 0 && task.state === 'waiting' && !task.is_unstable && task.kind === 'future') {
    facts.push(`nothing can wake it${waitsForEver(model, task) ? ', on purpose: it awaits pending()' : ': it returned Pending, and no clone of its waker is left'}`);
  }
  for (const [name, value] of Object.entries(task.attributes ?? {})) facts.push(`${clean(name)} = ${clean(value)}`);
  const woken = wokenSpans(model);
  const tree = (index, depth, above) => {
    const span = spans[index];
    if (!span) return null;
    if (depth > MAX_TREE) return deeper(model, index);
    const site = model.sites[span.site];
    const via = span.at === undefined || span.at === null ? null : model.sites[span.at];
    const isCollected = via === null && above && site?.kind !== 'await';
    const isAside = span.is_set_aside && (woken.has(span.id) || (above?.span.is_set_aside ? above.isAside : !isCollected));
    const below = (model.spanChildren.get(index) ?? []).flatMap((child) => tree(child, depth + 1, { span, isAside })).filter(Boolean);
    // The stack that runs has the running spans.
    if (span.state === 'running' && task.running?.length) return below;
    return h('li', { class: model.stuckTasks.has(task.id) && !below.length ? 'is-stuck' : null },
      h('code', {}, site?.name ?? '?'), span.label ? h('span', { class: 'tag' }, span.label) : null,
      h('small', {}, ` ${via ? `at ${via.name} ${via.short}` : site?.short ?? ''}`),
      below.length ? null : h('span', {}, ` ${span.state} ${time(span.since_ns)}`),
      isAside ? h('em', {}, ' its task stopped polling it') : null,
      below.length ? h('ul', {}, below) : null);
  };
  const roots = [...(task.span !== undefined && task.span !== null ? [task.span] : []), ...(model.spanChildren.get(`task ${task.id}`) ?? [])];
  const running = (task.running ?? []).map((site) => h('li', {}, h('code', {}, model.sites[site]?.name ?? '?'), h('small', {}, ` ${model.sites[site]?.short ?? ''} running`)));
  const waits = model.snapshot.waits.filter((wait) => wait.task === task.id);
  return [h('p', { class: 'note' }, facts.join('; ')), h('ul', {}, running, roots.map((index) => tree(index, 0, null))),
    waits.length ? h('p', {}, waits.map((wait) => [h('span', { class: 'tag' }, wait.mode), ' ', waitText(model, wait), ' '])) : null];
}

// The ids of spans that were woken, or have such a span below. A future in a collection is polled only if it
// was woken, which its wait shows.
function wokenSpans(model) {
  if (model.woken) return model.woken;
  const { spans, waits } = model.snapshot;
  model.woken = new Set(waits.filter((wait) => wait.is_granted || (wait.woken_ns ?? null) !== null).map((wait) => wait.span));
  for (const span of [...spans].reverse()) {
    if (span.is_set_aside && model.woken.has(span.id) && spans[span.parent]) model.woken.add(spans[span.parent].id);
  }
  return model.woken;
}

// Whether a task waits only for `std::future::pending()`, by the text of its awaits.
function waitsForEver(model, task) {
  const { spans } = model.snapshot;
  if (!spans[task.span]) return false;
  const isPending = (span) => /^(pending|.*future::pending)$/.test((model.sites[span.site]?.name ?? '').replace(/\.await$/, '').replace(/(::)?<.*$/s, '').replace(/(\(\))+$/, ''));
  return [...spansFrom(model, task.span)].every((at) => model.spanChildren.has(at) || isPending(spans[at]));
}

// A span and all spans below it.
function spansFrom(model, index) {
  const seen = new Set([index]);
  // A set has its members in the order in which they came, also those that come meanwhile.
  for (const at of seen) for (const child of model.spanChildren.get(at) ?? []) seen.add(child);
  return seen;
}

// The number of spans from one down, and the innermost of them: where the task waits.
function deeper(model, index) {
  const seen = spansFrom(model, index);
  const innermost = model.snapshot.spans[[...seen].at(-1)];
  const site = model.sites[innermost.site];
  return h('li', { class: model.stuckTasks.has(innermost.task) ? 'is-stuck' : null }, h('span', {}, `… ${count(seen.size)} more, the innermost `), h('code', {}, site?.name ?? '?'), h('small', {}, ` ${site?.short ?? ''}`),
    h('span', {}, ` ${innermost.state} ${time(innermost.since_ns)}`));
}

// What a wait waits for, how long, and what became of it.
export function waitText(model, wait) {
  const at = clean(shortPlace(wait.place)) || '?';
  return `${waitedFor(model, wait)} at ${at} for ${time(wait.since_ns)}${dueText(wait)}${wokenText(wait)}${isLeft(wait) ? ', its task stopped polling it' : ''}`;
}

function waitedFor(model, wait) {
  const resource = model.snapshot.resourceById.get(wait.resource);
  if (resource) return resourceName(resource);
  const tasks = wait.tasks ?? [];
  if (tasks.length) return `${tasks.length > 1 ? 'tasks' : 'task'} ${tasks.slice(0, MAX_JOINED).join(', ')}${tasks.length > MAX_JOINED ? ' …' : ''}`;
  return UNNAMED[wait.mode] ?? 'an unknown resource';
}

function dueText({ mode, due_ns: due }) {
  if ((due ?? null) === null) return '';
  const [ahead, ago] = mode === 'timer' ? ['due in', 'due'] : ['gives up in', 'was to give up'];
  return due < 0 ? `, ${ago} ${time(-due)} ago` : `, ${ahead} ${time(due)}`;
}

const wokenText = (wait) => ((wait.woken_ns ?? null) === null ? '' : `, ${wait.is_granted ? 'granted' : 'woken'} ${time(wait.woken_ns)} ago`);
const isLeft = (wait) => wait.is_wake_ignored || (wait.is_set_aside && !wait.is_indirect);

const TYPES = { mutex: 'Mutex', rw_lock: 'RwLock', semaphore: 'Semaphore', once_cell: 'OnceCell', barrier: 'Barrier', notify: 'Notify', condvar: 'Condvar', mpmc: 'channel', cancellation: 'CancellationToken',
  task_tracker: 'TaskTracker', custom: 'resource' };

// The type of a resource: `Mutex`; `oneshot` for a channel.
export function resourceType(resource) {
  return TYPES[resource.kind] ?? clean(resource.kind ?? 'mutex');
}

// The name of a resource: `Mutex#1 rows`.
export function resourceName(resource) {
  return `${resourceType(resource)}#${resource.id}${resource.name ? ` ${clean(resource.name)}` : ''}`;
}
