// Runs in the page: the texts whose contrast with their ground is below 4.5 : 1.

export function lowContrast() {
  const rgba = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const light = (rgb) => {
    const [red, green, blue] = rgb.map((value) => value / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const over = (top, below) => top.rgb.map((value, index) => value * top.alpha + below[index] * (1 - top.alpha));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color.alpha > 0) layers.push(color);
      if (color.alpha === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const low = [];
  let texts = 0;
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    const box = element.getBoundingClientRect();
    if (!hasText || box.width === 0 || box.right < 0 || element.closest('svg, script, style, .hidden, :disabled')) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const below = ground(element);
    const text = over(rgba(style.color), below);
    const [a, b] = [light(text) + 0.05, light(below) + 0.05];
    const contrast = Math.max(a, b) / Math.min(a, b);
    if (contrast < 4.5) low.push(`${element.tagName}.${element.className} “${element.textContent.slice(0, 30)}” ${contrast.toFixed(2)}`);
  }
  return { texts, low };
}
