// profiler-cli, which is the Firefox Profiler without its window. `firefox.mjs expected.json STEM`
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { finish, readers, row, versionOf } from './browser.mjs';
const [expectedFile, stem] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(expectedFile));
const session = fs.mkdtempSync(path.join(os.tmpdir(), 'profiler-cli-'));
const cli = `${readers}/npm/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js`;
function run(...args) {
  // Its daemon starts and stops in its own time, and it asks for another try then.
  for (let left = 10; ; left -= 1) {
    const done = spawnSync(process.execPath, [cli, ...args], { env: { ...process.env, PROFILER_CLI_SESSION_DIR: session }, encoding: 'utf8', timeout: 60000 });
    // A daemon that is late has started all the same.
    if (done.status === 0 || left === 0 || args[0] === 'load') return done;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
}
const reader = 'profiler-cli', version = versionOf('@firefox-devtools/profiler-cli');
run('load', `${stem}.firefox.json`);
row(reader, version, 'loads', 0, run('profile', 'info').status);
const profile = JSON.parse(fs.readFileSync(`${stem}.firefox.json`));
for (const [index, name] of ['wall', 'busy', 'idle'].entries()) {
  run('thread', 'select', `t-${index}`);
  const samples = JSON.parse(run('thread', 'samples', '--include-idle', '--json').stdout || '{}');
  row(reader, version, `thread ${name}: total in ns`, expected[name], Math.round((samples.categoryBreakdown?.totalSamples ?? 0) * 1e6));
}
run('thread', 'select', 't-0');
const wall = JSON.parse(run('thread', 'samples', '--include-idle', '--json').stdout || '{}');
const category = (name) => Math.round((wall.categoryBreakdown?.categories.find((it) => it.name === name)?.samples ?? 0) * 1e6);
row(reader, version, 'category Busy in ns', expected.busy, category('Busy'));
row(reader, version, 'category Queued in ns', expected.queued, category('Queued'));
const markers = run('thread', 'markers').stdout.match(/— (\d+) markers/)?.[1] ?? 0;
row(reader, version, 'markers', profile.threads[0].markers.length, markers);
run('stop');
fs.rmSync(session, { recursive: true, force: true });
finish();
