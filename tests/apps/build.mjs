// Builds the apps into target/apps, each in a folder of its own, in the usual ways: minified or not, in
// one file or in chunks, for production or development, with source maps.
import { build } from 'esbuild';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { compile } from 'svelte/compiler';

const here = new URL('./', import.meta.url).pathname;
export const out = new URL('../../target/apps/', import.meta.url).pathname;
export const apps = ['react', 'react-dev', 'vue', 'svelte', 'preact', 'jquery'];

const svelte = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, 'utf8'), { filename: basename(path), generate: 'client' });
      return { contents: `${js.code}\n//# sourceMappingURL=${js.map.toUrl()}` };
    });
  },
};

const shell = (scripts) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>To do</title>
<link rel="icon" href="data:,">
<script src="/probe.js"></script></head>
<body><nav><a href="#/">all</a> <a href="#/open">open</a> <a href="#/done">done</a></nav>
<div id="app"></div>
${scripts}
</body></html>
`;

const modern = '<script type="module" src="app.js"></script>';
const classic = '<script src="app.js"></script>';
const production = { 'process.env.NODE_ENV': '"production"' };

async function bundle(name, entry, page, options) {
  await mkdir(`${out}${name}`, { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: { app: `${here}${entry}` },
    outdir: relative(here, `${out}${name}`),
    bundle: true,
    sourcemap: true,
    target: 'es2023',
    logLevel: 'warning',
    define: production,
    ...options,
  });
  await writeFile(`${out}${name}/index.html`, shell(page));
}

/** Builds all apps. */
export async function buildAll() {
  await rm(out, { recursive: true, force: true });
  const jsx = { jsx: 'automatic' };
  await bundle('react', 'react/app.jsx', classic, { ...jsx, minify: true });
  await bundle('react-dev', 'react/app.jsx', modern, {
    ...jsx,
    format: 'esm',
    jsxDev: true,
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const flags = {
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  };
  const alias = { vue: 'vue/dist/vue.esm-bundler.js' };
  await bundle('vue', 'vue/app.js', modern, { format: 'esm', alias, define: { ...production, ...flags } });
  await bundle('svelte', 'svelte/app.js', modern, {
    format: 'esm',
    plugins: [svelte],
    conditions: ['svelte', 'browser'],
    sourcemap: 'inline',
  });
  await bundle('preact', 'preact/app.jsx', modern, {
    ...jsx,
    jsxImportSource: 'preact',
    format: 'esm',
    splitting: true,
    minify: true,
  });
  await mkdir(`${out}jquery`, { recursive: true });
  await copyFile(new URL('../../dist/jquery.min.js', import.meta.resolve('jquery')), `${out}jquery/jquery.js`);
  await copyFile(`${here}jquery/app.js`, `${out}jquery/app.js`);
  await writeFile(`${out}jquery/index.html`, shell(`<script src="jquery.js"></script>\n${classic}`));
  await copyFile(`${here}probe.js`, `${out}probe.js`);
}
