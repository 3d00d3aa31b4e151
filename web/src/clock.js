// The shown time and how it goes on.

import { lastNotAfter } from './numbers.js';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4];
const SHORTEST = 3;
const LONGEST = 10;
const USUAL = 5.5;
// A page that could not draw for longer than this goes on as if it had been this long, s.
const LONGEST_FRAME = 0.25;

/** True speed if the motion then lasts between 3 and 10 s, otherwise 1, 2 or 5 times a power of ten, so that it does. */
function usualSpeed(duration) {
  if (!(duration > 0)) return 1;
  if (duration >= SHORTEST && duration <= LONGEST) return 1;
  const power = Math.floor(Math.log10(duration / USUAL));
  // Written as a decimal, so that it is the number that is shown.
  const speeds = [1, 2, 5, 10].map((digit) => Number(`${digit}e${power}`));
  const miss = (speed) => Math.abs(Math.log(duration / speed / USUAL));
  return speeds.reduce((best, speed) => (miss(speed) < miss(best) ? speed : best));
}

export class Clock {
  /** `speed` is null where the page shall choose; `changed(t)` is called for every new time, `switched(playing)` when it starts or stops. */
  constructor(times, speed, changed, switched) {
    this.times = times;
    this.start = times[0];
    this.end = times[times.length - 1];
    this.t = this.start;
    this.speed = speed ?? usualSpeed(this.end - this.start);
    this.loops = true;
    this.playing = false;
    this.last = null;
    this.changed = changed;
    this.switched = switched;
  }

  set(t) {
    if (!Number.isFinite(t)) return;
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.changed(this.t);
  }

  play() {
    if (this.playing || !(this.end > this.start)) return;
    if (this.t >= this.end) this.set(this.start);
    this.playing = true;
    this.last = null;
    this.switched(true);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.switched(false);
  }

  /** Goes on to the time of a frame, ms. */
  advance(now) {
    const passed = this.last === null ? 0 : Math.min(LONGEST_FRAME, (now - this.last) / 1000);
    this.last = now;
    let t = this.t + passed * this.speed;
    if (t >= this.end) {
      if (this.loops && this.t >= this.end) {
        t = this.start;
      } else {
        // The end itself is shown before the motion begins again.
        t = this.end;
        if (!this.loops) this.pause();
      }
    }
    this.set(t);
  }

  /** One state on (1) or back (-1). */
  step(direction) {
    this.pause();
    this.set(neighbour(this.times, this.t, direction));
  }
}

/** The next (1) or the previous (-1) of ascending times seen from t; t itself if there is none. */
export function neighbour(times, t, direction) {
  if (times.length === 0) return t;
  const near = 1e-9 * (times[times.length - 1] - times[0]);
  if (direction > 0) return times.find((x) => x > t + near) ?? t;
  const k = lastNotAfter(times, t - near);
  return times[k] < t - near ? times[k] : t;
}
