// The graph of who waits for whom, with the chain of a verdict in red.

import { h, svg, fill, clean, sentence } from './dom.js';
import { time, count, counted, shortPlace, middle, letterCount } from './units.js';
import { layout } from './layout.js';
import { resourceType } from './tasks.js';
import { MERGED } from './snapshot.js';
import { state } from './state.js';
import { isFinding } from './model.js';

const MAX_NODES = 200;
const LETTER = 7.3;
// The label of an edge, in px.
const LABEL = { letter: 6.1, ascent: 10, descent: 3 };
// A graph that is too wide is drawn smaller, down to this; then it scrolls.
const SMALLEST = 0.75;
// Rounds of comparing neighbors before nodes are folded.
const ROUNDS = 3;
const EDGE_ROLES = { holds: 'held by', sends: 'sender', receives: 'receiver' };

// Nodes and edges of a snapshot: each task, resource and thread of a wait, then folded.
export function graphOf(model) {
  if (model.graph) return model.graph;
  const { snapshot } = model;
  const tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
  const [nodes, edges] = [new Map(), []];
  const chain = new Set(snapshot.verdicts.filter((verdict, number) => isFinding(snapshot, verdict, number)).flatMap((verdict) => (verdict.chain ?? []).map((link) => `${link.node} ${link.id}`)));
  const node = (id, name, place, fields) => {
    if (!nodes.has(id)) nodes.set(id, { id, name, place, isStuck: chain.has(id), members: [], ...fields });
    return nodes.get(id);
  };
  const taskNode = (id) => {
    const task = tasks.get(id);
    const site = model.sites[task?.site];
    return node(`task ${id}`, task ? site?.name ?? 'task' : 'done', site?.short ?? '', { kind: 'task', number: id, isVictim: model.stuckTasks.has(id) });
  };
  const resourceNode = (resource) => node(`resource ${resource.id}`, `${resourceType(resource)}${resource.name ? ` ${clean(resource.name)}` : ''}`, clean(shortPlace(resource.created)), { kind: 'resource', number: resource.id });
  const threadNode = (id) => node(`thread ${id}`, 'thread', '', { kind: 'thread', number: id });
  const edge = (from, to, kind, place, fields) => edges.push({ from: from.id, to: to.id, kind, place: clean(shortPlace(place)), isStuck: from.isStuck && to.isStuck, since: 0, ...fields });
  const seen = new Set();
  for (const wait of snapshot.waits) {
    const resource = snapshot.resourceById.get(wait.resource);
    if ((!resource && !wait.tasks?.length) || (!wait.task && !wait.thread_id)) continue;
    const from = wait.task ? taskNode(wait.task) : threadNode(wait.thread_id);
    const verb = wait.is_granted ? 'granted' : wait.mode === 'join' ? 'joins' : 'waits';
    for (const task of wait.tasks ?? []) edge(from, taskNode(task), verb, wait.place, { since: wait.since_ns });
    if (!resource) continue;
    edge(from, resourceNode(resource), verb, wait.place, { since: wait.since_ns });
    if (seen.has(resource)) continue;
    seen.add(resource);
    for (const holding of resource.holdings ?? []) {
      if (holding.role === 'uses' || holding.attribution === 'unknown' || (!holding.task && !holding.thread_id)) continue;
      edge(resourceNode(resource), holding.task ? taskNode(holding.task) : threadNode(holding.thread_id), EDGE_ROLES[holding.role] ?? holding.role, holding.place,
        // The ends of a channel have the time since their last use.
        { since: holding.role === 'holds' ? holding.since_ns : 0, isLikely: holding.attribution === 'likely' });
    }
  }
  model.graph = cut(folded([...nodes.values()], edges));
  return model.graph;
}

// A number for each node: equal for nodes that look alike, as do their neighbors, in some rounds.
function classesOf(nodes, edges) {
  const numbering = () => {
    const numbers = new Map();
    return (text) => numbers.get(text) ?? numbers.set(text, numbers.size).get(text);
  };
  const [kinds, first] = [numbering(), numbering()];
  const index = new Map(nodes.map((it, at) => [it.id, at]));
  const ends = edges.map((it) => [index.get(it.from), index.get(it.to), kinds(it.kind)]);
  let classes = nodes.map((it) => first(it.isStuck ? it.id : `${it.kind} ${it.name} ${it.place}`));
  for (let round = 0; round < ROUNDS; round += 1) {
    const around = nodes.map(() => new Set());
    for (const [from, to, kind] of ends) {
      around[from].add((classes[to] * 16 + kind) * 2);
      around[to].add((classes[from] * 16 + kind) * 2 + 1);
    }
    const number = numbering();
    classes = nodes.map((it, at) => number(`${classes[at]} ${around[at].size > 1 ? [...around[at]].sort((a, b) => a - b) : [...around[at]]}`));
  }
  return new Map(nodes.map((it, at) => [it.id, classes[at]]));
}

