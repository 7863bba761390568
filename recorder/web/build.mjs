// Bundles the recorder's part in a page into dist/record.js, whose value has `start`.
// With --check, fails if the committed bundle is not what the sources give.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundle } from 'interloper-js-recorder/bundle';

const path = new URL('dist/record.js', import.meta.url);
const text = await bundle(new URL('src/record.ts', import.meta.url));
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error('recorder/web/dist/record.js is out of date: run npm run build in recorder/web');
  process.exit(1);
}
