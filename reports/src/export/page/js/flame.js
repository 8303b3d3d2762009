// The view of the flame graph: what is drawn, the pointer, the keyboard, the search.

import { h, fill, choice, say } from './dom.js';
import { time, count, counted, percent } from './units.js';
import { MEASURES, totals } from './model.js';
import { framer, topDown, bottomUp, callersOf, calleesOf, follow, pathOf, topOf } from './frames.js';
import { ROW, place, paint, frameAt, windowOf } from './canvas.js';
import { functionRows } from './functions_data.js';
import { panelOf } from './panel.js';
import { isMatch, foundText } from './flame_search.js';
import { frameByKey } from './flame_keys.js';
import { state, go } from './state.js';
import { isStill } from './theme.js';

const ORDERS = [['top', 'Top-down', 'From tasks down to what they await'], ['bottom', 'Bottom-up', 'From what has the time up to its callers'],
  ['sandwich', 'Sandwich', 'One function: its callers above, its callees below']];
const SCALES = [['total', 'Total', 'All calls together'], ['mean', 'Mean per call', 'Each root divided by its number of calls']];
// The share of the background's time from which work alone is drawn.
const MIN_WORK = 0.01;
const ROOT_KINDS = [['work', 'Work'], ['background', 'Background'], ['parked', 'Parked']];
// Why a root is of a kind.
const REASONS = { work: 'end, or use the CPU', background: 'are all alive and busy for less than 1 % of their time', parked: 'have waited since their first polls' };
const LEGEND = { wall: ['busy', 'wait', 'queued'], busy: ['busy'], idle: ['wait'], queued: ['queued'], calls: ['calls'] };
const LEGEND_WORDS = { busy: 'busy', wait: 'waiting', queued: 'queued', calls: 'calls', stuck: 'stuck (dark edge)' };
const ZOOM_MS = 160;
// How many functions can be chosen for a sandwich; the table leads to all.
const MAX_OPTIONS = 200;

