// What orders the events of a page, as the analysis of its recording finds: each page beside a near miss.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { close, open, visit } from './page.mjs';
import { report } from './report.mjs';

before(open);
after(close);

/** The locations of a page that race, sorted, of those whose names match. */
async function races(body, { files = {}, act, wanted = /^Window\.|handlers/ } = {}) {
  const page = `<!doctype html><html><head></head><body>${body}</body></html>`;
  const { lines } = await visit({ '/': page, ...files }, { act });
  const found = report(lines).races.map(({ location }) => location);
  return [...new Set(found)].filter((location) => wanted.test(location)).toSorted();
}

const slow = (path, delay) => ({ [path]: ['1', delay] });
const done = 'setTimeout(() => { window.done = true }, 300)';

test('a listener that was added late orders nothing that follows its call', async () => {
  const page = (listeners) =>
    `<button id="buy">Buy</button><script>setTimeout(() => { ${listeners} }, 20); ${done}</script>`;
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.click('#buy');
  };
  const buy = "buy.addEventListener('click', function order() {});";
  const move = "document.addEventListener('mousemove', function idle() {});";
  const late = ['button#buy.handlers(click)'];
  const wanted = /button#buy\.handlers\(click\)/;
  assert.deepEqual(await races(page(buy), { act, wanted }), late);
  assert.deepEqual(await races(page(move + buy), { act, wanted }), late);
});

test('a listener of focus that was added late does not order what the user types', async () => {
  const field = (script) => `<input id="q"><script>setTimeout(() => { ${script} }, 20); ${done}</script>`;
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.click('#q');
    await tab.keyboard.type('a');
  };
  const wanted = /^input#q\.value|^#q\.value/;
  const found = await races(field("q.addEventListener('focus', function mark() {}); q.value = 'x'"), { act, wanted });
  assert.equal(found.length, 1, found);
});

test('an unrelated reaction does not hide a race', async () => {
  const page = (unrelated) =>
    `<script>
    const loading = fetch('/api/slow');
    fetch('/api/first').then(function first() { window.cart = 1; });
    fetch('/api/second').then(function second() { ${unrelated} window.other = window.cart; });
    loading.then(function loaded() { }); ${done}</script>`;
  const files = { ...slow('/api/slow', 0), ...slow('/api/first', 40), ...slow('/api/second', 120) };
  const wanted = /Window\.cart/;
  assert.deepEqual(await races(page(''), { files, wanted }), ['Window.cart']);
  assert.deepEqual(await races(page('loading.then(() => {});'), { files, wanted }), ['Window.cart']);
});

test('a reaction to a response that came before orders nothing that follows it', async () => {
  const page = (read) =>
    `<script>
    const answer = fetch('/api/answer');
    setTimeout(function ask() {
      answer.then(function shown() { window.shown = 1; });
      queueMicrotask(function next() { ${read} });
    }, 150); ${done}</script>`;
  const files = slow('/api/answer', 0);
  const wanted = /Window\.shown/;
  assert.deepEqual(await races(page('window.other = window.shown'), { files, wanted }), ['Window.shown']);
  const known = `<script>
    const answer = Promise.resolve(1);
    setTimeout(function ask() {
      answer.then(function shown() { window.shown = 1; });
      queueMicrotask(function next() { window.other = window.shown });
    }, 50); ${done}</script>`;
  assert.deepEqual(await races(known, { wanted }), []);
});

test('pass-through reactions keep the cause', async () => {
  for (const through of [
    '.catch(() => {})',
    '.then()',
    '.finally(() => {})',
    '.catch(() => {}).then().finally(() => {})',
  ]) {
    const page = `<script>
      let response;
      async function load() {
        window.asked = 1;
        await fetch('/api/x')${through};
        window.other = window.asked;
        window.answered = 1;
        await fetch('/api/y')${through};
        window.last = window.answered;
      }
      load(); ${done}</script>`;
    const { lines } = await visit(
      { '/': `<!doctype html><body>${page}</body>`, '/api/x': ['1', 10], '/api/y': ['1', 10] },
      {},
    );
    assert.deepEqual(
      report(lines).races.map(({ location }) => location),
      [],
      through,
    );
    assert.ok(!lines.some((line) => /type=(unknown|settled)/.test(line)), `${through}: ${lines.join('\n')}`);
  }
});

test('the code after a call of an async function follows all of its code', async () => {
  const page = `<script>
    async function load() {
      await fetch('/api/x');
      for (let i = 0; i < 5; i++) await null;
      window.state = 1;
    }
    async function main() { await load(); window.other = window.state; }
    main(); load().then(() => { window.third = window.state }); ${done}</script>`;
  assert.deepEqual(await races(page, { files: slow('/api/x', 10), wanted: /Window\.(other|third)/ }), []);
});

test('a mutation observer is called after the changes that it reports', async () => {
  const page = `<p id="p"></p><script>
    new MutationObserver(function seen() { window.other = window.changed; }).observe(p, { attributes: true });
    Promise.resolve().then(function change() { window.changed = 1; p.title = 'x'; }); ${done}</script>`;
  assert.deepEqual(await races(page), []);
});
