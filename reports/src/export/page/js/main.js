// The page: reads the data, makes the views, and leads keys, links and new snapshots to them.

import { h, fill, clean, say, isTyping, keepFocus } from './dom.js';
import { time, count, counted, utc } from './units.js';
import { unpack, pack } from './unpack.js';
import { read } from './snapshot.js';
import { build, totals, waitingAt, MEASURES } from './model.js';
import { functionRows } from './functions_data.js';
import { state, go, start, onchange, format } from './state.js';
import { startTheme, toggleTheme } from './theme.js';
import { copy, download } from './markdown.js';
import { makeFlame } from './flame.js';
import { makeFunctions } from './functions.js';
import { makeTasks, taskGroups } from './tasks.js';
import { makeResources, resourceCount, resourceRows } from './resources.js';
import { makeGraph, graphOf } from './graph.js';
import { makeFindings, makeAbout } from './findings.js';

const POLL_MS = 1000;
// Longer than the server takes for its slowest page.
const PATIENCE_MS = 90000;
const WARM_ROWS = 200;
// The document before any view is in it: what `save` writes with the latest data.
const DOCUMENT = document.documentElement.outerHTML;
const dataBlock = document.getElementById('data');
const isLive = dataBlock.dataset.live === 'true';
const main = document.getElementById('main');
let model = null;
let latest = null;
let isPaused = false;

const flame = makeFlame();
const functions = makeFunctions();
const tasks = makeTasks();
const resources = makeResources();
const graph = makeGraph();
const findings = makeFindings({ node: toNode, site: toSite, task: toTask, resource: toResource, graph: () => go({ view: 'waits', q: '' }) });
const about = makeAbout();
const VIEWS = [['findings', 'Findings', findings, (it) => it.snapshot.findings.length], ['flame', 'Flame', flame], ['functions', 'Functions', functions],
  ['tasks', 'Tasks', tasks, ({ snapshot }) => (snapshot.merged ? null : snapshot.lengths.tasks)], ['resources', 'Resources', resources, ({ snapshot }) => (snapshot.merged ? null : resourceCount(snapshot))],
  ['waits', 'Waits-for', graph], ['about', 'About', about]];

const search = h('input', { type: 'search', id: 'search', placeholder: 'Search  ( / )', 'aria-label': 'Search and filter', autocomplete: 'off', spellcheck: 'false',
  oninput: () => go({ q: search.value }, { replace: true }) });
const status = h('span', { class: 'live' });
// The parts of the head that change. The head is made once: a field that leaves the document loses its input method.
const [programName, programFacts, tabs] = [h('h1', {}), h('p', {}), h('nav', { class: 'tabs', 'aria-label': 'Views' })];
const pauseButton = h('button', { type: 'button', onclick: pause });

function currentView() {
  return VIEWS.find(([name]) => name === state.view) ?? VIEWS[0];
}

function pageHead() {
  const { snapshot } = model;
  const workers = snapshot.runtimes.reduce((sum, runtime) => sum + runtime.workers, 0) || snapshot.workers.length;
  const facts = [snapshot.process.pid ? `pid ${snapshot.process.pid}` : '', clean(snapshot.process.host), time(snapshot.elapsed_ns ?? 0), clean(snapshot.process.build), workers ? counted(workers, 'worker') : counted(snapshot.threads.length, 'thread'), recordedAt(snapshot), snapshot.enabled === false ? 'recording is off' : ''];
  const isEmpty = (it, number) => number && number(it) === 0;
  const top = document.getElementById('top');
  if (!top.firstChild) makeHead(top);
  fill(programName, clean(snapshot.process.name) || 'diagnose');
  fill(programFacts, facts.filter(Boolean).join(' · '));
  fill(pauseButton, isPaused ? 'Resume' : 'Pause').setAttribute('aria-pressed', String(isPaused));
  fill(tabs, VIEWS.map(([name, title, , number]) => h('a', { href: `#${name}`, class: isEmpty(model, number) ? 'empty' : null,
      'aria-current': name === currentView()[0] ? 'page' : null, onclick: (event) => {
        event.preventDefault();
        if (name !== state.view) go({ view: name, sort: '' });
      } }, title, (number?.(model) ?? null) === null ? null : h('small', {}, ` ${count(number(model))}`))));
}

function makeHead(top) {
  fill(top, h('div', { class: 'title' }, programName, programFacts, status,
    h('div', { class: 'tools' }, search, isLive ? pauseButton : null,
      h('button', { type: 'button', title: 'Copy this view as Markdown (c)', onclick: copyView }, 'Copy'),
      h('button', { type: 'button', title: 'Light or dark (t)', 'aria-label': 'Switch between light and dark', onclick: switchTheme }, '◐'),
      h('button', { type: 'button', title: 'Save this page', onclick: save }, 'Save'))), tabs);
}

function recordedAt(snapshot) {
  const at = snapshot.captured_unix_ms;
  return at ? `${utc(at)} UTC` : '';
}

function render() {
  if (model) keepFocus(show);
}

function show() {
  pageHead();
  if (search.value !== state.q) search.value = state.q;
  const [name, title, view] = currentView();
  search.hidden = name === 'about';
  if (main.firstElementChild !== view.element || main.childElementCount > 1) fill(main, view.element);
  document.title = `${clean(model.snapshot.process.name) || 'diagnose'}: ${title}`;
  view.render(model);
}

function update(json) {
  load(json);
  render();
}

function load(json) {
  model = build(read(json));
  latest = json;
  for (const view of [tasks, resources]) view.setModel(model);
}

// Findings, unless there is nothing to say and a graph to draw. The file's view may ask for a graph.
function firstView() {
  const { view } = dataBlock.dataset;
  const isSilent = model?.size > 0 && ['findings', 'verdicts', 'alarms'].every((name) => model.snapshot[name].length === 0);
  return { m: view === 'busy' || view === 'idle' ? view : 'wall', view: view === 'wall' && !isSilent ? 'findings' : 'flame' };
}

