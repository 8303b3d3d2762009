// The headless $CHROMIUM, and pages in it that report every error and every request.

const { chromium } = await import(`${process.env.ROOT}/npm/node_modules/playwright-core/index.mjs`);

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--allow-file-access-from-files'],
});

export const errors = [];
export const requests = [];

// A new page of a browser with its own storage.
export async function open(address, { colorScheme = 'light', reducedMotion = 'reduce', width = 1280, height = 760, bypassCSP = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion, bypassCSP });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(`${address}: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && errors.push(`${address}: ${message.text()}`));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('main > section');
  return page;
}

// Runs an action in a page without CSP, and returns the ms from its start until the next frame is drawn.
export function timed(page, action, argument) {
  return page.evaluate(async ([source, value]) => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const start = performance.now();
    await (0, eval)(`(${source})`)(value);
    document.body.offsetHeight;
    const work = performance.now() - start;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return Math.max(work, performance.now() - start - 17);
  }, [action.toString(), argument]);
}
