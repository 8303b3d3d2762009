// speedscope: its schema by ajv, and its page. `speedscope.mjs expected.json STEM SCREENSHOT`
import fs from 'node:fs';
import path from 'node:path';
import { chromium, errorsOf, finish, launch, readers, require, row, versionOf } from './browser.mjs';
const [expectedFile, stem, screenshot] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(expectedFile));
const file = `${stem}.speedscope.json`;
const release = `${readers}/npm/node_modules/speedscope/dist/release`;
const Ajv = require('ajv');
const validate = new Ajv({ strict: false, allErrors: true })
  .compile(JSON.parse(fs.readFileSync(`${release}/file-format-schema.json`)));
const profile = JSON.parse(fs.readFileSync(file));
row('speedscope schema', `ajv ${versionOf('ajv')}`, 'valid', true, validate(profile));

const script = path.resolve(path.dirname(screenshot), 'speedscope-profile.js');
const browser = await launch();
const errors = [];
// A page with a file, and the rows of its table.
async function load(name) {
  const base64 = fs.readFileSync(name).toString('base64');
  fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(name))}, ${JSON.stringify(base64)})`);
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  errors.push(errorsOf(page));
  await page.goto(`file://${release}/index.html#localProfilePath=${script}`);
  await page.waitForFunction(() => document.title.includes(' - speedscope'), null, { timeout: 20000 });
  return page;
}
async function tableOf(page) {
  await page.keyboard.press('3');
  await page.waitForTimeout(400);
  return page.evaluate(() => [...document.querySelectorAll('tr')].map((line) => [...line.querySelectorAll('td')].map((cell) => cell.innerText.trim())));
}
const page = await load(file);
const version = `${versionOf('speedscope')}, ${chromium}`;
// The page shows one profile at a time; `n` goes to the next. The table of the view Sandwich has self times in words.
const seconds = (ns) => (ns >= 1e9 ? `${(ns / 1e9).toFixed(2)}s` : ns >= 1e6 ? `${(ns / 1e6).toFixed(2)}ms` : ns >= 1e3 ? `${(ns / 1e3).toFixed(2)}µs` : `${ns.toFixed(0)}ns`);
const shown = await page.title();
row('speedscope page', version, 'profiles', 'wall, busy, idle', profile.profiles.map((it) => it.name).join(', '));
row('speedscope page', version, 'title shows the first of them', true, shown.includes('wall') || shown.includes(profile.name));
await page.screenshot({ path: screenshot });
for (const it of ['wall', 'busy', 'idle']) {
  const rows = await tableOf(page);
  // Self times are rounded to three digits, or to hundredths of a unit.
  const unit = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 6e10 };
  const own = rows.map((cells) => cells[1]?.match(/^([\d.]+)(ns|µs|ms|s|min) /)).filter(Boolean);
  const read = own.reduce((sum, [, value, name]) => sum + value * unit[name], 0);
  const near = expected[it] === 0 ? read === 0 : Math.abs(read / expected[it] - 1) < 0.01;
  row('speedscope page', version, `${it}: Σ self of the table, within 1 %`, seconds(expected[it]), near ? seconds(expected[it]) : seconds(read));
  await page.keyboard.press('1');
  await page.keyboard.press('n');
  await page.waitForTimeout(400);
}
// Folded stacks have no unit: the table has plain numbers.
const folded = await tableOf(await load(`${stem}.folded`));
const numbers = folded.map((cells) => cells[1]?.match(/^([\d,.]+) /)).filter(Boolean);
row('speedscope page, folded stacks', version, 'wall: Σ self of the table', expected.wall, numbers.reduce((sum, [, value]) => sum + Number(value.replaceAll(',', '')), 0));
row('speedscope page', version, 'script errors', 0, errors.flat().length);
if (errors.flat().length) console.error(errors.flat());
await browser.close();
fs.unlinkSync(script);
finish();
