// Reads the data of the page and connects its parts.

import { Charts } from './charts.js';
import { Clock } from './clock.js';
import { predictedCurves } from './curves.js';
import { BadData, decode } from './data.js';
import { Heat } from './heat.js';
import { roundLength, short, withUnit } from './numbers.js';
import { hiddenAt, isHidden, predicted, predictedEvents, simulated } from './pose.js';
import { View } from './scene.js';
import { showSections } from './sections.js';
import { Sliders } from './sliders.js';
import { makeTable } from './table.js';
import { connectTheme } from './theme.js';
import { Timeline, connectKeys } from './timeline.js';

const byId = (id) => document.getElementById(id);
const SCALE_PIXELS = 120;
// A press that moves less than this is a tap, not a drag.
const TAP_PIXELS = 6;

function complain(text) {
  const message = byId('message');
  const command = document.createElement('code');
  command.textContent = 'costate export scene.ron --out scene.html';
  message.replaceChildren(`This page has no mechanism to show. ${text} Write it again with `, command, '.');
  message.hidden = false;
}

function start() {
  let data;
  try {
    data = decode(byId('data')?.textContent);
  } catch (error) {
    complain(error instanceof BadData ? error.message : 'The data are damaged.');
    return;
  }
  byId('page').hidden = false;
  byId('title').textContent = document.title || data.name;
  byId('version').textContent = data.version;
  byId('source-text').textContent = data.source;
  byId('source').hidden = data.source === '';
  byId('canvas').setAttribute('aria-label', `The mechanism ${data.name}`);
  byId('help-pointer').textContent = data.planar
    ? 'Pointer: drag to move the picture, right button to turn it, wheel to zoom. Fingers: one moves, two zoom and turn.'
    : 'Pointer: drag to turn, right button to move the picture, wheel to zoom. Fingers: one turns, two zoom and move.';
  showSections(byId('sections'), byId('contents'), data.sections);
  if (data.isStill) {
    for (const part of [document.querySelector('main'), byId('objectives'), byId('help-toggle')]) part.hidden = true;
    connectTheme(byId('theme-toggle'), () => {});
    window.costate = { ready: true };
    return;
  }
  run(data);
}

