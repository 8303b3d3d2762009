// What the page says of a record, on pages made by hand: the words of the text report, and no more than is known.

import fs from 'node:fs';
import { errors, open } from './browser.mjs';
import { pageOf, place, site, task, resource, wait, calls } from './hand.mjs';
import { serve } from './live.mjs';

const text = (page, selector) => page.locator(selector).first().textContent();
const texts = (page, selector) => page.locator(selector).allTextContents();
const list = (length, make) => Array.from({ length }, (_, index) => make(index + 1));
const holding = (more) => ({ role: 'holds', units: 1, attribution: 'exact', place: place(88), since_ns: 2e6, uses: 1, ...more });

// A page of resources with the first one open, and one of tasks with all of them open.
async function openResource(out, name, snapshot) {
  const page = await open(`${pageOf(out, name, snapshot)}#resources`);
  await page.locator('tbody tr').first().click();
  return page;
}
async function openTasks(out, name, snapshot) {
  const page = await open(`${pageOf(out, name, snapshot)}#tasks`);
  for (const summary of await page.locator('.task summary').all()) await summary.click();
  // The tree comes with an event.
  await page.locator('.task').last().locator('.tree').waitFor();
  return page;
}

export async function checkOwners(out, check) {
  const holdings = [holding({ task: 2, attribution: 'unknown' }), holding({ task: 3, attribution: 'likely' }), holding({ role: 'sends', task: 4, uses: 0 }), holding({ role: 'receives', task: 5 })];
  const page = await openResource(out, 'owners', { sites: [site('work', 1)], tasks: list(5, (id) => task(id)), resources: [{ ...resource(1, 10), holdings }], waits: [wait(1, { task: 1, resource: 1 })] });
  const words = (await texts(page, '.one p')).slice(1, 5);
  const expected = ['holds it owner unknown for 2.00 ms, acquired at src/main.rs:88', 'holds it task 3 (last seen) for 2.00 ms, acquired at src/main.rs:88',
    'sender task 4, created at src/main.rs:88, 2.00 ms ago', 'receiver task 5, last used at src/main.rs:88, 2.00 ms ago'];
  check('a guard that may be anywhere names no task; ends of channels have their last use', words.join() === expected.join(), words.join('; '));
  await page.keyboard.press('6');
  const [tasks, likely] = [await texts(page, '.node.task title'), await page.locator('.edge.likely').count()];
  check('the graph has no edge to an unknown owner', tasks.map((one) => one.trim()).sort().join() === 'task 1 work,task 3 work,task 4 work,task 5 work' && likely === 1, `${tasks.join('; ')}; ${likely}`);
  const note = await text(page, '.note');
  await page.evaluate(() => {
    navigator.clipboard.writeText = (copied) => {
      globalThis.copied = copied;
      return Promise.resolve();
    };
  });
  await page.keyboard.press('c');
  const dotted = (await page.evaluate(() => globalThis.copied)).split('\n').filter((line) => line.includes('-.->'));
  check('a likely owner is one in the note of the graph, and in Markdown', note.includes('a dashed one leads to the owner last seen') && dotted.length === 1 && dotted[0].includes('task 3'), `${note}; ${dotted.join()}`);
  await page.context().close();
}

export async function checkWakers(out, check) {
  const tasks = [task(1, { wakers: 0 }), task(2, { wakers: 0, is_unstable: true }), task(3, { wakers: 0, kind: 'blocking' }), task(4, { wakers: 0, span: 0 }), task(5, { wakers: 1 })];
  const spans = [{ id: 1, site: 0, task: 4, state: 'waiting', since_ns: 1 }, { id: 2, site: 1, parent: 0, task: 4, state: 'waiting', since_ns: 1 }];
  const page = await openTasks(out, 'wakers', { sites: [site('work', 1), site('std::future::pending::<()>().await', 2, 'await')], tasks, spans });
  const found = [];
  for (const { id } of tasks) found.push((await text(page, `#task-${id} .tree .note`)).split('; ').slice(1).join());
  check('a closure for blocking work is called so', (await text(page, '#task-3 summary b')) === 'blocking task 3', await text(page, '#task-3 summary b'));
  const sure = 'nothing can wake it';
  check('nothing can wake a task: only of a future that did not change, and with its reason',
    found.join('|') === [`${sure}: it returned Pending, and no clone of its waker is left`, '', '', `${sure}, on purpose: it awaits pending()`, ''].join('|'), found.join(' | '));
  await page.context().close();
}

