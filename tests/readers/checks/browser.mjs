// Headless Chromium, and lines of the table.
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
export const readers = process.env.READERS;
export const require = createRequire(`${readers}/npm/package.json`);
const executablePath = process.env.CHROMIUM;
export const chromium = 'Chromium ' + execFileSync(executablePath, ['--version']).toString().match(/[\d.]+/)[0];
export const versionOf = (name) => require(`${readers}/npm/node_modules/${name}/package.json`).version;
export const launch = () => require('playwright-core').chromium.launch({
  executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--allow-file-access-from-files'],
});
let failed = false;
export function row(reader, version, what, expected, read) {
  const equal = String(expected) === String(read);
  failed ||= !equal;
  console.log([reader, version, what, expected, read, equal ? 'ok' : 'DIFFERS'].join('\t'));
}
// Errors of a page: exceptions, and what it writes to the console as an error.
export function errorsOf(page) {
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => { errors.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  return errors;
}
export const finish = () => process.exit(failed ? 1 : 0);
