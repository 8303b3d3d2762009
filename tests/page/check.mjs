// The checks of the page. Each prints a line; the first argument is the folder with the pages that `run` has made.

import fs from 'node:fs';
import path from 'node:path';
import { browser, errors, open, requests, timed } from './browser.mjs';
import { lowContrast } from './contrast.mjs';
import { checkLive } from './live.mjs';
import * as facts from './facts.mjs';
import * as reader from './reader.mjs';

const out = path.resolve(process.argv[2]);
const address = (name, hash = '') => `file://${out}/${name}.html${hash}`;
const FIRST_PAINT_MS = 1000;
const INTERACTION_MS = 100;
const VIEWS = ['findings', 'flame', 'functions', 'tasks', 'resources', 'waits', 'about'];
const units = await import(`data:text/javascript,${encodeURIComponent(fs.readFileSync(new URL('../../reports/src/export/page/js/units.js', import.meta.url), 'utf8'))}`);

let failed = 0;
function check(name, isOk, detail = '') {
  if (!isOk) failed += 1;
  console.log(`${isOk ? 'ok  ' : 'FAIL'} ${name}${detail ? `: ${detail}` : ''}`);
}

const text = (page, selector) => page.locator(selector).first().textContent();

// On a busy machine anything may be late: the fastest of three fresh pages counts.
async function paints() {
  for (const name of ['small', 'large']) {
    let fastest = [Infinity, Infinity];
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await open(address(name, '#flame'));
      const times = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, performance.getEntriesByName('diagnose-shown')[0].startTime]);
      if (times[1] < fastest[1]) fastest = times;
      await page.context().close();
    }
    check(`${name}: the first paint and the data are there within a second`, Math.max(...fastest) < FIRST_PAINT_MS, `${fastest[0].toFixed(0)} ms, ${fastest[1].toFixed(0)} ms`);
  }
}

async function interactions() {
  for (const name of ['small', 'large']) {
    const fastest = new Map();
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await open(address(name), { bypassCSP: true });
      await page.waitForFunction(() => performance.getEntriesByName('diagnose-ready').length > 0);
      await interact(page, async (what, action, argument) => {
        const ms = await timed(page, action, argument);
        fastest.set(what, Math.min(ms, fastest.get(what) ?? Infinity));
      });
      await page.context().close();
    }
    const slow = [...fastest].filter(([, ms]) => ms >= INTERACTION_MS).map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`);
    const most = [...fastest].sort((one, other) => other[1] - one[1])[0];
    check(`${name}: each of ${fastest.size} interactions is answered within ${INTERACTION_MS} ms`, slow.length === 0, slow.join(', ') || `at most ${most[1].toFixed(0)} ms, ${most[0]}`);
  }
}

async function interact(page, step) {
  const press = (label) => [...document.querySelectorAll('.choice button, .tabs a')].find((one) => one.textContent.trim().startsWith(label)).click();
  const typed = (value) => {
    const search = document.getElementById('search');
    search.value = value;
    search.dispatchEvent(new Event('input'));
  };
  const mouse = ([type, x, y]) => {
    const canvas = document.querySelector('canvas');
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  };
  const key = (name_) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: name_, bubbles: true }));
  for (const tab of ['Flame', 'Functions', 'Tasks', 'Resources', 'Waits', 'About', 'Findings', 'Flame']) await step(`view ${tab}`, press, tab);
  for (const measure of ['Busy', 'Idle', 'Queued', 'Calls', 'Wall', 'Mean', 'Total', 'Bottom-up', 'Sandwich', 'Top-down']) await step(measure, press, measure);
  for (const at of [[200, 30], [200, 50], [300, 70], [400, 90]]) {
    await step(`hover ${at}`, mouse, ['pointermove', ...at]);
    await step(`zoom ${at}`, mouse, ['click', ...at]);
  }
  await step('zoom out', key, 'Escape');
  for (const query of ['r', 're', 'rea', 'read']) await step(`search ${query}`, typed, query);
  await step('next match', () => document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  await step('functions, filtered', press, 'Functions');
  await step('no filter', typed, '');
  await step('sort', () => document.querySelectorAll('th button')[3].click());
  await step('scroll', () => {
    document.querySelector('.scroller').scrollTop = 1e6;
  });
  await step('tasks', press, 'Tasks');
  await step('open a spawn site', () => document.querySelector('.group summary').click());
  await step('open a task', () => document.querySelector('.task summary').click());
  await step('tasks, filtered', typed, 'read');
  await step('theme', key, 't');
}

// The totals of the graph are those of the folded stacks, which other code computes.
async function totals() {
  for (const name of ['small', 'large', 'stuck']) {
    for (const measure of ['wall', 'busy', 'idle']) {
      const lines = fs.readFileSync(`${out}/${name}.${measure}.folded`, 'utf8').trim().split('\n').filter((line) => !line.startsWith('#'));
      const sum = lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
      const page = await open(address(name, `#flame?m=${measure}&roots=work,background,parked`));
      const shown = await text(page, '.panel .big');
      const list = await open(address(name, `#flame?m=${measure}&o=bottom&roots=work,background,parked`));
      const inverted = await text(list, '.panel .big');
      check(`${name}: the ${measure} graph adds up to the folded stacks, both ways up`, shown.startsWith(units.time(sum)) && inverted.startsWith(units.time(sum)), `${units.time(sum)}, ${shown}, ${inverted}`);
      await page.context().close();
      await list.context().close();
    }
  }
}

