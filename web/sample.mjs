// Writes a page or its data with a pendulum that strikes a wall, to try the page without the exporter:
//
//     node sample.mjs OUT.html [--space] [--many]
//     node sample.mjs OUT.json [--space] [--many]
//
// --space: seen in perspective; --many: more parameters, outputs and objectives.

import { readFile, writeFile } from 'node:fs/promises';

const [out, ...flags] = process.argv.slice(2);
if (!out) throw new Error('where to? node sample.mjs OUT.html');
const isPlanar = !flags.includes('--space');
const isMany = flags.includes('--many');

const G = 9.81;
const END = 5;
const STEP = 1e-4;
const WALL = -0.25; // the angle at which the rod meets the wall, rad
const NOMINAL = { L: 1.2, e: 0.8 };

/** States [t, angle, rate] and the times of impacts. */
function simulate({ L, e }) {
  const states = [[0, 1.1, 0]];
  const impacts = [];
  let [t, angle, rate] = states[0];
  while (t < END - STEP / 2) {
    rate -= STEP * G / L * Math.sin(angle);
    angle += STEP * rate;
    t += STEP;
    if (angle < WALL && rate < 0) {
      impacts.push(t);
      states.push([t, WALL, rate]);
      angle = WALL;
      rate = -e * rate;
    }
    states.push([t, angle, rate]);
  }
  return { states, impacts };
}

function at(states, t) {
  let low = 0;
  let high = states.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (states[middle][0] <= t + 1e-12) low = middle;
    else high = middle;
  }
  return states[low];
}

// Unit meshes: a cube of size 1, a cylinder along z with radius and length 1, a coil along x.
function cube() {
  const positions = [], normals = [], faces = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = positions.length / 3;
      for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const point = [0, 0, 0], normal = [0, 0, 0];
        point[axis] = side / 2;
        point[(axis + 1) % 3] = a / 2;
        point[(axis + 2) % 3] = b / 2;
        normal[axis] = side;
        positions.push(...point);
        normals.push(...normal);
      }
      const q = side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
      faces.push(...q.map((v) => first + v));
    }
  }
  return { positions, normals, faces };
}

function cylinder(sides = 40) {
  const positions = [], normals = [], faces = [];
  for (let k = 0; k <= sides; k++) {
    const [x, y] = [Math.cos(2 * Math.PI * k / sides), Math.sin(2 * Math.PI * k / sides)];
    for (const z of [-0.5, 0.5]) { positions.push(x, y, z); normals.push(x, y, 0); }
    if (k < sides) faces.push(2 * k, 2 * k + 2, 2 * k + 3, 2 * k, 2 * k + 3, 2 * k + 1);
  }
  for (const z of [-0.5, 0.5]) {
    const middle = positions.length / 3;
    positions.push(0, 0, z);
    normals.push(0, 0, 2 * z);
    for (let k = 0; k <= sides; k++) {
      positions.push(Math.cos(2 * Math.PI * k / sides), Math.sin(2 * Math.PI * k / sides), z);
      normals.push(0, 0, 2 * z);
      if (k < sides) faces.push(...(z > 0 ? [middle, middle + 1 + k, middle + 2 + k] : [middle, middle + 2 + k, middle + 1 + k]));
    }
  }
  return { positions, normals, faces };
}

function coil(turns = 9, radius = 0.5, wire = 0.09) {
  const positions = [], normals = [], faces = [];
  const steps = turns * 24, ring = 8;
  for (let k = 0; k <= steps; k++) {
    const a = 2 * Math.PI * turns * k / steps;
    for (let j = 0; j < ring; j++) {
      const b = 2 * Math.PI * j / ring;
      const [n1, n2] = [Math.cos(b), Math.sin(b)];
      positions.push(k / steps + wire * n2 / 5, (radius + wire * n1) * Math.cos(a), (radius + wire * n1) * Math.sin(a));
      normals.push(n2, n1 * Math.cos(a), n1 * Math.sin(a));
      if (k < steps) {
        const p = k * ring + j, q = k * ring + (j + 1) % ring;
        faces.push(p, p + ring, q, q, p + ring, q + ring);
      }
    }
  }
  return { positions, normals, faces };
}

