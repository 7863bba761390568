// Serves the pages of tests/replay/pages: `/NAME/` is a page. What a page loads comes after `ms` milliseconds.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { accept, listen } from '../worth/server.mjs';

const types = { html: 'text/html;charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>';
const show = "const show = (text) => { document.getElementById('status').textContent = text; };";

/** The document of a page. */
function document({ name, body = '', script = '' }) {
  return `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body>
<p id="status">nothing</p><button id="go">Go</button>
<script>${show}
${script}</script>
${body}
</body></html>`;
}

/** Accepts a WebSocket, sends one message after `ms` milliseconds, and answers each message with its text. */
async function chat(request, socket) {
  const send = accept(request, socket);
  socket.on('data', (data) => {
    if ((data[0] & 15) !== 1) return;
    const [mask, text] = [data.subarray(2, 6), data.subarray(6, 6 + (data[1] & 127))];
    send(`re: ${text.map((byte, at) => byte ^ mask[at % 4]).toString()}`);
  });
  await wait(Number(new URL(request.url, 'http://here').searchParams.get('ms')));
  send('row');
}

/** What is served below each first part of a path: the type and the text, for the parameters of the query. */
const served = {
  text: ({ q }) => ['text/plain', q],
  code: ({ js }) => [types.js, js],
  module: ({ js }) => [types.js, `${js};export const loaded = true;`],
  style: () => [types.css, 'p { color: black }'],
  dot: () => [types.svg, dot],
  inner: ({ js }) => [types.html, `<!doctype html><title>inner</title><p>inner</p><script>${js ?? ''}</script>`],
  worker: ({ ms }) => [
    types.js,
    `setTimeout(() => postMessage('row'), ${ms}); onmessage = (e) => postMessage(e.data);`,
  ],
};

/** Starts the server on a free port of the loopback interface. */
export async function serve(pages) {
  const byName = new Map(pages.map((page) => [page.name, page]));
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://here');
    const query = Object.fromEntries(url.searchParams);
    const [first] = url.pathname.split('/').slice(1);
    const head = (type) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
    if (first === 'events') {
      head('text/event-stream').flushHeaders();
      await wait(Number(query.ms));
      return response.write('data: row\n\n');
    }
    if (first === 'body') {
      head('text/plain').flushHeaders();
      await wait(Number(query.ms));
      return response.end('row');
    }
    if (query.ms && first !== 'worker') await wait(Number(query.ms));
    const page = byName.get(first);
    const found = served[first]?.(query) ?? (page && [types.html, document(page)]);
    if (!found) return response.writeHead(404).end();
    head(found[0]).end(found[1]);
  });
  server.on('upgrade', chat);
  return listen(server);
}
