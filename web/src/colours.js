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

// What keeps its colour beside bars that are coloured by a gradient: signs whose colours have a meaning, and what is dark or white.
const KEPT = new Set(['rim', 'pin', 'mass', 'floor', 'stick', 'slip', 'open', 'friction cone']);

/** The colour of a block beside bars that are coloured by a gradient: grey, of the same brightness, and paler on a light page. */
export function mutedColourOf(block, dark) {
  const own = colourOf(block, dark);
  if (KEPT.has(block.material)) return own;
  const brightness = 0.3 * own.r + 0.6 * own.g + 0.1 * own.b;
  return new Color().setScalar(dark ? 0.02 + 0.3 * brightness : 0.4 + 0.6 * brightness);
}

/** The colour of a value between -1 and 1 on a scale of colours at equal distances. */
export function divergingColour(scale, value) {
  const place = (Math.min(1, Math.max(-1, value)) + 1) / 2 * (scale.length - 1);
  const below = Math.min(scale.length - 2, Math.floor(place));
  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const [from, to] = [channels(scale[below]), channels(scale[below + 1])];
  const mixed = from.map((channel, k) => Math.round(channel + (place - below) * (to[k] - channel)));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
