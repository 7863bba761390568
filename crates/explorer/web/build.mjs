// Bundles the explorer's page into dist/app.js. With --check, fails if the committed bundle is not what the sources
// give.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const path = new URL('dist/app.js', import.meta.url);
const result = await build({
  entryPoints: [new URL('src/main.tsx', import.meta.url).pathname],
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  write: false,
});
const text = result.outputFiles[0].text;
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error('crates/explorer/web/dist/app.js is out of date: run npm run build in crates/explorer/web');
  process.exit(1);
}
