// Three recordings of a page give the same fingerprints, although its names, times and objects differ.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { close, open, visit } from './page.mjs';
import { report } from './report.mjs';

before(open);
after(close);

const click = (id) => async (tab) => {
  await tab.waitForTimeout(80);
  await tab.click(`#${id}`);
};

/** The fingerprints and the locations of the races of three recordings, each sorted. */
async function thrice(body, { files = {}, act } = {}) {
  const page = `<!doctype html><html><head></head><body>${body}</body></html>`;
  const prints = [];
  const locations = [];
  for (let time = 0; time < 3; time++) {
    const { lines } = await visit({ '/': page, ...files }, { act });
    const { races } = report(lines);
    prints.push([...new Set(races.map(({ fingerprint }) => fingerprint))].toSorted());
    locations.push(races.map(({ location }) => location).toSorted());
  }
  return { prints, locations };
}

function same({ prints, locations }, least) {
  assert.ok(prints[0].length >= least, locations[0]);
  assert.deepEqual(prints[1], prints[0], `${locations[0]}\n${locations[1]}`);
  assert.deepEqual(prints[2], prints[0], `${locations[0]}\n${locations[2]}`);
}

test('names that a page draws at random do not matter', async () => {
  const found = await thrice(
    `<button id="b">b</button><script>
      const random = () => Math.random().toString(36).slice(2);
      const digits = (text) => text.replace(/\\D/g, '');
      const names = ['jQuery' + digits('3.6.0' + Math.random()), '__reactFiber$' + random(), '_reactListening' + random()];
      const cache = {};
      setTimeout(function load() { for (const name of names) { b[name] = 1; cache[name] = 2 } }, 10);
      b.onclick = function use() { for (const name of names) { window.seen = b[name]; window.last = cache[name] } };
      setTimeout(() => { window.done = true }, 300);
    </script>`,
    { act: click('b') },
  );
  same(found, 6);
  const drawn = found.locations.map((all) => all.filter((location) => /jQuery\d+|react/.test(location)).join());
  assert.equal(new Set(drawn).size, 3, 'the names differ between the recordings');
});

test('responses, late handlers, modules and frames', async () => {
  const page = `<button id="b">b</button><ul id="list"></ul><iframe src="inner.html"></iframe>
    <script type="module" src="one.mjs" async></script><script type="module" src="two.mjs" async></script><script>
    async function load(path) { const text = await (await fetch(path)).text(); window.result = text; list.innerHTML = text; }
    load('/api/a'); load('/api/b');
    setTimeout(function hydrate() { b.onclick = function use() { window.seen = window.result } }, 30);
    setTimeout(() => { window.done = true }, 400);
  </script>`;
  const files = {
    '/api/a': ['<li>a</li>', 40],
    '/api/b': ['<li>b</li>', 60],
    '/inner.html': '<!doctype html><script>setTimeout(function tell() { parent.inner = 1 }, 20)</script>',
    '/one.mjs': 'import "./shared.mjs"; window.one = 1;',
    '/two.mjs': ['import "./shared.mjs"; window.two = window.one;', 20],
    '/shared.mjs': 'window.shared = 1;',
  };
  same(await thrice(page, { files, act: click('b') }), 3);
});
