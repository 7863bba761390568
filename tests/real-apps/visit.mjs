// Visits an application with the same steps, in a plain browser and by `interloper record web`.
import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { perform, program } from '../apps/drive.mjs';
import { observe } from './observe.mjs';
import { end, run, start } from './processes.mjs';
import { freePort } from './serve.mjs';

const here = new URL('./', import.meta.url).pathname;
/** The part of the window that a page has, as the recorder sets it by default. */
const viewport = { width: 1280, height: 800 };
/** How long the page is left alone after the last step, in milliseconds. */
const rest = 1500;
/** How long a step waits for its element, in seconds: a recorded page may be slow on a busy machine. */
const stepTimeout = 60;
/** How long a recording may take with its report, in milliseconds. */
const patience = 300_000;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const seen = ({ console, failed, sockets, requests }) => ({ console, failed, sockets, requests });

/** A browser as Playwright starts it, except for the flags that change how letters and colours look. */
function launch(port) {
  return chromium.launch({
    executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
    ignoreDefaultArgs: ['--font-render-hinting=none', '--force-color-profile=srgb'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      ...(port ? [`--remote-debugging-port=${port}`] : []),
    ],
  });
}

/** A plain visit: what an observer saw, and the screenshot at its end in the file `picture`. */
export async function plainly(url, steps, picture, gate) {
  const port = await freePort();
  const browser = await launch(port);
  try {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    const observer = await observe(port);
    gate.open();
    const started = Date.now();
    await page.goto(url, { waitUntil: 'load' });
    await perform(page, url, steps);
    await sleep(rest);
    const took = Date.now() - started;
    await writeFile(picture, Buffer.from(await observer.screenshot(), 'base64'));
    const all = { ...seen(observer), took };
    observer.close();
    return all;
  } finally {
    await browser.close();
  }
}

/** Takes screenshots until the browser closes, and writes the last one. */
async function keepLast(observer, picture) {
  let last;
  while (observer.isOpen) {
    // The browser refuses while it changes from one page to another.
    last = (await observer.screenshot().catch(() => null)) ?? last;
    await sleep(400);
  }
  if (last) await writeFile(picture, Buffer.from(last, 'base64'));
}

/** How many events of unknown sources a recording has, by what they are called. */
async function unknownEvents(recording) {
  const text = recording.replace(/\.ilt$/, '.trace');
  await rm(text, { force: true });
  await run(program, ['convert', recording, text, '--to', 'text']);
  const counts = {};
  for await (const line of createInterface({ input: createReadStream(text) })) {
    if (!/ begin \S+ .*\btype=unknown\b/.test(line)) continue;
    const [, name] = / name=(\S+)/.exec(line) ?? [];
    const readable = decodeURIComponent(name ?? '?').replace(/@\d+/g, '');
    counts[readable] = (counts[readable] ?? 0) + 1;
  }
  await rm(text);
  return counts;
}

/** A recorded visit: what an observer saw, the recorder's report and notes, and the events of unknown sources. */
export async function recorded(url, steps, picture, gate, { out, log }) {
  const port = await freePort();
  const env = { ...process.env, OBSERVED_PORT: String(port) };
  const args = ['record', 'web', url, '--steps', steps, '--out', out, '--time', String(rest / 1000)];
  args.push('--step-timeout', String(stepTimeout), '--load-timeout', String(stepTimeout));
  args.push('--browser', `${here}browser.sh`, '--format', 'json', '--fail-on', 'never', '--replay', 'none');
  const started = Date.now();
  const { child, output, ended } = start(program, args, { env, log });
  const timer = setTimeout(() => end(child), patience);
  try {
    const observer = await Promise.race([observe(port), ended.then(() => null)]);
    gate.open();
    if (observer) await keepLast(observer, picture);
    const took = Date.now() - started;
    const status = await ended;
    const stderr = output.stderr.trim();
    if (status !== 0) return { ...(observer && seen(observer)), took, error: `exit status ${status}: ${stderr}` };
    const notes = stderr.split('\n').filter((line) => line.trim());
    return { ...seen(observer), took, notes, report: JSON.parse(output.stdout), unknown: await unknownEvents(out) };
  } finally {
    clearTimeout(timer);
    await end(child);
  }
}

/**
 * In which part of the pixels, between 0 and 1, two PNG files differ by more than `tolerance` in a channel, and the
 * smallest box around these pixels. Pictures of different sizes differ everywhere.
 */
export async function difference(one, two, tolerance) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    return await page.evaluate(
      async ([one, two, tolerance]) => {
        const pixels = async (base64) => {
          const image = new Image();
          image.src = `data:image/png;base64,${base64}`;
          await image.decode();
          const { width, height } = image;
          const context = new OffscreenCanvas(width, height).getContext('2d');
          context.drawImage(image, 0, 0);
          return { width, height, data: context.getImageData(0, 0, width, height).data };
        };
        const [a, b] = [await pixels(one), await pixels(two)];
        if (a.width !== b.width || a.height !== b.height) return { part: 1 };
        let different = 0;
        let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
        for (let at = 0; at < a.data.length; at += 4) {
          if ([0, 1, 2].every((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) <= tolerance))
            continue;
          different++;
          const [x, y] = [(at / 4) % a.width, Math.floor(at / 4 / a.width)];
          [left, top] = [Math.min(left, x), Math.min(top, y)];
          [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
        }
        const box = different ? `between ${left},${top} and ${right},${bottom}` : undefined;
        return { part: different / (a.width * a.height), box };
      },
      [one.toString('base64'), two.toString('base64'), tolerance],
    );
  } finally {
    await browser.close();
  }
}
