// Bundles what runs in a page, each as one expression: the hooks alone into dist/access.js, whose
// value has `install` and `MemoryWire`; the hooks and the event runtime into dist/record.js, whose
// value has `start`.
// With --check, fails if the committed bundle is not what the sources give.
import { build } from 'esbuild';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url).pathname;
const contract = JSON.parse(readFileSync(here('../js/contract.json'), 'utf8'));

/** Multiplies the property hooks, so that each copy has inline caches of its own. */
const copies = {
  name: 'copies',
  setup(plugin) {
    plugin.onLoad({ filter: /stamp\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/ *\/\/ copies begin([\s\S]*?)\/\/ copies end/g, (_, method) =>
        Array.from({ length: contract.copies }, (_, copy) => method.replace('a0(', `a${copy}(`)).join(''),
      );
      if (contents === text) throw new Error('stamp.ts has no copies to make');
      return { contents, loader: 'ts' };
    });
  },
};

for (const name of ['access', 'record']) await bundle(name);

async function bundle(name) {
  const result = await build({
    entryPoints: [here(`src/${name}.ts`)],
    bundle: true,
    format: 'iife',
    globalName: 'hooks',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    write: false,
    plugins: [copies],
  });
  // Modules are strict; a bundle has to say so.
  const text = result.outputFiles[0].text
    .replace(/^("use strict";)?var hooks=\(\(\)=>\{/, '(()=>{"use strict";')
    .replace(/;\s*$/, '\n');
  if (!text.startsWith('(()=>{"use strict";')) throw new Error('the bundle looks unfamiliar');
  const path = here(`dist/${name}.js`);
  if (process.argv.includes('--check')) {
    if (readFileSync(path, 'utf8') !== text) {
      console.error(`recorder/web/dist/${name}.js is out of date: run npm run build in recorder/web`);
      process.exit(1);
    }
  } else {
    mkdirSync(here('dist'), { recursive: true });
    writeFileSync(path, text);
  }
}