// The quantiles of a function are those of the table for spreadsheets, which other code computes.
async function quantiles() {
  const COLUMNS = { p50: 'p50_completed_ns', p99: 'p99_completed_ns', max: 'max_completed_ns', 'p50 poll': 'p50_poll_ns', 'p99 poll': 'p99_poll_ns', 'Max poll': 'max_poll_ns' };
  for (const name of ['small', 'stuck']) {
    const [head, ...lines] = fs.readFileSync(`${out}/${name}.csv`, 'utf8').trim().split('\r\n').map((line) => line.split(','));
    const page = await open(address(name, '#functions'), { width: 1900, height: 1400 });
    const shown = await page.evaluate(() => {
      const names = [...document.querySelectorAll('th')].map((one) => one.textContent.replace(/[▴▾▲▼↑↓]/g, '').trim());
      const rows = [...document.querySelectorAll('tbody tr:not(.space)')];
      return rows.map((row) => Object.fromEntries([['place', row.querySelector('small').textContent.trim()], ...[...row.cells].map((cell, index) => [names[index], cell.textContent.trim()])]));
    });
    const wrong = [];
    let compared = 0;
    for (const row of shown) {
      const line = lines.find((one) => `${one[head.indexOf('file')].split('/').slice(-2).join('/')}:${one[head.indexOf('line')]}` === row.place);
      for (const [column, field] of Object.entries(COLUMNS)) {
        const ns = line?.[head.indexOf(field)];
        if (!row[column] || !ns) continue;
        compared += 1;
        if (row[column] !== units.time(Number(ns))) wrong.push(`${row.Function} ${column} ${row[column]}, not ${units.time(Number(ns))}`);
      }
    }
    check(`${name}: the quantiles of functions are those of the CSV report`, compared >= 6 && wrong.length === 0, wrong.slice(0, 3).join('; ') || `${compared} numbers`);
    await page.context().close();
  }
}

async function looks() {
  let texts = 0;
  const low = [];
  for (const colorScheme of ['light', 'dark']) {
    for (const name of ['small', 'stuck', 'hostile']) {
      for (const view of VIEWS) {
        const page = await open(address(name, `#${view}`), { colorScheme });
        if (view === 'tasks') await page.locator('.group summary').first().click();
        const found = await page.evaluate(lowContrast);
        texts += found.texts;
        low.push(...found.low.map((one) => `${colorScheme} ${name} ${view}: ${one}`));
        if (name !== 'hostile') await page.screenshot({ path: `${out}/${name}-${view}-${colorScheme}.png` });
        await page.context().close();
      }
    }
  }
  check(`contrast of ${texts} texts is 4.5 : 1 or more`, texts > 1000 && low.length === 0, low.slice(0, 5).join('; '));
}

