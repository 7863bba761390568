// To-do lists made with frameworks behave the same whether they are recorded or not: the same steps lead
// to the same document, fields, storage, console and requests.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { apps, buildAll } from './build.mjs';
import { launch, plainly, program, recorded } from './drive.mjs';
import { serve } from './server.mjs';

const steps = new URL('todo.steps', import.meta.url).pathname;
let browser;
before(async () => {
  await buildAll();
  browser = await launch();
});
after(() => browser.close());

/** A value as text, without the random number in the name of a property of jQuery. */
const text = (value) => JSON.stringify(value, null, 1).replace(/jQuery\d+/g, 'jQuery<number>');

/**
 * The parts of an app's behaviour that a server saw. Files may be requested in any order. Only the
 * recorder requests source maps.
 */
function seen({ dumps, requests }) {
  const isCall = (request) => request.includes(' /api/');
  const files = requests.filter((request) => !isCall(request) && !/\.map$/.test(request));
  const inOrder = dumps.toSorted((one, two) => one.at - two.at).map(({ at: _, ...dump }) => dump);
  const pieces = inOrder.flatMap((dump, at) =>
    Object.entries(dump).map(([name, value]) => [`${name} after dump ${at + 1}`, text(value)]),
  );
  return new Map([['calls', requests.filter(isCall).join('\n')], ['files', files.toSorted().join('\n')], ...pieces]);
}

async function withServer(change, use) {
  const server = await serve(change);
  try {
    const result = await use(server);
    return { seen: seen(server), result };
  } finally {
    server.close();
  }
}

/** An app in a plain browser and recorded. `change` edits what is served to both. */
const both = (app, change) =>
  Promise.all([
    withServer(change, ({ url }) => plainly(browser, `${url}${app}/`, steps)),
    withServer(change, ({ url }) => recorded(`${url}${app}/`, steps)),
  ]);

/** The parts in which two visits differ. */
const differences = (one, two) =>
  [...new Set([...one.keys(), ...two.keys()])].filter((name) => one.get(name) !== two.get(name));

/** The source files of the accesses of a recording. */
function files(recording) {
  // starts: own
  const { stdout } = spawnSync(program, ['convert', recording, '-', '--to', 'text'], { maxBuffer: 1 << 30 });
  return new Set(Array.from(stdout.toString().matchAll(/ src=(\S+?):\d+/g), ([, file]) => file));
}

/** A handwritten source file of each app, in which accesses must be found. */
const sources = {
  react: 'tests/apps/react/app.jsx',
  'react-dev': 'tests/apps/react/app.jsx',
  vue: 'tests/apps/vue/app.js',
  svelte: 'tests/apps/svelte/App.svelte',
  preact: 'tests/apps/preact/item.jsx',
  jquery: 'jquery/app.js',
};

for (const app of apps)
  test(`${app}: the same recorded and not`, async () => {
    const [plain, { seen: got, result }] = await both(app);
    assert.ok(plain.seen.has('html after dump 10'), 'every dump came');
    for (const name of differences(plain.seen, got)) assert.equal(got.get(name), plain.seen.get(name), name);
    assert.doesNotMatch(result.notes, /note: (unparsable|unrewritten|not-set-up|source-map|unreadable)/);
    assert.ok(files(result.out).has(sources[app]), [...files(result.out)].join('\n'));
  });

test('near miss: a page that notices the recorder is found out, whatever it then does', async () => {
  const notice = `if (window.__il) {
    document.documentElement.lang = 'il';
    console.info('recorded');
    localStorage.recorded = 1;
    fetch('/api/recorded');
    window.recorded = 1;
  }`;
  const change = (path, bytes) => (path === '/probe.js' ? `${bytes}\n${notice}` : bytes);
  const [plain, hooked] = await both('jquery', change);
  const expected = ['html', 'stored', 'globals', 'said'].map((name) => `${name} after dump 1`);
  const found = differences(plain.seen, hooked.seen);
  for (const name of ['calls', ...expected]) assert.ok(found.includes(name), `${name} in ${found}`);
});
