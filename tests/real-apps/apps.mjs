// The applications: from which packages they come, how they are served, and which steps are performed on them.
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { more } from './more.mjs';
import { manyPages } from './pdf.mjs';
import { run } from './processes.mjs';
import { serveBy, serveFiles } from './serve.mjs';

const here = new URL('./', import.meta.url).pathname;

/** Vite's development server, and its server of what it has built. */
function vite(framework) {
  const from = { package: `vite-${framework}`, steps: 'vite.steps' };
  const program = (folder) => `${folder}node_modules/vite/bin/vite.js`;
  const serve =
    (...command) =>
    ({ folder, port, log }) => {
      const args = [program(folder), ...command, '--host=127.0.0.1', `--port=${port}`, '--strictPort'];
      return serveBy('node', args, port, { cwd: folder, log });
    };
  const prepare = (folder, log) => run('node', [program(folder), 'build'], { cwd: folder, log });
  return [
    { ...from, name: `vite-${framework}-dev`, prepare, serve: serve() },
    { ...from, name: `vite-${framework}-build`, prepare, serve: serve('preview') },
  ];
}

/** Next.js: the app of create-next-app without fonts from elsewhere, and with pages that use the network. */
function next() {
  const from = { package: 'next', steps: 'next.steps', timed: /Fast Refresh/ };
  const program = (folder) => `${folder}node_modules/next/dist/bin/next`;
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  const prepare = async (folder, log) => {
    for (const file of ['layout.js', 'page.js']) await rm(`${folder}app/${file}`);
    await cp(`${here}next`, folder, { recursive: true });
    await run('node', [program(folder), 'build'], { cwd: folder, log, env });
  };
  const serve =
    (command) =>
    ({ folder, port, log }) =>
      serveBy('node', [program(folder), command, '-H', '127.0.0.1', '-p', port], port, { cwd: folder, log, env });
  return [
    { ...from, name: 'next-dev', prepare, serve: serve('dev') },
    { ...from, name: 'next-build', prepare, serve: serve('start') },
  ];
}

