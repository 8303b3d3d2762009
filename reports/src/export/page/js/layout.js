// Places the nodes of a graph in layers, so that most edges point to the right.
//
// Cycles are opened at the edges that a depth-first walk finds to lead back; a layer is the longest path
// to a node; the order in a layer is the mean place of the neighbors, in a few sweeps (Sugiyama, Tagawa
// and Toda 1981). An edge over several layers passes each through a place of its own.

const SWEEPS = 6;
// Between boxes there is room for the longest label of an edge.
const GAP = { x: 184, y: 30 };
const BORDER = 14;
// The height above the nodes for edges that lead back.
const ARC = 46;

// The height of a place that an edge passes, and the gap below it.
const PASS = { h: 14, gap: 6 };

// Sets `x` and `y` of each node, which has a width `w` and a height `h`, and `passes` of each edge: the
// places between its ends, with `x`, `y` and `w`. Returns the size.
export function layout(nodes, edges) {
  const outgoing = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) outgoing.get(edge.from)?.push(edge);
  const back = backEdges(nodes, outgoing);
  for (const edge of edges) edge.isBack = back.has(edge);
  const layers = layersOf(nodes, edges, back);
  order(layers, withPasses(layers, edges));
  return placed(layers, back.size > 0 ? ARC : 0);
}

function backEdges(nodes, outgoing) {
  const back = new Set();
  const state = new Map();
  for (const root of nodes) {
    if (state.has(root.id)) continue;
    const open = [[root.id, 0]];
    state.set(root.id, 'open');
    while (open.length) {
      const last = open[open.length - 1];
      const edge = outgoing.get(last[0])[last[1]];
      last[1] += 1;
      if (!edge) {
        state.set(last[0], 'done');
        open.pop();
      } else if (state.get(edge.to) === 'open') back.add(edge);
      else if (!state.has(edge.to) && outgoing.has(edge.to)) {
        state.set(edge.to, 'open');
        open.push([edge.to, 0]);
      }
    }
  }
  return back;
}

function layersOf(nodes, edges, back) {
  const rank = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    let isChanged = false;
    for (const edge of edges) {
      if (back.has(edge) || edge.from === edge.to || !rank.has(edge.from) || !rank.has(edge.to)) continue;
      if (rank.get(edge.to) <= rank.get(edge.from)) {
        rank.set(edge.to, rank.get(edge.from) + 1);
        isChanged = true;
      }
    }
    if (!isChanged) break;
  }
  // A node without predecessors stands directly before the first of its successors.
  const forward = edges.filter((edge) => !back.has(edge) && edge.from !== edge.to && rank.has(edge.from) && rank.has(edge.to));
  const hasPredecessor = new Set(forward.map((edge) => edge.to));
  for (const { from } of forward) {
    if (hasPredecessor.has(from)) continue;
    rank.set(from, Math.max(0, Math.min(...forward.filter((edge) => edge.from === from).map((edge) => rank.get(edge.to))) - 1));
  }
  const layers = [];
  for (const node of nodes) (layers[rank.get(node.id)] ??= []).push(node);
  return layers.filter(Boolean);
}

// Adds the places that edges pass to the layers. Edges to one node share them, except those of verdicts.
// Returns the edges in pieces from layer to layer.
function withPasses(layers, edges) {
  const rank = new Map(layers.flatMap((layer, at) => layer.map((node) => [node.id, at])));
  const [passes, pieces] = [new Map(), []];
  for (const edge of edges) {
    edge.passes = [];
    let from = edge.from;
    for (let at = rank.get(edge.from) + 1; !edge.isBack && at < rank.get(edge.to); at += 1) {
      const id = `pass ${at} ${edge.to} ${edge.isStuck ? edge.from : ''}`;
      if (!passes.has(id)) {
        passes.set(id, { id, isPass: true, w: 0, h: PASS.h });
        layers[at].push(passes.get(id));
      }
      edge.passes.push(passes.get(id));
      pieces.push({ from, to: id });
      from = id;
    }
    pieces.push({ from, to: edge.to });
  }
  return pieces;
}

function order(layers, edges) {
  const neighbors = new Map();
  const add = (from, to) => {
    if (!neighbors.has(from)) neighbors.set(from, []);
    neighbors.get(from).push(to);
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  const index = new Map();
  const number = () => layers.forEach((layer) => layer.forEach((node, at) => index.set(node.id, at)));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      const mean = new Map(layer.map((node) => {
        const near = (neighbors.get(node.id) ?? []).map((id) => index.get(id)).filter((at) => at !== undefined);
        return [node, near.length ? near.reduce((sum, at) => sum + at, 0) / near.length : index.get(node.id)];
      }));
      layer.sort((a, b) => Number(b.isStuck ?? false) - Number(a.isStuck ?? false) || mean.get(a) - mean.get(b));
      layer.forEach((node, at) => index.set(node.id, at));
    }
  }
}

function placed(layers, arc) {
  let [x, height] = [BORDER, 0];
  for (const layer of layers) {
    const width = Math.max(...layer.map((node) => node.w));
    let y = BORDER + arc;
    for (const node of layer) {
      Object.assign(node, node.isPass ? { x, y, w: width } : { x: x + (width - node.w) / 2, y });
      y += node.h + (node.isPass ? PASS.gap : GAP.y);
    }
    height = Math.max(height, y);
    x += width + GAP.x;
  }
  return { width: x - GAP.x + BORDER, height };
}
