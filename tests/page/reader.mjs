// What a reader does with keyboard, links and paper, on pages made by hand.

import { open } from './browser.mjs';
import { pageOf, calls, filtered, tasks, locks, queue, waiting, wide } from './hand.mjs';

const text = (page, selector) => page.locator(selector).first().textContent();
const frames = (page, count = 2) => page.evaluate(async (turns) => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}, count);
// A number of the panel, as text.
const fact = (page, name) => page.evaluate((term) => [...document.querySelectorAll('.panel dt')].find((one) => one.textContent === term)?.nextElementSibling.textContent, name);

export async function checkFocus(out, check) {
  const page = await open(`file://${out}/large.html#functions`, { height: 420 });
  await page.locator('tbody button').first().focus();
  const rows = [];
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    await frames(page);
    rows.push(await page.evaluate(() => Number(document.activeElement.closest('tbody tr')?.getAttribute('aria-rowindex'))));
  }
  check('Tab leads from row to row, also where a table scrolls', rows.every((row, index) => row === index + 3), rows.join(' '));
  await page.locator('.scroller').evaluate((one) => {
    one.scrollTop = 1e6;
  });
  await frames(page, 4);
  const left = await page.evaluate(() => document.activeElement.className);
  check('a row that is scrolled away leaves the focus to its table', left === 'scroller', left);
  await page.goto(`file://${out}/large.html#tasks`);
  await page.locator('.group summary').first().click();
  await page.locator('.tasks > button').first().focus();
  await page.keyboard.press('Enter');
  const next = await page.evaluate(() => [document.activeElement.tagName, [...document.querySelectorAll('.group[open] .task')].indexOf(document.activeElement.parentElement)].join(' '));
  check('more tasks: the first of them has the focus', next === 'SUMMARY 25', next);
  const chip = page.locator('.choice button', { hasText: 'queued' });
  await chip.focus();
  await page.keyboard.press('Enter');
  const pressed = await page.evaluate(() => `${document.activeElement.textContent.slice(0, 30)} ${document.activeElement.getAttribute('aria-pressed')}`);
  check('the chip of a state keeps the focus', /queued true$/.test(pressed), pressed);
  await page.goto(`file://${out}/large.html#resources`);
  await page.locator('tbody button').nth(2).focus();
  await page.keyboard.press('Enter');
  await frames(page);
  const row = await page.evaluate(() => [document.activeElement.closest('tr.selected')?.getAttribute('aria-rowindex'), document.querySelector('.detail').hidden].join(' '));
  check('a row that is opened keeps the focus', row === '4 false', row);
  await page.context().close();
}