const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
const encode = ({ positions, normals, faces }) => ({
  positions: base64(new Float32Array(positions)), normals: base64(new Float32Array(normals)), faces: base64(new Uint32Array(faces)),
});

/** Matrices of all blocks for a length and an angle. */
function blocks(L, angle) {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const along = [s, -c, 0], across = [c, s, 0];
  const tip = [L * s, -L * c, 0];
  const disc = (x, y, z, r, h) => [x, y, z, r, 0, 0, 0, r, 0, 0, 0, h];
  const anchor = [1.5, -0.15];
  const half = [0.5 * L * s, -0.5 * L * c];
  const [dx, dy] = [half[0] - anchor[0], half[1] - anchor[1]];
  const d = Math.hypot(dx, dy);
  return [
    ['rod', 'body', '#56b4e9', 0, [L * s / 2, -L * c / 2, 0, ...along.map((x) => x * L), ...across.map((x) => x * 0.07), 0, 0, 0.06]],
    ['bob', 'mass', '#1f2d3d', 1, disc(tip[0], tip[1], 0, 0.13, 0.12)],
    ['pivot', 'rim', '#1f2d3d', 1, disc(0, 0, 0, 0.06, 0.1)],
    ['pivot', 'pin', '#ffffff', 1, disc(0, 0, 0, 0.035, 0.12)],
    ['spring', 'spring', '#d9821f', 2, [anchor[0], anchor[1], 0, dx, dy, 0, -dy / d * 0.14, dx / d * 0.14, 0, 0, 0, 0.14]],
    ['wall', 'surface', '#b5ada2', 0, [-0.62, -0.9, 0, 0.12, 0, 0, 0, 1.2, 0, 0, 0, 0.3]],
    ['frame', 'ground', '#8a8074', 0, [0, 0.1, -0.05, 0.5, 0, 0, 0, 0.06, 0, 0, 0, 0.2]],
    ['struck', 'load', '#b82f3a', 1, disc(-0.56, -0.95, 0.2, 0.05, 0.02)],
  ];
}

const { states, impacts } = simulate(NOMINAL);
const times = [...new Set([...Array.from({ length: 301 }, (_, k) => END * k / 300), ...impacts])].sort((a, b) => a - b);

/** Tracks of the entries that move, within 16 bits. */
function track(poses, store) {
  return poses[0].map((_, b) => {
    const tracks = [];
    for (let entry = 0; entry < 12; entry++) {
      const values = poses.map((pose) => pose[b][4][entry]);
      const low = Math.min(...values), scale = Math.max(...values) - low;
      if (scale < 1e-12) continue;
      tracks.push([entry, store.length, low, scale]);
      store.push(values.map((x) => Math.round(65535 * (x - low) / scale)));
    }
    return tracks;
  });
}

const store = [];
const nominal = times.map((t) => blocks(NOMINAL.L, at(states, t)[1]));
const moving = track(nominal, store);
const stateAt = (t) => times.findIndex((x) => x >= t);

function prediction(name, reach, trust) {
  const values = [-1, -0.5, 0, 0.5, 1].map((x) => NOMINAL[name] * (1 + reach * x));
  const runs = values.map((value) => simulate({ ...NOMINAL, [name]: value }));
  const few = times.filter((_, k) => k % 2 === 0);
  const poses = values.flatMap((value, k) => few.map((t) => blocks(name === 'L' ? value : NOMINAL.L, at(runs[k].states, t)[1])));
  const own = [];
  const entries = track(poses, own).flatMap((list, b) => list.map((entry) => [b, ...entry]));
  return {
    values, trusted: [NOMINAL[name] * (1 - trust), NOMINAL[name] * (1 + trust)], times: few,
    tracks: base64(new Uint16Array(own.flat())), blocks: entries, events: runs.map((run) => impacts.map((_, k) => run.impacts[k] ?? null)),
  };
}

