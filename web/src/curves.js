// The curves of the outputs as predicted for another value of a parameter, to first order.

import { lastNotAfter } from './numbers.js';

const FULL = 65535;

/** The derivatives on the side of a change; null where there are none. */
const onSide = ({ curves }, change) => curves.find(({ side }) => side === null || (side === 'above') === (change > 0)) ?? null;

/**
 * Times and values of the curves for a change of the parameter: points move in time with the events at both ends of their smooth piece,
 * in proportion to the distance from these. `values` has null for an output without derivatives; `reasons` says why. An event that would
 * overtake the one before it happens together with that: what would be drawn before it has no value, as have pieces without duration. So
 * times never descend.
 */
export function predictedCurves(outputs, prediction, change) {
  const found = onSide(prediction, change);
  const { times, phases, series } = outputs;
  if (!found) {
    const reason = prediction.noCurves ?? 'nothing is differentiated on this side of the value';
    return { times, values: series.map(() => null), reasons: series.map(() => reason) };
  }
  const moved = Float64Array.from(times);
  const isGone = new Uint8Array(times.length);
  let latest = -Infinity;
  phases.forEach((first, p) => {
    const last = (phases[p + 1] ?? times.length) - 1;
    const length = times[last] - times[first];
    const [start, end] = found.shifts[p];
    for (let k = first; k <= last; k++) {
      const part = length > 0 ? (times[k] - times[first]) / length : 0;
      // Exact at both ends, where the pieces beside it have the same times.
      const t = times[k] + change * ((1 - part) * start + part * end);
      if (t < latest || length === 0) isGone[k] = 1;
      latest = Math.max(t, latest);
      moved[k] = latest;
    }
  });
  const slopeOf = (slope) => {
    if (!Array.isArray(slope)) return () => slope;
    const [track, from, range] = slope;
    const at = track * times.length;
    return (k) => from + range * found.tracks[at + k] / FULL;
  };
  const values = series.map(({ values }, s) => {
    if (typeof found.slopes[s] === 'string') return null;
    const slope = slopeOf(found.slopes[s]);
    return values.map((value, k) => (isGone[k] ? null : value + change * slope(k)));
  });
  return { times: moved, values, reasons: found.slopes.map((slope) => (typeof slope === 'string' ? slope : null)) };
}

/**
 * The value of a curve at a time; at an event the one after it. Null between two smooth pieces, which begin at `starts`, where an event
 * at the same instant moved away from another one.
 */
export function valueAt({ times, values, starts }, t) {
  let i = lastNotAfter(times, t);
  while (i > 0 && values[i] === null) i--;
  let next = i + 1;
  while (next < times.length && values[next] === null) next++;
  const [before, after] = [values[i] ?? null, values[next] ?? null];
  if (t === times[i]) return before;
  const isGap = lastNotAfter(starts, i) !== lastNotAfter(starts, Math.min(next, times.length - 1));
  if (before === null || after === null || isGap) return null;
  return before + (t - times[i]) / (times[next] - times[i]) * (after - before);
}
