// The sections of a report: what was found in words, why it failed, tables and plots.

import { short } from './numbers.js';

// Rows of a table that are drawn at first.
const MOST_ROWS = 60;
const DIGITS = 9;

function add(parent, name, text, className) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  if (className) element.className = className;
  parent.append(element);
  return element;
}

// As numbers are written into tables: names such as "01" and "1e3" are none.
const isNumber = (text) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);

/** A number with few digits; all of them are told when it is pointed at. */
function addCell(row, text) {
  const cell = row.insertCell();
  cell.textContent = isNumber(text) ? short(Number(text), DIGITS) : text;
  if (cell.textContent !== text) cell.title = text;
  if (!isNumber(text)) cell.className = 'text';
}

function addTable(parent, { title, header, rows }) {
  const details = add(parent, 'details');
  details.open = rows.length <= MOST_ROWS;
  add(details, 'summary', `${title} (${rows.length})`);
  const frame = add(details, 'div', '', 'scrolls');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', title);
  const table = add(frame, 'table');
  const names = table.createTHead().insertRow();
  for (const name of header) add(names, 'th', name).scope = 'col';
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    for (const text of cells) addCell(row, text);
  }
}

function addFigure(parent, { title, svg }) {
  const image = add(parent, 'img');
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  image.alt = `Plot: ${title}`;
  // Room is left for it before it is decoded, so that nothing moves away from under a link.
  const [, width, height] = svg.match(/<svg width="(\d+)" height="(\d+)"/) ?? [];
  if (width && height) [image.width, image.height] = [width, height];
}

/** One section below the other; links to them in `contents`. */
export function showSections(root, contents, sections) {
  root.hidden = sections.length === 0;
  contents.hidden = root.hidden;
  sections.forEach(({ title, lines, failure, tables, figures }, k) => {
    const section = add(root, 'section', '', 'wide');
    section.id = `section-${k + 1}`;
    section.setAttribute('aria-labelledby', `section-title-${k + 1}`);
    add(section, 'h2', title).id = `section-title-${k + 1}`;
    for (const line of lines) add(section, 'p', line);
    if (failure) {
      const warning = add(section, 'p', `Failed: ${failure[0]}`, 'warning');
      warning.setAttribute('role', 'alert');
      if (failure[1]) add(warning, 'div', `Advice: ${failure[1]}`);
    }
    for (const table of tables) addTable(section, table);
    const plots = add(section, 'div', '', 'plots');
    for (const figure of figures) addFigure(plots, figure);
    const link = add(contents, 'a', title);
    link.href = `#${section.id}`;
    if (failure) link.classList.add('warning');
  });
}
