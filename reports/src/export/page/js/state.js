// What the page shows, as the fragment of its address: a colleague who opens the link sees the same.

const DEFAULTS = { view: 'findings', m: 'wall', o: 'top', per: 'total', z: [], q: '', sort: '', roots: '', f: '', labels: '' };
// The values that a field may have; the first is what a wrong one becomes.
const ALLOWED = { m: ['wall', 'busy', 'idle', 'queued', 'calls'], o: ['top', 'bottom', 'sandwich'], per: ['total', 'mean'] };
const FIELDS = Object.keys(DEFAULTS);
const VIEW_NAMES = ['findings', 'flame', 'functions', 'tasks', 'resources', 'waits', 'about'];

export const state = { ...DEFAULTS };
const listeners = [];

// Calls a function after every change.
export function onchange(listener) {
  listeners.push(listener);
}

// Reads the fragment: `#flame?m=busy&z=handle@src/main.rs:12:1`.
export function parse(fragment, fallback) {
  const [view, query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  const fields = new URLSearchParams(query);
  const parsed = { ...DEFAULTS, ...fallback };
  if (VIEW_NAMES.includes(view)) parsed.view = view;
  for (const name of FIELDS) {
    if (name === 'z') parsed.z = fields.getAll('z');
    else if (name !== 'view' && fields.has(name)) parsed[name] = fields.get(name);
  }
  for (const [name, values] of Object.entries(ALLOWED)) if (!values.includes(parsed[name])) [parsed[name]] = values;
  return parsed;
}

// The fragment of a state, with what differs from the defaults. A graph always has its measure, as a file
// may have another default.
export function format(shown) {
  const fields = new URLSearchParams();
  for (const name of FIELDS) {
    if (name === 'view') continue;
    if (name === 'z') for (const key of shown.z) fields.append('z', key);
    else if (shown[name] !== DEFAULTS[name] || (name === 'm' && shown.view === 'flame')) fields.set(name, shown[name]);
  }
  const query = fields.toString();
  return `#${shown.view}${query ? `?${query}` : ''}`;
}

// Changes what is shown. A change of place is a step in the history; typing is none.
export function go(patch, { replace = false } = {}) {
  Object.assign(state, patch);
  const fragment = format(state);
  if (fragment !== location.hash) {
    if (replace) history.replaceState(null, '', fragment);
    else history.pushState(null, '', fragment);
  }
  for (const listener of listeners) listener();
}

// Takes over the fragment of the address, also when the reader goes back.
export function start(fallback) {
  const take = () => {
    Object.assign(state, parse(location.hash, fallback));
    for (const listener of listeners) listener();
  };
  addEventListener('popstate', take);
  addEventListener('hashchange', take);
  Object.assign(state, parse(location.hash, fallback));
}