export async function checkWaits(out, check) {
  const more = [{ is_granted: true, woken_ns: 4e6 }, { woken_ns: 4e6 }, { is_set_aside: true }, { is_wake_ignored: true, is_indirect: true }, { is_set_aside: true, is_indirect: true }, { thread_id: 7, due_ns: 3e6 }];
  const waits = more.map((fields, index) => wait(index, { task: fields.thread_id ? undefined : 1, resource: 1, ...fields }));
  const lock = { sites: [site('work', 1)], tasks: [task(1)], resources: [resource(1, 10)] };
  const page = await openResource(out, 'waits', { ...lock, waits });
  const words = (await texts(page, '.one p')).slice(1).map((one) => one.replace(/^.* Mutex#1 at src\/main.rs:60 for 1.00 µs/, ''));
  const stopped = ', its task stopped polling it';
  check('a wait says that it was granted or woken, and that its task stopped polling it', words.join('|') === [', granted 4.00 ms ago', ', woken 4.00 ms ago', stopped, stopped, '', ', gives up in 3.00 ms'].join('|'), words.join(' | '));
  const waiters = (await texts(page, '.one p')).at(-1);
  check('a thread that waits has its id', waiters.includes('thread 7 '), waiters);
  await page.context().close();
  const long = await openResource(out, 'many_waits', { ...lock, resources: [{ ...resource(1, 10), holdings: list(22, () => holding({ task: 1 })) }], waits: list(25, (id) => wait(id, { task: 1, resource: 1 })) });
  const cut = (await texts(long, '.one p')).filter((one) => one.startsWith('…'));
  check('holders and waits that are cut say how many more there are', cut.join() === '… and 2 more,… and 5 more', cut.join());
  await long.context().close();
  const kinds = [{ mode: 'timer', due_ns: -1.2e9 }, { mode: 'timer', due_ns: 5e6 }, { mode: 'join', tasks: [2, 3, 4, 5, 6] }, { mode: 'join', tasks: [2] }, { mode: 'custom' }];
  const timers = await openTasks(out, 'timers', { sites: [site('work', 1)], tasks: kinds.map((_, index) => task(index + 1)), waits: kinds.map((fields, index) => wait(index, { task: index + 1, ...fields })) });
  const found = [];
  for (let id = 1; id <= kinds.length; id += 1) found.push((await text(timers, `#task-${id} .tree p:last-child`)).trim());
  const at = 'at src/main.rs:60 for 1.00 µs';
  const expected = [`timer a timer ${at}, due 1.20 s ago`, `timer a timer ${at}, due in 5.00 ms`, `join tasks 2, 3, 4, 5 … ${at}`, `join task 2 ${at}`, `custom an unknown resource ${at}`];
  check('a late timer, joined tasks and an unknown resource have their words', found.join('|') === expected.join('|'), found.join(' | '));
  await timers.context().close();
}

export async function checkRunning(out, check) {
  const span = (id, at, parent, state) => ({ id, site: at, parent, task: 1, state, since_ns: 1e6 });
  const spans = [span(1, 0, null, 'running'), span(2, 1, 0, 'running'), span(3, 2, 1, 'waiting')];
  const page = await openTasks(out, 'running', { sites: [site('work', 1), site('inner', 2), site('other', 3)], tasks: [task(1, { state: 'running', running: [0, 1], span: 0 })], spans });
  const lines = (await texts(page, '.tree li')).map((one) => one.trim());
  check('a running future is drawn once', lines.join('|') === 'work src/main.rs:1 running|inner src/main.rs:2 running|other src/main.rs:3 waiting 1.00 ms', lines.join(' | '));
  await page.context().close();
}

// A live page whose snapshots a check replaces; `next` waits until it shows the latest.
async function openLive(out, first, hash) {
  const it = { snapshot: first, address: '' };
  let asked = 0;
  const server = await serve(out, () => {
    asked += 1;
    return { elapsed_ns: 1e6, nodes: [], spans: [], resources: [], waits: [], ...it.snapshot, process: { name: `made ${asked}` } };
  });
  it.address = server.address;
  it.page = await open(`${it.address}/${hash}`);
  it.next = () => it.page.waitForFunction((number) => Number(document.querySelector('h1').textContent.split(' ')[1]) >= number, asked + 2);
  it.close = async () => {
    await it.page.context().close();
    server.close();
  };
  await it.next();
  return it;
}
const inStates = (...states) => ({ sites: [site('work', 1)], tasks: states.map((state, index) => task(index + 1, { state })) });

export async function checkChosenState(out, check) {
  const live = await openLive(out, { ...inStates('waiting', 'queued'), verdicts: [{ confidence: 'proven', kind: 'cycle', sentence: '', chain: [{ node: 'task', id: 1 }] }] }, '#tasks');
  const chosen = [];
  for (const name of ['queued', 'stuck']) {
    await live.page.locator('.choice button', { hasText: name }).click();
    chosen.push(...await texts(live.page, '.choice [aria-pressed="true"]'));
    live.snapshot = inStates('waiting', 'waiting');
    await live.next();
    chosen.push(...await texts(live.page, '.choice [aria-pressed="true"]'));
    live.snapshot = { ...live.snapshot, verdicts: [{ confidence: 'proven', kind: 'cycle', sentence: '', chain: [{ node: 'task', id: 1 }] }] };
    await live.next();
  }
  check('a chosen state can be seen while no task is in it', chosen.join() === '1 queued,0 queued,1 stuck,0 stuck', chosen.join());
  await live.close();
}

export async function checkClosedGroup(out, check) {
  const live = await openLive(out, inStates('waiting', 'queued'), '#tasks');
  const before = await live.page.locator('.group[open]').count();
  await live.page.locator('.group > summary').click();
  await live.next();
  const after = await live.page.locator('.group[open]').count();
  check('the only group of a live page stays closed once the reader has closed it', before === 1 && after === 0, `${before}, ${after}`);
  await live.close();
}

export async function checkFarTask(out, check) {
  const page = await open(`${pageOf(out, 'sites', { sites: [site('work', 1)], tasks: list(250, (id) => task(id, { spawned_at: place(id) })) })}#findings`);
  await page.evaluate(() => document.querySelector('main').dispatchEvent(new CustomEvent('task', { detail: 250 })));
  const [first, isOpen, groups] = [await texts(page, '.task.lit summary b'), await page.locator('.group').first().locator('.task.lit').count(), await page.locator('.group').count()];
  check('a link to a task of the 250th spawn site shows it first', first.join() === 'task 250' && isOpen === 1 && groups === 200, `${first.join()} ${isOpen} ${groups}`);
  await page.context().close();
}

export async function checkKinds(out, check) {
  const kinds = ['mpmc', 'cancellation', 'custom'];
  const page = await open(`${pageOf(out, 'kinds', { sites: [site('query', 1, 'traced')], nodes: [{ site: 0, parent: null, calls: 1, busy_ns: 1e6 }], resources: kinds.map((kind, index) => ({ ...resource(index + 1, 10), kind })) })}#resources`);
  const names = (await texts(page, 'tbody td b')).sort();
  check('resources have the names of their types that findings use', names.join() === 'CancellationToken,channel,resource', names.join());
  await page.keyboard.press('2');
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowDown');
  check('a span of tracing is called one', (await text(page, '.panel .place .tag')) === 'span of tracing', await text(page, '.panel .place'));
  await page.context().close();
}

// `walk` calls itself once: 10 ms, 6 of them in the inner call. Three more calls were never polled.
const recursion = () => ({ sites: [site('walk', 1)], nodes: [{ site: 0, parent: null, calls: 1, polls: 1, completed: 1, never_polled: 3, busy_ns: 10e6 }, { site: 0, parent: 0, calls: 1, polls: 1, completed: 1, busy_ns: 6e6 }] });

export async function checkRecursion(out, check) {
  const page = await open(`${pageOf(out, 'recursion', recursion())}#functions`);
  const cells = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('th')].map((head, index) => [head.textContent.trim(), document.querySelector('tbody tr').cells[index].textContent])));
  check('the mean of a recursive function is that of each call', cells.Busy === '10.0 ms' && cells.Mean === '8.00 ms', `${cells.Busy}, ${cells.Mean}`);
  await page.goto(`${pageOf(out, 'recursion', recursion())}#flame?o=bottom`);
  await page.waitForSelector('.panel .big');
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowDown');
  const facts = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.panel dt')].map((term) => [term.textContent, term.nextElementSibling.textContent])));
  check('in Bottom-up, the time of a call inside another one counts once', facts.Busy === '10.0 ms' && facts['Mean per call'] === '8.00 ms', `${facts.Busy}, ${facts['Mean per call']}`);
  check('calls that were never polled are no share of those that were', facts['Never polled'] === '3' && facts.Completed === '2 (100 %)', `${facts['Never polled']}, ${facts.Completed}`);
  await page.context().close();
}

