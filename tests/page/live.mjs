// The page as a server has it: it fetches a snapshot every second, and keeps its view.

import fs from 'node:fs';
import http from 'node:http';
import { open } from './browser.mjs';

export async function checkLive(out, check) {
  const saved = JSON.parse(fs.readFileSync(`${out}/small.json`, 'utf8'));
  const page_ = fs.readFileSync(`${out}/small.html`, 'utf8').replace('data-live="false"', 'data-live="true"').replace("connect-src 'none'", "connect-src 'self'");
  let [asked, isDown, token] = [0, false, ''];
  const server = http.createServer((request, answer) => {
    if (isDown) answer.destroy();
    else if (request.url.startsWith('/snapshot.json')) {
      asked += 1;
      token = request.url;
      saved.process.name = `orders ${asked}`;
      answer.setHeader('content-type', 'application/json').end(JSON.stringify(saved));
    } else answer.setHeader('content-type', 'text/html').end(page_);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const page = await open(`http://127.0.0.1:${server.address().port}/?token=7#flame`);
  await page.locator('canvas').click({ position: { x: 200, y: 30 } });
  const url = page.url();
  const crumbs = await page.locator('.crumbs').textContent();
  await page.locator('#search').focus();
  await page.keyboard.type('or');
  const before = asked;
  await page.waitForFunction((count) => Number(document.querySelector('h1').textContent.split(' ')[1]) >= count, before + 2);
  await page.keyboard.type('der');
  check('a live page shows new snapshots', asked >= before + 2, `${asked} answers`);
  check('a live page sends the query of its address', token.endsWith('?token=7'), token);
  check('a live page keeps its zoom', (await page.locator('.crumbs').textContent()) === crumbs && page.url().startsWith(url), crumbs);
  check('a live page keeps what is being typed', (await page.locator('#search').inputValue()) === 'order');
  isDown = true;
  await page.waitForSelector('.live.lost');
  check('a live page says when the server is gone', await page.locator('.live.lost').isVisible());
  isDown = false;
  await page.waitForSelector('.live:not(.lost):not(:empty)');
  check('a live page goes on when the server is back', true);
  await page.context().close();
  server.closeAllConnections();
  server.close();
}