export async function checkLinks(out, check) {
  const page = await open(`${pageOf(out, 'calls', calls())}#functions`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const skipped = `${new URL(page.url()).hash} ${await page.evaluate(() => document.activeElement.id)}`;
  check('the skip link leads to the view and stays in it', skipped === '#functions main', skipped);
  await page.evaluate(() => {
    location.hash = '#nothing';
  });
  check('a fragment that names no view shows the first one', (await page.locator('main > section').getAttribute('aria-label')) === 'Flame graph');
  const busy = await open(pageOf(out, 'busy', calls(), 'busy'));
  const pressed = (one) => one.locator('[aria-label="Measure"] [aria-pressed="true"]').textContent();
  const before = await pressed(busy);
  await busy.locator('.choice button', { hasText: 'Wall' }).click();
  const other = await open(busy.url());
  check('a link to wall times shows them, also in a file for busy times', before === 'Busy' && busy.url().includes('m=wall') && (await pressed(other)) === 'Wall', `${before}, ${busy.url().split('#')[1]}, ${await pressed(other)}`);
  for (const one of [page, busy, other]) await one.context().close();
}

export async function checkNumbers(out, check) {
  const address = pageOf(out, 'calls', calls());
  const page = await open(`${address}#flame?o=bottom&m=wall`);
  const down = async (...keys) => {
    await page.locator('canvas').focus();
    for (const key of keys) await page.keyboard.press(key);
  };
  await down('ArrowDown', 'ArrowDown');
  const said = await text(page, '#said');
  const inBottomUp = [said, await fact(page, 'Calls'), await fact(page, 'Busy')];
  check('a caller of two awaits counts once in Bottom-up', said.startsWith('handle') && inBottomUp[1] === '2' && inBottomUp[2] === '5.00 ms', inBottomUp.join(', '));
  await page.goto(`${address}#flame?per=mean`);
  await page.waitForSelector('.panel .big');
  const mean = await text(page, '.panel .big');
  check('a mean per call is not divided again', mean.trim() === '17.0 ms', mean);
  await page.goto(`${address}#flame?o=sandwich&f=leaf@src/main.rs:5:1&q=serve`);
  await page.reload();
  const found = await text(page, '.found');
  check('the share of a search in Sandwich is that of all', found.includes('17.0 ms, 100 % of all'), found);
  await page.locator('#search').fill('leaf');
  check('the function in the middle is not all', (await text(page, '.found')).includes('15.0 ms, 88 % of all'), await text(page, '.found'));
  await page.locator('#search').fill('leaf().await');
  check('a search for an await finds the call that it awaits', (await text(page, '.found')).includes('15.0 ms, 88 % of all'), await text(page, '.found'));
  await page.goto(`${address}#findings`);
  const tile = await text(page, '.tiles div:nth-child(2)');
  check('the busy time is at most that of all threads', tile.includes('83 % of 3 threads'), tile);
  await page.goto(`${address}#functions`);
  await page.locator('#awaits').check();
  await page.locator('tbody tr', { hasText: 'leaf().await' }).first().click();
  check('the row of an await without frames opens the call below it', (await text(page, '.panel .big')).startsWith('15.0 ms') && page.url().includes('f=leaf%40'), `${await text(page, '.panel .big')} ${page.url().split('#')[1]}`);
  await page.context().close();
}

export async function checkSandwich(out, check) {
  const page = await open(`${pageOf(out, 'calls', calls())}#flame?o=sandwich&f=handle@src/main.rs:2:1`);
  await page.locator('canvas').focus();
  const [path, shares] = [[], []];
  for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await page.keyboard.press(key);
    path.push((await text(page, '#said')).split(' ')[0]);
    shares.push(await text(page, '.panel .big'));
  }
  check('a share in Sandwich is one of the function in the middle', shares[2].includes('of handle') && !shares.join().includes('of all'), shares.join(', '));
  check('arrows lead from callers over the function to callees', path.join(' ') === 'serve handle leaf handle serve', path.join(' '));
  await page.keyboard.press('Enter');
  const [url, middle] = [page.url(), await text(page, '.panel h2')];
  check('Enter takes a frame into the middle of Sandwich', url.includes('f=serve%40') && middle === 'serve' && (await page.locator('select').inputValue()).startsWith('serve@'), `${middle} ${url.split('#')[1]}`);
  await page.keyboard.press('Escape');
  check('Escape leaves Sandwich', !page.url().includes('o=sandwich') && (await page.locator('select').isHidden()), page.url().split('#')[1]);
  await page.context().close();
}

export async function checkParts(out, check) {
  const page = await open(`${pageOf(out, 'filtered', filtered())}#tasks?q=req%3D4711`);
  const group = await text(page, '.group summary');
  check('a filtered group has the numbers of the tasks that are shown', group.includes('1 queued') && !group.includes('waiting') && group.includes('oldest 400 ms, longest in its state 200 ms, busy 5.00 ms'), group);
  await page.context().close();
  const flame = await open(`${pageOf(out, 'waiting', waiting())}#flame?m=calls`);
  const notes = [];
  await flame.locator('canvas').focus();
  for (let step = 0; step < 5; step += 1) {
    await flame.keyboard.press(step === 2 ? 'ArrowUp' : step === 3 ? 'ArrowRight' : 'ArrowDown');
    notes.push([(await text(flame, '#said')).split(' ')[0], (await text(flame, '.panel')).includes('waiting here now')].join(' '));
  }
  check('tasks wait on the path where they do, and on no other', notes.includes('acquire true') && notes.includes('acquire false'), notes.join(', '));
  await flame.context().close();
}

export async function checkGraph(out, check) {
  const page = await open(`${pageOf(out, 'locks', locks())}#waits`);
  const thread = await page.locator('.node.thread').first().evaluate((one) => [one.getAttribute('role'), one.getAttribute('tabindex')].join());
  await page.locator('.node.thread').first().click();
  check('a thread in the graph is no button', thread === ',' && page.url().endsWith('#waits'), `${thread} ${page.url().split('#')[1]}`);
  const titles = await page.locator('.node.resource title').allTextContents();
  check('the title of folded resources calls them resources', titles.some((one) => one.includes('(resources 1, 2)')), titles.join('; '));
  await page.locator('.node.task').first().focus();
  await page.keyboard.press('Space');
  check('Space opens a node', page.url().includes('#tasks') && (await page.locator('.task.lit').count()) === 1, page.url().split('#')[1]);
  await page.context().close();
}