export function makeFlame() {
  const canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Flame graph. Arrow keys select a frame, Enter zooms, Escape zooms out.' });
  const sizer = h('div', { class: 'sizer' });
  const scroller = h('div', { class: 'flame-scroll' }, canvas, sizer);
  // The list of functions stays in the document: it would close when a live page draws the bar.
  const select = h('select', { 'aria-label': 'Function', onchange: (event) => go({ f: event.target.value }) });
  const [choices, middleOf, rest] = [h('div', { class: 'parts' }), h('label', {}, 'of ', select), h('div', { class: 'parts' })];
  const [bar, panel, crumbs, found] = [h('div', { class: 'bar-row' }, choices, middleOf, rest), h('aside', { class: 'panel', 'aria-label': 'Details of the frame' }), h('nav', { class: 'crumbs', 'aria-label': 'Zoom' }), h('p', { class: 'found' })];
  const aside = h('p', { class: 'aside' });
  const element = h('section', { class: 'flame', 'aria-label': 'Flame graph' }, bar, aside, crumbs, found, h('div', { class: 'flame-body' }, scroller, panel));
  const it = { element, view: [0, 1], blocks: [], zoomed: null, marked: null, model: null, drawing: { rects: [], rows: 1 }, key: '', options: '', timer: 0 };

  const show = (value) => (state.m === 'calls' ? count(value) : time(value));

  it.render = (model) => {
    const groups = shownGroups(model);
    const key = JSON.stringify([state.m, state.o, state.per, state.roots, state.labels, state.f]);
    const isNew = key !== it.key || model !== it.model;
    if (isNew) build(model, groups, key);
    toolbar(model);
    hiddenRoots(model);
    const target = state.o === 'sandwich' ? it.blocks[0]?.top : follow(it.blocks[0].top, state.z);
    if (target && (target !== it.zoomed || isNew)) zoomTo(target, !isNew);
    else draw();
    trail();
    searchResult();
    if (isNew || !it.marked) details(it.marked ?? it.zoomed ?? it.blocks[0]?.top);
  };

  function build(model, groups, key) {
    const context = framer(model, { measure: state.m, groups, perCall: state.per === 'mean', byLabel: state.labels === '1' && state.o !== 'bottom' });
    const site = model.sites.find((one) => one.key === state.f);
    // A new snapshot of the same graph keeps the selected frame.
    const kept = it.marked && key === it.key ? { block: it.blocks.findIndex(({ top }) => top === topOf(it.marked)), path: pathOf(it.marked) } : null;
    if (state.o === 'bottom') it.blocks = [{ top: bottomUp(context) }];
    else if (state.o === 'sandwich' && site) {
      it.blocks = [{ top: calleesOf(context, site.index) }, { top: callersOf(context, site.index), up: true }];
    } else it.blocks = [{ top: topDown(context) }];
    const marked = kept && it.blocks[kept.block] ? follow(it.blocks[kept.block].top, kept.path) : null;
    Object.assign(it, { key, model, marked: marked && pathOf(marked).length === kept.path.length ? marked : null, zoomed: null, context });
  }

  // The kinds of roots that are drawn: work, unless there is little or the reader chose otherwise.
  function shownGroups(model) {
    const has = (kind) => model.groups.some((group) => group.kind === kind);
    const wall = (kind) => model.groups.reduce((sum, group) => sum + (group.kind === kind ? group.wall : 0), 0);
    const wanted = state.roots.split(',').filter(has);
    // Sessions that do not end are background, and may be all that a service does.
    const isMost = wall('work') >= wall('background') * MIN_WORK;
    const shown = wanted.length ? wanted : !has('work') ? ['background', 'parked'] : isMost ? ['work'] : ['work', 'background'];
    it.shown = shown;
    return model.groups.filter((group) => shown.includes(group.kind));
  }

  function toolbar(model) {
    const kinds = ROOT_KINDS.filter(([kind]) => model.groups.some((group) => group.kind === kind));
    fill(choices,
      choice('Measure', MEASURES, state.m, (m) => go({ m, z: [] })),
      choice('Order', ORDERS, state.o, (o) => go({ o, z: [], f: o === 'sandwich' ? state.f || heaviest(model) : state.f })),
      choice('Scale', SCALES, state.per, (per) => go({ per })));
    middleOf.hidden = state.o !== 'sandwich';
    if (!middleOf.hidden) sandwichOptions(model);
    fill(rest,
      kinds.length > 1 ? h('div', { class: 'choice', role: 'group', 'aria-label': 'Roots' }, kinds.map(([kind, word]) => rootButton(model, kind, word))) : null,
      model.nodes.labels.length && state.o !== 'bottom' ? h('button', { type: 'button', 'aria-pressed': String(state.labels === '1'), title: 'A frame for each label', onclick: () => go({ labels: state.labels ? '' : '1', z: [] }) }, 'Labels') : null,
      h('span', { class: 'legend', role: 'img', 'aria-label': 'Colors' }, [...LEGEND[state.m], ...(model.stuck.size ? ['stuck'] : [])].map((part) => [h('i', { class: `dot ${part}` }), LEGEND_WORDS[part]])));
  }

  // How many roots are not drawn, why, how much time they are, and a button that shows them.
  function hiddenRoots(model) {
    const sums = totals(model, state.m);
    const parts = ROOT_KINDS.map(([kind]) => [kind, model.groups.filter((group) => group.kind === kind)]).filter(([kind, groups]) => groups.length && !it.shown.includes(kind)).map(([kind, groups]) => {
      const [calls, value] = [groups.reduce((sum, { calls: more }) => sum + more, 0), groups.reduce((sum, { roots }) => sum + roots.reduce((part, root) => part + sums[root], 0), 0)];
      return `${count(calls)} ${kind} ${calls === 1 ? 'call' : 'calls'} of ${counted(groups.length, 'root')}${state.m === 'calls' ? '' : `, ${time(value)}`}, which ${REASONS[kind]}`;
    });
    aside.hidden = !parts.length;
    fill(aside, parts.length ? [`Not drawn: ${parts.join('; ')}. `, h('button', { type: 'button', class: 'link', onclick: () => go({ roots: ROOT_KINDS.map(([kind]) => kind).join(','), z: [] }) }, 'Show all')] : null);
  }

  function sandwichOptions(model) {
    const sites = sandwichSites(model);
    const options = sites.map((site) => site.key).join('\n');
    if (options !== it.options) fill(select, sites.map((site) => h('option', { value: site.key }, `${site.name}  ${site.short}`)));
    it.options = options;
    if (select.value !== state.f) select.value = state.f;
  }

  // The functions with the most time, and the present one.
  function sandwichSites(model) {
    const rows = functionRows(model).filter((row) => !row.site.isAwait && row.site.kind !== 'other').sort((a, b) => b.wall - a.wall);
    const sites = rows.slice(0, MAX_OPTIONS).map((row) => row.site);
    const present = model.sites.find((site) => site.key === state.f);
    if (present && !sites.includes(present)) sites.push(present);
    return sites.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  function rootButton(model, kind, word) {
    const groups = model.groups.filter((group) => group.kind === kind);
    const calls = groups.reduce((sum, group) => sum + group.calls, 0);
    const wall = groups.reduce((sum, group) => sum + group.wall, 0);
    const isOn = it.shown.includes(kind);
    const next = isOn ? it.shown.filter((one) => one !== kind) : [...it.shown, kind];
    return h('button', { type: 'button', title: `Tasks that ${REASONS[kind]}: ${count(calls)} × ${time(wall / Math.max(1, calls))}`, 'aria-pressed': String(isOn), disabled: isOn && next.length === 0,
      onclick: () => go({ roots: next.join(','), z: [] }) }, `${word} `, h('small', {}, count(calls)));
  }

  function heaviest(model) {
    const row = [...model.groups].sort((a, b) => b.wall - a.wall)[0];
    return row ? model.sites[row.site].key : '';
  }

  function zoomTo(frame, isAnimated) {
    it.zoomed = frame;
    const to = windowOf(frame);
    const from = it.view;
    cancelAnimationFrame(it.timer);
    if (!isAnimated || isStill()) {
      it.view = to;
      draw();
      return;
    }
    const start = performance.now();
    const step = (now) => {
      const done = Math.min(1, (now - start) / ZOOM_MS);
      const ease = 1 - (1 - done) ** 3;
      it.view = [from[0] + (to[0] - from[0]) * ease, from[1] + (to[1] - from[1]) * ease];
      draw();
      if (done < 1) it.timer = requestAnimationFrame(step);
    };
    it.timer = requestAnimationFrame(step);
  }

  function draw() {
    const width = Math.max(200, scroller.clientWidth);
    const height = Math.max(120, scroller.clientHeight);
    it.drawing = place(it.blocks, it.view, width);
    sizer.style.height = `${Math.max(0, (it.drawing.rows + 1) * ROW - height)}px`;
    repaint();
  }

  function repaint() {
    const width = Math.max(200, scroller.clientWidth);
    const height = Math.max(120, scroller.clientHeight);
    const query = state.q.toLowerCase();
    paint(canvas, it.drawing, { scroll: scroller.scrollTop, width, height, marked: it.marked,
      matches: query ? (frame) => isMatch(frame, query) : null,
      note: (frame) => (frame.calls ? `${counted(frame.calls, 'call')} × ${show(frame.value / frame.calls)} = ${show(frame.value)}` : `${show(frame.value)}`),
      stuck: (frame) => frame.site && it.model.stuck.has(frame.site.index) && (frame.parts?.wait ?? 0) > 0 && frame.members.some((node) => it.model.nodes.pending[node] > 0) });
  }

  function details(frame) {
    if (frame) fill(panel, panelOf(frame, { show, onsandwich: (site) => go({ o: 'sandwich', f: site.key, z: [] }) }));
  }

  // Selects a frame; the keyboard's is said, and put into view.
  function mark(frame, isSaid) {
    if (frame === it.marked) return;
    it.marked = frame;
    details(frame ?? it.zoomed);
    repaint();
    if (!isSaid || !frame) return;
    say(`${frame.name} ${frame.place}, ${show(frame.value)}`);
    const rect = it.drawing.rects.find((one) => one.frame === frame);
    if (rect && (rect.row * ROW < scroller.scrollTop || (rect.row + 1) * ROW > scroller.scrollTop + scroller.clientHeight)) scroller.scrollTop = rect.row * ROW - scroller.clientHeight / 2;
  }

  // From the zoomed frame up to all.
  function trail() {
    const path = [];
    for (let frame = it.zoomed; frame; frame = frame.parent) path.push(frame);
    const zoomedIn = path.length > 1;
    fill(crumbs, zoomedIn ? path.reverse().map((frame, index) => [index ? h('span', { 'aria-hidden': 'true' }, '›') : null,
      h('button', { type: 'button', class: 'link', 'aria-current': index === path.length - 1 ? 'true' : null, onclick: () => go({ z: pathOf(frame) }) }, frame.name)]) : null);
    crumbs.hidden = !zoomedIn;
  }

  function searchResult() {
    found.hidden = !state.q;
    if (state.q) fill(found, foundText(it.context, state.q, show));
  }

  // Zooms to the next match, in the order of the drawing.
  it.nextMatch = () => {
    const query = state.q.toLowerCase();
    if (!query || !it.blocks.length) return;
    const all = place(it.blocks, [0, 1], 4000).rects.map((rect) => rect.frame).filter((frame) => isMatch(frame, query));
    if (!all.length) return;
    const next = all[(all.indexOf(it.marked) + 1) % all.length];
    if (state.o !== 'sandwich') go({ z: pathOf(next.parent ?? next) }, { replace: true });
    mark(next, true);
  };

  it.escape = () => {
    if (state.o === 'sandwich') go({ o: 'top', z: [] });
    else if (state.z.length) go({ z: state.z.slice(0, -1) });
  };

  it.markdown = () => {
    const rows = [];
    const walk = (frame, depth) => {
      rows.push(`${'  '.repeat(depth)}- ${show(frame.value)} (${percent(frame.value, it.blocks[0].top.value)}) \`${frame.name.replaceAll('`', "'")}\` ${frame.place}`);
      if (depth < 4) for (const child of frame.expand().slice(0, 5)) if (child.value > it.blocks[0].top.value * 0.01) walk(child, depth + 1);
    };
    walk(it.zoomed ?? it.blocks[0].top, 0);
    return rows.join('\n');
  };

  it.mark = (isIt) => {
    const rect = it.drawing.rects.find((one) => isIt(one.frame));
    if (rect) mark(rect.frame, false);
  };

  // Zooms to a frame; in Sandwich, its function becomes the one in the middle.
  function choose(frame) {
    if (!frame) return;
    if (state.o !== 'sandwich') go({ z: pathOf(frame.leaf ? frame.parent : frame) });
    else if (frame.site) go({ f: frame.site.key });
  }

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return frameAt(it.drawing, event.clientX - box.left, event.clientY - box.top + scroller.scrollTop);
  };
  canvas.addEventListener('pointermove', (event) => {
    const frame = at(event);
    canvas.style.cursor = frame ? 'pointer' : 'default';
    if (frame) mark(frame, false);
  });
  canvas.addEventListener('click', (event) => {
    choose(at(event));
  });
  canvas.addEventListener('keydown', (event) => {
    const frame = it.marked ?? it.zoomed;
    if (event.key === 'Enter') choose(frame);
    const next = frameByKey(it.blocks, frame, event.key);
    if (next === undefined) return;
    event.preventDefault();
    if (next) mark(next, true);
  });
  scroller.addEventListener('scroll', () => requestAnimationFrame(repaint));
  new ResizeObserver(() => it.model && element.isConnected && draw()).observe(scroller);
  it.repaint = repaint;
  return it;
}