export async function checkHistogram(out, check) {
  const histogram = [[1024, 2048], [2048, 4096], [16384, 32768]].map(([from_ns, to_ns]) => ({ from_ns, to_ns, count: 5 }));
  const page = await open(`${pageOf(out, 'histogram', { sites: [site('work', 1)], nodes: [{ site: 0, parent: null, calls: 1, polls: 15, busy_ns: 1e6, longest_poll_ns: 30000, polls_histogram: histogram }] })}#flame`);
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowDown');
  const widths = await page.evaluate(() => {
    const parts = [...document.querySelector('.histogram > div').children].map((one) => [one.tagName, one.getBoundingClientRect().width]);
    return parts.map(([tag, width]) => `${tag} ${(width / parts[0][1]).toFixed(1)}`);
  });
  check('a histogram has room for the buckets between its own', widths.join() === 'I 1.0,I 1.0,SPAN 2.0,I 1.0', widths.join());
  await page.context().close();
}

export async function checkMerged(out, check) {
  const page = await open(`${pageOf(out, 'merged', { merged: 2, enabled: true, ...calls() })}#findings`);
  const [tile, resources, reason, tabs] = [await text(page, '.tiles div:nth-child(4)'), await text(page, '.tiles div:nth-child(5)'), await text(page, '.fine'), await texts(page, '.tabs a')];
  check('a merged snapshot has an unknown number of tasks and resources', tile === 'Tasks alive–unknown' && resources === 'Resources–unknown' && tabs[3] === 'Tasks' && tabs[4] === 'Resources', `${tile}, ${resources}, ${tabs.join()}`);
  check('its findings say what they leave out', reason.includes('Live tasks are left out of a merged snapshot, and so are hangs and full channels.'), reason);
  const notes = [];
  for (const view of ['tasks', 'resources', 'waits']) {
    await page.goto(`file://${out}/merged.html#${view}`);
    notes.push((await texts(page, 'main .note')).join(' '));
  }
  check('its other views say so too', notes.every((note) => note.includes('left out of a merged snapshot')), notes.join('; '));
  await page.context().close();
}

