// The first view: findings as cards with links, alarms, and the totals of the recording; and the last one, About.

import { h, fill, sentence, clean } from './dom.js';
import { MERGED } from './snapshot.js';
import { tasksOf } from './model.js';
import { resourceName } from './tasks.js';
import { resourceCount } from './resources.js';
import { state } from './state.js';
import { time, count, counted, percent, shortPlace, longPlace, utc, middle } from './units.js';

const MAX_NAME = 40;
// How many workers and threads About lists.
const MOST_LISTED = 64;
const WORDS = { stuck: 'Stuck', slow: 'Slow', waste: 'Waste', risk: 'Risk', note: 'Note' };

export function makeFindings(links) {
  const element = h('section', { class: 'findings', 'aria-label': 'Findings' });
  // The keys of opened details, which stay open in the next snapshot.
  const open = new Set();
  let shown = [];
  let left = 0;
  return {
    element,
    render(model) {
      const { snapshot } = model;
      const query = state.q.toLowerCase();
      shown = snapshot.findings.filter((finding) => textOfFinding(finding).includes(query));
      left = snapshot.findings.length - shown.length;
      fill(element, overview(model), left ? h('p', { class: 'note' }, `The search for “${state.q}” leaves out ${count(left)} of ${counted(snapshot.findings.length, 'finding')}.`) : null,
        left || shown.length ? h('ol', {}, shown.map((finding, index) => card(model, finding, links, open))) : h('p', { class: 'fine' }, h('b', {}, 'No findings. '), reason(model)),
        snapshot.alarms.length ? h('section', { class: 'alarms' }, h('h2', {}, `Alarms (${count(snapshot.alarms.length)}), the latest first`), h('ul', {}, [...snapshot.alarms].reverse().map((alarm) => alarmOf(alarm, open)))) : null);
    },
    markdown: () => (shown.length ? shown.map((finding, index) => `${index + 1}. **${finding.severity}** ${clean(finding.sentence)}. Next: ${clean(finding.next)}. (${finding.rule})`).join('\n') : left ? `The search leaves out ${counted(left, 'finding')}.` : 'No findings.'),
  };
}

// What the search looks at.
function textOfFinding({ rule, severity, sentence: says, next, place }) {
  return `${severity} ${clean(rule)} ${clean(says)} ${clean(next)} ${clean(longPlace(place))}`.replaceAll('`', '').toLowerCase();
}

// An alarm with its times; the details are behind it.
function alarmOf(alarm, open) {
  const { text = '', at_unix_ms: at, resolved_at_unix_ms: end } = typeof alarm === 'string' ? { text: alarm } : alarm;
  const [first, ...details] = String(text).split('\n');
  const isSameDay = at && end && utc(at).slice(0, 10) === utc(end).slice(0, 10);
  const times = [at ? `${utc(at)} UTC` : null, end ? `resolved ${isSameDay ? utc(end).slice(11) : `${utc(end)} UTC`}` : null].filter(Boolean).join(', ');
  const head = [times ? h('small', {}, `${times}: `) : null, sentence(first)];
  return h('li', { class: end ? 'resolved' : null }, details.length ? detailsOf(open, `alarm ${at} ${first}`, {}, h('summary', {}, h('span', {}, head)), details.map((line) => h('p', {}, sentence(line)))) : head);
}

function reason({ snapshot, size }) {
  if (size === 0) return snapshot.enabled === false ? 'Recording is switched off.' : 'No annotated future was polled yet.';
  if (snapshot.merged) return `${MERGED} No rule found waste or risk.`;
  if (!snapshot.tasks?.length) return 'No task is alive here, as after the end of a runtime, so what was stuck before is unknown. No rule found waste or risk.';
  return 'Nothing is stuck, and no rule found waste or risk in this recording.';
}

