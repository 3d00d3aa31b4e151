// Charts of the outputs over time.

import uPlot from 'uplot';
import { valueAt } from './curves.js';
import { short, significant } from './numbers.js';

const FIRST_SHOWN = 3;
const HEIGHT = 82;
const TIME_AXIS = 34;
const VALUE_AXIS = 50;
// More event lines than this would hide the curves.
const MOST_LINES = 150;

// The original beside a prediction: so much of its colour.
const PALE = '66';

/** Draws curves that are broken where a smooth piece begins (`starts`) and where there is no value, at the times that `timesOf` gives. */
function brokenPaths(starts, timesOf) {
  const isStart = new Set(starts);
  return (u, index) => {
    const [times, values] = [timesOf(), u.data[index]];
    const stroke = new Path2D();
    let isDown = false;
    for (let k = 0; k < times.length; k++) {
      const value = values[k];
      if (value === null || value === undefined) {
        isDown = false;
        continue;
      }
      const x = u.valToPos(times[k], 'x', true);
      const y = u.valToPos(value, 'y', true);
      if (isDown && !isStart.has(k)) stroke.lineTo(x, y);
      else stroke.moveTo(x, y);
      isDown = true;
    }
    return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
  };
}

/** A range with some room, and not only round-off. */
function roomy(low, high) {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const width = high - low;
  if (width <= 1e-9 * size || width === 0) {
    const room = size > 0 ? 0.1 * size : 1;
    return [low - room, high + room];
  }
  return [low - 0.08 * width, high + 0.08 * width];
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Charts {
  /** `picked(t)` is called when the reader chooses a time on a chart. */
  constructor(root, data, clock, picked) {
    this.data = data;
    this.clock = clock;
    this.picked = picked;
    this.t = clock.t;
    this.charts = [];
    const { series } = data.outputs;
    if (series.length === 0) {
      const none = document.createElement('p');
      none.className = 'quiet';
      none.textContent = 'The scene has no outputs.';
      root.append(none);
      return;
    }
    // What is predicted for the value of a slider: { times, values, reasons, isTrusted, events }.
    this.prediction = null;
    const { times, phases } = data.outputs;
    this.paths = [brokenPaths(phases, () => times), brokenPaths(phases, () => this.prediction?.times ?? times)];
    this.chosen = new Set(series.map((_, k) => k).slice(0, FIRST_SHOWN));
    if (series.length > 1) root.append(this.makeChoice(series));
    this.note = document.createElement('span');
    this.note.className = 'quiet';
    this.note.hidden = true;
    root.querySelector('.bar').append(this.note);
    this.list = document.createElement('div');
    root.append(this.list);
    this.width = 0;
    new ResizeObserver(() => this.resize()).observe(this.list);
  }

  makeChoice(series) {
    const choice = document.createElement('details');
    choice.className = 'choice';
    const summary = document.createElement('summary');
    const count = () => { summary.textContent = `Curves: ${this.chosen.size} of ${series.length}`; };
    count();
    const boxes = document.createElement('div');
    boxes.className = 'boxes';
    boxes.setAttribute('role', 'group');
    boxes.setAttribute('aria-label', 'Shown outputs');
    series.forEach(({ name }, k) => {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.checked = this.chosen.has(k);
      box.addEventListener('change', () => {
        if (box.checked) this.chosen.add(k);
        else this.chosen.delete(k);
        count();
        this.rebuild();
      });
      label.append(box, ` ${name}`);
      boxes.append(label);
    });
    choice.append(summary, boxes);
    return choice;
  }

  /** Anew, with the colours of the page. */
  rebuild() {
    if (!this.list) return;
    for (const { plot } of this.charts) plot.destroy();
    this.charts = [];
    this.list.replaceChildren();
    this.width = this.list.clientWidth;
    if (this.width === 0) return;
    const shown = [...this.chosen].sort((a, b) => a - b);
    shown.forEach((k, place) => this.charts.push(this.makeChart(k, place === shown.length - 1)));
    this.showTime(this.t);
  }

  makeChart(k, isLast) {
    const { name } = this.data.outputs.series[k];
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const title = document.createElement('b');
    title.textContent = name;
    const value = document.createElement('span');
    caption.append(title, value);
    const place = document.createElement('div');
    place.setAttribute('role', 'img');
    place.setAttribute('aria-label', `${name} over time`);
    figure.append(caption, place);
    this.list.append(figure);

    const quiet = css('--quiet');
    const colour = css(`--curve-${k % 6}`);
    const lines = { stroke: css('--grid'), width: 1 };
    const font = '11px system-ui, sans-serif';
    const { start, end } = this.clock;
    const plot = new uPlot({
      width: this.width,
      height: HEIGHT + (isLast ? TIME_AXIS : 6),
      padding: [6, 12, isLast ? 0 : 6, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [start, end > start ? end : start + 1] },
        y: { range: (_, low, high) => this.rangeOf(k, low, high) },
      },
      axes: [
        {
          show: true, stroke: quiet, grid: lines, ticks: { ...lines, size: 4 }, font, labelFont: font, gap: 3,
          size: isLast ? 20 : 0, label: isLast ? 'time in s' : undefined, labelSize: 14, labelGap: 0,
          values: (_, ticks) => ticks.map((tick) => (isLast ? short(tick, 6) : '')),
        },
        {
          stroke: quiet, grid: lines, ticks: { ...lines, size: 4 }, font, labelFont: font, gap: 3,
          size: VALUE_AXIS, space: 18,
          values: (_, ticks) => ticks.map((tick) => short(tick, 5)),
        },
      ],
      series: [
        {},
        { stroke: () => (this.isPredicted(k) ? colour + PALE : colour), width: 1.6, points: { show: false }, paths: this.paths[0] },
        { stroke: () => (this.prediction?.isTrusted ? colour : quiet), width: 1.6, points: { show: false }, paths: this.paths[1] },
      ],
      // The scales are known only when it has been drawn.
      hooks: { drawClear: [(u) => this.drawEvents(u)], draw: [() => this.showTime(this.t)] },
    }, this.dataOf(k), place);

    const line = document.createElement('div');
    line.className = 'now';
    const dot = document.createElement('div');
    dot.className = 'dot';
    dot.style.background = colour;
    plot.over.append(line, dot);
    this.connect(plot);
    return { plot, k, line, dot, value };
  }

  drawEvents(u) {
    const { events } = this.data;
    if (events.length === 0 || events.length > MOST_LINES) return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = css('--event-line');
    ctx.lineWidth = uPlot.pxRatio;
    ctx.setLineDash([3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    ctx.beginPath();
    for (const t of this.prediction?.events ?? events.map((event) => event.t)) {
      if (t === null) continue;
      const x = Math.round(u.valToPos(t, 'x', true)) + 0.5;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Press or drag to choose a time. */
  connect(plot) {
    const { over } = plot;
    const pick = (event) => this.picked(plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      pick(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (over.hasPointerCapture(event.pointerId)) pick(event);
    });
  }

  resize() {
    const width = this.list.clientWidth;
    if (width === 0 || width === this.width) return;
    if (this.charts.length === 0) {
      this.rebuild();
      return;
    }
    this.width = width;
    for (const { plot } of this.charts) plot.setSize({ width, height: plot.height });
    this.showTime(this.t);
  }

  /** Times and values of a series, and the predicted ones. */
  dataOf(k) {
    const { times, series } = this.data.outputs;
    return [times, series[k].values, this.prediction?.values[k] ?? times.map(() => null)];
  }

  isPredicted(k) {
    return Boolean(this.prediction?.values[k]);
  }

  /** Room for both curves; one that is not to be trusted must not make the original flat. */
  rangeOf(k, low, high) {
    if (this.isPredicted(k) && !this.prediction.isTrusted) {
      const own = this.data.outputs.series[k].values.filter((x) => x !== null);
      const [least, most] = own.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
      const width = most - least;
      if (width > 0) return roomy(Math.max(low, least - width), Math.min(high, most + width));
    }
    return roomy(low, high);
  }

  /** The value that is shown of a series at a time. */
  valueAt(k, t) {
    const { times, series, phases: starts } = this.data.outputs;
    const { prediction } = this;
    return this.isPredicted(k)
      ? valueAt({ times: prediction.times, values: prediction.values[k], starts }, t)
      : valueAt({ times, values: series[k].values, starts }, t);
  }

  showTime(t) {
    this.t = t;
    for (const { plot, k, line, dot, value } of this.charts) {
      const x = plot.valToPos(t, 'x');
      line.style.transform = `translateX(${x}px)`;
      const y = this.valueAt(k, t);
      const text = y === null ? '-' : significant(y);
      value.textContent = this.prediction && !this.isPredicted(k) ? `original: ${text}` : text;
      value.title = this.prediction?.reasons[k] ?? '';
      dot.hidden = y === null;
      if (y !== null) dot.style.transform = `translate(${x}px, ${plot.valToPos(y, 'y')}px)`;
    }
  }

  /** Draws the predicted curves beside the pale original; the original alone for null. */
  showPrediction(prediction) {
    this.prediction = prediction;
    if (!this.note) return;
    this.note.hidden = !prediction;
    const isAny = prediction?.values.some((values) => values);
    const judged = prediction?.isTrusted ? 'predicted' : 'grey: not to be trusted';
    this.note.textContent = isAny ? `${judged}; pale: the original` : 'of the original mechanism';
    for (const { plot, k } of this.charts) plot.setData(this.dataOf(k));
    this.showTime(this.t);
  }
}
