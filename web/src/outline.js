// Outlines: the back of a mesh, drawn in one colour and wider than the mesh by a fixed number of pixels.

import { BackSide, BufferAttribute, ShaderMaterial } from 'three';

// Sharper corners are cut off, so that the outlines have no spikes.
const LONGEST = 2;

/**
 * Where to move the vertices so that all faces move outwards by one unit; the same for all vertices at one position.
 * For k equal or perpendicular normals with sum s this is s k / |s|^2.
 */
export function hullOf(mesh) {
  const { positions, normals } = mesh;
  const sums = new Map();
  const keys = [];
  for (let k = 0; k < positions.length; k += 3) {
    const key = `${Math.round(positions[k] * 1e4)},${Math.round(positions[k + 1] * 1e4)},${Math.round(positions[k + 2] * 1e4)}`;
    keys.push(key);
    const sum = sums.get(key);
    if (sum) {
      for (let i = 0; i < 3; i++) sum[i] += normals[k + i];
      sum[3]++;
    } else {
      sums.set(key, [normals[k], normals[k + 1], normals[k + 2], 1]);
    }
  }
  const hull = new Float32Array(positions.length);
  keys.forEach((key, vertex) => {
    const [x, y, z, count] = sums.get(key);
    const length = Math.hypot(x, y, z);
    const factor = length > 1e-6 ? Math.min(count / length, LONGEST) / length : 0;
    hull.set([factor * x, factor * y, factor * z], 3 * vertex);
  });
  return new BufferAttribute(hull, 3);
}

const VERTEX = `
uniform vec2 width;
attribute vec3 hull;
vec3 unit(vec3 v) { float l = length(v); return l > 0.0 ? v / l : v; }
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  mat3 axes = mat3(modelViewMatrix);
  vec3 away = unit(axes[0]) * hull.x + unit(axes[1]) * hull.y + unit(axes[2]) * hull.z;
  gl_Position.xy += away.xy * width * gl_Position.w;
}`;

const FRAGMENT = `
uniform vec3 colour;
void main() {
  gl_FragColor = vec4(colour, 1.0);
  #include <colorspace_fragment>
}`;

/** The material of all outlines; `width` is in units of the view, which is 2 wide and 2 high. */
export const outlineMaterial = (colour, width) => new ShaderMaterial({
  uniforms: { width: { value: width }, colour: { value: colour } },
  vertexShader: VERTEX,
  fragmentShader: FRAGMENT,
  side: BackSide,
});
