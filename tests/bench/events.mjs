// Measures how much longer an application of many small events (events.js) takes to become usable when
// `interloper record web` records it, from the start of the navigation.
//
//   node events.mjs [ROUNDS]
//
// Recorded and unrecorded rounds alternate, each in a browser of its own. Prints medians.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { folder, launch } from '../apps/drive.mjs';

const program = process.env.INTERLOPER ?? new URL('../../target/release/interloper', import.meta.url).pathname;
const rounds = Number(process.argv[2] ?? 3);
const script = readFileSync(new URL('events.js', import.meta.url));
const markup =
  '<!doctype html><title>events</title><link rel="icon" href="data:,"><body><script src="/events.js"></script>';

/** Serves the application; `usable` is the time that its page sends. */
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
  const url = `http://127.0.0.1:${server.address().port}/`;
  return { url, usable, close: () => (server.closeAllConnections(), server.close()) };
}

async function plain() {
  const server = await serve();
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(server.url);
  const time = await server.usable;
  await browser.close();
  server.close();
  return { time };
}

async function recorded() {
  const server = await serve();
  const args = ['record', 'web', server.url, '--time', '600', '--load-timeout', '120', '--no-check'];
  // starts: own
  const child = spawn(program, [...args, '--out', join(folder, 'events.ilt')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(child, 'close');
  const time = await Promise.race([server.usable, ended.then(() => Promise.reject(new Error(said)))]);
  child.kill('SIGINT');
  await ended;
  server.close();
  return { time, counts: /([\d,]+) events, ([\d,]+) accesses/.exec(said) ?? [] };
}

const median = (values) => values.toSorted((one, two) => one - two)[values.length >> 1];
const times = [[], []];
let counts = [];
for (let round = 0; round < rounds; round++) {
  times[0].push((await plain()).time);
  const { time, counts: found } = await recorded();
  times[1].push(time);
  counts = found;
}
const [before, after] = times.map(median);
console.log(
  '| events | accesses recorded | ms until usable, unrecorded | recorded | times slower |\n|---|---|---|---|---|',
);
console.log(
  `| ${counts[1]} | ${counts[2]} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${(after / before).toFixed(1)} |`,
);
