// The flame graph in a browser: zoom, search, script errors. `svg.mjs flame.svg SCREENSHOT`
import fs from 'node:fs';
import path from 'node:path';
import { chromium, errorsOf, finish, launch, row } from './browser.mjs';
const [file, screenshot] = process.argv.slice(2);
const browser = await launch();
const url = `file://${path.resolve(file)}`;
const height = Number(fs.readFileSync(file, 'utf8').match(/<svg[^>]* height="(\d+)"/)?.[1] ?? 700);
const frames = (fs.readFileSync(file, 'utf8').match(/<title>[^<]*<\/title><rect/g) ?? []).length;
for (const colorScheme of ['light', 'dark']) {
  const page = await browser.newPage({ viewport: { width: 1200, height: Math.min(height, 4000) }, colorScheme });
  const errors = errorsOf(page);
  await page.goto(url);
  await page.waitForTimeout(300);
  await page.screenshot({ path: screenshot.replace('.png', `-${colorScheme}.png`) });
  row('flame graph', chromium, `frames, ${colorScheme}`, frames, await page.locator('#frames > g').count());
  const wide = await page.evaluate(() => [...document.querySelectorAll('#frames > g')].findIndex((frame) => {
    const width = parseFloat(frame.querySelector('rect').getAttribute('width'));
    return width > 5 && width < 99;
  }));
  await page.locator('#frames > g').nth(Math.max(wide, 0)).click();
  row('flame graph', chromium, `a click zooms, ${colorScheme}`, true, await page.evaluate(() => !document.getElementById('unzoom').classList.contains('hide')));
  row('flame graph', chromium, `script errors, ${colorScheme}`, 0, errors.length);
}
await browser.close();
finish();
