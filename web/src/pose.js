// Where the blocks are: as simulated, and as predicted for another value of a parameter.

import { lastNotAfter } from './numbers.js';

const FULL = 65535;

/** The state before a time and the part of the way to the next one. */
function between(times, t) {
  const k = lastNotAfter(times, t);
  if (k + 1 >= times.length || t <= times[k]) return [k, 0];
  return [k, (t - times[k]) / (times[k + 1] - times[k])];
}

/**
 * Weights of the values of a prediction at x: within the trusted range those of the polynomial through the values there,
 * outside of it, where values may lie far apart, those of the straight line between the two next to x.
 */
export function weightsAt({ values, trusted }, x) {
  const weights = values.map(() => 0);
  const inner = [...values.keys()].filter((i) => values[i] >= trusted[0] && values[i] <= trusted[1]);
  if (inner.length > 1 && x >= values[inner[0]] && x <= values[inner.at(-1)]) {
    for (const i of inner) {
      weights[i] = inner.reduce((product, j) => (i === j ? product : product * (x - values[j]) / (values[i] - values[j])), 1);
    }
    return weights;
  }
  const i = Math.min(lastNotAfter(values, x), values.length - 2);
  const part = (x - values[i]) / (values[i + 1] - values[i]);
  weights[i] = 1 - part;
  weights[i + 1] = part;
  return weights;
}

/** Writes the 12 entries of all matrices at time t, as simulated, into `out`. */
export function simulated(data, t, out) {
  const { times, tracks, blocks } = data;
  const n = times.length;
  const [k, part] = between(times, t);
  for (let b = 0; b < blocks.length; b++) {
    const at = 12 * b;
    for (let entry = 0; entry < 12; entry++) out[at + entry] = blocks[b].matrix[entry];
    for (const [entry, track, offset, scale] of blocks[b].tracks) {
      let value = tracks[track * n + k];
      if (part > 0) value += part * (tracks[track * n + k + 1] - value);
      out[at + entry] = offset + scale * value / FULL;
    }
  }
  return k;
}

/**
 * Adds what the prediction changes to `out`, which holds the simulated matrices at time t: only changes are interpolated over the
 * few times of a prediction, so that fast turns and the corners of impacts stay.
 */
export function predicted(prediction, value, t, out) {
  const { values, own, times, tracks, entries } = prediction;
  const m = times.length;
  const weights = weightsAt(prediction, value);
  weights[own] -= 1;
  const [k, part] = between(times, t);
  for (const [block, entry, track, , scale] of entries) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      if (weights[i] === 0) continue;
      const at = (track * values.length + i) * m + k;
      let state = tracks[at];
      if (part > 0) state += part * (tracks[at + 1] - state);
      sum += weights[i] * state;
    }
    out[12 * block + entry] += scale * sum / FULL;
  }
}

/** Whether a block is not seen at time t by the motion predicted for the nearest value; null where that is the simulated one. */
export function hiddenAt({ values, own, times, hidden }, value, t) {
  const apart = values.map((known) => Math.abs(known - value));
  const nearest = apart.indexOf(Math.min(...apart));
  if (nearest === own) return null;
  const k = lastNotAfter(times, t);
  const unseen = new Set(hidden.filter(([, i, from, to]) => i === nearest && from <= k && k < to).map(([block]) => block));
  return (block) => unseen.has(block);
}

/** The predicted times of the events, null where an event is gone. */
export function predictedEvents(prediction, value, events) {
  if (!prediction.events) return events.map((event) => event.t);
  const used = [...weightsAt(prediction, value).entries()].filter(([, weight]) => weight !== 0);
  return events.map((_, e) => {
    const times = used.map(([i]) => prediction.events[i]?.[e] ?? null);
    return times.includes(null) ? null : used.reduce((sum, [, weight], k) => sum + weight * times[k], 0);
  });
}

/** Whether a block is not seen in state k. */
export const isHidden = (block, k) => block.hidden.some(([from, to]) => from <= k && k < to);
