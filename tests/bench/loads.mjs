// Measures how long an app takes to load: the to-do lists of tests/apps, unchanged and recorded by
// `interloper record web`, from the start of the navigation to the first rendering of their lists.
//
//   node loads.mjs [ROUNDS]
//
// In each round every app is loaded four times in a fresh browser, recorded and not, without the
// browser's cache, after another app, with which the browser starts. The scripts of the first load
// are new to the recorder and those of later loads are not, so the first load is counted separately.
// Prints medians.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps, buildAll } from '../apps/build.mjs';
import { folder, launch } from '../apps/drive.mjs';
import { serve } from '../apps/server.mjs';

const program = process.env.INTERLOPER ?? new URL('../../target/release/interloper', import.meta.url).pathname;
let recordings = 0;
const rounds = Number(process.argv[2] ?? 4);
const loads = 4;
const other = (app) => (app === 'jquery' ? 'preact' : 'jquery');

// Replaces probe.js: reports when the list is rendered.
const probe = `{
  const observer = new MutationObserver(() => {
    if (!document.getElementById('todo-2')) return;
    observer.disconnect();
    navigator.sendBeacon('/dump', JSON.stringify(performance.now()));
  });
  observer.observe(document, { childList: true, subtree: true });
}`;
const change = (path, bytes) => (path === '/probe.js' ? probe : bytes);

async function measure(use) {
  const server = await serve(change);
  await use(server);
  server.close();
  return server.dumps.slice(1);
}

const plain = (app) =>
  measure(async ({ url }) => {
    const browser = await launch();
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    for (let load = 0; load <= loads; load++) {
      await page.goto(`${url}${load ? app : other(app)}/`);
      await page.waitForSelector('#todo-2');
      await page.waitForTimeout(300);
    }
    await browser.close();
  });

const wait = 'wait-for #todo-2\nwait 300\n';

const recorded = (app) =>
  measure(async ({ url }) => {
    const steps = join(folder, `${app}.steps`);
    writeFileSync(steps, wait + `goto ${url}${app}/\n${wait}`.repeat(loads));
    const args = ['record', 'web', `${url}${other(app)}/`, '--steps', steps, '--no-check', '--time', '0.1'];
    // starts: own
    const child = spawn(program, [...args, '--out', join(folder, `${app}-${recordings++}.ilt`)], { stdio: 'ignore' });
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`${app} was not recorded`);
  });

const median = (values) => values.toSorted((one, two) => one - two)[values.length >> 1];
await buildAll();
const row = (before, after) => {
  const [one, two] = [median(before), median(after)];
  return `${one.toFixed(0)} | ${two.toFixed(0)} | ${(two / one).toFixed(1)}`;
};
console.log(
  '| app | first, ms unrecorded | recorded | times slower | later, ms unrecorded | recorded | times slower |',
);
console.log('|---|---|---|---|---|---|---|');
for (const app of apps) {
  const firsts = [[], []];
  const others = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const [at, load] of [plain, recorded].entries()) {
      const [first, ...later] = await load(app);
      firsts[at].push(first);
      others[at].push(...later);
    }
  console.log(`| ${app} | ${row(...firsts)} | ${row(...others)} |`);
}