export async function checkMany(out, check) {
  const page = await open(`${pageOf(out, 'queue', queue(140_000))}#resources`);
  check('140,000 waits at one lock are a row', (await text(page, 'tbody tr')).includes('140,000'), await text(page, 'tbody tr'));
  await page.context().close();
  const late = await open(`${pageOf(out, 'tasks', tasks(5000, 300))}#findings`);
  await late.evaluate(() => document.querySelector('main').dispatchEvent(new CustomEvent('task', { detail: 5000 })));
  const rows = await late.locator('.task').count();
  const first = await late.locator('.task').first().evaluate((one) => `${one.id} ${one.className}`);
  check('a link to the last of 5,000 tasks draws 26', rows === 26 && first === 'task-5000 task lit', `${rows}, ${first}`);
  const deepest = await late.locator('.tree li').last().textContent();
  check('a deep await tree says what is left out', deepest.startsWith('… 171 more, the innermost work'), deepest);
  await late.context().close();
}

// No two texts of one row of the canvas overlap.
export async function checkWide(out, check) {
  const page = await open(`${pageOf(out, 'wide', wide())}#about`);
  await page.evaluate(() => {
    globalThis.texts = [];
    // The fonts of the machine may lack such characters: they are twice as wide as letters.
    const measure = CanvasRenderingContext2D.prototype.measureText;
    CanvasRenderingContext2D.prototype.measureText = function measureText(text_) {
      return { width: [...text_].reduce((sum, letter) => sum + measure.call(this, letter).width * (letter.codePointAt(0) > 0x2e80 ? 2 : 1), 0) };
    };
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function fillText(text_, x, y) {
      globalThis.texts.push({ text: text_, from: x, to: x + this.measureText(text_).width, y });
      draw.call(this, text_, x, y);
    };
  });
  for (const width of [1280, 760, 560]) {
    await page.setViewportSize({ width, height: 700 });
    await page.evaluate(() => {
      globalThis.texts = [];
    });
    await page.keyboard.press('7');
    await page.keyboard.press('2');
    await frames(page);
    const [number, over] = await page.evaluate(() => {
      const { texts } = globalThis;
      return [texts.length, texts.filter((a) => texts.some((b) => b.y === a.y && a.text !== b.text && a.from < b.from && b.from < a.to - 1)).map((a) => a.text)];
    });
    check(`wide names overlap nothing at ${width} px`, number > 3 && over.length === 0, `${number} texts; ${over.join('; ')}`);
  }
  await page.context().close();
  const graph = await open(`${pageOf(out, 'wide_locks', { ...locks(), sites: wide().sites })}#waits`);
  const boxes = await graph.locator('.node.task rect').evaluateAll((all) => all.map((one) => one.getAttribute('width')));
  check('a box of the graph has room for wide names', boxes.every((width) => width > 200), boxes.join(', '));
  await graph.context().close();
}

export async function checkPaper(out, check) {
  const page = await open(`file://${out}/large.html#functions`, { colorScheme: 'dark' });
  const event = (name) => page.evaluate((type) => dispatchEvent(new Event(type)), name);
  await event('beforeprint');
  const printed = [await page.locator('tbody tr').count(), await page.locator('tbody tr').last().textContent()];
  check('paper has 500 rows and says how many more there are', printed[0] === 501 && /^… [\d,]+ more rows$/.test(printed[1]), printed.join(', '));
  await event('afterprint');
  check('after that the table has the rows in view', (await page.locator('tbody tr').count()) < 100);
  await page.goto(`file://${out}/large.html#flame`);
  await page.waitForSelector('.panel .big');
  const ground = () => page.evaluate(() => {
    const canvas = document.querySelector('canvas');
    const [red, green, blue] = canvas.getContext('2d').getImageData(Math.floor(canvas.width * 0.7), 3, 1, 1).data;
    return [getComputedStyle(document.body).backgroundColor, `rgb(${red}, ${green}, ${blue})`].join(' ');
  });
  const dark = await ground();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await frames(page);
  check('paper is light, its graphs too', dark === 'rgb(20, 23, 28) rgb(39, 45, 55)' && (await ground()) === 'rgb(255, 255, 255) rgb(236, 238, 242)', `${dark}, then ${await ground()}`);
  const cut = await page.evaluate(() => ['.flame', '.flame-body', '.flame-scroll', '.panel'].filter((one) => {
    const it = document.querySelector(one);
    return getComputedStyle(it).overflow !== 'visible' || it.scrollHeight > it.clientHeight + 2;
  }));
  check('paper cuts no graph', cut.length === 0, cut.join(', '));
  await page.emulateMedia({ media: 'screen' });
  await page.context().close();
  const graph = await open(`file://${out}/stuck.html#waits`, { width: 700 });
  await graph.emulateMedia({ media: 'print' });
  const [stage, drawing] = await graph.evaluate(() => ['.graph', '.graph svg'].map((one) => document.querySelector(one).getBoundingClientRect().width));
  check('a graph of waits is as wide as the paper', drawing <= stage, `${drawing}, ${stage}`);
  await graph.context().close();
}
