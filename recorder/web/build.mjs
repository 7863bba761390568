// Bundles the recorder's part in a page into dist/record.js, and that in an isolated world beside the page into
// dist/conditions.js. The value of each has `start`.
// With --check, fails if a committed bundle is not what the sources give.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundle } from 'interloper-js-recorder/bundle';

for (const name of ['record', 'conditions']) {
  const path = new URL(`dist/${name}.js`, import.meta.url);
  const text = await bundle(new URL(`src/${name}.ts`, import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`recorder/web/dist/${name}.js is out of date: run npm run build in recorder/web`);
    process.exit(1);
  }
}
