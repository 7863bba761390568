// Measures the cost of recording: Octane in Chromium, unchanged and recorded by `interloper record web`.
//
//   node octane.mjs [NAME...]
//
// Each suite is a page of its own, loaded in a browser of its own. Prints a table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { folder as recordings, launch } from '../apps/drive.mjs';
import { folder, markup, suites } from './suites.mjs';

const program = process.env.INTERLOPER ?? new URL('../../target/release/interloper', import.meta.url).pathname;

/** Serves a suite; `result` is the result that its page sends. */
async function serve(name) {
  let received;
  const result = new Promise((resolve) => (received = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(markup(name));
    if (request.url === '/result') {
      request.setEncoding('utf8').on('data', (text) => received(JSON.parse(text)));
      return response.end();
    }
    // Octane's TypeScript benchmark contains texts that look like references to files.
    const file = new URL(`.${request.url}`, request.url === '/page.js' ? import.meta.url : folder);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader('content-type', 'text/javascript').end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    result,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

async function plain(name) {
  const server = await serve(name);
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(server.url);
  const times = await server.result;
  await browser.close();
  server.close();
  return { times };
}

async function recorded(name) {
  const server = await serve(name);
  const out = join(recordings, `${name}.ilt`);
  // starts: own
  const child = spawn(
    program,
    ['record', 'web', server.url, '--time', '600', '--load-timeout', '120', '--no-check', '--out', out],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(child, 'close');
  const times = await Promise.race([server.result, ended.then(() => Promise.reject(new Error(`${name}: ${said}`)))]);
  child.kill('SIGINT');
  await ended;
  server.close();
  return { times, accesses: /([\d,]+) accesses/.exec(said)?.[1] ?? '?' };
}

const mean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const all = [];
console.log(
  '| benchmark | ms per run, unrecorded | recorded | times slower | accesses recorded |\n|---|---|---|---|---|',
);
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(suites)) {
  const before = mean((await plain(name)).times);
  const { times, accesses } = await recorded(name);
  const after = mean(times);
  all.push(after / before);
  console.log(
    `| ${name} | ${before.toPrecision(3)} | ${after.toPrecision(3)} | ${(after / before).toFixed(1)} | ${accesses} |`,
  );
}
console.log(`\ngeometric mean: ${mean(all).toFixed(1)}`);
