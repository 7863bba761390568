// Measures the explorer in Chromium: node tests/browser/budgets.mjs RECORDING [--source-root DIR]. Prints one line for
// each budget of docs/benchmarks.md. INTERLOPER_BINARY names the binary; measure a release build on an idle machine.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = new URL('../../', import.meta.url).pathname;
const binary = process.env.INTERLOPER_BINARY ?? `${root}target/release/interloper`;
const [recording, ...options] = process.argv.slice(2);
const print = (what, value) => console.log(`${what.padEnd(44)} ${value}`);
const ms = (time) => `${time.toFixed(time < 100 ? 1 : 0)} ms`;
const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const browser = await chromium.launch({
  executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

/** Opens an address, and returns how long it takes until a race is shown. */
async function show(address) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true })).newPage();
  const start = performance.now();
  await page.goto(address);
  await page.waitForSelector('main .rows', { timeout: 300_000 });
  return { page, time: performance.now() - start };
}

/** Returns the largest resident size of a process. */
async function peak(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)[1]) * 1024;
}

/** Does something in the page, and returns how long it takes until `changed` holds and the frame is drawn. */
function timed(page, act, changed) {
  return page.evaluate(
    async ([act, changed]) => {
      const before = document.querySelector('main h1')?.textContent;
      const holds = new Function('before', `return ${changed}`);
      const start = performance.now();
      new Function(act)();
      while (!holds(before)) await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - start;
    },
    [act, changed],
  );
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const key = (name, on = 'window') =>
  `${on}.dispatchEvent(new KeyboardEvent('keydown', {key: '${name}', bubbles: true}))`;

async function interactions(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const metric = async (name) => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === name).value;
  const next = [];
  // To and fro, because there may be few races; the first times are of races that were not shown before.
  for (const name of ['j', 'j', 'j', 'k', 'j', 'j', 'k', 'j', 'k', 'k', 'j']) {
    next.push(
      await timed(page, key(name, 'document.body'), `document.querySelector('main h1')?.textContent !== before`),
    );
  }
  print('next race: first visit, median of 11', `${ms(next[0])}, ${ms(median(next))}`);
  const all = `[...document.querySelectorAll('.seg button')].at(-1)`;
  print('filter', ms(await timed(page, `${all}.click()`, `${all}.getAttribute('aria-pressed') === 'true'`)));
  const pair = await page.evaluate(() =>
    [...document.querySelectorAll('.sides .push .op')].map((op) => op.textContent),
  );
  print(
    'rails of two operations',
    ms(await timed(page, `location.hash = '#/0/pick/${pair}'`, `document.querySelector('.page .rows')`)),
  );
  await page.evaluate(() => {
    location.hash = '#/0/timeline';
  });
  await page.waitForSelector('canvas');
  await page.waitForTimeout(500);
  await page.locator('.lanes').focus();
  const pans = [];
  for (let i = 0; i < 60; i++) {
    const before = await metric('TaskDuration');
    await page.keyboard.press(i < 20 ? 'w' : i % 2 === 0 ? 'd' : 's');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    pans.push(((await metric('TaskDuration')) - before) * 1000);
  }
  print('pan or zoom, main thread, p95', ms(pans.sort((a, b) => a - b)[56]));
  await cdp.send('HeapProfiler.collectGarbage');
  print('page memory (JavaScript heap)', megabytes(await metric('JSHeapUsedSize')));
}

const start = performance.now();
// starts: own
const server = spawn(binary, ['explore', recording, '--no-open', ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
const address = await new Promise((resolve, reject) => {
  server.stderr.on('data', (text) => {
    const found = /http:\/\/\S+/.exec(String(text));
    if (found) resolve(found[0]);
  });
  server.on('exit', () => reject(new Error('the explorer ended')));
});
print('analysis', ms(performance.now() - start));
const analysed = await peak(server.pid);
const { page, time } = await show(address);
print('first paint after analysis', ms(time));
await interactions(page);
print('server memory after analysis, at the end', `${megabytes(analysed)}, ${megabytes(await peak(server.pid))}`);
server.kill('SIGINT');

const folder = await mkdtemp(join(tmpdir(), 'interloper-budgets-'));
const file = join(folder, 'races.html');
const written = performance.now();
// starts: own
await promisify(execFile)(binary, [
  'check',
  recording,
  '--format',
  'html',
  '--fail-on',
  'never',
  '--out',
  file,
  ...options,
]);
print('offline file: written in', ms(performance.now() - written));
print('offline file: size', megabytes((await stat(file)).size));
const offline = await show(pathToFileURL(file).href);
print('offline file: opens in', ms(offline.time));
await interactions(offline.page);
await rm(folder, { recursive: true });
await browser.close();