// Nodes that look alike, with neighbors that look alike, become one. Those of verdicts stay.
function folded(nodes, edges) {
  const classes = classesOf(nodes, edges);
  const groups = new Map();
  for (const it of nodes) {
    const key = classes.get(it.id);
    if (!groups.has(key)) groups.set(key, { ...it, id: key, members: [], isVictim: false });
    const group = groups.get(key);
    group.members.push(it.number);
    group.isVictim ||= it.isVictim;
  }
  for (const it of groups.values()) {
    it.title = it.members.length > 1 ? `${count(it.members.length)} × ${it.name}` : it.kind === 'resource' ? it.name.replace(/ |$/, `#${it.number} `).trim() : `${it.kind} ${it.number} ${it.kind === 'task' ? it.name : ''}`;
  }
  const merged = new Map();
  for (const it of edges) {
    const [from, to] = [classes.get(it.from), classes.get(it.to)];
    const key = `${from}|${to}`;
    const known = merged.get(key);
    if (known) {
      known.times += 1;
      if (!known.kinds.includes(it.kind)) known.kinds.push(it.kind);
      known.places.add(it.place);
      known.since = Math.max(known.since, it.since);
      known.isLikely &&= it.isLikely;
    } else merged.set(key, { ...it, from, to, times: 1, kinds: [it.kind], places: new Set([it.place]) });
  }
  return { nodes: [...groups.values()], edges: [...merged.values()] };
}

// At most `MAX_NODES`: those of verdicts first, then those with the most edges.
function cut({ nodes, edges }) {
  const degree = new Map(nodes.map((it) => [it.id, 0]));
  for (const it of edges) for (const end of [it.from, it.to]) degree.set(end, degree.get(end) + it.times);
  const rank = (it) => (it.isStuck ? 2e9 : 0) + (it.isVictim ? 1e9 : 0) + degree.get(it.id);
  const kept = [...nodes].sort((a, b) => rank(b) - rank(a)).slice(0, MAX_NODES);
  const ids = new Set(kept.map((it) => it.id));
  return { nodes: kept, edges: edges.filter((it) => ids.has(it.from) && ids.has(it.to)), left: nodes.length - kept.length };
}

export function makeGraph() {
  const note = h('p', { class: 'note' });
  const stage = h('div', { class: 'graph', tabindex: '0', role: 'region', 'aria-label': 'Graph of who waits for whom' });
  const sentences = h('div', {});
  const element = h('section', { class: 'list', 'aria-label': 'Waits-for' }, h('div', { class: 'bar-row' }, note), sentences, stage);
  let graph = { nodes: [], edges: [], left: 0 };
  return {
    element,
    render(model) {
      graph = graphOf(model);
      const query = state.q.toLowerCase();
      fill(note, graph.nodes.length ? `${counted(graph.nodes.length, 'node')}${graph.left ? `, ${count(graph.left)} more are not drawn` : ''}. Tasks are boxes, resources are rounded, threads have a double edge. A bold orange edge belongs to a verdict${graph.edges.some((it) => it.isLikely) ? ', a dashed one leads to the owner last seen' : ''}.` : model.snapshot.merged ? MERGED : 'No task waits for a recorded lock, channel or task.');
      fill(sentences, model.snapshot.verdicts.filter((verdict) => verdict.root_cause).slice(0, 5).map((verdict) => h('p', { class: 'verdict' }, h('b', {}, `${verdict.confidence} ${verdict.kind}: `), sentence(verdict.sentence), '.')));
      fill(stage, graph.nodes.length ? draw(graph, element, query) : null);
      stage.hidden = !graph.nodes.length;
    },
    markdown: () => ['```mermaid', 'graph LR', ...graph.edges.map((it) => `  ${idOf(graph, it.from)} ${it.isLikely ? '-.->' : '-->'}|"${plain(labelOf(it))}"| ${idOf(graph, it.to)}`), '```'].join('\n'),
  };
}

