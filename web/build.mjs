// Bundles src/main.js and src/style.css into one file: src/page.html becomes page.html. Run by `npm run build`.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const MOST_BYTES = 800_000;
// What `costate export` replaces.
const MARKS = ['__COSTATE_DATA__', '__COSTATE_TITLE__'];

async function bundled(entry) {
  const result = await build({
    entryPoints: [path(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    charset: 'utf8',
    legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

/** The licences of what is bundled, as a comment of the page. */
async function licences() {
  const texts = [];
  for (const name of ['three', 'uplot']) {
    const { version } = JSON.parse(await readFile(path(`node_modules/${name}/package.json`), 'utf8'));
    const text = await readFile(path(`node_modules/${name}/LICENSE`), 'utf8');
    texts.push(`${name} ${version}\n\n${text.trim()}`);
  }
  const all = texts.join('\n\n');
  if (all.includes('--')) throw new Error('a licence holds what would end a comment');
  return `<!--\nThis page contains:\n\n${all}\n-->`;
}

const script = (await bundled('src/main.js')).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundled('src/style.css');
const parts = { '/* STYLE */': style, '/* SCRIPT */': script, '<!-- LICENCES -->': await licences() };

let page = await readFile(path('src/page.html'), 'utf8');
for (const [mark, text] of Object.entries(parts)) {
  if (page.split(mark).length !== 2) throw new Error(`src/page.html must hold ${mark} once`);
  page = page.replace(mark, () => text);
}
for (const mark of MARKS) {
  if (page.split(mark).length !== 2) throw new Error(`page.html must hold ${mark} once`);
}
const bytes = Buffer.byteLength(page);
if (bytes > MOST_BYTES) throw new Error(`page.html has ${bytes} bytes, more than ${MOST_BYTES}`);
await writeFile(path('page.html'), page);
console.log(`page.html: ${bytes} bytes`);