/** Swagger UI on an API that another port serves. */
async function serveSwagger({ folder, port, other }) {
  const api = await serveFiles('/nowhere', other, async (path, request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
    response.setHeader('content-type', 'application/json');
    if (path === '/openapi.json') {
      const text = await readFile(`${here}swagger/openapi.json`, 'utf8');
      response.end(text.replace('SERVER', `http://127.0.0.1:${other}`));
    } else if (path === '/pets') {
      response.end(JSON.stringify([{ id: 1, name: new URL(request.url, 'http://api').searchParams.get('kind') }]));
    } else {
      response.writeHead(404).end('{"message":"no such pet"}');
    }
    return true;
  });
  const files = await serveFiles(`${folder}node_modules/swagger-ui-dist`, port, async (path, _request, response) => {
    if (path !== '/swagger-initializer.js') return false;
    const text = await readFile(`${folder}node_modules/swagger-ui-dist/swagger-initializer.js`, 'utf8');
    const local = text.replace(/https:\/\/petstore[^"]*/, `http://127.0.0.1:${other}/openapi.json`);
    response.setHeader('content-type', 'text/javascript').end(local);
    return true;
  });
  return { stop: () => Promise.all([api.stop(), files.stop()]) };
}

async function serveNodeRed({ folder, port, state, log }) {
  await copyFile(`${here}node-red/flows.json`, `${state}flows.json`);
  await copyFile(`${here}node-red/settings.cjs`, `${state}settings.cjs`);
  const program = `${folder}node_modules/node-red/red.js`;
  const args = [program, '--userDir', state, '--settings', `${state}settings.cjs`, '--port', port, 'flows.json'];
  return serveBy('node', args, port, { cwd: state, log });
}

/** The birds of jQuery UI's `search.php`, by the terms that the demos ask for. */
async function serveJQueryUI({ folder, port }) {
  const root = `${folder}root`;
  const examples = '/usr/share/doc/libjs-jquery-ui-docs/examples';
  const source = await readFile(`${root}${examples}/autocomplete/search.php`, 'utf8');
  const birds = Array.from(source.matchAll(/"([^"]+)"=>"([^"]+)"/g), ([, name, latin]) => [name, latin]);
  return serveFiles(root, port, async (path, request, response) => {
    if (path.endsWith('/search.php')) {
      const term = new URL(request.url, 'http://demos').searchParams.get('term').toLowerCase();
      const found = birds.filter(([name]) => name.toLowerCase().includes(term)).slice(0, 12);
      const list = found.map(([name, latin]) => ({ id: latin, label: name, value: name }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
      return true;
    }
    // Debian's demos name a file that its package of RequireJS has elsewhere.
    if (path === '/usr/share/nodejs/require.js') {
      const bytes = await readFile(`${root}/usr/share/nodejs/requirejs/require.js`);
      response.setHeader('content-type', 'text/javascript').end(bytes);
      return true;
    }
    return false;
  });
}

const django = {
  env: (state) => ({ ...process.env, DJANGO_SETTINGS_MODULE: 'settings', STATE: state, PYTHONDONTWRITEBYTECODE: '1' }),
  async prepare(folder, log) {
    const options = { cwd: `${here}django`, env: django.env(folder), log };
    const manage = (...args) => run(`${folder}venv/bin/python`, ['-m', 'django', ...args], options);
    await manage('migrate');
    options.env = { ...options.env, DJANGO_SUPERUSER_PASSWORD: 'correct horse' };
    await manage('createsuperuser', '--noinput', '--username=ada', '--email=ada@example.org');
  },
  async serve({ folder, port, state, log }) {
    await copyFile(`${folder}db.sqlite3`, `${state}db.sqlite3`);
    const args = ['-m', 'django', 'runserver', '--noreload', `127.0.0.1:${port}`];
    return serveBy(`${folder}venv/bin/python`, args, port, { cwd: `${here}django`, env: django.env(state), log });
  },
};

/** The modern viewer of pdfjs-dist, as its example `simpleviewer` uses it. */
async function servePdfjsDist({ folder, port, state }) {
  await writeFile(`${state}many.pdf`, manyPages(6));
  return serveFiles(`${folder}node_modules/pdfjs-dist`, port, async (path, _request, response) => {
    const own = { '/': 'pdfjs/index.html', '/viewer.mjs': 'pdfjs/viewer.mjs' }[path];
    const file = path === '/many.pdf' ? `${state}many.pdf` : own && here + own;
    if (!file) return false;
    const type =
      path === '/' ? 'text/html;charset=utf-8' : path === '/many.pdf' ? 'application/pdf' : 'text/javascript';
    response.setHeader('content-type', type).end(await readFile(file));
    return true;
  });
}

/** Debian's pdf.js with its whole viewer. */
async function servePdfjs({ folder, port, state }) {
  await writeFile(`${state}many.pdf`, manyPages(6));
  return serveFiles(`${folder}root/usr/share/javascript/pdf`, port, async (path, _request, response) => {
    if (path !== '/web/many.pdf') return false;
    response.setHeader('content-type', 'application/pdf').end(await readFile(`${state}many.pdf`));
    return true;
  });
}

const examples = '/usr/share/doc/libjs-jquery-ui-docs/examples';

/**
 * The applications. `serve` gets the folder of the installation, an empty folder for its state, a port, a second
 * port and a file for its output, and returns `{ stop }`. `path` is the page with which a visit starts.
 */
export const apps = [
  ...vite('react'),
  ...vite('vue'),
  ...vite('svelte'),
  { name: 'swagger-ui', package: 'swagger-ui', steps: 'swagger-ui.steps', serve: serveSwagger },
  { name: 'node-red', package: 'node-red', steps: 'node-red.steps', serve: serveNodeRed },
  {
    name: 'pdf.js',
    package: 'pdf.js',
    path: '/web/viewer.html?file=many.pdf',
    steps: 'pdf.js.steps',
    serve: servePdfjs,
  },
  { name: 'pdfjs-dist', package: 'pdfjs-dist', steps: 'pdfjs-dist.steps', serve: servePdfjsDist },
  {
    name: 'jquery-ui-autocomplete',
    package: 'jquery-ui',
    path: `${examples}/autocomplete/remote-with-cache.html`,
    steps: 'jquery-ui-autocomplete.steps',
    serve: serveJQueryUI,
  },
  {
    name: 'jquery-ui-dialog',
    package: 'jquery-ui',
    path: `${examples}/dialog/modal-form.html`,
    steps: 'jquery-ui-dialog.steps',
    secrets: { PASSWORD: 'lovelace' },
    serve: serveJQueryUI,
  },
  {
    name: 'jquery-ui-datepicker',
    package: 'jquery-ui',
    path: `${examples}/datepicker/animation.html`,
    steps: 'jquery-ui-datepicker.steps',
    serve: serveJQueryUI,
  },
  {
    name: 'jquery-ui-tabs',
    package: 'jquery-ui',
    path: `${examples}/tabs/ajax.html`,
    steps: 'jquery-ui-tabs.steps',
    serve: serveJQueryUI,
  },
  {
    name: 'django-admin',
    package: 'django',
    path: '/admin/',
    steps: 'django-admin.steps',
    secrets: { PASSWORD: 'correct horse', PASSWORD1: 'a long enough phrase' },
    ...django,
  },
  {
    name: 'reveal.js',
    package: 'reveal.js',
    path: '/demo.html',
    steps: 'reveal.js.steps',
    serve: ({ folder, port }) => serveFiles(`${folder}node_modules/reveal.js`, port),
  },
  ...next(),
  ...more,
];
