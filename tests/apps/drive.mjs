// Performs the steps of a file on a page: by `interloper record web`, and in a plain browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../../', import.meta.url).pathname;
/** The program. */
export const program = process.env.INTERLOPER ?? `${root}target/debug/interloper`;
const patience = 10_000;

/** A folder for recordings, which is removed when this process ends. */
export const folder = mkdtempSync(join(tmpdir(), 'interloper-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let recordings = 0;

/** Launches the plain browser. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

/** The first argument of a step, a word or a text in double quotes, and the rest. */
function firstArgument(text) {
  const [, quoted, word, rest] = /^(?:"([^"]*)"|(\S+))\s+(.*)/.exec(text);
  return [quoted ?? word, rest];
}

/** Waits for an element and, if no input reaches its middle, scrolls it into the middle, as the recorder does. */
async function reach(page, selector) {
  const element = await page.waitForSelector(selector, { timeout: patience });
  await element.evaluate((it) => {
    const box = it.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const isReached = it.contains(at) || at?.closest('label')?.control === it;
    if (!isReached) it.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  });
}

async function click(page, selector) {
  await reach(page, selector);
  await page.click(selector, { timeout: patience });
}

async function type(page, selector, text) {
  await click(page, selector);
  await page.evaluate(() => document.activeElement.select());
  await page.keyboard.type(text);
}

async function scroll(page, rest) {
  const [, pixels, selector] = /^(\S+)\s*(.*)/.exec(rest);
  if (selector) await page.hover(selector, { timeout: patience });
  await page.mouse.wheel(0, Number(pixels));
}

async function select(page, selector, option) {
  await reach(page, selector);
  const byValue = await page.$(`${selector} option[value=${JSON.stringify(option)}]`);
  await page.selectOption(selector, byValue ? { value: option } : { label: option }, { timeout: patience });
}

async function submit(page, selector) {
  const form = page.locator(selector);
  const button = form.locator('button:not([type=button]), input[type=submit]');
  if (await button.count()) await button.first().click({ timeout: patience });
  else await form.locator('input').first().press('Enter');
}

const steps = {
  goto: (page, url, start) => page.goto(new URL(url, start).href),
  click,
  async hover(page, selector) {
    await reach(page, selector);
    await page.hover(selector, { timeout: patience });
  },
  press: (page, key) => page.keyboard.press(key),
  'wait-for': (page, selector) => page.waitForSelector(selector, { timeout: patience }),
  wait: (page, time) => page.waitForTimeout(Number(time)),
  type: (page, rest) => type(page, ...firstArgument(rest)),
  select: (page, rest) => select(page, ...firstArgument(rest)),
  scroll,
  submit,
};

/** Performs the steps of a file on a page that was loaded from `start`. */
export async function perform(page, start, file) {
  for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const [, word, rest] = /^([a-z-]+) (.*)/.exec(line) ?? [];
    if (!word) continue;
    await steps[word](page, rest, start).catch((error) => {
      throw new Error(`${file}:${at + 1}: ${line}: ${error.message}`);
    });
  }
}

/** Performs the steps in a plain browser. */
export async function plainly(browser, url, file) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  await perform(page, url, file);
  await context.close();
}

/** Performs the steps by the recorder, and returns its report and its messages about the recording. */
export async function recorded(url, file) {
  const out = join(folder, `${recordings++}.ilt`);
  const args = ['record', 'web', url, '--steps', file, '--out', out, '--format', 'json', '--fail-on', 'never'];
  args.push('--replay', 'none');
  // starts: own
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('utf8').on('data', (text) => (said[stream] += text));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`interloper record web: ${said.stderr}`);
  return { report: JSON.parse(said.stdout), notes: said.stderr, out };
}