export async function checkUnreadable(out, check) {
  const live = await openLive(out, inStates('waiting'), '#tasks');
  live.snapshot = { sites: [null] };
  await live.page.waitForSelector('.live.lost');
  const words = await text(live.page, '.live');
  live.snapshot = inStates('waiting');
  await live.page.waitForSelector('.live:not(.lost):not(:empty)');
  await live.close();
  // The browser reports it as an error of the page.
  const isThrown = (error) => error.startsWith(live.address);
  const thrown = errors.filter(isThrown);
  errors.splice(0, errors.length, ...errors.filter((error) => !isThrown(error)));
  check('an answer that cannot be shown is not called no answer', words.startsWith('○ cannot show the latest answer: ') && thrown.length > 0, `${words}; ${thrown.length} errors`);
}

export async function checkFindingsSearch(out, check) {
  const finding = (rule, sentence, next) => ({ rule, severity: 'slow', sentence, next, place: place(10), evidence: {} });
  const page = await open(`${pageOf(out, 'cards', { findings: [finding('contended', '`rows` makes `get` wait', 'hold it for less'), finding('hog', '`sign` takes 71 %', 'move it')] })}#findings`);
  const found = [];
  for (const query of ['SIGN', 'hold it', 'hog', 'none']) {
    await page.locator('#search').fill(query);
    found.push(`${(await texts(page, '.card code:first-of-type')).filter((one) => /^(contended|hog)$/.test(one)).join()} ${await text(page, '.findings > .note')}`);
  }
  const note = (query, left) => `The search for “${query}” leaves out ${left} of 2 findings.`;
  check('the search filters findings, and says how many it leaves out', found.join('|') === [`hog ${note('SIGN', 1)}`, `contended ${note('hold it', 1)}`, `hog ${note('hog', 1)}`, ` ${note('none', 2)}`].join('|') && (await page.locator('.fine').count()) === 0, found.join(' | '));
  await page.locator('.tabs a', { hasText: 'About' }).click();
  const about = await page.locator('#search').isVisible();
  await page.locator('.tabs a', { hasText: 'Findings' }).click();
  check('About has no search', !about && (await page.locator('#search').isVisible()));
  await page.context().close();
}