// The totals as tiles.
function overview(model) {
  const { snapshot, nodes } = model;
  let [busy, calls, polls] = [0, 0, 0];
  for (let node = 0; node < model.size; node += 1) {
    busy += model.selfBusy[node];
    if (model.sites[nodes.site[node]]?.isAwait) continue;
    calls += nodes.calls[node];
    polls += nodes.polls[node];
  }
  // More threads than workers may have polled.
  const workers = Math.max(snapshot.workers.length, snapshot.threads.length);
  const alive = (ids) => (ids.size ? snapshot.tasks.filter((task) => ids.has(task.id)).length : 0);
  // A finding may stand for several verdicts, and has the tasks of them all; at most 32.
  const suspected = (snapshot.findings ?? []).filter((it) => it.rule?.startsWith('stuck.')).map((it) => it.evidence ?? {});
  const suspectedTasks = suspected.flatMap((it) => [...(it.tasks ?? []), ...tasksOf(snapshot.verdicts[it.verdict] ?? {})]);
  const [stuck, suspects] = [alive(model.stuckTasks), alive(new Set(suspectedTasks))];
  const tiles = [['Recorded', time(snapshot.elapsed_ns ?? 0), ''], ['Busy', time(busy), snapshot.elapsed_ns && !snapshot.merged ? `${percent(busy, snapshot.elapsed_ns * Math.max(1, workers))} of ${counted(workers, 'thread')}` : ''],
    ['Calls', count(calls), `${count(polls)} polls`], ...(snapshot.merged ? [['Tasks alive', '–', 'unknown'], ['Resources', '–', 'unknown']] : [['Tasks alive', count(snapshot.lengths.tasks), stuck ? `${count(stuck)} stuck` : suspects ? `${count(suspects)} may be stuck` : snapshot.lengths.tasks ? 'none stuck' : ''],
    ['Resources', count(resourceCount(snapshot)), `${count(snapshot.lengths.waits)} waits now`]])];
  return h('dl', { class: 'tiles' }, tiles.map(([name, value, detail]) => h('div', {}, h('dt', {}, name), h('dd', {}, value, h('small', {}, detail)))));
}

// The first letter as a capital one, unless it begins a name.
const capital = (text) => String(text).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

function card(model, finding, links, open) {
  const { evidence = {} } = finding;
  const severity = WORDS[finding.severity] ? finding.severity : 'note';
  const site = evidence.nodes?.length ? model.sites[model.nodes.site[evidence.nodes[0]]] : model.sites[evidence.sites?.[0]];
  const task = evidence.tasks?.[0];
  const resource = evidence.resources?.[0];
  const verdict = model.snapshot.verdicts[evidence.verdict];
  const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
  return h('li', { class: `card ${severity}` },
    h('h2', {}, h('span', { class: `badge ${severity}` }, WORDS[severity]), ' ', h('code', {}, clean(finding.rule)), finding.place ? h('small', {}, ` ${clean(shortPlace(finding.place))}`) : null),
    h('p', { class: 'says' }, sentence(capital(finding.sentence)), '.'),
    finding.next ? h('p', {}, h('b', {}, 'Next: '), sentence(finding.next), '.') : null,
    h('p', { class: 'links' },
      evidence.nodes?.length ? button('Show in flame graph', () => links.node(evidence.nodes[0], finding)) : site ? button('Show in flame graph', () => links.site(site, finding)) : null,
      resource !== undefined ? button(nameOf(model, resource), () => links.resource(resource)) : null,
      task !== undefined ? button(evidence.tasks.length > 1 ? `Tasks (${count(evidence.all_tasks ?? evidence.tasks.length)})` : `Task ${task}`, () => links.task(task)) : null,
      verdict ? button('Waits-for graph', () => links.graph()) : null,
      finding.page ? h('small', {}, 'More: ', h('code', {}, `diagnose explain ${clean(finding.rule)}`), ` or ${clean(finding.page)}`) : null),
    verdict ? chainOf(verdict, open) : null);
}

// Details that are open if their key is in `open`, which follows the reader.
function detailsOf(open, key, attributes, ...children) {
  const it = h('details', { ...attributes, open: open.has(key) }, ...children);
  it.addEventListener('toggle', () => (it.open ? open.add(key) : open.delete(key)));
  return it;
}

// As in the sentence: `Mutex#3`.
function nameOf(model, id) {
  const resource = model.snapshot.resourceById.get(id);
  return resource ? middle(resourceName(resource), MAX_NAME) : `Resource ${id}`;
}

function chainOf(verdict, open) {
  const chain = verdict.chain ?? [];
  return detailsOf(open, `chain ${chain.map((link) => `${link.node} ${link.id}`).join()}`, { class: 'chain' }, h('summary', {}, `Chain of ${counted(chain.length, 'link')}`),
    h('ol', {}, chain.map((link) => h('li', {}, h('b', {}, `${link.node} ${link.id} ${clean(link.name)} `), `${link.role} `,
      link.file ? h('code', {}, `${shortPlace(link)}`) : null, ` ${time(link.since_ns)}`))));
}

const DROPPED = { over_nodes: 'calls over the limit of nodes', over_depth: 'calls over the limit of depth', over_labels: 'labels over their limit',
  over_spans: 'pending spans over their limit', over_holdings: 'guards and channel ends over their limit', unreadable: 'nodes unreadable at the capture' };
