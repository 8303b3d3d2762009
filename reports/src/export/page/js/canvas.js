// Draws frames on a canvas, and finds the frame below a point.
//
// A drawing is a list of blocks: a top frame, and whether its rows grow up or down. The window
// `[from, to]` of the width is what is shown of it; zooming moves the window.

import { colors } from './theme.js';

export const ROW = 20;
const MIN_WIDTH = 0.6;
// The height of the strip that shows the kinds of time in a frame.
const STRIP = 3;
const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const MAX_DEPTH = 600;

// The rectangles of the frames in the window, without those that are too narrow to see.
export function place(blocks, [from, to], width) {
  const rects = [];
  let [above, below] = [0, 0];
  const perUnit = width / (to - from);
  for (const { top, up } of blocks) {
    const open = [{ frame: top, x0: 0, x1: 1, row: 0 }];
    while (open.length) {
      const { frame, x0, x1, row } = open.pop();
      const left = (x0 - from) * perUnit;
      const right = (x1 - from) * perUnit;
      if (right <= 0 || left >= width || right - left < MIN_WIDTH) continue;
      if (!(up && row === 0)) rects.push({ frame, x: left, w: right - left, row: up ? -row : row });
      if (up) above = Math.max(above, row);
      else below = Math.max(below, row);
      if (row >= MAX_DEPTH || !(frame.value > 0)) continue;
      let x = x0;
      const scale = (x1 - x0) / frame.value;
      for (const child of frame.expand()) {
        const next = x + child.value * scale;
        if ((next - from) * perUnit > 0 && (x - from) * perUnit < width) open.push({ frame: child, x0: x, x1: next, row: row + 1 });
        x = next;
        if ((x - from) * perUnit > width) break;
      }
    }
  }
  for (const rect of rects) rect.row += above;
  return { rects, rows: above + below + 1 };
}

// The window that a frame fills: its extent in the width of its top.
export function windowOf(frame) {
  const path = [];
  for (let at = frame; at.parent; at = at.parent) path.push(at);
  let [from, to] = [0, 1];
  for (const child of path.reverse()) {
    const scale = (to - from) / child.parent.value;
    let x = from;
    for (const sibling of child.parent.expand()) {
      if (sibling === child) break;
      x += sibling.value * scale;
    }
    [from, to] = [x, x + child.value * scale];
  }
  return to > from ? [from, to] : [0, 1];
}

// Draws the rectangles of the rows that are scrolled into view.
export function paint(canvas, drawing, { scroll, width, height, marked, matches, stuck, note }) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const theme = colors();
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  const letter = ctx.measureText('0000000000').width / 10;
  for (const rect of drawing.rects) {
    const y = rect.row * ROW - scroll;
    if (y < -ROW || y > height) continue;
    drawRect(ctx, theme, rect, y, width, { isDimmed: matches && !matches(rect.frame), isStuck: stuck(rect.frame), isMarked: rect.frame === marked, letter, note });
  }
}

function drawRect(ctx, theme, rect, y, width, { isDimmed, isStuck, isMarked, letter, note }) {
  const { frame } = rect;
  const x = Math.max(0, rect.x);
  const w = Math.min(width, rect.x + rect.w) - x;
  const gap = rect.w > 3 ? 1 : 0;
  const isColored = frame.leaf || (frame.parts && frame.isLeaf?.() && Object.keys(frame.parts).length > 0);
  if (isDimmed) ctx.globalAlpha = 0.25;
  if (isColored) segments(ctx, theme, frame.parts, rect, y, ROW - 1, gap, isStuck);
  else {
    ctx.fillStyle = frame.isTop ? theme['frame-3'] : theme[`frame-${1 + (hash(frame.name) % 3)}`];
    ctx.fillRect(x, y, w - gap, ROW - 1);
    if (w > 2) segments(ctx, theme, frame.kinds?.() ?? {}, rect, y + ROW - 1 - STRIP, STRIP, gap, isStuck);
  }
  ctx.globalAlpha = 1;
  if (isStuck && isColored && w > 8) stripe(ctx, theme, x, y, w - gap);
  if (isMarked) {
    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 2;
    ctx.strokeRect(x + 1, y + 1, Math.max(1, w - gap - 2), ROW - 3);
  }
  const room = Math.floor((w - 8) / letter);
  if (room < 2) return;
  const onColor = isColored && !isDimmed;
  write(ctx, frame, x + 4, y + ROW / 2, room * letter, letter, onColor ? [theme['on-color'], theme['on-color']] : [theme['frame-text'], theme['frame-dim']], room > 16 ? note(frame) : '');
}

// The kinds of time beside each other: a whole frame, or the strip at its foot.
function segments(ctx, theme, parts, rect, y, height, gap, isStuck) {
  const all = Object.entries(parts);
  const total = all.reduce((sum, [, value]) => sum + value, 0);
  let { x } = rect;
  const end = rect.x + rect.w - gap;
  for (const [part, value] of all) {
    const w = (rect.w * value) / total;
    ctx.fillStyle = part === 'wait' && isStuck ? theme.stuck : theme[part];
    ctx.fillRect(x, y, Math.max(0.5, Math.min(w, end - x)), height);
    x += w;
  }
}

// What is stuck has a dark edge as well: meaning is never in the color alone.
function stripe(ctx, theme, x, y, w) {
  ctx.fillStyle = theme['on-color'];
  ctx.fillRect(x, y, Math.min(3, w), ROW - 1);
}

// The name, then the place, and at the right end what `note` says, as far as there is room (in px).
function write(ctx, frame, x, y, room, letter, [strong, weak], note) {
  const name = frame.label ? `${frame.name} {${frame.label}}` : frame.name;
  ctx.fillStyle = strong;
  ctx.fillText(fitted(ctx, name, room, letter), x, y - 1);
  const start = widthOf(ctx, name, letter) + 2 * letter;
  let left = room - start;
  ctx.fillStyle = weak;
  const width = note ? widthOf(ctx, note, letter) : 0;
  if (note && left > width) {
    ctx.fillText(note, x + room - width, y - 1);
    left -= width + 2 * letter;
  }
  if (frame.place && left >= 6 * letter) ctx.fillText(fitted(ctx, frame.place, left, letter, true), x + start, y - 1);
}

// In a monospaced font these are all as wide as `0`; others, as those of Chinese, may be of another font.
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ff]*$/;

// The width of a text, in px.
function widthOf(ctx, text, letter) {
  return PLAIN.test(text) ? text.length * letter : ctx.measureText(text).width;
}

// A text, or as much of its start or end as there is room for.
function fitted(ctx, text, room, letter, isEnd = false) {
  // Half a pixel for the rounding of widths.
  const limit = room + 0.5;
  if (widthOf(ctx, text, letter) <= limit) return text;
  const letters = Array.from(text);
  if (isEnd) letters.reverse();
  let [number, width] = [0, letter];
  for (const one of letters) {
    width += widthOf(ctx, one, letter);
    if (width > limit) break;
    number += 1;
  }
  const kept = letters.slice(0, number);
  return isEnd ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}

function hash(text) {
  let value = 7;
  for (let at = 0; at < text.length; at += 1) value = (value * 31 + text.charCodeAt(at)) >>> 0;
  return value;
}

// The frame at a point of the drawing.
export function frameAt(drawing, x, y) {
  const row = Math.floor(y / ROW);
  return drawing.rects.find((rect) => rect.row === row && x >= rect.x && x < rect.x + rect.w)?.frame ?? null;
}