async function keyboard() {
  const page = await open(address('small'));
  const focused = () => page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.textContent.trim().slice(0, 20)}`);
  const order = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('Tab');
    order.push(await focused());
  }
  check('Tab leads from the skip link over the tools to the views', order[0].startsWith('A Skip') && order[1].startsWith('INPUT') && order.slice(2, 5).every((one) => one.startsWith('BUTTON')) && order[5].startsWith('A Findings'), order.join(', '));
  await page.keyboard.press('3');
  const third = page.url();
  await page.keyboard.press('2');
  check('a digit opens a view', third.includes('#functions') && page.url().includes('#flame'));
  await page.locator('.choice button', { hasText: 'Busy' }).focus();
  await page.keyboard.press('Enter');
  check('a button keeps the focus when its view changes', page.url().includes('m=busy') && (await focused()) === 'BUTTON Busy', await focused());
  await page.locator('canvas').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  check('arrows and Enter zoom', page.url().includes('z='), page.url());
  check('a selected frame is announced', (await text(page, '#said')).length > 5, await text(page, '#said'));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  check('Escape zooms out', !page.url().includes('z='), page.url());
  await page.keyboard.press('/');
  await page.keyboard.type('order');
  check('/ searches, and typing stays in the field', (await page.locator('#search').inputValue()) === 'order' && page.url().includes('q=order'));
  check('the matches are counted', /matches \d+ functions/.test(await text(page, '.found')), await text(page, '.found'));
  await page.keyboard.press('Escape');
  check('Escape clears the search', (await page.locator('#search').inputValue()) === '' && !page.url().includes('q='));
  const unnamed = [];
  for (const view of VIEWS) {
    await page.goto(address('stuck', `#${view}`));
    await page.waitForSelector('main > section');
    unnamed.push(...await page.evaluate(() => [...document.querySelectorAll('button, a, input, select, canvas, [tabindex="0"]')]
      .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label'))).map((one) => one.outerHTML.slice(0, 80))));
  }
  check('everything that takes the focus has a name', unnamed.length === 0, unnamed.slice(0, 3).join('; '));
  await page.context().close();
}

async function links() {
  const page = await open(address('small', '#flame'));
  await page.locator('canvas').click({ position: { x: 200, y: 30 } });
  await page.locator('.choice button', { hasText: 'Idle' }).click();
  await page.locator('canvas').click({ position: { x: 200, y: 30 } });
  const [url, crumbs, total] = [page.url(), await text(page, '.crumbs'), await text(page, '.panel')];
  const other = await open(url);
  await other.mouse.move(1, 1);
  check('a link opens the same frame', crumbs.length > 3 && (await text(other, '.crumbs')) === crumbs && (await text(other, '.panel .big')).length > 3, `${crumbs} of ${total.slice(0, 30)}`);
  await page.goBack();
  check('Back undoes a step', page.url() !== url);
  const broken = await open(address('small', '#nothing?z=gone&m=wrong&o=none&per=x&roots=y&sort=zz&f=none'));
  check('a link to nothing shows the page', (await broken.locator('main > section').count()) === 1);
  const broken2 = await open(address('small', '#flame?z=gone&m=wrong&o=sandwich&per=x&roots=y&f=none'));
  check('a link with wrong fields shows a graph', (await broken2.locator('canvas').count()) === 1);
  for (const one of [page, other, broken, broken2]) await one.context().close();
}

async function firstViews() {
  const shown = async (name, hash) => {
    const page = await open(address(name, hash));
    const label = await page.locator('main > section').first().getAttribute('aria-label');
    const isDrawn = label !== 'Flame graph' || await page.evaluate(() => document.querySelector('canvas').getContext('2d').getImageData(100, 30, 1, 1).data[3] > 0);
    await page.context().close();
    return isDrawn ? label : `empty ${label}`;
  };
  const healthy = await shown('small');
  check('a page without findings opens with the flame graph', healthy === 'Flame graph', healthy);
  const chosen = await shown('small', '#findings');
  check('a link to the findings opens them, even if there are none', chosen === 'Findings', chosen);
  const [stuck, empty] = [await shown('stuck'), await shown('empty')];
  check('a page with findings, and one without data, open with the findings', stuck === 'Findings' && empty === 'Findings', `${stuck}, ${empty}`);
}

