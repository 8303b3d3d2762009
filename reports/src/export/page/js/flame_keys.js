// Where the arrow keys lead in the flame graph.

import { topOf } from './frames.js';

// The frame that a key leads to: `undefined` for other keys, `null` where there is nothing.
export function frameByKey(blocks, frame, key) {
  if (!['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key)) return undefined;
  if (!frame) return null;
  const first = frame.expand()[0] ?? null;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const siblings = frame.parent?.expand() ?? [frame];
    return siblings[siblings.indexOf(frame) + (key === 'ArrowLeft' ? -1 : 1)] ?? null;
  }
  // In Sandwich, callers grow up from the function, which is drawn once: as the top of its callees.
  const callers = blocks.find(({ up }) => up)?.top;
  if (topOf(frame) === callers) {
    if (key === 'ArrowUp') return first;
    return frame.parent === callers ? blocks[0].top : frame.parent;
  }
  if (key === 'ArrowDown') return first;
  return frame.parent ?? callers?.expand()[0] ?? null;
}
