// Measures how much longer an application of many small events (events.js) takes to become usable when
// `interloper record web` records it.
//
//   node events.mjs [ROUNDS]
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { compare } from './usable.mjs';

const script = readFileSync(new URL('events.js', import.meta.url));
const markup =
  '<!doctype html><title>events</title><link rel="icon" href="data:,"><body><script src="/events.js"></script>';

async function serve() {
  let received;
  const usable = new Promise((resolve) => (received = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(markup);
    if (request.url === '/events.js') return response.setHeader('content-type', 'text/javascript').end(script);
    if (request.url !== '/usable') return response.writeHead(404).end();
    request.setEncoding('utf8').on('data', (text) => received(JSON.parse(text)));
    return response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    usable: () => usable,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

await compare('events.js', Number(process.argv[2] ?? 3), serve);
