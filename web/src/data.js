// The data of the page: decoded, and checked as far as a wrong file is likely to be wrong.

const FORMAT = 1;

/** What the reader is told about data that are wrong. */
export class BadData extends Error {}

function bytes(text) {
  if (typeof text !== 'string') throw new BadData('an encoded list is missing');
  const binary = atob(text);
  const list = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) list[k] = binary.charCodeAt(k);
  return list.buffer;
}

function need(condition, message) {
  if (!condition) throw new BadData(message);
}

const isAscending = (list) => list.every((x, k) => Number.isFinite(x) && (k === 0 || x >= list[k - 1]));

function decodeMesh(mesh, k) {
  const positions = new Float32Array(bytes(mesh.positions));
  const normals = new Float32Array(bytes(mesh.normals));
  const faces = new Uint32Array(bytes(mesh.faces));
  need(positions.length % 3 === 0 && normals.length === positions.length, `mesh ${k}: positions and normals do not match`);
  const vertices = positions.length / 3;
  need(faces.length % 3 === 0 && faces.every((v) => v < vertices), `mesh ${k}: a face has a vertex that is missing`);
  return { positions, normals, faces };
}

/** Derivatives of the outputs, on one side of the value of a parameter or on both. */
function decodeCurves(curves, name, outputs) {
  const { times = [], phases = [0], series = [] } = outputs;
  const tracks = new Uint16Array(bytes(curves.tracks));
  need(curves.shifts?.length === phases.length && curves.slopes?.length === series.length, `curves of ${name}: they do not fit the outputs`);
  for (const slope of curves.slopes) {
    need(!Array.isArray(slope) || (slope[0] + 1) * times.length <= tracks.length, `curves of ${name}: a track is missing`);
  }
  return { side: curves.side ?? null, shifts: curves.shifts, slopes: curves.slopes, tracks };
}

function decodePrediction(prediction, parameter, blocks, outputs) {
  if (!prediction) return null;
  const { values, trusted, causes = [null, null], times } = prediction;
  const name = parameter.name;
  need(Array.isArray(values) && values.length >= 2 && isAscending(values), `prediction of ${name}: bad values`);
  need(Array.isArray(trusted) && trusted.length === 2, `prediction of ${name}: the trusted range is missing`);
  need(Array.isArray(times) && times.length >= 1 && isAscending(times), `prediction of ${name}: bad times`);
  const tracks = new Uint16Array(bytes(prediction.tracks));
  const count = tracks.length / (values.length * times.length);
  need(Number.isInteger(count), `prediction of ${name}: the tracks have a wrong length`);
  for (const [block, entry, track] of prediction.blocks) {
    need(block < blocks && entry < 12 && track < count, `prediction of ${name}: a track or a block is missing`);
  }
  const own = values.indexOf(parameter.value);
  need(own >= 0, `prediction of ${name}: the value of the scene is missing`);
  const { events = null, hidden = [] } = prediction;
  const curves = (prediction.curves ?? []).map((found) => decodeCurves(found, name, outputs));
  const noCurves = prediction.no_curves ?? null;
  return { values, own, trusted, causes, times, tracks, entries: prediction.blocks, events, hidden, curves, noCurves };
}

function decodeHeat(heat, blocks) {
  const { scale = [], bars = [], objectives = [] } = heat ?? {};
  need(bars.every(([, own]) => own.every((block) => block < blocks)), 'A coloured bar has a block that is missing.');
  need(objectives.every(({ slopes }) => slopes.length === bars.length), 'The derivatives by lengths do not fit the bars.');
  return { scale, bars, objectives: bars.length > 0 ? objectives : [], reason: heat?.reason ?? null };
}

/** Reads the text of the data; throws an error with a message for the reader if it is wrong. */
export function decode(text) {
  need(text && text.trim() !== '', 'The data are missing.');
  let raw;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new BadData('The data are not readable.');
  }
  need(raw !== null && typeof raw === 'object', 'The data are not readable.');
  need(raw.format === FORMAT, `The data have format ${raw.format}; this page reads format ${FORMAT}.`);
  const { times } = raw;
  const sections = raw.sections ?? [];
  // A report of a scene that does not move has sections alone.
  const isStill = sections.length > 0 && times?.length === 0;
  need(isStill || (Array.isArray(times) && times.length >= 1 && isAscending(times)), 'The times of the states are missing or not ascending.');
  const n = times.length;
  const tracks = new Uint16Array(bytes(raw.tracks));
  need(isStill || tracks.length % n === 0, 'The tracks and the times do not match.');
  const meshes = raw.meshes.map(decodeMesh);
  const blocks = raw.blocks.map((block) => {
    need(meshes[block.mesh] && block.matrix?.length === 12, `Block ${block.name} has no mesh or no matrix.`);
    for (const [entry, track] of block.tracks ?? []) {
      need(entry < 12 && (track + 1) * n <= tracks.length, `Block ${block.name} has a track that is missing.`);
    }
    return { ...block, tracks: block.tracks ?? [], hidden: block.hidden ?? [] };
  });
  const outputs = raw.outputs ?? {};
  const parameters = (raw.parameters ?? []).map((parameter) => ({
    ...parameter,
    prediction: decodePrediction(parameter.prediction, parameter, blocks.length, outputs),
  }));
  return {
    name: raw.name ?? '',
    version: raw.version ?? '',
    planar: Boolean(raw.planar),
    up: raw.up ?? [0, 1, 0],
    speed: raw.speed ?? null,
    box: raw.box,
    times,
    meshes,
    blocks,
    tracks,
    events: [...(raw.events ?? [])],
    outputs: { times: outputs.times ?? [], phases: outputs.phases ?? [0], series: outputs.series ?? [] },
    // Null where they are left out.
    objectives: raw.objectives ?? null,
    heat: decodeHeat(raw.heat, blocks.length),
    parameters,
    source: raw.source ?? '',
    sections,
    isStill,
  };
}
