// What the search finds in the flame graph.

import { count, percent } from './units.js';

// Whether a frame matches, by its name, its place or its label.
export function isMatch(frame, query) {
  if (frame.leaf) return false;
  const { site } = frame;
  return frame.name.toLowerCase().includes(query) || (site?.long ?? '').toLowerCase().includes(query) || (frame.label ?? '').toLowerCase().includes(query);
}

// The number of matches, and their share of all roots that are drawn. A match below another counts once.
// Labels match only if they have frames.
export function foundText({ model, byLabel, shown, sums, factors }, text, show) {
  const query = text.toLowerCase();
  let [value, all] = [0, 0];
  const isBelow = new Uint8Array(model.size);
  const sites = model.sites.map((site) => isMatch({ name: site.name, site }, query));
  const labels = byLabel ? model.nodes.labels.map((label) => String(label).toLowerCase().includes(query)) : [];
  const { site, label, parent } = model.nodes;
  // Whether a node matches, or a hidden await just above it, whose time is all the node's.
  const isFound = new Uint8Array(model.size);
  for (let node = 0; node < model.size; node += 1) {
    const above = model.up[node];
    const isPassed = parent[node] >= 0 && model.hidden[parent[node]] && isFound[parent[node]];
    const isIt = sites[site[node]] || labels[label[node] - 1] || isPassed;
    isFound[node] = isIt ? 1 : 0;
    if (model.hidden[node]) continue;
    isBelow[node] = isIt || (above >= 0 && isBelow[above]) ? 1 : 0;
    if (!shown[node]) continue;
    if (above < 0) all += sums[node] * factors[node];
    if (isIt && !(above >= 0 && isBelow[above])) value += sums[node] * factors[node];
  }
  return `“${text}” matches ${count(sites.filter(Boolean).length)} functions and awaits: ${show(value)}, ${percent(value, all)} of all. Enter goes to the next one.`;
}
