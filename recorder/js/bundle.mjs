// Bundles code that runs in a program: an entry and all its imports become one expression, whose value
// has the entry's exports as its properties.
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';

const contract = JSON.parse(readFileSync(new URL('contract.json', import.meta.url), 'utf8'));

/** Multiplies the hooks, so that each copy has inline caches of its own. */
const copies = {
  name: 'copies',
  setup(plugin) {
    plugin.onLoad({ filter: /stamp\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const group = /(\w+): \{\s*\/\/ copies begin([\s\S]*?)\/\/ copies end/g;
      const contents = text.replace(group, (_, name, method) => {
        const copies = Array.from({ length: contract.copies[name] }, (_, copy) => method.replace('a0(', `a${copy}(`));
        return `${name}: {${copies.join('')}`;
      });
      if (contents === text) throw new Error('stamp.ts has no copies to make');
      return { contents, loader: 'ts' };
    });
  },
};

/** The text of the bundle of an entry, by its URL. */
export async function bundle(entry) {
  const result = await build({
    entryPoints: [entry.pathname],
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
  return text;
}
