// Colours of what is drawn by three.js, for a light and a dark page.

import { Color } from 'three';

const LIGHT = { background: '#f6f8fa', outline: '#2b333d', grid: '#d3d9e0', axis: '#b4bdc8' };
const DARK = { background: '#14181e', outline: '#0a0d10', grid: '#2a323c', axis: '#3c4754' };

export const palette = (dark) => (dark ? DARK : LIGHT);

/** The colour of a block; what is dark or white by itself has another one on a dark page. */
export function colourOf(block, dark) {
  const colour = new Color(block.colour ?? '#808890');
  if (!dark) return colour;
  switch (block.material) {
    case 'floor': return new Color('#1d242c');
    case 'surface': return new Color('#5d584f');
    case 'ground': return new Color('#6f675d');
    default: break;
  }
  const brightness = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
  return brightness < 0.06 ? colour.lerp(new Color('#dbe3ec'), 0.55) : colour;
}