// Prepares the other views while nothing else is to do, a part at a time.
function warm(prepared) {
  const parts = [() => prepared.snapshot.tasks, () => prepared.snapshot.spans, () => prepared.snapshot.waits, () => prepared.snapshot.resources, () => taskGroups(prepared),
    () => waitingAt(prepared, -1), () => functionRows(prepared), ...MEASURES.map(([measure]) => () => totals(prepared, measure)), () => resourceRows(prepared), () => graphOf(prepared)];
  // The quantiles of some functions at a time.
  const quantiles = (from) => () => {
    const rows = functionRows(prepared).slice(from, from + WARM_ROWS);
    rows.forEach((row) => [row.p50, row.callP50]);
    if (rows.length === WARM_ROWS) parts.push(quantiles(from + WARM_ROWS));
  };
  parts.push(quantiles(0));
  const idle = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 30));
  const next = () => {
    if (prepared !== model) return;
    if (parts.length) {
      parts.shift()();
      idle(next);
    } else performance.mark('diagnose-ready');
  };
  idle(next);
}

// Links of findings into the views.
function toNode(node) {
  const path = [];
  for (let at = model.hidden[node] ? model.up[node] : node; at >= 0; at = model.up[at]) path.push(model.sites[model.nodes.site[at]].key);
  go({ view: 'flame', o: 'top', m: 'wall', labels: '', roots: 'work,background,parked', z: path.reverse(), q: '' });
}

function toSite(site) {
  const node = model.nodes.site.findIndex((index, at) => index === site.index && !model.hidden[at]);
  if (node >= 0) toNode(node);
  else go({ view: 'functions', q: site.name });
}

function toTask(id) {
  go({ view: 'tasks', q: '' });
  tasks.reveal(id);
}

function toResource(id) {
  go({ view: 'resources', q: '', sort: '' });
  resources.reveal(id);
}
main.addEventListener('task', (event) => toTask(event.detail));
main.addEventListener('resource', (event) => toResource(event.detail));

async function copyView() {
  const [, title, view] = currentView();
  const { snapshot } = model;
  const text = `### ${clean(snapshot.process.name)}: ${title}\n\n${view.markdown()}\n\n${location.protocol === 'file:' ? '' : location.origin + location.pathname}${format(state)}\n`;
  say(await copy(text) ? 'Copied as Markdown' : 'The browser refused to copy');
}

async function save() {
  const safe = (clean(model.snapshot.process.name) || 'diagnose').replace(/[^\w.-]+/g, '_');
  const copyOfBlock = dataBlock.cloneNode(true);
  copyOfBlock.dataset.live = 'false';
  if (isLive) copyOfBlock.textContent = await pack(latest);
  const [before, after] = DOCUMENT.split(dataBlock.outerHTML);
  const page = `<!doctype html>\n${before}${copyOfBlock.outerHTML}${after}`;
  download(`${safe}.html`, page, 'text/html');
}

function switchTheme() {
  toggleTheme();
  render();
}

function pause() {
  isPaused = !isPaused;
  render();
}

// Fetches a snapshot every second, and keeps what is shown.
async function poll() {
  if (!isPaused && !document.hidden) {
    const json = await latestSnapshot();
    tellStatus(json ? '● live' : '○ no answer, trying again', json ? 'live' : 'live lost');
    try {
      if (json) update(json);
    } catch (error) {
      tellStatus(`○ cannot show the latest answer: ${error.message}`, 'live lost');
      reportError(error);
    }
  }
  setTimeout(poll, POLL_MS);
}

// The answer of the server; `null` if there is none. The address is absolute and without the user
// and token that the page's own may have: browsers refuse to fetch those, and send them anyway.
async function latestSnapshot() {
  try {
    const folder = location.origin + location.pathname.replace(/[^/]*$/, '');
    const options = { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) };
    const answer = await fetch(`${folder}snapshot.json${location.search}`, options);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

function tellStatus(words, kind) {
  fill(status, words);
  status.className = kind;
}

const cycle = (list, now) => list[(list.indexOf(now) + 1) % list.length];
const KEYS_OF_PAGE = {
  '/': () => search.focus(),
  t: switchTheme,
  c: copyView,
  '?': () => go({ view: 'about' }),
  m: () => go({ view: 'flame', m: cycle(MEASURES.map(([name]) => name), state.m), z: [] }),
  o: () => go({ view: 'flame', o: cycle(['top', 'bottom'], state.o), z: [] }),
};

addEventListener('keydown', (event) => {
  if (!model || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (state.q || isTyping(event.target)) {
      search.blur();
      go({ q: '' }, { replace: true });
    } else if (state.view === 'flame') flame.escape();
  } else if (event.key === 'Enter' && event.target === search && state.view === 'flame') flame.nextMatch();
  else if (isTyping(event.target)) return;
  else if (/^[1-7]$/.test(event.key)) go({ view: VIEWS[Number(event.key) - 1][0], sort: '' });
  else if (KEYS_OF_PAGE[event.key]) {
    event.preventDefault();
    KEYS_OF_PAGE[event.key]();
  }
});

// The fragment of the address is the view's.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

onchange(render);
startTheme(render);
try {
  const json = await unpack(dataBlock.textContent);
  if (json) load(json);
  start(firstView());
  render();
  // What the checks in a browser measure.
  performance.mark('diagnose-shown');
  if (model && !isLive) warm(model);
} catch (error) {
  fill(main, h('p', { class: 'note' }, `The data of this page cannot be read: ${error.message}. The browser may be too old.`));
}
if (isLive) poll();
