// A table that is sorted, filtered and scrolled. Only the rows in view are in the document.

import { h, fill } from './dom.js';
import { count } from './units.js';

const HEIGHT = 28;
const MARGIN = 8;
// The rows on paper, where nothing scrolls.
const MAX_PRINTED = 500;

// Makes a table. A column: `id`, `title`, `text(row)`; for numbers `value(row)`, and optionally `bar(row)`
// as a list of `[class, share]`. `sort` is a column's id, with `-` for descending. `keyOf(row)` is the same for
// a row of the next snapshot.
export function makeTable({ label, columns, keyOf, onsort, onopen }) {
  const head = h('tr', { role: 'row' });
  const body = h('tbody', {});
  const table = h('table', { class: 'grid', 'aria-label': label }, h('thead', {}, head), body);
  const scroller = h('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': label }, table);
  const it = { element: scroller, rows: [], sort: '', selected: null };
  // Height and scroll position at the last `measure`. Reading them from the element while rows change would lay the page out twice.
  let [view, top] = [600, 0];
  let drawn = [0, 0];
  let isPrinted = false;

  it.update = (rows, sort) => {
    it.sort = sort;
    it.rows = sorted(rows, columns, sort);
    fill(head, columns.map((column) => header(column, sort, onsort)));
    draw();
  };
  // Puts the row with a key into view and marks it; `null` marks none.
  it.reveal = (key) => {
    const index = it.rows.findIndex((row) => keyOf(row) === key);
    it.selected = index < 0 ? null : key;
    if (index >= 0) scroller.scrollTop = Math.max(0, index * HEIGHT - scroller.clientHeight / 2);
    top = scroller.scrollTop;
    draw();
  };

  function draw() {
    const [first, last] = isPrinted ? [0, Math.min(it.rows.length, MAX_PRINTED)] : inView(MARGIN);
    drawn = [first, last];
    const focused = body.contains(document.activeElement) ? document.activeElement.closest('tr').getAttribute('aria-rowindex') : null;
    const space = (rows) => (rows > 0 ? h('tr', { class: 'space', 'aria-hidden': 'true', style: { height: `${rows * HEIGHT}px` } }) : null);
    table.setAttribute('aria-rowcount', String(it.rows.length + 1));
    const left = it.rows.length - last;
    const words = (text) => h('tr', {}, h('td', { colspan: columns.length, class: 'none' }, text));
    fill(body, space(first), it.rows.slice(first, last).map((row, at) => line(row, first + at)), isPrinted && left > 0 ? words(`… ${count(left)} more rows`) : space(left));
    if (!it.rows.length) fill(body, words('No rows match.'));
    // A row that has left the view leaves the focus to the table, so that the keyboard still scrolls it.
    if (focused) (body.querySelector(`[aria-rowindex="${focused}"] button`) ?? scroller).focus({ preventScroll: true });
  }

  // The rows in view, and `margin` rows before and after them.
  function inView(margin) {
    const end = Math.max(0, it.rows.length * HEIGHT - view);
    const first = Math.floor(Math.min(top, end) / HEIGHT);
    return [Math.max(0, first - margin), Math.min(it.rows.length, first + Math.ceil(view / HEIGHT) + 1 + margin)];
  }

  // Reads height and scroll position, and draws if rows in view are missing.
  function measure() {
    [view, top] = [scroller.clientHeight || 600, scroller.scrollTop];
    const [first, last] = inView(0);
    if (!isPrinted && (first < drawn[0] || last > drawn[1])) draw();
  }

  function line(row, index) {
    const open = () => onopen?.(row);
    return h('tr', { class: keyOf(row) === it.selected ? 'selected' : null, 'aria-rowindex': index + 2, onclick: open }, columns.map((column) => cell(column, row, open)));
  }

  let isDue = false;
  scroller.addEventListener('scroll', () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      measure();
    });
  });
  new ResizeObserver(measure).observe(scroller);
  for (const event of ['beforeprint', 'afterprint']) addEventListener(event, () => {
    isPrinted = event === 'beforeprint';
    draw();
  });
  return it;
}

function header(column, sort, onsort) {
  const isSorted = sort.replace('-', '') === column.id;
  const isDescending = sort.startsWith('-');
  const next = isSorted ? (isDescending ? column.id : `-${column.id}`) : column.value ? `-${column.id}` : column.id;
  const order = isSorted ? (isDescending ? 'descending' : 'ascending') : null;
  return h('th', { scope: 'col', class: column.value ? 'number' : 'text', 'aria-sort': order },
    h('button', { type: 'button', title: column.title ?? `Sort by ${column.name}`, onclick: () => onsort(next) },
      column.name, h('span', { class: 'arrow', 'aria-hidden': 'true' }, isSorted ? (isDescending ? ' ↓' : ' ↑') : '')));
}

function cell(column, row, open) {
  if (!column.value) {
    const content = column.text(row);
    const isFirst = column.isMain && column.open !== false;
    return h('td', { class: 'text' }, isFirst ? h('button', { type: 'button', class: 'link', title: column.hint?.(row), onclick: (event) => {
      event.stopPropagation();
      open();
    } }, content) : content);
  }
  const bar = column.bar?.(row);
  return h('td', { class: 'number' },
    bar ? h('span', { class: 'bar', 'aria-hidden': 'true' }, bar.map(([kind, share]) => h('i', { class: `fill ${kind}`, style: { width: `${Math.min(100, 100 * share).toFixed(2)}%` } }))) : null,
    h('span', {}, column.text(row)));
}

function sorted(rows, columns, sort) {
  const column = columns.find((one) => one.id === sort.replace('-', ''));
  if (!column) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  const key = column.value ?? column.key ?? column.text;
  const keys = new Map(rows.map((row) => [row, key(row)]));
  return [...rows].sort((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

// The rows as a table in Markdown, at most `most` of them.
export function markdownTable(columns, rows, most = 30) {
  const row = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const plain = (column, it) => (column.plain ?? column.text)(it);
  return [row(columns.map((column) => column.name)), row(columns.map((column) => (column.value ? '---:' : '---'))),
    ...rows.slice(0, most).map((it) => row(columns.map((column) => plain(column, it)))),
    ...(rows.length > most ? [`… and ${rows.length - most} more`] : [])].join('\n');
}
