// The line of time with its marks, the buttons below it and the keys.

import { SPEEDS, neighbour } from './clock.js';
import { decimalsOf } from './numbers.js';

const SVG = 'http://www.w3.org/2000/svg';
// Half the width of the thumb of the line, as in style.css.
const INSET = 8;
const MARK_HEIGHT = 16;
const NEAR_PIXELS = 7;
const MOST_IN_TOOLTIP = 6;

// Shapes about (0, 0) within 5 units; kinds without one have a disc.
const SHAPES = {
  impact: 'M-5-4.5H5L0 5z',
  rest: 'M-4.5-4.5h9v9h-9z',
  stick: 'M-4.5-4.5h9v9h-9z',
  slip: 'M0-5.5L5 0 0 5.5-5 0z',
  reverse: 'M-5.5 0L0-4V-1.5H1V-4L5.5 0 1 4V1.5H0V4z',
  release: 'M-5 4.5H5L0-5z',
  side: 'M-2-5H2V5H-2z',
  tooth: 'M-5 4.5V-4.5L5 4.5z',
};
const DISC = 'M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z';

const byId = (id) => document.getElementById(id);

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const shape = (kind) => SHAPES[kind] ?? DISC;
const classOf = (kind) => `event-${SHAPES[kind] ? kind : 'other'}`;

export class Timeline {
  constructor(data, clock) {
    this.data = data;
    this.clock = clock;
    this.marks = byId('marks');
    this.range = byId('time');
    this.tooltip = byId('tooltip');
    this.readout = byId('readout');
    this.decimals = decimalsOf(clock.end - clock.start);
    this.shownTimes = data.events.map((event) => event.t);
    this.range.min = clock.start;
    this.range.max = clock.end > clock.start ? clock.end : clock.start + 1;
    this.range.addEventListener('input', () => {
      clock.pause();
      clock.set(Number(this.range.value));
    });
    this.connectButtons();
    this.connectMarks();
    this.makeLegend();
    new ResizeObserver(() => this.drawMarks()).observe(this.marks.parentElement);
  }