const plain = (text) => text.replace(/["\\<>#;`|[\]]/g, "'");

function idOf(graph, id) {
  const index = graph.nodes.findIndex((it) => it.id === id);
  return `n${index}["${plain(graph.nodes[index].title)}"]`;
}

function draw({ nodes, edges }, element, query) {
  for (const it of nodes) {
    it.text = middle(it.title, 34);
    it.w = Math.max(80, Math.max(letterCount(it.text), letterCount(it.place ?? '') * 0.9) * LETTER + 16);
    it.h = it.place ? 42 : 28;
  }
  const size = layout(nodes, edges);
  const byId = new Map(nodes.map((it) => [it.id, it]));
  const arrow = (id, kind) => svg('marker', { id, viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z', class: kind }));
  // A thread has no view to lead to.
  const button = (it) => {
    if (it.kind === 'thread') return {};
    const open = () => element.dispatchEvent(new CustomEvent(it.kind, { detail: it.members[0], bubbles: true }));
    const onkeydown = (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    };
    return { tabindex: '0', role: 'button', 'aria-label': `${it.title} ${it.place ?? ''}${it.isStuck ? ', in a verdict' : ''}`, onclick: open, onkeydown };
  };
  return svg('svg', { width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}`, style: { 'max-width': `max(100%, ${SMALLEST * size.width}px)`, height: 'auto' } },
    svg('defs', {}, arrow('arrow', 'head'), arrow('arrow-stuck', 'head stuck')),
    drawEdges(nodes, edges, byId),
    nodes.map((it) => svg('g', { class: `node ${it.kind}${it.isStuck ? ' stuck' : it.isVictim ? ' victim' : ''}${query && !it.title.toLowerCase().includes(query) ? ' faint' : ''}`, transform: `translate(${it.x} ${it.y})`, ...button(it) },
      svg('title', {}, `${it.title} ${it.members?.length > 1 ? `(${it.kind}s ${it.members.slice(0, 20).join(', ')})` : ''}`),
      svg('rect', { width: it.w, height: it.h, rx: it.kind === 'resource' ? it.h / 2 : 4 }),
      it.kind === 'thread' ? svg('rect', { x: 3, y: 3, width: it.w - 6, height: it.h - 6, rx: 2 }) : null,
      svg('text', { x: it.w / 2, y: it.place ? 17 : 18 }, it.text),
      it.place ? svg('text', { x: it.w / 2, y: 33, class: 'weak' }, middle(it.place, 38)) : null)));
}

const placesOf = (it, shown) => `${shown(it.place)}${it.places.size > 1 ? ` and ${count(it.places.size - 1)} more` : ''}`;
const labelOf = (it) => `${it.times > 1 ? `${count(it.times)} × ` : ''}${it.kinds.join(', ')} ${placesOf(it, (place) => place.split('/').at(-1))} ${it.since ? time(it.since) : ''}`.trim();

// All edges. A label stands where it covers no box and no other label, those of verdicts first;
// without such a place, only the title of the edge has its text.
function drawEdges(nodes, edges, byId) {
  const taken = nodes.map((it) => ({ x0: it.x, x1: it.x + it.w, y0: it.y, y1: it.y + it.h }));
  const drawn = new Map();
  for (const it of [...edges.filter((one) => one.isStuck), ...edges.filter((one) => !one.isStuck)]) {
    const { path, places } = curveOf(it, byId.get(it.from), byId.get(it.to));
    const text = middle(labelOf(it), 27);
    const half = letterCount(text) * LABEL.letter / 2;
    const boxAt = ([x, y]) => ({ x0: x - half, x1: x + half, y0: y - LABEL.ascent, y1: y + LABEL.descent });
    const isFree = (box) => !taken.some((other) => box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1);
    const at = places.find((place) => isFree(boxAt(place)));
    if (at) taken.push(boxAt(at));
    drawn.set(it, svg('g', { class: `edge${it.isStuck ? ' stuck' : ''}${it.isLikely ? ' likely' : ''}` },
      svg('title', {}, `${labelOf(it)} (${placesOf(it, (place) => place)})`), svg('path', { d: path, 'marker-end': `url(#arrow${it.isStuck ? '-stuck' : ''})` }),
      at ? svg('text', { x: at[0], y: at[1] }, text) : null));
  }
  return edges.map((it) => drawn.get(it));
}

// The path of an edge, and the places for its label, the best one first. An edge to the right is a
// curve; one that leads back goes over the top.
function curveOf(it, from, to) {
  let path;
  const places = [];
  if (it.isBack || to.x <= from.x) {
    const [x0, x1] = [from.x + from.w / 2, to.x + to.w / 2];
    const top = Math.max(4, Math.min(from.y, to.y) - 52);
    path = `M${x0} ${from.y} C${x0} ${top} ${x1} ${top} ${x1} ${to.y}`;
    places.push([(x0 + x1) / 2, Math.min(from.y, to.y) * 0.25 + top * 0.75 - 3]);
  } else {
    const stops = [from, ...it.passes, to].map((stop) => ({ ...stop, y: stop.y + stop.h / 2 }));
    path = `M${from.x + from.w} ${stops[0].y}`;
    for (const [index, stop] of stops.slice(1).entries()) {
      const x = stops[index].x + stops[index].w;
      const bend = (stop.x - x) / 2;
      path += ` C${x + bend} ${stops[index].y} ${stop.x - bend} ${stop.y} ${stop.x} ${stop.y}${stop.isPass ? ` H${stop.x + stop.w}` : ''}`;
    }
    const above = it.isStuck ? 7 : 5;
    // Near the start, where edges into one node are still apart; where it passes other nodes; near the
    // end, where edges from one node are apart.
    const between = (start, end, along, down) => {
      const x0 = start.x + start.w;
      places.push([x0 + (end.x - x0) * along, start.y + (end.y - start.y) * down - above]);
    };
    between(stops[0], stops[1], it.isStuck ? 0.5 : 0.45, 0.32);
    for (const pass of stops.filter((stop) => stop.isPass)) places.push([pass.x + pass.w / 2, pass.y - above]);
    between(stops.at(-2), stops.at(-1), 0.55, 0.68);
  }
  return { path, places };
}
