// Runs a page in Chromium, recorded or not, and returns the outcome. The rewriter's example program
// rewrites the scripts. Only the files that a test names are served.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { Rewriter } from 'interloper-js-recorder/rewriter';

const bundle = readFileSync(new URL('../../dist/record.js', import.meta.url), 'utf8');
const world = readFileSync(new URL('../../dist/conditions.js', import.meta.url), 'utf8');
const origin = 'http://page.test';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let browser;
let rewriter;
let sites = 0;

export async function open() {
  browser = await chromium.launch({
    executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      // Documents are answered by the test and have no address, so these checks would refuse its servers.
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets',
    ],
  });
  rewriter = new Rewriter();
}

export async function close() {
  rewriter.close();
  await browser.close();
}

const texts = [];

async function rewrite(source, kind, url, options = {}) {
  const site = sites;
  const script = texts.push(source) - 1;
  const done = await rewriter.rewrite({ source, kind, url, script, site, ...options });
  sites += done.sites?.length ?? 0;
  return done.code ?? source;
}

/** Rewrites the scripts and handlers of simple markup. */
async function rewriteMarkup(text) {
  const pieces = [];
  let last = 0;
  const found = /<script([^>]*)>([\s\S]*?)<\/script>|\son(\w+)="([^"]*)"/g;
  for (const match of text.matchAll(found)) {
    pieces.push(text.slice(last, match.index));
    last = match.index + match[0].length;
    if (match[3]) {
      const code = await rewrite(match[4], 'handler', `${origin}/index.html`);
      pieces.push(` on${match[3]}="${code.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
    } else {
      const kind = /type="?module/.test(match[1]) ? 'module' : 'script';
      const code = await rewrite(match[2], kind, `${origin}/index.html`);
      pieces.push(`<script${match[1]}>${code}</script>`);
    }
  }
  return pieces.join('') + text.slice(last);
}

/** The body of a file, served after a delay in milliseconds if it is a pair. */
async function answer(route, files, recorded) {
  const url = new URL(route.request().url());
  if (url.pathname === '/__interloper__/rewrite') {
    const { kind, source } = JSON.parse(route.request().postData());
    if (kind === 'html') return route.fulfill({ body: await rewriteMarkup(source) });
    const { strict } = JSON.parse(route.request().postData());
    const kinds = { function: 'body', indirect: 'eval' };
    const options = { direct: kind === 'eval', strict };
    return route.fulfill({ body: await rewrite(source, kinds[kind] ?? kind, origin, options) });
  }
  const number = /^\/__interloper__\/source\/(\d+)$/.exec(url.pathname)?.[1];
  if (number) return route.fulfill({ body: texts[number], contentType: 'text/plain;charset=utf-8' });
  const file =
    typeof files === 'function'
      ? await files(url, route.request().method())
      : (files[url.pathname + url.search] ?? files[url.pathname]);
  if (file === undefined) return route.fulfill({ status: 404, body: 'no such file' });
  let [body, delay] = Array.isArray(file) ? file : [file, 0];
  if (delay) await pause(delay);
  const type = /\.(\w+)$/.exec(url.pathname)?.[1] ?? (url.pathname.startsWith('/api/') ? 'json' : 'html');
  if (recorded && type === 'html') body = await rewriteMarkup(body);
  if (recorded && type === 'js') body = await rewrite(body, 'script', url.href);
  if (recorded && type === 'mjs') body = await rewrite(body, 'module', url.href);
  const types = {
    html: 'text/html',
    js: 'text/javascript',
    mjs: 'text/javascript',
    json: 'application/json',
    txt: 'text/plain',
    svg: 'image/svg+xml',
    css: 'text/css',
    es: 'text/event-stream',
  };
  return route.fulfill({ body, contentType: `${types[type]};charset=utf-8` });
}

/** Reads packed accesses (docs/recording-web-runtime.md, "Accesses by number"). */
function* unpacked(text) {
  let at = 0;
  let location = 0;
  let site = 0;
  const number = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 32) {
      const digit = text.charCodeAt(at++) - 0x30;
      if (!(digit >= 0 && digit < 64)) throw new Error(`${text} is malformed`);
      value += unit * (digit % 32);
      if (digit < 32) return value;
    }
  };
  const signed = () => {
    const value = number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  while (at < text.length) {
    const bits = text.charCodeAt(at++) - 0x30;
    location += signed();
    const index = bits & 2 ? number() : undefined;
    if (bits & 4) site += signed();
    const value = bits & 8 ? { integer: signed() } : { number: number() };
    yield { write: (bits & 1) !== 0, location, index, site: bits & 4 ? site : undefined, value };
  }
}

/**
 * Returns a function that puts names and values into the lines that refer to them by number. Each document has
 * numbers of its own.
 */
function named() {
  const documents = new Map();
  return (document, line) => {
    if (!documents.has(document)) documents.set(document, new Map());
    const names = documents.get(document);
    const meaning = (number) => {
      if (!names.has(number)) throw new Error(`${line} refers to nothing`);
      return names.get(number);
    };
    const [, defined, owner, name] = /^=(\d+)(?: (\d+))? (\S+)$/.exec(line) ?? [];
    if (defined) {
      if (names.has(+defined)) throw new Error(`${line} is not the first definition`);
      names.set(+defined, (owner === undefined ? '' : meaning(+owner)) + name);
      return [];
    }
    if (line[0] !== '*') return [line];
    return Array.from(unpacked(line.slice(1)), ({ write, location, index, site, value }) => {
      const element = index === undefined ? '' : `[${index}]`;
      const text = value.integer ?? meaning(value.number);
      const at = site === undefined ? '' : ` site=${site}`;
      return `${write ? 'write' : 'read'} ${meaning(location)}${element} value=${text}${at}`;
    });
  };
}

/** Finds elements as a test's driver does, by selectors of CSS only. */
const finder = `({
  parseSelector: (selector) => selector,
  querySelectorAll: (selector, root) => [...root.querySelectorAll(selector)],
  elementState: (element, state) => ({ matches: element.checkVisibility() === (state !== 'hidden') }),
})`;

/**
 * Loads `/` of the files, acts, and waits until the page sets `window.done` or a second has passed. `conditions` are
 * those of a test that drives the page, each with the name of its location.
 * The result has the lines of the recording, what the page logged, and its errors.
 */
export async function visit(
  files,
  { recorded = true, act = async () => {}, input = 'user', path = '/', conditions = [] } = {},
) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const lines = [];
  const log = [];
  page.on('console', (message) => log.push(message.text()));
  page.on('pageerror', (error) => log.push(`error ${error.message.replace(/__il\S*/g, '')}`));
  await context.route('**/*', (route) => answer(route, files, recorded));
  const session = await context.newCDPSession(page);
  if (recorded) {
    const name = named();
    session.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
      const sent = payload.split('\n').filter(Boolean);
      lines.push(...sent.flatMap((line) => name(executionContextId, line)));
    });
    await session.send('Runtime.enable');
    await session.send('Runtime.addBinding', { name: '__il_send' });
    const test = { channel: 'il-test', names: conditions.map((condition) => condition.name) };
    const settings = JSON.stringify({ realm: 1, binding: '__il_send', input, test });
    await session.send('Page.enable');
    if (conditions.length > 0) {
      const source = `${world.trim()}.start(() => ${finder}, ${JSON.stringify(conditions)}, 'il-test')`;
      await session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: 'interloper' });
    }
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `${bundle.trim()}.start(${settings})` });
  }
  await page.goto(origin + path, { waitUntil: 'load' });
  // Not through Playwright's own helpers, which run in the page's world.
  const evaluate = async (expression) => (await session.send('Runtime.evaluate', { expression })).result.value;
  await act(page, evaluate);
  for (let waited = 0; waited < 30 && !(await evaluate('!!window.done')); waited++) await pause(50);
  if (recorded) await evaluate('__il_flush()');
  await pause(30);
  await context.close();
  return { lines, log };
}

/** The part of a value that reports show: without the object's number or the hash of what was cut. */
const readable = (value) => value.replace(/@[\d.]+$|(?<=…"?)#[0-9a-f]{13}$/, '');

/** The events of a recording by their order: type, name, operations inside, and causes. */
export function events(lines) {
  const list = [];
  const byId = new Map();
  const posted = new Map();
  const registered = new Map();
  let open;
  const get = (id) => {
    if (!byId.has(id)) byId.set(id, { id, after: [], accesses: [] });
    return byId.get(id);
  };
  for (const line of lines) {
    const [operation, ...words] = line.split(' ');
    const keys = Object.fromEntries(
      words
        .filter((w) => w.includes('='))
        .map((w) => [w.slice(0, w.indexOf('=')), decodeURIComponent(w.slice(w.indexOf('=') + 1))]),
    );
    const name = words[0] && decodeURIComponent(words[0]);
    if (operation === 'begin') {
      if (open) throw new Error(`${line} inside ${open.id}`);
      open = get(name);
      Object.assign(open, { type: keys.type, name: keys.name, from: posted.get(name) });
      list.push(open);
    } else if (operation === 'end') {
      if (open?.id !== name) throw new Error(`${line} inside ${open?.id}`);
      open = undefined;
    } else if (operation === 'enqueue') {
      const [input, display] = ['input', 'display'].map((flag) => words.includes(flag));
      posted.set(name, { by: open, queue: words[1], delay: keys.delay, input, display });
    } else if (operation === 'register') registered.set(name, open);
    else if (operation === 'invoke') open.registrar = registered.get(name);
    else if (operation === 'arc') get(words[1]).after.push({ event: get(words[0]), by: keys.by ?? '' });
    else if (operation === 'read' || operation === 'write') {
      if (!open) throw new Error(`${line} outside of events`);
      open.accesses.push(`${operation} ${name} ${readable(keys.value)}`);
    } else if (!['location', 'attach', '#'].includes(operation)) throw new Error(`what is ${line}`);
  }
  if (open) throw new Error(`${open.id} never ends`);
  return list;
}
