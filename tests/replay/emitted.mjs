// Emits tests for Playwright from replays of pages with known mistakes and of the demo shop, and runs each of them
// several times with the hold and without it (docs/replay.md).
import { execFile, spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { program } from '../apps/drive.mjs';
import { pages, record } from '../worth/run.mjs';
import { serve } from '../worth/server.mjs';

// starts: own
const execute = promisify(execFile);
const root = new URL('../../', import.meta.url).pathname;
const project = `${root}target/playwright/`;

/** Pages whose tests differ in what they hold, until when, and in what they assert. */
const held = [
  'stale-search',
  'form-draft',
  'late-click-async',
  'form-textarea',
  'load-two-images',
  'load-onload-click',
  'ajax-gives-up',
  'stale-options',
  'load-storage',
  'undefined-element',
  'late-ready',
];
/** Those that CI uses: an answer until another one, and a timer until an input. */
const quick = ['stale-search', 'form-textarea'];

const config = `export default {
  testDir: './tests',
  workers: 1,
  expect: { timeout: 2000 },
  use: { launchOptions: { executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium' } },
};
`;

/** Makes the project of a user of Playwright, in which the tests are run. */
async function prepare() {
  await rm(`${project}tests`, { recursive: true, force: true });
  await mkdir(`${project}tests`, { recursive: true });
  await writeFile(`${project}package.json`, '{ "private": true }\n');
  await writeFile(`${project}playwright.config.mjs`, config);
  const environment = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' };
  const options = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline'];
  // starts: npm
  await execute('npm', [...options, '@playwright/test@1'], { cwd: project, env: environment, timeout: 300_000 });
}

/** How many of so many runs of a test passed, with the hold or without it. */
async function passes(name, isHeld, count) {
  const options = ['test', `${name}.spec.ts`, '--reporter=json', `--repeat-each=${count}`, '--retries=0'];
  const environment = { ...process.env, HOLD: isHeld ? '1' : '0' };
  const settings = { cwd: project, env: environment, timeout: 590_000, maxBuffer: 1 << 26 };
  const cli = 'node_modules/@playwright/test/cli.js';
  // The exit status says that tests failed, which tests with the hold must.
  // starts: node
  const done = await execute(process.execPath, [cli, ...options], settings).catch((error) => error);
  const { stats } = JSON.parse(done.stdout);
  if (stats.expected + stats.unexpected !== count) throw new Error(`${name}: ${done.stdout.slice(0, 500)}`);
  return stats.expected;
}

/** Replays a recording, emits a test of the race at a location, and runs it. Returns what is wrong. */
async function emit(name, file, count, chosen = ['--top', '3']) {
  const test = `${project}tests/${name}.spec.ts`;
  const options = ['replay', file, ...chosen, '--emit-playwright', test, '--out', `${project}${name}.txt`];
  // starts: own
  const done = await execute(program, options, { timeout: 590_000 }).catch((error) => error);
  if (done.code !== 1) return `not emitted: ${done.stderr}`;
  const [failing, passing] = [await passes(name, true, count), await passes(name, false, count)];
  const found = `${count - failing} of ${count} failed with the hold, ${passing} of ${count} passed without`;
  process.stdout.write(`${name}: ${found}\n`);
  return failing === 0 && passing === count ? '' : found;
}

/** Starts the demo shop. */
async function shop() {
  // starts: node
  const server = spawn(process.execPath, [`${root}demo/shop/server.mjs`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  return { url, close: () => server.kill() };
}

async function recordShop(url) {
  const out = `${project}shop.ilt`;
  await rm(out, { force: true });
  const options = ['--steps', `${root}demo/shop/visit.steps`, '--out', out, '--no-check'];
  // starts: own
  await execute(program, ['record', 'web', url, ...options], { timeout: 120_000 });
  return out;
}

/** The races of the shop that are read first, by their numbers. */
async function firstRaces(file) {
  const options = ['check', file, '--format', 'json', '--fail-on', 'never'];
  // starts: own
  const { stdout } = await execute(program, options, { maxBuffer: 1 << 28 });
  const { groups, races } = JSON.parse(stdout);
  const open = new Map(races.filter(({ covered, hidden }) => !covered && !hidden).map((race) => [race.id, race]));
  const leads = groups.toSorted((one, two) => one.rank - two.rank).map(({ races }) => races.find((id) => open.has(id)));
  return leads.filter((id) => id !== undefined).slice(0, 6);
}

/** Emits and runs tests. Returns how many there were, and what is wrong with which. */
export async function emitted(isQuick, wanted) {
  await prepare();
  const names = (isQuick ? quick : held).filter((name) => wanted(name));
  const count = isQuick ? 2 : 10;
  const problems = [];
  let tests = 0;
  const note = async (name, work) => {
    tests++;
    const problem = await work().catch((error) => String(error.message).split('\n').slice(0, 3).join(' '));
    if (!problem) return;
    problems.push(name);
    process.stdout.write(`${name}: ${problem}\n`);
  };
  const server = await serve(pages);
  const folder = `${project}recordings/`;
  await mkdir(folder, { recursive: true });
  try {
    for (const name of names) {
      const page = pages.find((page) => page.name === name);
      await note(name, async () => emit(name, await record(page, server.url, false, folder), count));
    }
  } finally {
    server.close();
  }
  if (isQuick || !wanted('shop')) return { tests, problems };
  const demo = await shop();
  try {
    const file = await recordShop(demo.url);
    for (const race of await firstRaces(file)) {
      const name = `shop-${race}`;
      await note(name, () => emit(name, file, count, ['--race', String(race)]));
    }
  } finally {
    demo.close();
  }
  return { tests, problems };
}