async function edges() {
  const wide = await open(address('small', '#functions'), { width: 1400 });
  const overflow = await wide.evaluate(() => [...document.querySelectorAll('.scroller')].map((one) => one.scrollWidth - one.clientWidth)[0]);
  check('the table of functions fits 1400 px', overflow <= 0, `${overflow} px too wide`);
  await wide.context().close();
  const page = await open(address('stuck', '#waits'), { colorScheme: 'dark' });
  const touching = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.node rect')].map((one) => one.getBoundingClientRect());
    const isOver = (a, b) => a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom && b.top < a.bottom;
    return [...document.querySelectorAll('.edge text')].filter((text_) => boxes.some((box) => isOver(text_.getBoundingClientRect(), box))).map((one) => one.textContent);
  });
  check('no label of an edge touches a box', touching.length === 0, touching.join(', '));
  for (const name of ['stuck', 'handlers', 'large']) {
    const one = await open(address(name, '#waits'));
    const crossed = await one.evaluate(() => {
      const labels = [...document.querySelectorAll('.edge text')].map((text_) => [text_.textContent, text_.getBoundingClientRect()]);
      const isOver = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2;
      return labels.filter(([, a], index) => labels.some(([, b], other) => other > index && isOver(a, b))).map(([text_]) => text_);
    });
    check(`${name}: no label of an edge touches another`, crossed.length === 0, crossed.join(', '));
    await one.context().close();
  }
  const graph = await open(`file://${out}/cycle.html#waits`, { width: 1180 });
  const hidden = await graph.evaluate(() => [...document.querySelectorAll('.graph')].map((one) => one.scrollWidth - one.clientWidth)[0]);
  check('the graph of a cycle of two tasks fits 1180 px', hidden <= 0, `${hidden} px too wide`);
  const findings_ = await open(address('stuck', '#findings'), { width: 1800 });
  const [card, head] = await findings_.evaluate(() => ['.card', '.tools'].map((one) => document.querySelector(one).getBoundingClientRect().right));
  check('cards end where the head ends', Math.abs(card - head) < 2, `${card}, ${head}`);
  const dim = await open(address('small', '#findings'));
  const [active, other] = await dim.evaluate(() => ['.tabs a[aria-current]', '.tabs a[href="#about"]'].map((one) => getComputedStyle(document.querySelector(one)).color));
  check('the active tab is never dimmed', active === other, `${active}, ${other}`);
  for (const one of [page, graph, findings_, dim]) await one.context().close();
}

async function hiddenRoots() {
  const page = await open(address('parked', '#flame'));
  const [note, before] = [await text(page, '.aside'), await text(page, '.panel .big')];
  check('the flame graph says how many roots are not drawn, and why', /^Not drawn: 1 parked call of 1 root, 600 ms, which have waited/.test(note), note);
  await page.getByRole('button', { name: 'Show all' }).click();
  const after = await text(page, '.panel .big');
  check('one click shows them', before !== after && !(await page.locator('.aside').isVisible()), `${before}, then ${after}`);
  const sessions = await open(address('sessions', '#flame'));
  const all = await text(sessions, '.panel .big');
  check('tasks that do not end are drawn beside little work', all.includes('of 2 roots') && !(await sessions.locator('.aside').isVisible()), all);
  for (const one of [page, sessions]) await one.context().close();
}

