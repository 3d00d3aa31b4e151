// Sliders of the parameters: one at a time may differ from its value in the scene.

import { short, withUnit } from './numbers.js';

const STEPS = 400;
// A trusted range that is narrower than this part of the slider is drawn as wide as this.
const TRUSTED_PART = 0.45;

/** From values of a parameter to parts of its slider and back: straight, with bends at the ends of the trusted range. */
function scaleOf({ values, trusted }) {
  const [low, high] = [values[0], values[values.length - 1]];
  const ends = [low, Math.max(low, trusted[0]), Math.min(high, trusted[1]), high];
  const lengths = [0, 1, 2].map((k) => Math.max(0, ends[k + 1] - ends[k]) / (high - low));
  const outside = lengths[0] + lengths[2];
  if (lengths[1] > 0 && lengths[1] < TRUSTED_PART && outside > 0) {
    lengths[0] *= (1 - TRUSTED_PART) / outside;
    lengths[2] *= (1 - TRUSTED_PART) / outside;
    lengths[1] = TRUSTED_PART;
  }
  const parts = [0, lengths[0], lengths[0] + lengths[1], 1];
  const map = (from, to) => (x) => {
    const k = x <= from[1] ? 0 : x <= from[2] ? 1 : 2;
    const width = from[k + 1] - from[k];
    return width > 0 ? to[k] + Math.min(1, Math.max(0, (x - from[k]) / width)) * (to[k + 1] - to[k]) : to[k];
  };
  return { part: map(ends, parts), value: map(parts, ends) };
}

/** What ends a range, to stand behind the end. */
function because(cause) {
  return cause ? ` (${cause})` : '';
}

export class Sliders {
  /** `changed(parameter, value)` is called with null for the mechanism as it is. */
  constructor(root, reset, parameters, changed) {
    this.reset = reset;
    this.changed = changed;
    this.rows = new Map();
    this.moved = null;
    reset.addEventListener('click', () => this.clear());
    const list = document.createElement('div');
    list.className = 'sliders';
    this.status = document.createElement('p');
    this.status.id = 'trust';
    this.status.setAttribute('role', 'status');
    const fixed = [];
    for (const parameter of parameters) {
      if (parameter.prediction) list.append(this.makeRow(parameter));
      else fixed.push(parameter);
    }
    root.append(list);
    if (this.rows.size > 0) {
      const about = document.createElement('p');
      about.className = 'quiet';
      about.textContent = 'In colour: where the prediction may be trusted, drawn wider than to scale where that is narrow. Grey: do not trust it.';
      root.append(about);
    }
    root.append(this.status);
    if (fixed.length > 0) root.append(this.makeFixed(fixed, this.rows.size === 0));
    if (parameters.length === 0) this.status.textContent = 'The scene has no parameters.';
    reset.hidden = this.rows.size === 0;
  }

  makeRow(parameter) {
    const { name, unit, value: nominal, prediction: { values, trusted, causes } } = parameter;
    const low = values[0];
    const high = values[values.length - 1];
    const scale = scaleOf(parameter.prediction);
    const { part } = scale;
    const row = document.createElement('div');
    row.className = 'slider';
    const label = document.createElement('label');
    label.textContent = name;
    label.title = parameter.about ? `${name}: ${parameter.about}` : name;
    const range = document.createElement('input');
    range.type = 'range';
    range.min = 0;
    range.max = STEPS;
    range.id = label.htmlFor = `parameter-${this.rows.size}`;
    range.setAttribute('aria-describedby', 'trust');
    range.style.setProperty('--low', part(trusted[0]));
    range.style.setProperty('--high', part(trusted[1]));
    range.style.setProperty('--nominal', part(nominal));
    range.title = `from ${short(low)} to ${withUnit(short(high), unit)}; the prediction may be trusted from ${short(trusted[0])}${because(causes[0])} to ${short(trusted[1])}${because(causes[1])}`;
    const text = document.createElement('span');
    text.className = 'value';
    row.append(label, range, text);

    const entry = { parameter, row, range, text, part };
    this.rows.set(name, entry);
    const home = part(nominal) * STEPS;
    range.addEventListener('input', () => {
      const at = Number(range.value);
      // The step next to the value of the scene is that value.
      const value = Math.abs(at - home) <= 0.5 ? nominal : scale.value(at / STEPS);
      this.move(entry, value, false);
    });
    range.addEventListener('dblclick', () => this.clear());
    this.showValue(entry, nominal, true);
    return row;
  }

  /** What has no slider, with the reason. */
  makeFixed(parameters, isOpen) {
    const details = document.createElement('details');
    details.className = 'fixed';
    details.open = isOpen;
    const summary = document.createElement('summary');
    summary.textContent = `Without a prediction: ${parameters.length}`;
    const list = document.createElement('dl');
    for (const { name, unit, value, reason } of parameters) {
      const term = document.createElement('dt');
      term.textContent = `${name} = ${withUnit(short(value, 6), unit)}`;
      list.append(term);
      if (reason) {
        const description = document.createElement('dd');
        description.textContent = reason;
        list.append(description);
      }
    }
    details.append(summary, list);
    return details;
  }

  showValue(entry, value, movesThumb) {
    const { parameter, range, text, part, row } = entry;
    if (movesThumb) range.value = Math.round(part(value) * STEPS);
    const shown = withUnit(short(value, 5), parameter.unit);
    text.textContent = shown;
    const [low, high] = parameter.prediction.trusted;
    const isMoved = value !== parameter.value;
    const isTrusted = !isMoved || (value >= low && value <= high);
    range.setAttribute('aria-valuetext', isTrusted ? shown : `${shown}, not to be trusted`);
    row.classList.toggle('moved', isMoved);
    row.classList.toggle('untrusted', !isTrusted);
    return isTrusted;
  }

  move(entry, value, movesThumb) {
    if (this.moved && this.moved !== entry) this.showValue(this.moved, this.moved.parameter.value, true);
    const { parameter } = entry;
    const isTrusted = this.showValue(entry, value, movesThumb);
    const isMoved = value !== parameter.value;
    this.moved = isMoved ? entry : null;
    this.reset.disabled = !isMoved;
    const { trusted: [low, high], causes } = parameter.prediction;
    const cause = causes[value < low ? 0 : 1];
    this.status.classList.toggle('warning', !isTrusted);
    this.status.textContent = isTrusted
      ? ''
      : `The prediction is not to be trusted here: ${parameter.name} is outside ${short(low)} to ${withUnit(short(high), parameter.unit)}${cause ? `, where ${cause}` : ''}.`;
    this.changed(isMoved ? parameter : null, value, isTrusted);
  }

  /** All parameters as in the scene. */
  clear() {
    if (this.moved) this.move(this.moved, this.moved.parameter.value, true);
  }

  /** Moves a slider; false if there is none of this name. */
  set(name, value) {
    const entry = this.rows.get(name);
    if (!entry || !Number.isFinite(value)) return false;
    const { values } = entry.parameter.prediction;
    this.move(entry, Math.min(values[values.length - 1], Math.max(values[0], value)), true);
    return true;
  }
}
