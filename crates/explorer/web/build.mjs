// Bundles the explorer's page into dist/app.js, and writes the content security policy of the offline file with the
// hashes of its script and styles. With --check, fails if a committed file is not what the sources give.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

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
if (/<\/script|<!--/i.test(text)) throw new Error('the bundle cannot stand in a script element');

// The policy of the offline file, in which script and styles are elements.
const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const hash = (content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const styles = [read('../../report/src/html.css'), read('src/style.css')].map(hash).join(' ');
const policy = [
  "default-src 'none'",
  `script-src ${hash(text)}`,
  `style-src ${styles}`,
  'img-src blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

for (const [file, content] of [
  ['dist/app.js', text],
  ['dist/policy.txt', `${policy}\n`],
]) {
  const path = new URL(file, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(path, content);
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`crates/explorer/web/${file} is out of date: run npm run build in crates/explorer/web`);
    process.exit(1);
  }
}
