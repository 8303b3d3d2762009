// The pictures of the README: `samples.mjs PAGES PICTURES`.

import path from 'node:path';
import { browser, errors, open } from './browser.mjs';

const [pages, pictures] = process.argv.slice(2).map((folder) => path.resolve(folder));

async function picture(name, { colorScheme, hash, height, prepare = async () => {} }) {
  const page = await open(`file://${pages}/${name}.html#${hash}`, { colorScheme, width: 1180, height });
  await prepare(page);
  await page.screenshot({ path: `${pictures}/page-${hash}-${colorScheme}.png` });
  await page.context().close();
}

// Puts the pointer on the frame with a name: the panel says which one is below it.
const select = (name) => async (page) => {
  const canvas = page.locator('canvas').first();
  const { width, height } = await canvas.boundingBox();
  for (let y = 30; y < height; y += 20) {
    for (let x = 20; x < width; x += 40) {
      await canvas.hover({ position: { x, y } });
      if ((await page.locator('.panel h2').textContent()) === name) return;
    }
  }
  throw new Error(`no frame \`${name}\``);
};

for (const colorScheme of ['light', 'dark']) await picture('flame', { colorScheme, hash: 'flame', height: 500, prepare: select('handle') });
await picture('findings', { colorScheme: 'light', hash: 'findings', height: 520 });
await picture('waits', { colorScheme: 'dark', hash: 'waits', height: 420 });
if (errors.length > 0) throw new Error(errors.join('\n'));
await browser.close();
