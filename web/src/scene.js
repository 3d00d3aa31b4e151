// The three-dimensional view.

import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, GridHelper, HemisphereLight, Mesh,
  MeshLambertMaterial, OrthographicCamera, PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { colourOf, mutedColourOf, palette } from './colours.js';
import { roundLength } from './numbers.js';
import { hullOf, outlineMaterial } from './outline.js';

const OUTLINE_PIXELS = 1.3;
const MARGIN = 1.12;
const FIELD_OF_VIEW = 35;
const GHOST_OPACITY = 0.28;
// Without outlines: what is wound or flat, or so fine that the outlines would cost more than they show.
const PLAIN = new Set(['spring', 'floor', 'surface', 'friction cone', 'ground']);
const MOST_OUTLINED_VERTICES = 100_000;

export class View {
  /** `changed` is called when the view must be drawn again. Throws if the browser has no WebGL 2. */
  constructor(canvas, data, changed) {
    this.canvas = canvas;
    this.data = data;
    this.changed = changed;
    this.frames = 0;
    this.heat = null;
    const context = canvas.getContext('webgl2', { antialias: true, alpha: false, stencil: false });
    if (!context) throw new Error('no WebGL 2');
    this.renderer = new WebGLRenderer({ canvas, context });
    // Asking for errors of shaders makes the first picture late.
    this.renderer.debug.checkShaderErrors = false;
    this.scene = new Scene();
    this.centre = new Vector3();
    this.size = new Vector3();
    this.measure();
    this.makeCamera();
    this.makeLights();
    this.makeBlocks();
    this.pointed = null;
    this.raycaster = new Raycaster();
    this.aspect = 1;
  }

  /** The middle and half the size of the box. */
  measure() {
    const [low, high] = this.data.box ?? [[-1, -1, -1], [1, 1, 1]];
    this.low = new Vector3(...low);
    this.high = new Vector3(...high);
    this.centre.addVectors(this.low, this.high).multiplyScalar(0.5);
    this.size.subVectors(this.high, this.low).multiplyScalar(0.5);
    this.radius = Math.max(this.size.length(), 1e-6);
  }

  makeCamera() {
    const { planar, up } = this.data;
    const r = this.radius;
    this.camera = planar
      ? new OrthographicCamera(-1, 1, 1, -1, 0, 40 * r)
      : new PerspectiveCamera(FIELD_OF_VIEW, 1, r / 50, 200 * r);
    this.camera.up.set(...up).normalize();
    this.scene.add(this.camera);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    if (planar) {
      // As in drawings: a drag moves the picture. Codes of OrbitControls: 0 turn, 1 closer, 2 move; fingers: 1 move, 3 closer and turn.
      this.controls.mouseButtons = { LEFT: 2, MIDDLE: 1, RIGHT: 0 };
      this.controls.touches = { ONE: 1, TWO: 3 };
      this.controls.minZoom = 0.05;
      this.controls.maxZoom = 200;
    } else {
      this.controls.minDistance = r / 20;
      this.controls.maxDistance = 50 * r;
    }
    this.controls.addEventListener('change', () => this.changed());
  }

  makeLights() {
    const { planar, up } = this.data;
    const sky = new HemisphereLight(0xffffff, 0xb8bcc4, 1.5);
    sky.position.set(...up);
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(-0.5, 0.8, 1.2);
    // The light comes over the shoulder of whoever looks.
    this.camera.add(sun, sun.target);
    this.scene.add(sky);
    if (planar) this.scene.add(new AmbientLight(0xffffff, 0.25));
  }

