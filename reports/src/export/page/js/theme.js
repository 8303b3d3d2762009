// Light and dark: the reader's preference, or the other one on request.

const dark = matchMedia('(prefers-color-scheme: dark)');
const THEMES = ['auto', 'light', 'dark'];
let listener = () => {};

// The colors of the drawings, from the style sheet.
export function colors() {
  const style = getComputedStyle(document.documentElement);
  const names = ['bg', 'panel', 'text', 'dim', 'line', 'accent', 'frame-1', 'frame-2', 'frame-3', 'frame-text', 'frame-dim',
    'busy', 'wait', 'queued', 'cancelled', 'stuck', 'calls', 'on-color', 'match'];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Applies the saved choice, and calls `onchange` whenever the theme changes.
export function startTheme(onchange) {
  listener = onchange;
  // Paper is light, and drawings have their colors from the style at the time.
  for (const query of [dark, matchMedia('print')]) query.addEventListener('change', () => listener());
  apply(saved());
}

// Goes from the present theme to the other one.
export function toggleTheme() {
  const isDark = document.documentElement.dataset.theme === 'dark'
    || (document.documentElement.dataset.theme !== 'light' && dark.matches);
  const next = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('diagnose-theme', next);
  } catch {
    // Without storage, the choice holds for this page.
  }
  apply(next);
  listener();
}

function saved() {
  try {
    const name = localStorage.getItem('diagnose-theme');
    return THEMES.includes(name) ? name : 'auto';
  } catch {
    return 'auto';
  }
}

function apply(name) {
  document.documentElement.dataset.theme = name;
}

// Whether the reader asked for less movement.
export function isStill() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