export async function checkLabels(out, check) {
  const made = calls();
  const address = pageOf(out, 'labels', { ...made, nodes: made.nodes.map((node) => ({ ...node, label: 'user=7' })) });
  const shown = [];
  for (const order of ['top', 'bottom']) {
    const page = await open(`${address}#flame?o=${order}&labels=1&q=user`);
    shown.push(`${await page.locator('button', { hasText: 'Labels' }).count()} ${(await text(page, '.found')).split(': ')[1]}`);
    await page.context().close();
  }
  check('Bottom-up offers no labels, and finds none', shown[0].startsWith('1 17.0 ms, 100 %') && shown[1].startsWith('0 0 ns, 0 %'), shown.join('; '));
}

export async function checkAbout(out, check) {
  const threads = list(70, (id) => ({ name: `thread ${id}`, alive: true, nodes: 1 }));
  const workers = list(66, (id) => ({ thread: `worker ${id}`, since_ns: 3e6, ...(id === 1 ? { task: 1 } : {}) }));
  const evening = Date.UTC(2026, 10, 22, 23, 59, 50);
  const alarms = [evening + 5000, evening + 20000].map((end, index) => ({ at_unix_ms: evening, resolved_at_unix_ms: end, kind: 'hang', text: `alarm ${index}` }));
  const page = await open(`${pageOf(out, 'about', { enabled: false, are_threads_unknown: true, threads, workers, alarms, sites: [site('work', 1)], tasks: [task(1, { state: 'running', since_ns: 2e6 })] })}#about`);
  const cut = (await texts(page, '.about dt')).filter((one) => one.startsWith('…'));
  check('About says how many workers and threads it leaves out', cut.join() === '… and 2 more,… and 6 more', cut.join());
  const head = [await text(page, '.title p'), await text(page, '.about')];
  check('the head says that recording is off, and About that threads were not counted', head[0].endsWith('recording is off') && head[1].includes('verdicts that depend on their number are at most likely'), head[0]);
  const polls = await text(page, '.about dt:text-is("worker 1") + dd');
  check('a worker polls a task for as long as that poll lasts', polls === 'polls task 1 for 2.00 ms', polls);
  await page.keyboard.press('1');
  const times = (await texts(page, '.alarms li small')).join('');
  check('the end of an alarm has its date on another day', times === '2026-11-22 23:59:50 UTC, resolved 2026-11-23 00:00:10 UTC: 2026-11-22 23:59:50 UTC, resolved 23:59:55: ', times);
  await page.context().close();
}

