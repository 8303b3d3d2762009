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
  const shapes = list.shapes.map((shape) => ({ make: maker(shape.like), columns: shape.columns.map(steps) }));
  const records = [];
  const after = [];
  let last = null;
  for (const [first, times] of runs(list.order)) {
    let shape = first;
    for (let turn = 0; turn < times; turn += 1) {
      if (turn > 0) shape = after[shape] ?? shape;
      const known = shapes[shape];
      if (!known) return records;
      records.push(known.make(known.columns.map((next) => next())));
      if (last !== null) after[last] = shape;
      last = shape;
    }
  }
  return records;
}

// `7000 -12*3` as pairs of a step and how often it comes.
function* runs(text) {
  for (const run of text.split(' ')) {
    if (!run) continue;
    const [step, times] = run.split('*');
    yield [Number(step), times ? Number(times) : 1];
  }
}

function steps(text) {
  const all = runs(text);
  let [value, step, left] = [0, 0, 0];
  return () => {
    if (left === 0) {
      const next = all.next();
      if (next.done) return value;
      [step, left] = next.value;
    }
    left -= 1;
    value += step;
    return value;
  };
}

// What makes a record of a shape from its numbers.
function maker(like) {
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
  const template = JSON.parse(text);
  return (numbers) => {
    let used = 0;
    const copy = (value) => {
      if (value === null || typeof value !== 'object') return value;
      if (Array.isArray(value)) return value.map(copy);
      // No record of a snapshot has a number under this name.
      if (typeof value['#'] === 'number') {
        used += 1;
        return value['#'] ? -numbers[used - 1] : numbers[used - 1];
      }
      const record = {};
      for (const key in value) record[key] = copy(value[key]);
      return record;
    };
    return copy(template);
  };
}
