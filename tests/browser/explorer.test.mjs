// The explorer in a real browser: used by keys alone, every address leads back to its view, a hostile trace does
// nothing, axe-core finds nothing to complain about, and nobody else can read from the server.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { basename, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const root = new URL('../../', import.meta.url).pathname;
const binary = process.env.INTERLOPER_BINARY ?? `${root}target/debug/interloper`;
const corpus = `${root}corpus/web`;

let browser;
const started = [];

/** Starts an explorer, and returns its address once it prints it. */
function explore(path, ...args) {
  // starts: own
  const child = spawn(binary, ['explore', path, '--no-open', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
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

/** Writes the explorer as one file, and returns its address. */
async function write(path) {
  const out = `${root}target/browser/${basename(path)}.html`;
  await mkdir(`${root}target/browser`, { recursive: true });
  // starts: own
  await promisify(execFile)(binary, ['check', path, '--format', 'html', '--fail-on', 'never', '--out', out]);
  return pathToFileURL(out).href;
}

/** The two ways in which the explorer is used. */
const WAYS = { server: (path) => explore(path), file: write };

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
  const { origin, protocol } = new URL(address);
  const own = protocol === 'file:' ? address : origin;
  page.on('request', (request) => {
    if (!request.url().startsWith(own)) complaints.push(request.url());
  });
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error}`));
  await page.goto(address);
  await page.waitForSelector('main h1');
  await page.waitForSelector('.top');
  return { page, complaints };
}

for (const [way, address] of Object.entries(WAYS)) {
  test(`races are read, turned round and compared by keys alone, ${way}`, async () => {
    const { page, complaints } = await open(await address(`${corpus}/stale-response.trace`));
    const hash = () => page.evaluate(() => location.hash);
    assert.match(await hash(), /^#\/0\/race\/[0-9a-f]{16}$/);
    assert.ok(await page.getByText('Nothing guarantees that the first one sent is answered first.').count());
    await page.keyboard.press('x');
    assert.match(await hash(), /order=other/);
    assert.ok(await page.getByRole('radio', { name: /other order/ }).isChecked());
    await page.keyboard.press('x');
    await page.keyboard.press('l');
    await page.waitForSelector('.chip.hint');
    assert.match(await hash(), /^#\/0\/location\/\d+\?with=\d+$/);
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
    assert.match(await hash(), /^#\/0\/location\//);
    assert.deepEqual(complaints, []);
  });

  test(`every address leads back to its view, ${way}`, async () => {
    const { page, complaints } = await open(await address(`${corpus}/stale-response.trace`));
    const views = ['timeline', 'locations', 'location/0', 'events', 'event/0', 'operation/3', 'pick/1,4'];
    for (const view of [...views, 'statistics', 'compare', 'explain/INPUT-ORDER', 'timeline?ops=2-9']) {
      await page.evaluate((hash) => (location.hash = hash), `#/0/${view}`);
      await page.waitForFunction(() => document.querySelector('main')?.textContent && !document.querySelector('.wait'));
      const shown = await page.locator('main').innerText();
      const before = page.url();
      await page.reload();
      await page.waitForFunction(() => document.querySelector('main')?.textContent && !document.querySelector('.wait'));
      assert.equal(page.url(), before, view);
      assert.equal(await page.locator('main').innerText(), shown, view);
      assert.equal(await page.locator('[role=alert]').count(), 0, view);
    }
    assert.deepEqual(complaints, []);
  });

  test(`a hostile trace does nothing, ${way}`, async () => {
    const { page, complaints } = await open(await address(`${root}target/browser/hostile.trace`));
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
    test(`axe-core finds no violation, ${way}, ${colorScheme}`, async () => {
      const { page } = await open(await address(`${corpus}/stale-response.trace`), { colorScheme, bypassCSP: true });
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

  test(`the page is usable on a narrow screen, ${way}`, async () => {
    const { page } = await open(await address(`${corpus}/stale-response.trace`), {
      viewport: { width: 360, height: 740 },
    });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    assert.equal(wide, false, 'the page scrolls sideways');
    const { rows, race } = await page.evaluate(() => ({
      rows: document.querySelector('.list .rowlist').getBoundingClientRect().bottom,
      race: document.querySelector('main').getBoundingClientRect().top,
    }));
    assert.ok(rows <= race, `the list ends at ${rows}, the race begins at ${race}`);
  });
}

/** Starts the demo shop, and returns its address. */
function shop() {
  // starts: own
  const child = spawn(process.execPath, [`${root}demo/shop/server.mjs`], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  return new Promise((resolve) => child.stdout.once('data', (line) => resolve(String(line).trim())));
}

const sources = `${root}demo/shop`;

/** Records a visit to the demo shop, and returns the file. */
async function visit(name, ...options) {
  const out = `${root}target/browser/${name}.ilt`;
  await mkdir(`${root}target/browser`, { recursive: true });
  await rm(out, { force: true });
  const args = [
    'record',
    'web',
    await shop(),
    '--steps',
    `${sources}/visit.steps`,
    '--out',
    out,
    '--no-check',
    ...options,
  ];
  // starts: own
  await promisify(execFile)(binary, args);
  return out;
}

test('the shop is recorded and read by keys alone', async () => {
  const out = await visit('shop');
  const address = await explore(out, '--source-root', sources);
  const { page, complaints } = await open(address, { viewport: { width: 1280, height: 800 } });
  const titles = new Set();
  for (let i = 0; i < 7; i++) {
    await page.waitForFunction(() => location.hash.includes('/race/'));
    await page.waitForFunction(() => document.querySelector('.rows'));
    titles.add(await page.locator('main h1').innerText());
    await page.keyboard.press('j');
    await page.waitForTimeout(300);
  }
  assert.ok(titles.size >= 6, [...titles].join('\n'));
  assert.deepEqual(complaints, []);
});

/** Whether a canvas has a pixel that is not transparent. */
const isDrawn = (canvas) => {
  const { width, height } = canvas;
  return canvas
    .getContext('2d')
    .getImageData(0, 0, width, height)
    .data.some((value) => value !== 0);
};

test('pictures of the page are beside the ends of a race, on server and file alike', async () => {
  const out = await visit('pictures');
  for (const address of Object.values(WAYS)) {
    const { page, complaints } = await open(await address(out));
    await page.waitForSelector('.thumb[width]');
    const thumb = page.locator('.thumb').first();
    assert.equal(await thumb.evaluate((canvas) => canvas.width), 640);
    assert.equal(await thumb.evaluate(isDrawn), true);
    assert.equal(await page.locator('.unseen').count(), 1, 'nobody has seen the other order');
    assert.deepEqual(complaints, []);
  }
  // Without pictures nothing stands in their place.
  const without = await visit('no-pictures', '--no-screenshots');
  const { page } = await open(await explore(without));
  await page.waitForSelector('.ends');
  assert.equal(await page.locator('.thumb, .unseen').count(), 0);
});

test('what replays have shown is in the page, with both pictures; the README shows it', async () => {
  const out = await visit('evidence');
  const html = `${root}target/browser/evidence.html`;
  // The picture shows no path of this machine.
  const args = [
    'check',
    relative(root, out),
    '--replay',
    'top=2',
    '--replay-budget',
    '120',
    '--format',
    'html',
    '--out',
    html,
  ];
  const all = [...args, '--source-root', sources, '--fail-on', 'shown'];
  // starts: own
  await promisify(execFile)(binary, all, { cwd: root }).catch((error) => {
    assert.equal(error.code, 1, error.stderr);
  });
  const { page, complaints } = await open(pathToFileURL(html).href, { viewport: { width: 1280, height: 800 } });
  await page.waitForFunction(() => document.querySelectorAll('.picture img').length === 2);
  const seen = await page.evaluate(() => ({
    widths: [...document.querySelectorAll('.picture img')].map((image) => image.naturalWidth),
    frames: document.querySelectorAll('.picture i').length,
    rows: document.querySelectorAll('.evidence tbody tr').length,
    verdict: document.querySelector('.evidence h2').innerText,
  }));
  assert.deepEqual(seen.widths, [1280, 1280]);
  assert.ok(seen.frames > 0 && seen.rows > 0, JSON.stringify(seen));
  assert.match(seen.verdict, /shown harmful: (error|lost|state)/);
  assert.deepEqual(complaints, []);
  await page.screenshot({ path: `${root}target/browser/explorer.png` });
  const picture = await readFile(`${root}target/browser/explorer.png`);
  if (process.env.INTERLOPER_BLESS) await writeFile(`${root}docs/explorer.png`, picture);
  const shown = await readFile(`${root}docs/explorer.png`);
  // Fonts differ from machine to machine; the size of the picture does not.
  assert.deepEqual(shown.subarray(0, 24), picture.subarray(0, 24), 'INTERLOPER_BLESS=1 takes the picture again');
});

/** Runs the explorer on something that it refuses, and returns what it says. */
async function refused(...args) {
  // starts: own
  const failed = await promisify(execFile)(binary, ['explore', ...args, '--no-open']).catch((error) => error);
  assert.equal(failed.code, 2, failed.stderr);
  return failed.stderr;
}

test('what cannot be explored is refused with what to do', async () => {
  const folder = `${root}target/browser/bad`;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/old.json`, '{"schema":"interloper-report/0","findings":[]}');
  assert.match(await refused(`${folder}/old.json`), /schema interloper-report\/0.*interloper check RECORDING/s);
  await writeFile(`${folder}/bad.trace`, 'interloper-trace 1\nmain wrote x\n');
  assert.match(await refused(`${folder}/bad.trace`), /bad\.trace: 2:6: .*expected an operation/);
  assert.match(await refused(`${folder}/absent.ilt`), /cannot read .*absent\.ilt/);
  await mkdir(`${folder}/empty`, { recursive: true });
  assert.match(await refused(`${folder}/empty`), /has no recording/);
  const { port } = new URL(await explore(`${corpus}/stale-response.trace`));
  assert.match(await refused(`${corpus}/stale-response.trace`, '--port', port), /port \d+; leave --port out/);
});

test('a trace without locations says what there is', async () => {
  const file = `${root}target/browser/nowhere.trace`;
  await writeFile(file, 'interloper-trace 1\nmain fork worker\nworker init\n');
  for (const address of Object.values(WAYS)) {
    const { page, complaints } = await open(await address(file));
    await page.getByText('This recording has no races.').waitFor();
    assert.deepEqual(complaints, []);
  }
});

test('races with one fingerprint are read one after the other', async () => {
  const file = `${root}target/browser/alike.trace`;
  const event = (name, n) => [`begin ${name}${n} type=response`, `write cell${n}.value`, `end ${name}${n}`];
  const lines = [1, 2, 3].flatMap((n) => [...event('a', n), ...event('b', n)]).map((line) => `main ${line}`);
  await writeFile(file, `interloper-trace 1\nmodel web\n${lines.join('\n')}\n`);
  for (const address of Object.values(WAYS)) {
    const { page } = await open(await address(file));
    for (const name of ['cell1', 'cell2', 'cell3']) {
      await page.locator('.group[aria-current=true]', { hasText: name }).waitFor();
      await page.locator('main', { hasText: `${name}.value` }).waitFor();
      await page.keyboard.press('j');
    }
  }
});

test('a damaged recording is shown with a warning', async () => {
  const whole = `${root}target/browser/whole.ilt`;
  // starts: own
  await promisify(execFile)(binary, ['convert', `${corpus}/stale-response.trace`, whole]);
  const bytes = await readFile(whole);
  await writeFile(`${root}target/browser/cut.ilt`, bytes.subarray(0, bytes.length - 20));
  const { page } = await open(await explore(`${root}target/browser/cut.ilt`));
  await page.locator('.caveat').waitFor();
});

test('a recording that grows is followed, and one that vanishes is still shown', async () => {
  const file = `${root}target/browser/growing.trace`;
  const text = await readFile(`${corpus}/stale-response.trace`, 'utf8');
  const lines = text.split('\n');
  const half = lines.findIndex((line) => line.includes('value=shoes')) + 1;
  await writeFile(file, `${lines.slice(0, half).join('\n')}\n`);
  const { page } = await open(await explore(file));
  await page.getByText('This recording has no races.').waitFor();
  await writeFile(file, text);
  await page.locator('.group').waitFor();
  await rm(file);
  await page.getByText('what was read before is still shown').waitFor();
  await page.keyboard.press('j');
  await page.getByText('Nothing guarantees that the first one sent is answered first.').waitFor();
});

test('a suppression matches the races that it shows', async () => {
  const file = `${corpus}/stale-response.trace`;
  const { page } = await open(await explore(file));
  await page.waitForFunction(() => location.hash.includes('/race/'));
  await page.keyboard.press('s');
  await page.getByText('It matches 1 race.').waitFor();
  await page.getByLabel(/^location/).click();
  await page.getByText('location = "results.childList"').waitFor();
  await page.getByLabel('Reason').fill('Known, see "the plan".');
  await page.getByText('It matches 1 race.').waitFor();
  const config = `${root}target/browser/suppress.toml`;
  await writeFile(config, await page.locator('pre.toml').innerText());
  const args = ['check', file, '--format', 'json', '--fail-on', 'never', '--suppress', config];
  // starts: own
  const { stdout } = await promisify(execFile)(binary, args);
  const report = JSON.parse(stdout);
  assert.deepEqual(
    report.races.map((race) => race.suppressed),
    ['Known, see "the plan".'],
  );
});

test('runs of a folder are counted, and two of them compared', async () => {
  const folder = `${root}target/browser/runs`;
  await mkdir(folder, { recursive: true });
  const text = await readFile(`${corpus}/stale-response.trace`, 'utf8');
  await writeFile(`${folder}/a.trace`, text);
  // In the other run the answers come the other way round.
  const swapped = text.replaceAll('answer1', 'ANSWER').replaceAll('answer2', 'answer1').replaceAll('ANSWER', 'answer2');
  await writeFile(`${folder}/b.trace`, swapped);
  const { page, complaints } = await open(await explore(folder));
  await page.evaluate(() => {
    location.hash = '#/0/runs';
  });
  await page
    .getByText(/[12] of 2/)
    .first()
    .waitFor();
  await page.evaluate(() => {
    location.hash = '#/0/compare?a=0&b=1';
  });
  await page.getByText('The first different order').waitFor();
  assert.deepEqual(complaints, []);
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
