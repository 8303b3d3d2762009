// The data block: base64, raw deflate, JSON, folded lists.

// Reads the JSON in the text of the data block.
export async function unpack(base64) {
  const text = base64.trim();
  if (!text) return null;
  const bytes = fromBase64(text);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text());
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

// The reverse of `unpack`, to save a page that is served live.
export async function pack(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

// A list of records, which a long list holds as shapes and columns of numbers.
export function unfold(list) {
  if (Array.isArray(list)) return list;
  if (!list || !Array.isArray(list.shapes)) return [];
  const shapes = list.shapes.map((shape) => maker(shape.like, shape.columns.map(steps)));
  const records = [];
  const after = [];
  let last = null;
  for (const run of list.order.split(' ')) {
    const [first, times = 1] = run.split('*').map(Number);
    let shape = first;
    for (let turn = 0; turn < times; turn += 1) {
      if (turn > 0) shape = after[shape] ?? shape;
      if (!shapes[shape]) return records;
      records.push(shapes[shape]());
      if (last !== null) after[last] = shape;
      last = shape;
    }
  }
  return records;
}

// The number of records in a list, without unfolding it.
export function lengthOf(list) {
  if (Array.isArray(list)) return list.length;
  if (!list || !Array.isArray(list.shapes)) return 0;
  return list.order.split(' ').reduce((sum, run) => sum + Number(run.split('*')[1] ?? 1), 0);
}

// The numbers of a column, one by one: `7000 -12*3` are the steps from each to the next. They are never
// negative: steps wrap around at 2 ** 64.
function steps(text) {
  const runs = text.split(' ');
  let [value, step, left, at] = [0, 0, 0, 0];
  return () => {
    if (left === 0) {
      const run = runs[at] ?? '0';
      const star = run.indexOf('*');
      at += 1;
      step = Number(star < 0 ? run : run.slice(0, star));
      left = star < 0 ? 1 : Number(run.slice(star + 1));
    }
    left -= 1;
    value += step;
    return value < 0 ? value + 2 ** 64 : value;
  };
}

// What makes the next record of a shape, with the next number of each column in place of a `#`.
function maker(like, columns) {
  let inString = false;
  let text = '';
  for (let at = 0; at < like.length; at += 1) {
    const c = like[at];
    if (inString && c === '\\') {
      text += c + like[at + 1];
      at += 1;
      continue;
    }
    if (c === '"') inString = !inString;
    // A minus before a number stands in the text.
    if (c === '-' && !inString && like[at + 1] === '#') {
      text += '{"#":1}';
      at += 1;
    } else text += c === '#' && !inString ? '{"#":0}' : c;
  }
  const used = columns.values();
  return compile(JSON.parse(text), used) ?? (() => null);
}

// A function that makes a value with numbers in it; `null` for a value without.
function compile(value, columns) {
  if (value === null || typeof value !== 'object') return null;
  // No record of a snapshot has a number under this name.
  if (typeof value['#'] === 'number') {
    const next = columns.next().value ?? (() => 0);
    return value['#'] ? () => -next() : next;
  }
  const made = Object.keys(value).map((key) => [key, compile(value[key], columns)]).filter(([, make]) => make);
  if (!made.length) return null;
  return () => {
    const copy = Array.isArray(value) ? value.slice() : { ...value };
    for (const [key, make] of made) copy[key] = make();
    return copy;
  };
}
