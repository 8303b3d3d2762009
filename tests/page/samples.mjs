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

// The frame of `handle`, in the third row.
const select = (page) => page.locator('canvas').first().hover({ position: { x: 100, y: 48 } });

for (const colorScheme of ['light', 'dark']) await picture('flame', { colorScheme, hash: 'flame', height: 500, prepare: select });
await picture('findings', { colorScheme: 'light', hash: 'findings', height: 520 });
await picture('waits', { colorScheme: 'dark', hash: 'waits', height: 420 });
if (errors.length > 0) throw new Error(errors.join('\n'));
await browser.close();
