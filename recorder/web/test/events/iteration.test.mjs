// Async iteration: the body of a loop is an event of its own, after what settled the iterator's promise.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { follows, record } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

test('for await: each round follows what settled it, and not what comes later', async () => {
  const { list, find } = await record(
    `<script>
    var round;
    const waits = [];
    const later = (value) => new Promise((resolve) => { waits.push(() => resolve(value)) });
    async function* source() { yield await later(1); yield later(2); yield* inner() }
    async function* inner() { yield 3 }
    (async function loop() { for await (const n of source()) { round = n; console.log(n) } done = true })();
    setTimeout(function one() { waits[0]() }, 20);
    setTimeout(function two() { waits[1]() }, 60);
  </script>`,
  );
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );
  const writer = (n) => list.find(({ accesses }) => accesses.includes(`write Window.round ${n}`));
  assert.ok(follows(list, writer(1), find('timer', 'one')) && !follows(list, writer(1), find('timer', 'two')));
  assert.ok(follows(list, writer(2), find('timer', 'two')) && follows(list, writer(3), find('timer', 'two')));
  assert.notEqual(writer(1), writer(2));
});

test('async iteration runs in the same turns as without a recorder', async () => {
  await record(
    `<script>
    const log = (...what) => console.log(...what);
    (async () => { for (let turn = 0; turn < 14; turn++) { await null; log('turn', turn) } })();
    (async () => {
      for await (const x of [1, Promise.resolve(2), { then(resolve) { resolve(3) } }]) log('array', x);
      const own = { i: 0, [Symbol.asyncIterator]() { log('asked'); return this }, next(...args) { log('next', args.length, this === own); return { done: this.i++ === 2, value: this.i } }, return(...args) { log('return', args.length); return {} } };
      for await (const x of own) { log('own', x); if (x === 2) break }
      const fails = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: Promise.reject('no') }), return() { log('closed'); return {} } }) };
      try { for await (const x of fails) log('never') } catch (error) { log('caught', error) }
      for (const wrong of [null, 5, {}, { [Symbol.asyncIterator]: () => 1 }]) try { for await (const x of wrong) log('never') } catch (error) { log(error.name) }
      async function* twice(n) { const got = yield n; log('got', got); try { yield* [n, Promise.resolve(n * 2)] } finally { log('finally') } return 'end' }
      const g = twice(4); log(JSON.stringify([await g.next(), await g.next('sent'), await g.next(), await g.return('early')]));
      const h = twice(5); const all = [h.next(), h.next(), h.next(), h.next()]; for (const one of all) log((await one).value);
      done = true;
    })();
  </script>`,
  );
});
