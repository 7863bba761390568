// The explorer in a real browser: used by keys alone, every address leads back to its view, a hostile trace does
// nothing, axe-core finds nothing to complain about, and nobody else can read from the server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const root = new URL('../../', import.meta.url).pathname;
const binary = process.env.INTERLOPER_BINARY ?? `${root}target/debug/interloper`;
const corpus = `${root}corpus/web`;

let browser;
const started = [];

/** Starts an explorer, and returns its address once it prints it. */
function explore(path) {
  // starts: own
  const child = spawn(binary, ['explore', path, '--no-open'], { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/\S+/.exec(text);
      if (address) resolve(address[0]);
    });
    child.on('exit', () => reject(new Error(`the explorer ended: ${text}`)));
  });
}

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});
after(async () => {
  for (const child of started) child.kill('SIGINT');
  await browser?.close();
});

/** Opens a page of the explorer, and notes everything that it should not do. */
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const origin = new URL(address).origin;
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error}`));
  await page.goto(address);
  await page.waitForSelector('main h1');
  return { page, complaints };
}

test('races are read, turned round and compared by keys alone', async () => {
  const { page, complaints } = await open(await explore(`${corpus}/stale-response.trace`));
  const address = () => page.evaluate(() => location.hash);
  assert.match(await address(), /^#\/0\/race\/[0-9a-f]{16}$/);
  assert.ok(await page.getByText('Nothing guarantees that the first one sent is answered first.').count());
  await page.keyboard.press('x');
  assert.match(await address(), /order=other/);
  assert.ok(await page.getByRole('radio', { name: /other order/ }).isChecked());
  await page.keyboard.press('x');
  await page.keyboard.press('l');
  await page.waitForSelector('.chip.hint');
  assert.match(await address(), /^#\/0\/location\/\d+\?with=\d+$/);
  await page.keyboard.press('p');
  await page.getByLabel('First operation').fill('0');
  await page.getByLabel('Second operation').fill('1');
  await page.keyboard.press('Enter');
  await page
    .getByText(/happens before|Nothing orders/)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('results');
  await page
    .getByRole('button', { name: /location/ })
    .first()
    .click();
  assert.match(await address(), /^#\/0\/location\//);
  assert.deepEqual(complaints, []);
});

test('every address leads back to its view', async () => {
  const { page, complaints } = await open(await explore(corpus));
  const views = ['timeline', 'locations', 'location/0', 'events', 'event/0', 'operation/3', 'pick/1,4'];
  for (const view of [...views, 'statistics', 'compare', 'explain/INPUT-ORDER', 'timeline?ops=2-9']) {
    await page.evaluate((hash) => (location.hash = hash), `#/0/${view}`);
    await page.waitForFunction(() => document.querySelector('main')?.textContent && !document.querySelector('.wait'));
    const shown = await page.locator('main').innerText();
    const address = page.url();
    await page.reload();
    await page.waitForFunction(() => document.querySelector('main')?.textContent && !document.querySelector('.wait'));
    assert.equal(page.url(), address, view);
    assert.equal(await page.locator('main').innerText(), shown, view);
    assert.equal(await page.locator('[role=alert]').count(), 0, view);
  }
  assert.deepEqual(complaints, []);
});

test('a hostile trace does nothing', async () => {
  const { page, complaints } = await open(await explore(`${root}target/browser/hostile.trace`));
  const views = ['races', 'timeline', 'locations', 'location/0', 'events', 'event/0', 'operation/0', 'statistics'];
  for (const view of views) {
    await page.evaluate((hash) => (location.hash = hash), `#/0/${view}`);
    await page.waitForFunction(() => !document.querySelector('.wait'));
    await page.keyboard.press('Tab');
  }
  for (let i = 0; i < 12; i++) await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => window.pwned), undefined, 'a script of the trace ran');
  assert.deepEqual(complaints, []);
});

for (const colorScheme of ['light', 'dark'])
  test(`axe-core finds no violation, ${colorScheme}`, async () => {
    const { page } = await open(await explore(`${corpus}/stale-response.trace`), { colorScheme, bypassCSP: true });
    await page.evaluate(axe.source);
    const start = page.url();
    for (const view of [
      '',
      'timeline',
      'locations',
      'location/0?with=3',
      'events',
      'event/1',
      'pick/1,4',
      'statistics',
    ]) {
      const hash = view === '' ? new URL(start).hash : `#/0/${view}`;
      await page.evaluate((hash) => (location.hash = hash), hash);
      await page.waitForFunction(() => !document.querySelector('.wait'));
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
      const { violations } = await page.evaluate(() => window.axe.run());
      const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
      assert.deepEqual(told, [], `${view} in ${colorScheme}`);
    }
  });

test('the page is usable on a narrow screen', async () => {
  const { page } = await open(await explore(`${corpus}/stale-response.trace`), {
    viewport: { width: 360, height: 740 },
  });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(wide, false, 'the page scrolls sideways');
});

/** Asks the server without a browser, and returns the status. */
function ask(address, path, headers) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, headers, setHost: !headers.Host }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
}

test('nobody else reads from the server', async () => {
  const address = await explore(`${corpus}/stale-response.trace`);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  const [cookie] = await context.cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Strict');
  const { host, port } = new URL(address);
  const own = { Host: host, Cookie: `${cookie.name}=${cookie.value}` };
  assert.equal(await ask(address, '/api/1/0', own), 200);
  assert.equal(await ask(address, '/api/1/0', { Host: host }), 403, 'no cookie');
  assert.equal(await ask(address, '/api/1/0', { ...own, Cookie: `${cookie.name}=0` }), 403, 'a wrong cookie');
  assert.equal(await ask(address, '/api/1/0', { ...own, Host: `evil.example:${port}` }), 403, 'a foreign host');
  assert.equal(await ask(address, '/api/1/0', { ...own, Origin: 'http://evil.example' }), 403, 'a foreign origin');
  assert.equal(await ask(address, '/api/1/0', { ...own, 'Sec-Fetch-Site': 'cross-site' }), 403, 'a foreign site');
  assert.equal(await ask(address, '/open?token=0', { Host: host }), 403, 'a wrong token');
  assert.equal(await ask(address, '/../Cargo.toml', own), 404, 'a path that leads out');
  assert.equal(await ask(address, '/api/1/0/source?file=../../../Cargo.toml&line=1', own), 404, 'a file elsewhere');
});