const MEANINGS = [['busy', 'Busy', 'time inside poll'], ['wait', 'Waiting', 'time between polls, without the time in the queue'], ['queued', 'Queued', 'from the wake of a task to its next poll'],
  ['cancelled', 'Cancelled', 'dropped while pending'], ['stuck', 'Stuck', 'waits in a proven or likely verdict']];
const KEYS = [['/', 'search'], ['Enter', 'next match; zoom into the selected frame'], ['Esc', 'clear the search; zoom out; leave Sandwich'], ['arrows', 'select a frame'], ['1 – 7', 'views'],
  ['m', 'next measure'], ['o', 'next order'], ['c', 'copy the view as Markdown'], ['t', 'light or dark'], ['?', 'About']];

// What a worker did since it is listed; empty for a snapshot that does not say.
function share({ listed_ns: listed, polls, busy_ns: busy, parked_ns: parked }) {
  return listed > 0 ? `; ${counted(polls, 'poll')}, busy ${percent(busy, listed)}, parked ${percent(parked, listed)}` : '';
}

export function makeAbout() {
  const element = h('section', { class: 'about', 'aria-label': 'About' });
  const list = (title, items) => (items.length ? h('section', {}, h('h2', {}, title), h('dl', {}, items.map(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]))) : null);
  const first = (all, item) => [...all.slice(0, MOST_LISTED).map(item), ...(all.length > MOST_LISTED ? [[`… and ${count(all.length - MOST_LISTED)} more`, '']] : [])];
  return {
    element,
    render({ snapshot }) {
      // Unfolded only if a worker polls one.
      const tasks = new Map((snapshot.workers.some((one) => one.task) ? snapshot.tasks : []).map((task) => [task.id, task]));
      const doing = (one) => {
        if (one.parked) return `parked for ${time(one.since_ns)}`;
        const task = tasks.get(one.task);
        return task ? `polls task ${task.id} for ${time(task.since_ns)}` : `busy for ${time(one.since_ns)}`;
      };
      const cost = snapshot.costs.reduce((sum, one) => sum + one.ns, 0);
      const dropped = Object.entries(snapshot.dropped).filter(([, number]) => number > 0).map(([name, number]) => `${count(number)} ${DROPPED[name] ?? clean(name)}`);
      fill(element,
        list('Recording', [['Program', clean(snapshot.process.name) + (snapshot.process.pid ? ` (pid ${snapshot.process.pid})` : '')], ['Recorded', `${time(snapshot.elapsed_ns ?? 0)}${snapshot.captured_unix_ms ? `, until ${utc(snapshot.captured_unix_ms)} UTC` : ''}`],
          ['Host, build', [snapshot.process.host, snapshot.process.build].filter(Boolean).map(clean).join(', ') || 'unknown'],
          ['Written by', `${clean(snapshot.producer)}, recording ${snapshot.enabled === false ? 'off' : 'on'}`], ['Clock', `${clean(snapshot.clock.name)}${snapshot.clock.jumps ? ` with ${counted(snapshot.clock.jumps, 'jump')} relative to the system clock` : ''}`],
          ['Cost of recording', cost ? `≈ ${time(cost)}: ${snapshot.costs.filter((one) => one.ns * 100 >= cost).map((one) => `${count(one.count)} ${one.activity} ${time(one.ns)}`).join(', ')}` : 'not measured'],
          ...(snapshot.are_threads_unknown ? [['Threads', 'not counted on this system; verdicts that depend on their number are at most likely']] : []),
          ['Lost data', dropped.length ? dropped.join(', ') : 'nothing dropped']]),
        list('Runtimes', snapshot.runtimes.map((one) => [`${one.number} ${clean(one.name ?? one.library)}`, `${clean(one.library)}, ${counted(one.workers, 'worker')}, ${counted(one.threads, 'thread')}`])),
        list('Workers', first(snapshot.workers, (one) => [clean(one.thread) || 'unnamed', doing(one) + share(one)])),
        list('Threads', first(snapshot.threads, (one) => [clean(one.name) || 'unnamed', `${one.alive ? 'alive' : 'ended'}, ${counted(one.nodes, 'node')}`])),
        list('Colors', MEANINGS.map(([kind, word, text]) => [h('span', {}, h('i', { class: `dot ${kind}` }), word), text])),
        list('Keys', KEYS.map(([key, text]) => [h('kbd', {}, key), text])),
        list('Numbers', [['Self', 'without annotated callees'], ['Wall', 'of waits at the same time, as under join!, one counts'], ['Idle', 'every await counts, so overlapping waits add up to more than elapsed time'],
          ['Mean per call', 'each root is divided by its number of calls; live calls count with the time that they have taken so far']]));
    },
    markdown: () => '',
  };
}
