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
  await page.context().close();
}

export async function checkWakers(out, check) {
  const tasks = [task(1, { wakers: 0 }), task(2, { wakers: 0, is_unstable: true }), task(3, { wakers: 0, kind: 'blocking' }), task(4, { wakers: 0, span: 0 }), task(5, { wakers: 1 })];
  const spans = [{ id: 1, site: 0, task: 4, state: 'waiting', since_ns: 1 }, { id: 2, site: 1, parent: 0, task: 4, state: 'waiting', since_ns: 1 }];
  const page = await openTasks(out, 'wakers', { sites: [site('work', 1), site('std::future::pending::<()>().await', 2, 'await')], tasks, spans });
  const found = [];
  for (const { id } of tasks) found.push((await text(page, `#task-${id} .tree .note`)).split('; ').slice(1).join());
  const sure = 'nothing can wake it';
  check('nothing can wake a task: only of a future that did not change, and with its reason',
    found.join('|') === [`${sure}: it returned Pending, and no clone of its waker is left`, '', '', `${sure}, on purpose: it awaits pending()`, ''].join('|'), found.join(' | '));
  await page.context().close();
}
