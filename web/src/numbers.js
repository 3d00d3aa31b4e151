// Numbers as text, and positions in sorted lists.

/** With `digits` significant digits. */
export function significant(x, digits = 6) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '-';
  return x === 0 ? '0' : x.toPrecision(digits);
}

/** As short as possible, with at most `digits` significant digits. */
export function short(x, digits = 4) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '-';
  const rounded = Number(x.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return rounded.toExponential().replace('e+', 'e');
  return String(rounded);
}

/** With its unit, if it has one. */
export function withUnit(text, unit) {
  return unit && unit !== '1' ? `${text} ${unit}` : text;
}

/** Decimals that a time within a motion of this duration is told with. */
export function decimalsOf(duration) {
  return Math.min(9, Math.max(3, 4 - Math.floor(Math.log10(duration || 1))));
}

/** The greatest 1, 2 or 5 times a power of ten that is not above x. */
export function roundLength(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const mantissa = x / power;
  return (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1) * power;
}

/** The last index with list[index] <= x; 0 if there is none. */
export function lastNotAfter(list, x) {
  let low = 0;
  let high = list.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}