  makeBlocks() {
    this.geometries = this.data.meshes.map((mesh) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
      geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
      geometry.setIndex(new BufferAttribute(mesh.faces, 1));
      return geometry;
    });
    this.width = new Vector2();
    this.outline = outlineMaterial(new Color(), this.width);
    this.ghosts = new Map();
    this.solids = this.data.blocks.map((block, b) => {
      const geometry = this.geometries[block.mesh];
      const solid = new Mesh(geometry, new MeshLambertMaterial({ side: DoubleSide }));
      solid.matrixAutoUpdate = false;
      solid.userData.block = b;
      if (!PLAIN.has(block.material) && geometry.attributes.position.count <= MOST_OUTLINED_VERTICES) {
        if (!geometry.attributes.hull) geometry.setAttribute('hull', hullOf(this.data.meshes[block.mesh]));
        const outline = new Mesh(geometry, this.outline);
        outline.matrixAutoUpdate = false;
        outline.raycast = () => {};
        solid.add(outline);
      }
      this.scene.add(solid);
      return solid;
    });
  }

  /** Colours for a light or a dark page. */
  setTheme(dark) {
    const colours = palette(dark);
    this.scene.background = new Color(colours.background);
    this.outline.uniforms.colour.value.set(colours.outline);
    this.dark = dark;
    this.paint();
    if (!this.data.planar) this.makeGrid(colours);
    this.changed();
  }

  /** Colours by block, all others grey; all as they are for null. */
  setHeat(heat) {
    this.heat = heat;
    this.paint();
    this.changed();
  }

  paint() {
    this.data.blocks.forEach((block, b) => {
      const colour = this.colourOf(b);
      this.solids[b].material.color.copy(colour);
      this.ghosts.get(b)?.material.color.copy(colour);
    });
  }

  colourOf(b) {
    const block = this.data.blocks[b];
    if (!this.heat) return colourOf(block, this.dark);
    return this.heat.has(b) ? new Color(this.heat.get(b)) : mutedColourOf(block, this.dark);
  }

  /** Lines on the ground under a spatial mechanism. */
  makeGrid(colours) {
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.dispose();
    }
    const cell = roundLength(this.radius / 2);
    const cells = 2 * Math.ceil(1.6 * this.radius / cell);
    this.grid = new GridHelper(cells * cell, cells, colours.axis, colours.grid);
    const up = new Vector3(...this.data.up).normalize();
    this.grid.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up));
    // Under the lowest point, and on whole multiples of a cell.
    const reach = Math.abs(up.x) * this.size.x + Math.abs(up.y) * this.size.y + Math.abs(up.z) * this.size.z;
    const position = new Vector3(
      Math.round(this.centre.x / cell) * cell, Math.round(this.centre.y / cell) * cell, Math.round(this.centre.z / cell) * cell);
    position.addScaledVector(up, this.centre.dot(up) - reach - 0.004 * this.radius - position.dot(up));
    this.grid.position.copy(position);
    this.scene.add(this.grid);
  }

  /** Fits the picture to the size of its place on the page. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.width.set(2 * OUTLINE_PIXELS / width, 2 * OUTLINE_PIXELS / height);
    this.aspect = width / height;
    if (this.data.planar) {
      const half = MARGIN * Math.max(this.size.y, this.size.x / this.aspect, 1e-6);
      Object.assign(this.camera, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
    } else {
      this.camera.aspect = this.aspect;
    }
    this.camera.updateProjectionMatrix();
    if (!this.fitted) this.fit();
    this.changed();
  }

  /** Looks at the whole mechanism: along -z in the plane, from obliquely above in space. */
  fit() {
    this.fitted = true;
    const { camera, controls } = this;
    controls.target.copy(this.centre);
    if (this.data.planar) {
      camera.zoom = 1;
      camera.position.copy(this.centre).add(new Vector3(0, 0, 20 * this.radius));
      camera.updateProjectionMatrix();
    } else {
      const direction = this.oblique();
      camera.position.copy(this.centre).addScaledVector(direction, this.distanceAlong(direction));
    }
    controls.update();
    this.changed();
  }

  /** The direction from the mechanism to the camera. */
  oblique() {
    const up = this.camera.up;
    const forward = new Vector3(0, 0, 1);
    if (Math.abs(up.z) > 0.7) forward.set(0, -1, 0);
    forward.addScaledVector(up, -forward.dot(up)).normalize();
    const right = new Vector3().crossVectors(up, forward);
    return forward.multiplyScalar(0.8).addScaledVector(right, 0.55).addScaledVector(up, 0.5).normalize();
  }

  /** From how far away all corners of the box are seen. */
  distanceAlong(direction) {
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new Vector3().crossVectors(direction, right);
    const tangent = Math.tan(FIELD_OF_VIEW * Math.PI / 360);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).multiply(this.size);
      const wide = Math.abs(corner.dot(right)) / (tangent * this.aspect);
      const high = Math.abs(corner.dot(above)) / tangent;
      distance = Math.max(distance, corner.dot(direction) + MARGIN * Math.max(wide, high));
    }
    return Math.max(distance, 1e-6);
  }

  /** Closer with a factor above 1. */
  zoom(factor) {
    if (this.data.planar) {
      this.camera.zoom *= factor;
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.changed();
  }

  /** Puts the blocks where `matrices` says; those that `hidden` tells are not seen. */
  place(matrices, hidden) {
    this.solids.forEach((solid, b) => {
      solid.visible = !hidden(b);
      set(solid.matrix, matrices, 12 * b);
      solid.matrixWorldNeedsUpdate = true;
    });
  }

  /** Draws pale copies of these blocks at the places that `matrices` says; none if `blocks` is null. */
  placeGhosts(blocks, matrices, hidden) {
    for (const ghost of this.ghosts.values()) ghost.visible = false;
    if (!blocks) return;
    for (const b of blocks) {
      let ghost = this.ghosts.get(b);
      if (!ghost) {
        const material = new MeshLambertMaterial({
          transparent: true, opacity: GHOST_OPACITY, depthWrite: false, color: this.colourOf(b),
          polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8,
        });
        ghost = new Mesh(this.geometries[this.data.blocks[b].mesh], material);
        ghost.matrixAutoUpdate = false;
        this.ghosts.set(b, ghost);
        this.scene.add(ghost);
      }
      ghost.visible = !hidden(b);
      set(ghost.matrix, matrices, 12 * b);
      ghost.matrixWorldNeedsUpdate = true;
    }
  }

  /** The index of the block at a point of the page, or null. */
  blockAt(clientX, clientY) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const point = new Vector2(2 * (clientX - left) / width - 1, 1 - 2 * (clientY - top) / height);
    this.raycaster.setFromCamera(point, this.camera);
    const hits = this.raycaster.intersectObjects(this.solids.filter((solid) => solid.visible), false);
    return hits.length > 0 ? hits[0].object.userData.block : null;
  }

  /** Lights up all blocks of this name. */
  point(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    this.data.blocks.forEach((block, b) => {
      this.solids[b].material.emissive.set(name !== null && block.name === name ? 0x333a44 : 0);
    });
    this.changed();
  }

  /** Pixels per unit of length, in the plane. */
  pixelsPerUnit() {
    return this.canvas.clientHeight * this.camera.zoom / (this.camera.top - this.camera.bottom);
  }

  draw() {
    this.frames++;
    this.renderer.render(this.scene, this.camera);
  }
}

/** Origin and images of the axes, 12 numbers from `at` on, as a matrix of three.js. */
function set(matrix, m, at) {
  matrix.set(
    m[at + 3], m[at + 6], m[at + 9], m[at],
    m[at + 4], m[at + 7], m[at + 10], m[at + 1],
    m[at + 5], m[at + 8], m[at + 11], m[at + 2],
    0, 0, 0, 1);
}
