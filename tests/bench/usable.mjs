// Compares how long a page takes to become usable, from the start of the navigation, in a plain browser and
// recorded by `interloper record web`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { folder, launch } from '../apps/drive.mjs';
import { pageSeconds } from './processor.mjs';

const program = process.env.INTERLOPER ?? new URL('../../target/release/interloper', import.meta.url).pathname;
let recordings = 0;

async function plain({ url, usable }) {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  const time = await usable();
  const seconds = pageSeconds(process.pid);
  await browser.close();
  return { time, seconds };
}

async function recorded({ url, usable }) {
  const args = ['record', 'web', url, '--time', '600', '--load-timeout', '120', '--no-check'];
  // starts: own
  const child = spawn(program, [...args, '--out', join(folder, `usable-${recordings++}.ilt`)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(child, 'close');
  const time = await Promise.race([usable(), ended.then(() => Promise.reject(new Error(said)))]);
  const seconds = pageSeconds(child.pid);
  child.kill('SIGINT');
  await ended;
  return { time, seconds, counts: /([\d,]+) events, ([\d,]+) accesses/.exec(said) ?? [] };
}

const median = (values) => values.toSorted((one, two) => one - two)[values.length >> 1];

/**
 * Prints the medians of some rounds, plain and recorded ones in turn, each in a browser of its own. `serve`
 * serves the page for a round. What it returns has the page's URL, a function that waits until the page says
 * after how many milliseconds it is usable, and `close`.
 */
export async function compare(name, rounds, serve) {
  const results = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const [at, visit] of [plain, recorded].entries()) {
      const server = await serve();
      try {
        results[at].push(await visit(server));
      } finally {
        await server.close();
      }
    }
  const [before, after] = results.map((all) => median(all.map(({ time }) => time)));
  const [less, more] = results.map((all) => median(all.map(({ seconds }) => seconds)));
  const [, events, accesses] = results[1].at(-1).counts;
  console.log(
    '| page | events | accesses recorded | ms until usable, unrecorded | recorded | times slower | main thread, s unrecorded | recorded | times slower |\n|---|---|---|---|---|---|---|---|---|',
  );
  const times = `${before.toFixed(0)} | ${after.toFixed(0)} | ${(after / before).toFixed(1)}`;
  const seconds = `${less.toFixed(2)} | ${more.toFixed(2)} | ${(more / less).toFixed(1)}`;
  console.log(`| ${name} | ${events} | ${accesses} | ${times} | ${seconds} |`);
}
