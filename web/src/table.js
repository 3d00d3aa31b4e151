// The table of objectives and their gradients.

import { significant } from './numbers.js';

function cell(name, text, attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/**
 * Rows are parameters, columns are objectives; bars compare what a relative change of each parameter does. `notColoured` is why bars and
 * links have no colours, or null.
 */
export function makeTable(root, objectives, parameters, notColoured) {
  if (objectives.length === 0) {
    root.append(cell('p', 'The scene has no objectives.', { class: 'quiet' }));
    return;
  }
  const table = document.createElement('table');
  const head = table.createTHead();
  const names = head.insertRow();
  names.append(cell('th', 'Objective', { scope: 'col' }), ...objectives.map(({ name }) => cell('th', name, { scope: 'col' })));
  const body = table.createTBody();
  const values = body.insertRow();
  values.className = 'values';
  values.append(cell('th', 'value', { scope: 'row' }), ...objectives.map(({ value }) => cell('td', significant(value))));

  const effects = objectives.map(({ gradient }) => (gradient ?? []).map((slope, k) => (slope ?? 0) * (parameters[k]?.value ?? 0)));
  const largest = effects.map((column) => column.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  parameters.forEach((parameter, row) => {
    const line = body.insertRow();
    const title = cell('th', parameter.name, { scope: 'row' });
    if (parameter.unit && parameter.unit !== '1') title.append(cell('small', ` [${parameter.unit}]`));
    line.append(title);
    objectives.forEach(({ name, gradient, reason, reasons }, column) => {
      if (!gradient) {
        if (row === 0) line.append(cell('td', reason ?? 'no gradient', { class: 'reason', rowspan: parameters.length }));
        return;
      }
      const slope = gradient[row] ?? null;
      if (slope === null) {
        line.append(cell('td', 'none', { class: 'none', title: reasons?.[row] ?? 'no derivative' }));
        return;
      }
      const effect = effects[column][row];
      const td = cell('td', '', { class: 'slope', title: `+1 % of ${parameter.name} changes ${name} by about ${significant(effect / 100, 3)}` });
      const bar = cell('i', '', { class: effect < 0 ? 'down' : 'up', 'aria-hidden': 'true' });
      bar.style.width = `${largest[column] > 0 ? 46 * Math.abs(effect) / largest[column] : 0}%`;
      td.append(significant(slope), bar);
      line.append(td);
    });
  });
  const frame = document.createElement('div');
  frame.className = 'scrolls';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', 'Table of objectives and gradients');
  frame.append(table);
  const about = cell('p', 'Each number is the derivative of the objective of its column with respect to the parameter of its row. '
    + 'The bars are the derivative times the value of the parameter, compared within a column: to the right an objective that '
    + 'grows with the parameter, to the left one that falls.', { class: 'quiet' });
  root.append(frame, about);
  const list = cell('ul', '', { class: 'quiet' });
  parameters.forEach((parameter, row) => {
    // Mostly one reason holds for all objectives.
    const said = objectives.map(({ name, reasons }) => ({ name, reason: reasons?.[row] })).filter(({ reason }) => reason);
    for (const reason of new Set(said.map((one) => one.reason))) {
      const names = said.filter((one) => one.reason === reason).map(({ name }) => name);
      list.append(cell('li', `${names.join(', ')} by ${parameter.name}: ${reason}`));
    }
  });
  // What holds for the gradients is told already.
  if (notColoured && objectives.every(({ reason }) => reason !== notColoured)) {
    list.append(cell('li', `Bars and links have no colours: ${notColoured}`));
  }
  if (list.children.length > 0) root.append(list);
}