export async function checkWrapped(out, check) {
  const source = fs.readFileSync(new URL('../../reports/src/export/page/js/unpack.js', import.meta.url), 'utf8');
  const { unfold } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const records = unfold({ shapes: [{ like: '{"id":#,"due":-#}', columns: ['5 -6 8', '1*3'] }], order: '0*3' });
  const ids = records.map(({ id, due }) => `${id} ${due}`).join();
  check('a column wraps around as its writer does', ids === `5 -1,${2 ** 64} -2,7 -3`, ids);
}

export async function checkFree(out, check) {
  const of = (kind, more) => ({ ...resource(1, 10), kind, capacity: 8, free: 3, ...more });
  const all = [of('mutex', { capacity: 1, free: 0 }), of('mutex', { capacity: 1, free: 0, isWaited: true }), of('rw_lock'), of('semaphore'), of('semaphore', { capacity: 900, is_refilled: true }), of('barrier', { filled: 2 }), of('broadcast', { filled: 1 }), of('mpsc')];
  const waits = [wait(1, { task: 1, resource: 2, is_granted: true, woken_ns: 1 })];
  const page = await open(`${pageOf(out, 'free', { tasks: [task(1)], waits, resources: all.map((one, index) => ({ ...one, id: index + 1, name: 'it', created: place(index + 1) })) })}#resources`);
  const found = [];
  for (let index = 1; index <= all.length; index += 1) {
    await page.locator('tbody tr', { has: page.locator(`small:text-matches("main.rs:${index}$")`) }).click();
    found.push((await text(page, '.one .note')).replace(', age 1.00 s', ''));
  }
  const expected = ['locked', 'granted to a waiter', 'locked to read', '3 of 8 permits free', '3 permits free', '2 of 8 arrived', '1 message', '3 of 8 slots free'];
  check('a resource has the state that the text report gives it', found.join('|') === expected.join('|'), found.join(' | '));
  await page.context().close();
}

export async function checkCollected(out, check) {
  // A future awaits a collection, and the wait of a future in that was woken.
  const span = (id, at, parent) => ({ id, site: at, parent, task: 1, state: 'waiting', since_ns: 1e6, is_set_aside: parent !== null });
  const spans = [span(11, 0, null), span(12, 1, 0), span(13, 2, 1), span(14, 1, 0)];
  const page = await openTasks(out, 'collected', { sites: [site('work', 1), site('part', 2), site('rows.lock().await', 3, 'await')], tasks: [task(1, { span: 0 })], spans, waits: [wait(1, { task: 1, span: 13, mode: 'timer', woken_ns: 5 })] });
  const lines = await page.locator('.tree li').evaluateAll((all) => all.map((one) => Boolean(one.querySelector(':scope > em'))));
  check('a future of a collection is set aside if a wait below it was woken', lines.join() === 'false,true,true,false', `${lines.join()}; ${await text(page, '.tree > ul')}`);
  await page.context().close();
}