  connectButtons() {
    const { clock } = this;
    const actions = {
      'to-start': () => clock.set(clock.start),
      'to-end': () => { clock.pause(); clock.set(clock.end); },
      'step-back': () => clock.step(-1),
      'step-on': () => clock.step(1),
      'event-back': () => this.toEvent(-1),
      'event-on': () => this.toEvent(1),
      play: () => this.toggle(),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
    const none = this.data.events.length === 0;
    byId('event-back').hidden = none;
    byId('event-on').hidden = none;
    byId('about-events').hidden = none;
    this.marks.classList.toggle('none', none);
    const speed = byId('speed');
    const speeds = [...new Set([...SPEEDS, clock.speed])].sort((a, b) => a - b);
    for (const value of speeds) speed.add(new Option(`${value}x`, value, false, value === clock.speed));
    speed.addEventListener('change', () => { clock.speed = Number(speed.value); });
    const loop = byId('loop');
    loop.checked = clock.loops;
    loop.addEventListener('change', () => { clock.loops = loop.checked; });
  }

  toggle() {
    if (this.clock.playing) this.clock.pause();
    else this.clock.play();
  }

  /** To the next (1) or previous (-1) event. */
  toEvent(direction) {
    const times = this.shownTimes.filter((t) => t !== null).sort((a, b) => a - b);
    if (times.length === 0) return;
    this.clock.pause();
    this.clock.set(neighbour(times, this.clock.t, direction));
  }

  /** Events at other times, those of a prediction; null where one is gone. */
  setEventTimes(times) {
    const { start, end } = this.clock;
    this.shownTimes = times?.map((t) => (t !== null && t >= start && t <= end ? t : null)) ?? this.data.events.map((event) => event.t);
    this.drawMarks();
  }

  showPlaying(playing) {
    const button = byId('play');
    button.classList.toggle('playing', playing);
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  }

  showTime(t) {
    const text = `${t.toFixed(this.decimals)} s`;
    const near = 1e-9 * (this.clock.end - this.clock.start);
    const here = this.data.events.filter((_, k) => this.shownTimes[k] !== null && Math.abs(this.shownTimes[k] - t) <= near);
    this.range.value = t;
    this.range.setAttribute('aria-valuetext', [text, ...here.map((event) => event.text)].join(', '));
    this.readout.textContent = `t = ${text}`;
    byId('event').textContent = here.length > 0 ? here[0].text + (here.length > 1 ? ` and ${here.length - 1} more` : '') : '';
  }

  fraction(t) {
    const { start, end } = this.clock;
    return end > start ? Math.min(1, Math.max(0, (t - start) / (end - start))) : 0;
  }

  drawMarks() {
    const width = this.marks.clientWidth - 2 * INSET;
    if (width <= 0) return;
    this.place = this.shownTimes.map((t) => (t === null ? null : INSET + this.fraction(t) * width));
    const list = this.place.map((x, k) => {
      if (x === null) return null;
      const { kind } = this.data.events[k];
      return svg('path', { d: shape(kind), class: classOf(kind), transform: `translate(${x.toFixed(2)} ${MARK_HEIGHT / 2})` });
    });
    this.marks.replaceChildren(...list.filter(Boolean));
  }

  connectMarks() {
    const nearest = (event) => {
      const x = event.clientX - this.marks.getBoundingClientRect().left;
      const reach = event.pointerType === 'touch' ? 2.5 * NEAR_PIXELS : NEAR_PIXELS;
      return (this.place ?? [])
        .map((at, k) => ({ k, at, away: at === null ? Infinity : Math.abs(at - x) }))
        .filter(({ away }) => away <= reach)
        .sort((a, b) => a.away - b.away);
    };
    const show = (event) => {
      const found = nearest(event);
      this.marks.style.cursor = found.length > 0 ? 'pointer' : '';
      this.tooltip.hidden = found.length === 0;
      if (found.length === 0) return;
      const lines = found.sort((a, b) => this.shownTimes[a.k] - this.shownTimes[b.k]).slice(0, MOST_IN_TOOLTIP).map(({ k }) => {
        const line = document.createElement('div');
        line.textContent = `${this.shownTimes[k].toFixed(this.decimals)} s: ${this.data.events[k].text}`;
        return line;
      });
      if (found.length > lines.length) {
        const line = document.createElement('div');
        line.textContent = `and ${found.length - lines.length} more`;
        lines.push(line);
      }
      this.tooltip.replaceChildren(...lines);
      const half = this.tooltip.offsetWidth / 2;
      const x = Math.min(this.marks.clientWidth - half, Math.max(half, found[0].at));
      this.tooltip.style.left = `${x}px`;
    };
    this.marks.addEventListener('pointermove', show);
    this.marks.addEventListener('pointerleave', () => { this.tooltip.hidden = true; });
    this.marks.addEventListener('pointerdown', (event) => {
      const [found] = nearest(event);
      show(event);
      if (!found) return;
      this.clock.pause();
      this.clock.set(this.shownTimes[found.k]);
    });
  }

  /** What the marks mean. */
  makeLegend() {
    const counts = new Map();
    for (const { kind } of this.data.events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) {
      const item = document.createElement('span');
      const sign = svg('svg', { viewBox: '-7 -7 14 14', width: 12, height: 12, 'aria-hidden': 'true' });
      sign.append(svg('path', { d: shape(kind), class: classOf(kind) }));
      item.append(sign, ` ${kind} (${count})`);
      byId('legend').append(item);
    }
  }
}

/** Keys for the whole page; `actions` maps names of keys to functions. */
export function connectKeys(actions) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const isTime = target.id === 'time';
    const isRange = target.matches?.('input[type=range]') && !isTime;
    const moves = ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key);
    // What has the focus keeps the keys that it needs itself.
    if (target.matches?.('select, textarea, input[type=text]')) return;
    if (isRange && moves) return;
    if (target.matches?.('pre, .scrolls') && moves) return;
    if (event.key === ' ' && target.matches?.('button, summary, a, input[type=checkbox]')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
