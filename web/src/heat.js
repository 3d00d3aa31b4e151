// Bars and links coloured by the derivative of an objective by their lengths: the choice, the scale and its numbers.

import { divergingColour } from './colours.js';
import { short, significant } from './numbers.js';

export class Heat {
  /** `changed(colours)` gets a map from blocks to colours, or null for all as they are drawn. */
  constructor(root, heat, changed) {
    this.heat = heat;
    this.changed = changed;
    this.chosen = null;
    root.hidden = heat.objectives.length === 0;
    if (root.hidden) return;
    this.select = root.querySelector('select');
    this.select.add(new Option('bodies', ''));
    for (const { name, slopes } of heat.objectives) {
      const option = new Option(`d ${name} / d length`, name);
      option.disabled = slopes.every((slope) => slope === null);
      this.select.add(option);
    }
    this.select.addEventListener('change', () => this.choose(this.select.value));
    this.legend = root.querySelector('#heat-scale');
    this.legend.querySelector('i').style.background = `linear-gradient(90deg, ${heat.scale.join(', ')})`;
  }

  /** Colours by this objective; as drawn for an empty name. False if there is none of this name. */
  choose(name) {
    if (!this.select) return name === '';
    const found = this.heat.objectives.find((objective) => objective.name === name) ?? null;
    if (name && !found) return false;
    this.chosen = found;
    this.select.value = name;
    this.legend.hidden = !found;
    if (!found) {
      this.changed(null);
      return true;
    }
    const { largest, slopes } = found;
    const numbers = [-largest, 0, largest].map((value) => short(value, 3));
    this.legend.querySelectorAll('div span').forEach((place, k) => { place.textContent = numbers[k]; });
    this.legend.setAttribute('aria-label', `Colours from ${numbers[0]} to ${numbers[2]} per metre`);
    const colours = new Map();
    this.heat.bars.forEach(([, blocks], bar) => {
      if (slopes[bar] === null) return;
      const colour = divergingColour(this.heat.scale, largest > 0 ? slopes[bar] / largest : 0);
      for (const block of blocks) colours.set(block, colour);
    });
    this.changed(colours);
    return true;
  }

  /** What is said of a part beside its name. */
  about(name) {
    const bar = this.heat.bars.findIndex(([known]) => known === name);
    const slope = this.chosen?.slopes[bar] ?? null;
    return slope === null ? '' : `: d ${this.chosen.name} / d length = ${significant(slope, 4)} per metre`;
  }
}
