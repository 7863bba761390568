// Further applications, of other kinds than those of apps.mjs: a compiled framework that hydrates, a framework with
// zones, editors with workers, a map, a scene, a wiki, an admin template, a notebook, documentation, and pages on
// widgets that are loaded by a script element: editors of text and JSON, a terminal, a builder of pages.
import { cp, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { place } from './install.mjs';
import { run } from './processes.mjs';
import { serveBy, serveFiles } from './serve.mjs';

const here = new URL('./', import.meta.url).pathname;

/** SvelteKit's demo, whose files its command `sv create` keeps in a list. */
function svelteKit() {
  const from = { package: 'sveltekit', steps: 'sveltekit.steps' };
  const program = (folder) => `${folder}node_modules/vite/bin/vite.js`;
  const prepare = async (folder, log) => {
    const list = `${place}templates/sv@0.17.1/package/dist/templates/demo/files.types=none.json`;
    for (const { name, contents } of JSON.parse(await readFile(list, 'utf8'))) {
      await mkdir(`${folder}${name.slice(0, name.lastIndexOf('/'))}`, { recursive: true });
      await writeFile(folder + name, contents);
    }
    await cp(`${here}sveltekit`, folder, { recursive: true });
    await run('node', [program(folder), 'build'], { cwd: folder, log });
  };
  const serve =
    (...command) =>
    ({ folder, port, log }) => {
      const args = [program(folder), ...command, '--host=127.0.0.1', `--port=${port}`, '--strictPort'];
      return serveBy('node', args, port, { cwd: folder, log });
    };
  return [
    { ...from, name: 'sveltekit-dev', prepare, serve: serve() },
    { ...from, name: 'sveltekit-build', prepare, serve: serve('preview') },
  ];
}

/** Serves the folder `node_modules` of an installation, and pages of this folder's `own` at the root. */
const pageOn =
  (own) =>
  ({ folder, port }) =>
    serveFiles(`${folder}node_modules`, port, async (path, _request, response) => {
      const file = path === '/' ? 'index.html' : path.slice(1);
      // Modules of RxJS import each other without the ending of their files.
      const named = path.startsWith('/rxjs/') && !path.endsWith('.js') ? `${folder}node_modules${path}.js` : null;
      const bytes = await readFile(named ?? `${here}${own}/${file}`).catch(() => null);
      if (!bytes) return false;
      if (named) response.setHeader('content-type', 'text/javascript').end(bytes);
      if (named) return true;
      const type = { html: 'text/html;charset=utf-8', js: 'text/javascript', svg: 'image/svg+xml' }[
        file.split('.').pop()
      ];
      response.setHeader('content-type', type ?? 'application/octet-stream').end(bytes);
      return true;
    });

/** A map whose tiles are drawn by the server. */
function serveMap({ folder, port }) {
  return serveFiles(`${folder}node_modules`, port, async (path, _request, response) => {
    const tile = /^\/tiles\/(\d+)\/(-?\d+)\/(-?\d+)\.svg$/.exec(path);
    if (tile) {
      const [, zoom, x, y] = tile;
      const colour = `hsl(${(Number(x) * 37 + Number(y) * 71) % 360} 40% 80%)`;
      const text = `<text x="20" y="60" font-family="sans-serif">${zoom}/${x}/${y}</text>`;
      response.setHeader('content-type', 'image/svg+xml');
      response.end(
        `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="${colour}"/>${text}</svg>`,
      );
      return true;
    }
    if (path !== '/') return false;
    response.setHeader('content-type', 'text/html;charset=utf-8').end(await readFile(`${here}leaflet/index.html`));
    return true;
  });
}

async function serveTiddlyWiki({ folder, port, state, log }) {
  const program = `${folder}node_modules/tiddlywiki/tiddlywiki.js`;
  const wiki = `${state}wiki`;
  await run('node', [program, wiki, '--init', 'server'], { log });
  return serveBy('node', [program, wiki, '--listen', `port=${port}`], port, { cwd: state, log });
}

async function serveJupyter({ folder, port, state, log }) {
  await cp(`${here}jupyter`, `${state}files`, { recursive: true });
  // The browser of files shows how long ago a file was changed.
  await utimes(`${state}files/notebook.ipynb`, 1e9, 1e9);
  const env = {
    ...process.env,
    JUPYTER_CONFIG_DIR: state,
    JUPYTER_DATA_DIR: `${state}data`,
    JUPYTER_RUNTIME_DIR: state,
  };
  env.PATH = `${folder}venv/bin:${env.PATH}`;
  env.IPYTHONDIR = `${state}ipython`;
  const args = ['-m', 'jupyterlab', '--no-browser', '--allow-root', '--ip=127.0.0.1', `--port=${port}`];
  args.push('--IdentityProvider.token=', '--ServerApp.allow_origin=*', '--ServerApp.disable_check_xsrf=True');
  args.push(`--ServerApp.root_dir=${state}files`, '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate');
  args.push('--LabApp.news_url=None', '--ServerApp.allow_remote_access=True');
  return serveBy(`${folder}venv/bin/python`, args, port, { cwd: state, env, log });
}

const mkdocs = {
  async prepare(folder, log) {
    await cp(`${here}mkdocs`, `${folder}source`, { recursive: true });
    await run(`${folder}venv/bin/python`, ['-m', 'mkdocs', 'build', '-d', `${folder}site`], {
      cwd: `${folder}source`,
      log,
    });
  },
  serve: ({ folder, port }) => serveFiles(`${folder}site`, port),
};

async function serveFlask({ folder, port, state, log }) {
  await mkdir(`${state}files/letters`, { recursive: true });
  await writeFile(`${state}files/note.txt`, 'A note.\n');
  await writeFile(`${state}files/letters/first.txt`, 'Dear reader,\n');
  const env = { ...process.env, STATE: `${state}files`, PYTHONDONTWRITEBYTECODE: '1' };
  const args = ['-m', 'flask', '--app', 'app', 'run', '--host', '127.0.0.1', '--port', port];
  return serveBy(`${folder}venv/bin/python`, args, port, { cwd: `${here}flask`, env, log });
}

const inPackage =
  (name) =>
  ({ folder, port }) =>
    serveFiles(`${folder}node_modules/${name}`, port);

/** Applications that are one page on a package. */
const widgets = ['quill', 'tinymce', 'jsoneditor', 'xterm', 'grapesjs'].map((name) => ({
  name,
  package: name,
  steps: `${name}.steps`,
  serve: pageOn(name),
}));

export const more = [
  ...svelteKit(),
  { name: 'angular', package: 'angular', steps: 'angular.steps', serve: pageOn('angular') },
  { name: 'monaco', package: 'monaco', steps: 'monaco.steps', serve: pageOn('monaco') },
  { name: 'ace', package: 'ace', path: '/editor.html', steps: 'ace.steps', serve: inPackage('ace-builds') },
  { name: 'leaflet', package: 'leaflet', steps: 'leaflet.steps', serve: serveMap },
  // Playwright starts Chromium with a flag that keeps it from warning about software WebGL.
  { name: 'three', package: 'three', steps: 'three.steps', timed: /software WebGL/, serve: pageOn('three') },
  { name: 'tiddlywiki', package: 'tiddlywiki', steps: 'tiddlywiki.steps', serve: serveTiddlyWiki },
  {
    name: 'sb-admin-2',
    package: 'sb-admin-2',
    path: '/index.html',
    steps: 'sb-admin-2.steps',
    serve: inPackage('startbootstrap-sb-admin-2'),
  },
  { name: 'mkdocs-material', package: 'mkdocs', steps: 'mkdocs.steps', ...mkdocs },
  { name: 'flask-admin', package: 'flask', path: '/admin/files/', steps: 'flask.steps', serve: serveFlask },
  {
    name: 'jupyterlab',
    package: 'jupyterlab',
    path: '/lab/tree/notebook.ipynb',
    steps: 'jupyterlab.steps',
    timed: /to activate/,
    serve: serveJupyter,
  },
  ...widgets,
];
