// IndexedDB: requests, transactions and keys.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { follows, record, taskOf } from './follow.mjs';
import { close, open } from './page.mjs';
import { report } from './report.mjs';

before(open);
after(close);

const task = (list, name) =>
  taskOf(
    list,
    list.find((event) => event.name === name),
  );
const allKnown = (list) =>
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );

test('upgradeneeded comes before success; the requests of a transaction are in order; keys are locations', async () => {
  const { list, find } = await record(
    `<script>
    var seen = [];
    setTimeout(function start() {
      const opening = indexedDB.open('shop', 1);
      opening.onupgradeneeded = function upgrade() { opening.result.createObjectStore('carts', { keyPath: 'id' }); console.log('upgrade') };
      opening.onsuccess = function opened() {
        const transaction = opening.result.transaction('carts', 'readwrite');
        const store = transaction.objectStore('carts');
        store.put({ id: 7, n: 1 }).onsuccess = function put(event) { console.log('put', event.target.result) };
        store.get(7).onsuccess = function got(event) { console.log('got', event.target.result.n) };
        transaction.oncomplete = function complete() { console.log('complete'); done = true };
      };
    }, 1);
  </script>`,
  );
  allKnown(list);
  const [upgrade, opened, put, got, complete] = ['upgrade', 'opened', 'put', 'got', 'complete'].map((n) =>
    task(list, n),
  );
  assert.ok(follows(list, upgrade, find('timer', 'start')) && follows(list, opened, upgrade));
  assert.ok(follows(list, put, find('listener', 'opened')) && follows(list, got, put) && follows(list, complete, got));
  const accesses = find('listener', 'opened').accesses.filter((access) => access.includes('indexedDB['));
  assert.deepEqual(accesses, ['write indexedDB[shop/carts/7] Object', 'read indexedDB[shop/carts/7] ?']);
});

test('read-write transactions are in order only if they were made in order', async () => {
  const page = (delays) => `<script>
    const opening = indexedDB.open('shop', 1);
    var first, second;
    opening.onupgradeneeded = function upgrade() { opening.result.createObjectStore('a') };
    opening.onsuccess = function opened() {
      const act = (name, set) => { opening.result.transaction('a', 'readwrite').objectStore('a').put(1, name).onsuccess = set };
      ${delays}
    };
    let left = 2;
    function see() { done = !--left }
  </script>`;
  const writes =
    'function one() { first = 1; shared = 1; see() }|function two() { second = 1; shared = 2; see() }'.split('|');
  const ordered = await record(page(`act('x', ${writes[0]}); act('y', ${writes[1]});`));
  allKnown(ordered.list);
  const races = ({ lines }) => report(lines).races.filter(({ location }) => location === 'Window.shared').length;
  assert.equal(races(ordered), 0, 'made in one event');
  const apart = await record(
    page(`setTimeout(() => act('x', ${writes[0]}), 5); fetch('/a.txt').then(() => act('y', ${writes[1]}));`),
    { files: { '/a.txt': ['a', 60] } },
  );
  allKnown(apart.list);
  assert.equal(races(apart), 1, 'made in two unordered events');
});