async function findings() {
  const handlers = await open(address('handlers', '#waits'));
  const suspected = await handlers.locator('.edge.stuck').count();
  check('the chain of a suspicion that is a finding is red in the graph', suspected >= 6, `${suspected} edges`);
  await handlers.context().close();
  const page = await open(address('stuck'));
  check('the verdict is the first finding, on the first screen', await page.locator('.card.stuck').first().isVisible());
  const button = await page.locator('.card.stuck .links button', { hasText: '#' }).first().textContent();
  check('a resource has the name that the sentence gives it', (await text(page, '.card.stuck .says')).includes(button), button);
  await page.getByRole('button', { name: 'Waits-for graph' }).first().click();
  const stuck = await page.locator('.node.stuck').count();
  const edges = await page.locator('.edge.stuck').count();
  check('the chain of the verdict is red in the graph', stuck >= 4 && edges >= 4, `${stuck} nodes, ${edges} edges`);
  await page.locator('.node.task').first().click();
  check('a node leads to its task, with the await tree open', (await page.locator('.task.lit .tree li').count()) > 0);
  await page.context().close();
  const large = await open(address('large', '#waits'));
  check('the graph of 20,000 tasks has at most 200 nodes', (await large.locator('.node').count()) <= 200, await text(large, '.note'));
  await large.goto(address('large', '#tasks'));
  await large.waitForSelector('.group');
  check('long lists are unfolded', (await text(large, '.tabs a[href="#tasks"]')).includes('20,000'));
  await large.goto(address('large', '#resources'));
  await large.locator('tbody tr', { hasText: 'broadcast' }).first().click();
  check('the receivers of a channel are unfolded', (await text(large, '.detail')).includes('task 20'));
  await large.context().close();
}

async function hostile() {
  for (const view of VIEWS) {
    const page = await open(address('hostile', `#${view}`));
    if (view === 'tasks') for (const summary of (await page.locator('summary').all()).slice(0, 6)) await summary.click();
    if (view === 'resources') await page.locator('tbody tr').first().click();
    if (view === 'flame') {
      for (const at of [30, 50, 70]) await page.locator('canvas').click({ position: { x: 150, y: at } });
      await page.locator('canvas').hover({ position: { x: 150, y: 50 } });
    }
    await page.keyboard.press('c');
    const [hacked, foreign] = await page.evaluate(() => [globalThis.hacked, document.querySelectorAll('main script, main img, main b[onmouseover], main i:not([class]):not([title]), iframe').length]);
    check(`hostile names stay text: ${view}`, hacked === undefined && foreign === 0, `${hacked} ${foreign}`);
    await page.context().close();
  }
}

async function paper() {
  const page = await open(address('small', '#functions'));
  await page.emulateMedia({ media: 'print' });
  check('paper has no controls', !(await page.locator('.tabs').isVisible()) && !(await page.locator('.tools').isVisible()) && (await page.locator('tbody tr').first().isVisible()));
  await page.context().close();
  const narrow = await open(address('small', '#flame'), { width: 420, height: 800 });
  const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
  check('a narrow window needs no scrolling to the side', width <= 420, `${width} px`);
  await narrow.context().close();
}

async function copies() {
  const page = await open(address('stuck', '#findings'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
  const copied = {};
  for (const view of VIEWS) {
    await page.goto(address('stuck', `#${view}`));
    await page.waitForSelector('main > section');
    await page.keyboard.press('c');
    await page.waitForTimeout(50);
    copied[view] = await page.evaluate(() => navigator.clipboard.readText());
  }
  check('views are copied as Markdown', copied.findings.includes('**stuck**') && copied.functions.includes('| ---') && copied.waits.includes('graph LR') && copied.tasks.includes('×') && copied.flame.includes('- '), copied.flame.slice(0, 80).replaceAll('\n', ' '));
  await page.context().close();
}

const all = { paints, interactions, totals, quantiles, looks, keyboard, links, firstViews, hiddenRoots, edges, findings, hostile, paper, copies, live: () => checkLive(out, check),
  ...Object.fromEntries(Object.entries({ ...reader, ...facts }).map(([name, run]) => [name, () => run(out, check)])) };
const only = process.argv.slice(3);
for (const [name, run] of Object.entries(all)) {
  if (only.length && !only.includes(name)) continue;
  try {
    await run();
  } catch (error) {
    check(name, false, error.message.split('\n').slice(0, 3).join(' '));
  }
}
// A server that is gone is an error of the network, which the page has to survive.
const own = errors.filter((error) => !error.includes('Failed to load resource'));
const foreign = requests.filter((url) => !/^(file:|blob:|data:|http:\/\/127\.0\.0\.1)/.test(url));
check('no request leaves the machine', foreign.length === 0, foreign.slice(0, 3).join(', '));
check('no script error', own.length === 0, own.slice(0, 5).join('; '));
await browser.close();
process.exit(failed ? 1 : 0);