const outputTimes = states.filter((s, k) => k % 50 === 0 || impacts.includes(s[0]));
const series = [
  { name: 'angle', unit: 'rad', values: outputTimes.map((s) => s[1]) },
  { name: 'rate', unit: 'rad/s', values: outputTimes.map((s) => s[2]) },
  { name: 'height', unit: 'm', values: outputTimes.map((s) => -NOMINAL.L * Math.cos(s[1])) },
  { name: 'energy', unit: 'J', values: outputTimes.map((s) => 0.5 * (NOMINAL.L * s[2]) ** 2 - G * NOMINAL.L * Math.cos(s[1])) },
  { name: 'tension', unit: 'N', values: outputTimes.map((s, k) => (k % 97 === 5 ? null : 1e5 * (NOMINAL.L * s[2] ** 2 + G * Math.cos(s[1])))) },
  { name: 'constant', unit: '1', values: outputTimes.map(() => 0.25) },
];
const phases = outputTimes.flatMap((s, k) => (k === 0 || outputTimes[k - 1][0] === s[0] ? [k] : []));
const parameters = [
  { name: 'L', unit: 'm', value: NOMINAL.L, reason: null, prediction: prediction('L', 0.1, 0.05) },
  { name: 'e', unit: '1', value: NOMINAL.e, reason: null, prediction: prediction('e', 0.2, 0.12) },
  { name: 'teeth', unit: '1', value: 12, reason: 'a number of teeth is whole', prediction: null },
];
const objectives = [
  { name: 'angle_end', value: states.at(-1)[1], gradient: [0.412345678, -1.98765432, null], reason: null },
  { name: 'int_height', value: -4.2138765, gradient: [-3.5, 0.0123456, null], reason: null },
  { name: 'impacts', value: impacts.length, gradient: null, reason: 'a number of events has no derivative' },
];
if (isMany) {
  for (let k = 0; k < 8; k++) {
    parameters.push({ ...parameters[k % 2], name: `stiffness_of_spring_${k}`, unit: 'N/m', value: parameters[k % 2].value });
    objectives.push({ name: `int_distance_${k}`, value: 1e-7 * (k + 1), gradient: [], reason: null });
  }
  for (const [j, objective] of objectives.entries()) {
    if (objective.gradient) objective.gradient = parameters.map((p, k) => (p.reason ? null : 1e3 ** (j % 3 - 1) * Math.sin(3 * k + j)));
  }
  for (let k = 0; k < 12; k++) series.push({ name: `joint_reaction_${k}`, unit: 'N', values: series[k % 4].values.map((x) => x * 10 ** (k - 6)) });
}

const data = {
  format: 1, name: 'pendulum', version: 'costate 0.1.0', planar: isPlanar, up: [0, 1, 0],
  box: [[-0.7, -1.4, -0.3], [1.6, 0.15, 0.3]], times,
  meshes: [cube(), cylinder(), coil()].map(encode),
  blocks: nominal[0].map(([name, material, colour, mesh, matrix], b) => ({
    name, material, colour, mesh, matrix, tracks: moving[b],
    hidden: name === 'struck' ? [[0, stateAt(impacts[0])], [stateAt(impacts[0]) + 20, times.length]] : [],
  })),
  tracks: base64(new Uint16Array(store.flat())),
  events: impacts.map((t, k) => ({ t, kind: ['impact', 'slip', 'stick', 'release', 'tooth'][isMany ? k % 5 : 0], name: 'wall', text: 'impact of wall' })),
  outputs: { times: outputTimes.map((s) => s[0]), phases, series },
  objectives, parameters,
  source: '// A pendulum that strikes a wall.\nScene(\n    name: "pendulum",\n    parameters: { "L": (1.2, "m"), "e": 0.8 },\n)\n',
};
const json = JSON.stringify(data).replaceAll('<', '\\u003c');
if (out.endsWith('.json')) {
  await writeFile(out, json);
} else {
  const page = await readFile(new URL('page.html', import.meta.url), 'utf8');
  await writeFile(out, page.replace('__COSTATE_TITLE__', 'Pendulum that strikes a wall').replace('__COSTATE_DATA__', () => json));
}
