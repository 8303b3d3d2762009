// Mermaid in its page, Graphviz' dot: nodes and edges. `graphs.mjs STEM SCREENSHOT`
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { chromium, errorsOf, finish, launch, readers, row, versionOf } from './browser.mjs';
const [stem, screenshot] = process.argv.slice(2);
const dot = fs.readFileSync(`${stem}.dot`, 'utf8'), mermaid = fs.readFileSync(`${stem}.mmd`, 'utf8');
const nodes = dot.split('\n').filter((line) => /^ {2}\w+ \[label=/.test(line) && !line.startsWith('  node ')).length;
const edges = dot.split('\n').filter((line) => / -> /.test(line)).length;

const program = process.env.DOT;
const version = spawnSync(program, ['-V'], { encoding: 'utf8' }).stderr.match(/[\d.]+/)?.[0];
const drawn = spawnSync(program, ['-Tsvg'], { input: dot, encoding: 'utf8', maxBuffer: 1 << 28 });
row('dot', version, 'exit code', 0, drawn.status);
row('dot', version, 'nodes', nodes, (drawn.stdout.match(/class="node"/g) ?? []).length);
row('dot', version, 'edges', edges, (drawn.stdout.match(/class="edge"/g) ?? []).length);

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1400, height: 600 } });
const errors = errorsOf(page);
await page.setContent('<body style="background:white"><div id="graph"></div></body>');
await page.addScriptTag({ path: `${readers}/npm/node_modules/mermaid/dist/mermaid.min.js` });
const read = await page.evaluate(async (text) => {
  globalThis.mermaid.initialize({ startOnLoad: false });
  const parsed = await globalThis.mermaid.parse(text);
  const { svg } = await globalThis.mermaid.render('drawn', text);
  document.getElementById('graph').innerHTML = svg;
  const count = (selector) => document.querySelectorAll(`#graph ${selector}`).length;
  return { type: parsed.diagramType, nodes: count('g.node'), edges: count('path.flowchart-link'), text: document.getElementById('graph').innerText };
}, mermaid);
const reader = 'Mermaid', mermaidVersion = `${versionOf('mermaid')}, ${chromium}`;
row(reader, mermaidVersion, 'diagram', 'flowchart-v2', read.type);
row(reader, mermaidVersion, 'nodes', Math.max(nodes, 1), read.nodes);
row(reader, mermaidVersion, 'edges', edges, read.edges);
row(reader, mermaidVersion, 'script errors', 0, errors.length);
await page.screenshot({ path: screenshot });
await browser.close();
finish();