function run(data) {
  const original = new Float64Array(12 * data.blocks.length);
  const drawn = new Float64Array(original.length);
  // The prediction in use: { prediction, value, blocks }, or null for the mechanism as simulated.
  let prediction = null;
  let curves = null;
  let view = null;
  let isRequested = false;
  let isChanged = false;

  const request = () => {
    if (isRequested) return;
    isRequested = true;
    requestAnimationFrame(frame);
  };
  const changed = () => {
    isChanged = true;
    request();
  };
  const frame = (now) => {
    isRequested = false;
    if (clock.playing) clock.advance(now);
    if (isChanged && view) {
      view.draw();
      showScale();
    }
    isChanged = false;
    if (clock.playing) request();
  };

  /** Puts everything at the shown time and the value of the moved parameter. */
  const place = () => {
    const state = simulated(data, clock.t, original);
    drawn.set(original);
    if (prediction) predicted(prediction.prediction, prediction.value, clock.t, drawn);
    const hidden = (b) => isHidden(data.blocks[b], state);
    view?.place(drawn, (prediction && hiddenAt(prediction.prediction, prediction.value, clock.t)) ?? hidden);
    view?.placeGhosts(prediction ? prediction.blocks : null, original, hidden);
    changed();
  };

  const clock = new Clock(data.times, data.speed, (t) => {
    place();
    timeline.showTime(t);
    charts.showTime(t);
  }, (playing) => {
    timeline.showPlaying(playing);
    request();
  });
  const timeline = new Timeline(data, clock);
  const charts = new Charts(byId('outputs'), data, clock, (t) => {
    clock.pause();
    clock.set(t);
  });
  const sliders = new Sliders(byId('parameters'), byId('reset'), data.parameters, (parameter, value, isTrusted) => {
    prediction = parameter && {
      prediction: parameter.prediction,
      value,
      blocks: [...new Set(parameter.prediction.entries.map(([block]) => block))],
    };
    const events = prediction && predictedEvents(parameter.prediction, value, data.events);
    timeline.setEventTimes(events);
    timeline.showTime(clock.t);
    curves = prediction && { ...predictedCurves(data.outputs, parameter.prediction, value - parameter.value), isTrusted, events };
    charts.showPrediction(curves);
    showNote(parameter, value, isTrusted);
    place();
  });
  byId('objectives').hidden = !data.objectives || (data.objectives.length === 0 && data.sections.length > 0);
  makeTable(byId('objectives'), data.objectives ?? [], data.parameters, data.heat.reason);

  try {
    view = new View(byId('canvas'), data, changed);
  } catch {
    byId('fit').hidden = true;
    const missing = byId('no-view');
    missing.hidden = false;
    missing.textContent = 'This browser does not draw in three dimensions (WebGL 2 is missing or switched off). Charts and numbers work.';
  }
  if (!view) data.heat.objectives = [];
  const heat = new Heat(byId('heat'), data.heat, (colours) => view.setHeat(colours));
  connectTheme(byId('theme-toggle'), (dark) => {
    view?.setTheme(dark);
    charts.rebuild();
  });
  if (view) {
    new ResizeObserver(() => view.resize()).observe(byId('view'));
    view.resize();
    connectPointer();
    byId('fit').addEventListener('click', () => view.fit());
  }

  function showNote(parameter, value, isTrusted) {
    const note = byId('note');
    note.hidden = !parameter;
    if (!parameter) return;
    note.classList.toggle('warning', !isTrusted);
    const judged = isTrusted ? 'predicted' : 'not to be trusted';
    const about = document.createElement('span');
    about.textContent = '; pale: the original';
    note.replaceChildren(`${parameter.name} = ${withUnit(short(value, 5), parameter.unit)}, ${judged}`, about);
  }

  function showScale() {
    if (!data.planar) return;
    const scale = byId('scale');
    const perUnit = view.pixelsPerUnit();
    const length = roundLength(SCALE_PIXELS / perUnit);
    if (!Number.isFinite(length)) return;
    scale.hidden = false;
    scale.lastElementChild.style.width = `${length * perUnit}px`;
    scale.firstElementChild.textContent = short(length);
  }

  function connectPointer() {
    const canvas = byId('canvas');
    const part = byId('part');
    let latest = null;
    let isWaiting = false;
    let pressed = null;
    const point = (event) => {
      const block = event ? view.blockAt(event.clientX, event.clientY) : null;
      const name = block === null ? null : data.blocks[block].name || null;
      view.point(name);
      part.hidden = name === null;
      if (name !== null) part.textContent = name + heat.about(name);
    };
    canvas.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'touch' || event.buttons !== 0) return;
      latest = event;
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        if (latest) point(latest);
      });
    });
    canvas.addEventListener('pointerleave', (event) => {
      latest = null;
      if (event.pointerType !== 'touch') point(null);
    });
    canvas.addEventListener('pointerdown', (event) => { pressed = event; });
    canvas.addEventListener('pointerup', (event) => {
      if (pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < TAP_PIXELS) point(event);
      pressed = null;
    });
  }

  const help = byId('help-toggle');
  const showHelp = (isOpen) => {
    help.setAttribute('aria-expanded', String(isOpen));
    byId('help').hidden = !isOpen;
  };
  help.addEventListener('click', () => showHelp(help.getAttribute('aria-expanded') === 'false'));
  connectKeys({
    ' ': () => timeline.toggle(),
    ArrowLeft: () => clock.step(-1),
    ArrowRight: () => clock.step(1),
    Home: () => clock.set(clock.start),
    End: () => { clock.pause(); clock.set(clock.end); },
    b: () => timeline.toEvent(-1),
    n: () => timeline.toEvent(1),
    l: () => byId('loop').click(),
    r: () => sliders.clear(),
    f: () => view?.fit(),
    '+': () => view?.zoom(1.25),
    '=': () => view?.zoom(1.25),
    '-': () => view?.zoom(0.8),
    Escape: () => showHelp(false),
  });
  clock.set(clock.start);

  window.costate = {
    ready: true,
    time: () => clock.t,
    setTime: (t) => clock.set(t),
    play: () => clock.play(),
    pause: () => clock.pause(),
    frames: () => (view ? view.frames : 0),
    setParameter: (name, value) => sliders.set(name, value),
    curveOf: (output) => {
      const k = data.outputs.series.findIndex(({ name }) => name === output);
      const { times, values } = curves ?? { times: data.outputs.times, values: data.outputs.series.map((series) => series.values) };
      return { times: [...times], values: values[k] };
    },
    colourBy: (objective) => heat.choose(objective ?? ''),
    colourOf: (block) => `#${view.colourOf(block).getHexString()}`,
    matrixOf: (block) => [...drawn.subarray(12 * block, 12 * block + 12)],
  };
}

start();
