// Times, counts and shares as text, in the units of the text report.

const UNITS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];

// A time with three significant digits: `83.4 ms`. Minutes and hours from two minutes on.
export function time(ns) {
  if (!Number.isFinite(ns)) return '–';
  if (ns < 0) return `−${time(-ns)}`;
  if (ns >= 120e9) return longTime(Math.round(ns / 1e9));
  for (const [unit, name] of UNITS) {
    for (const decimals of unit === 1 ? [0] : [2, 1, 0]) {
      const text = (ns / unit).toFixed(decimals);
      if (Number(text) < (name === 's' && decimals === 0 ? Infinity : 10 ** (3 - decimals))) return `${text} ${name}`;
    }
  }
  return `${Math.round(ns / 1e9)} s`;
}

function longTime(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`;
}

// A count with its thousands apart: `1,234,567`; one decimal for means below a hundred.
export function count(number) {
  const rounded = Number.isInteger(number) || number >= 100 ? Math.round(number) : Number(number.toFixed(number < 1 ? 2 : 1));
  const [whole, decimals] = String(rounded).split('.');
  if (whole.length < 4 || whole.includes('e')) return String(rounded);
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals ? `.${decimals}` : '');
}

// A count with its noun: `1 call`, `2 calls`.
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

// A share: `61 %`, `4.2 %`, `< 0.1 %`.
export function percent(part, whole) {
  if (!(whole > 0) || !(part > 0)) return '0 %';
  const share = (part / whole) * 100;
  if (share < 0.1) return '< 0.1 %';
  if (share >= 99.95 && part < whole) return '> 99.9 %';
  return share < 9.95 || (share >= 99.5 && part < whole) ? `${share.toFixed(1)} %` : `${Math.round(share)} %`;
}

// A moment of the wall clock: `2026-11-22 08:14:03`.
export function utc(unixMs) {
  const moment = new Date(unixMs);
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString().replace('T', ' ').slice(0, 19);
}

// The last two parts of a path with its line: `src/main.rs:12`.
export function shortPlace(place) {
  if (!place || !place.file) return '';
  const parts = String(place.file).split(/[\\/]/);
  return `${parts.slice(-2).join('/')}:${place.line}`;
}

// The whole place: `server/src/main.rs:12:5`.
export function longPlace(place) {
  if (!place || !place.file) return '';
  return `${place.file}:${place.line}${place.column ? `:${place.column}` : ''}`;
}

// Characters as wide as two letters: those of Chinese, Japanese and Korean, and emoji.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

// The width of a text, in letters.
export function letterCount(text) {
  let width = 0;
  for (const letter of text) width += WIDE.test(letter) ? 2 : 1;
  return width;
}

// A text of at most the width of `length` letters, with its middle left out.
export function middle(text, length) {
  if (letterCount(text) <= length) return text;
  const letters = Array.from(text);
  if (length < 4) return startOf(letters, length);
  const head = Math.ceil((length - 1) * 0.6);
  return `${startOf(letters, head)}…${Array.from(startOf(letters.reverse(), length - 1 - head)).reverse().join('')}`;
}

function startOf(letters, length) {
  let [start, width] = ['', 0];
  for (const letter of letters) {
    width += letterCount(letter);
    if (width > length) break;
    start += letter;
  }
  return start;
}
