// The page as a server has it: it fetches a snapshot every second, and keeps its view.

import fs from 'node:fs';
import http from 'node:http';
import { open } from './browser.mjs';

// Serves the page with what `snapshotOf` returns for each request; for `null` it hangs up.
export async function serve(out, snapshotOf) {
  const page = fs.readFileSync(`${out}/small.html`, 'utf8').replace('data-live="false"', 'data-live="true"').replace("connect-src 'none'", "connect-src 'self'");
  const server = http.createServer((request, answer) => {
    if (!request.url.startsWith('/snapshot.json')) return answer.setHeader('content-type', 'text/html').end(page);
    const snapshot = snapshotOf(request);
    return snapshot ? answer.setHeader('content-type', 'application/json').end(JSON.stringify(snapshot)) : answer.destroy();
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, close };
}

export async function checkLive(out, check) {
  const saved = JSON.parse(fs.readFileSync(`${out}/small.json`, 'utf8'));
  saved.alarms = [{ at_unix_ms: 1795335203000, kind: 'long_poll', text: 'a long poll\n  in task 1' }];
  saved.verdicts = [{ confidence: 'proven', kind: 'cycle', sentence: 'a cycle', chain: [{ node: 'task', id: 1, name: 'a', role: 'waits', file: 'a.rs', line: 1, since_ns: 5 }] }];
  saved.findings = [{ rule: 'stuck.cycle', severity: 'stuck', sentence: 'a cycle', evidence: { verdict: 0 } }];
  let [asked, isDown, token] = [0, false, ''];
  const server = await serve(out, (request) => {
    if (isDown) return null;
    asked += 1;
    token = request.url;
    saved.process.name = `orders ${asked}`;
    return saved;
  });
  const page = await open(`${server.address}/?token=7#flame`);
  await page.locator('canvas').click({ position: { x: 200, y: 30 } });
  const url = page.url();
  const crumbs = await page.locator('.crumbs').textContent();
  await page.locator('#search').focus();
  await page.keyboard.type('or');
  const next = (count = asked + 2) => page.waitForFunction((number) => Number(document.querySelector('h1').textContent.split(' ')[1]) >= number, count);
  const before = asked;
  await next();
  await page.keyboard.type('der');
  check('a live page shows new snapshots', asked >= before + 2, `${asked} answers`);
  check('a live page sends the query of its address', token.endsWith('?token=7'), token);
  check('a live page keeps its zoom', (await page.locator('.crumbs').textContent()) === crumbs && page.url().startsWith(url), crumbs);
  check('a live page keeps what is being typed', (await page.locator('#search').inputValue()) === 'order');
  await checkKept(page, check, next);
  isDown = true;
  await page.waitForSelector('.live.lost');
  check('a live page says when the server is gone', await page.locator('.live.lost').isVisible());
  isDown = false;
  await page.waitForSelector('.live:not(.lost):not(:empty)');
  check('a live page goes on when the server is back', true);
  await page.context().close();
  server.close();
}

// What a reader has opened or selected is there after the next snapshots.
async function checkKept(page, check, next) {
  // The elements that a redraw must not take out of the document, not even for a moment.
  await page.evaluate(() => {
    globalThis.removed = [];
    new MutationObserver((records) => {
      for (const { removedNodes } of records) for (const node of removedNodes) for (const name of ['#search', 'select']) if (node.matches?.(name) || node.querySelector?.(name)) globalThis.removed.push(name);
    }).observe(document.body, { childList: true, subtree: true });
  });
  const removed = () => page.evaluate(() => globalThis.removed.splice(0).join());
  await page.locator('#search').focus();
  await page.keyboard.type('x');
  await next();
  const search = await removed();
  check('the search field stays in the document while typing', search === '', search);
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  await page.locator('.chain summary').click();
  await page.locator('.alarms summary').click();
  await next();
  const open_ = await page.locator('details[open]').count();
  check('a live page keeps opened chains and alarms', open_ === 2, `${open_} open`);
  await page.keyboard.press('2');
  await page.locator('.choice button', { hasText: 'Sandwich' }).click();
  await page.locator('select').focus();
  await removed();
  await next();
  const isFocused = await page.evaluate(() => document.activeElement.tagName === 'SELECT');
  const list = await removed();
  check('a live page keeps the list of functions in Sandwich', isFocused && list === '', `${isFocused} ${list}`);
  await page.locator('.choice button', { hasText: 'Top-down' }).click();
  await page.locator('canvas').focus();
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  const frame = await page.locator('.panel').textContent();
  await next();
  check('a live page keeps the selected frame', (await page.locator('.panel').textContent()) === frame && !frame.startsWith('all'), frame.slice(0, 40));
  await page.keyboard.press('5');
  await page.locator('tbody tr').first().click();
  await next();
  check('a live page keeps the mark of a row', (await page.locator('tr.selected').count()) === 1);
}
