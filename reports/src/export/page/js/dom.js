// Elements. Every text is set as text, never as markup.

// Control and direction characters, which could disturb the text around them.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// A text of the program, safe to show on one line.
export function clean(text) {
  return String(text ?? '').replace(/[\t\n\r ]+/g, ' ').replace(HARMFUL, '\ufffd');
}

// An element: `h('a', { class: 'x', onclick }, 'text', child)`. Attributes that are `null` or `false` are left out.
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

// An element of a drawing.
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(clean(child)));
  }
}

// Replaces what is in an element.
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// A sentence in which names in backquotes are code.
export function sentence(text) {
  return clean(text).split('`').map((part, index) => (index % 2 ? h('code', {}, part) : part));
}

// A group of buttons of which one is pressed.
export function choice(label, options, current, onchoose) {
  const button = ([value, text, title]) =>
    h('button', { type: 'button', title, 'aria-pressed': String(value === current), onclick: () => onchoose(value) }, text);
  return h('div', { class: 'choice', role: 'group', 'aria-label': label }, options.map(button));
}

// Says something to a screen reader.
export function say(text) {
  const said = document.getElementById('said');
  if (said) said.textContent = clean(text);
}

// Runs `work`, which makes elements anew, and gives the focus back to the one in the same place.
export function keepFocus(work) {
  const focused = document.activeElement;
  const path = [];
  for (let at = focused; at && at !== document.body; at = at.parentElement) path.push([...(at.parentElement?.children ?? [])].indexOf(at));
  work();
  // Unless it is still there, or `work` has given it to another one.
  if (!path.length || (document.activeElement ?? document.body) !== document.body) return;
  let target = document.body;
  for (const index of path.reverse()) target = target?.children[index];
  if (target?.tagName === focused.tagName) target.focus({ preventScroll: true });
}

// Whether the keyboard is typing into an element.
export function isTyping(target) {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}
