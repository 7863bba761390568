// Serves the pages: `/NAME/` is a page with a mistake, `/NAME/fixed/` its repaired twin. The API answers after `ms`
// milliseconds.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';

const jquery = () => readFile(new URL('../../node_modules/jquery/dist/jquery.js', import.meta.url));

/** React as one script, with the globals `React` and `ReactDOM`. */
async function react() {
  const contents = "window.React = require('react'); window.ReactDOM = require('react-dom/client');";
  const resolveDir = new URL('../../', import.meta.url).pathname;
  const define = { 'process.env.NODE_ENV': '"production"' };
  const stdin = { contents, resolveDir };
  const { outputFiles } = await build({ stdin, define, bundle: true, minify: true, write: false });
  return outputFiles[0].contents;
}

const types = {
  js: 'text/javascript',
  svg: 'image/svg+xml',
  html: 'text/html;charset=utf-8',
  json: 'application/json',
};
const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>';

/** The document of a page. `/delay/MS/own.js` in it is its own script, which the server sends after so many ms. */
export function document(page, isFixed) {
  const of = (name) => (isFixed ? (page[`fixed${name[0].toUpperCase()}${name.slice(1)}`] ?? page[name]) : page[name]);
  const script = isFixed ? (page.fixed ?? page.script) : page.script;
  const libraries = (page.libraries ?? []).map((name) => `<script src="/${name}"></script>`).join('');
  const head = (isFixed && page.fixedHead) || '';
  const [first, last] = page.librariesLast ? ['', libraries] : [libraries, ''];
  const own = script ? `<script>\n${script}\n</script>` : '';
  const text = `<!doctype html><html><head><meta charset="utf-8"><title>${page.name}</title>${first}${head}</head><body>
${of('body')}
${last}${own}
</body></html>`;
  return text
    .replace(/\/delay\/(\d+)\//g, `/delay/$1/${page.name}/${isFixed ? 'fixed' : 'wrong'}/`)
    .replace(/\/frame\//g, `/frame/${page.name}/`);
}

/** Accepts a WebSocket. Returns a function that sends a short text over it. */
export function accept(request, socket) {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accepted = createHash('sha1').update(key).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accepted}`].join('\r\n')}\r\n\r\n`);
  socket.on('error', () => {});
  return (text) => socket.write(Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]));
}

/** Accepts a WebSocket, and sends one message after `ms` milliseconds. */
async function chat(request, socket) {
  const send = accept(request, socket);
  await wait(Number(new URL(request.url, 'http://here').searchParams.get('ms')));
  send('a message');
}

/** Lets a server listen on a free port of the loopback interface. */
export async function listen(server) {
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

const api = {
  list: ({ q }) => [types.json, JSON.stringify([1, 2, 3].map((n) => `${q} ${n}`))],
  text: ({ q }) => ['text/plain', `text of ${q}`],
  long: ({ q }) => ['text/plain', `${'The same beginning of a long text. '.repeat(9)}Then ${q}.`],
  count: (_, state) => ['text/plain', String((state.count = (state.count ?? 0) + 1))],
};

/** Starts the server on a free port of the loopback interface. */
export async function serve(pages) {
  const byName = new Map(pages.map((page) => [page.name, page]));
  const state = {};
  const answer = async (request) => {
    const url = new URL(request.url, 'http://here');
    const query = Object.fromEntries(url.searchParams);
    const parts = url.pathname.split('/').slice(1);
    if (parts[0] === 'delay') await wait(Number(parts[1]));
    else if (query.ms) await wait(Number(query.ms));
    if (url.pathname === '/jquery.js') return [types.js, await jquery()];
    if (url.pathname === '/react.js') return [types.js, await react()];
    if (url.pathname === '/dot.svg') return [types.svg, dot];
    if (parts[0] === 'api') return api[parts[1]](query, state);
    if (parts[0] === 'elsewhere') return [types.html, '<!doctype html><title>elsewhere</title>'];
    if (parts[0] === 'frame') return [types.html, `<!doctype html>${byName.get(parts[1]).frames[parts[2]]}`];
    if (parts[0] === 'delay') {
      const [, , name, kind, file] = parts;
      const { own, other = 'var other = 1;', fixedOwn = own } = byName.get(name);
      return [types.js, file === 'other.js' ? other : kind === 'fixed' ? fixedOwn : own];
    }
    const page = byName.get(parts[0]);
    return page ? [types.html, document(page, parts[1] === 'fixed')] : null;
  };
  const server = createServer(async (request, response) => {
    const found = await answer(request);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': found[0], 'cache-control': 'no-store' }).end(found[1]);
  });
  server.on('upgrade', chat);
  return listen(server);
}
