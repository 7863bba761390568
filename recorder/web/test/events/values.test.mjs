// Values of accesses, and what reports conclude from them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { record } from './follow.mjs';
import { close, open } from './page.mjs';
import { report } from './report.mjs';

before(open);
after(close);

/** The values of the accesses of a location, as recorded. */
const values = (lines, name) =>
  lines
    .filter((line) => /^(read|write) /.test(line) && decodeURIComponent(line.split(' ')[1]) === name)
    .map((line) => `${line.split(' ')[0]} ${decodeURIComponent(/ value=(\S*)/.exec(line)[1])}`);

const click = async (page) => {
  await page.waitForTimeout(100);
  await page.click('#b');
};

test('a write of a variable has the value that its event leaves behind', async () => {
  const { lines } = await record(
    `<script>let total = 0; const fixed = 'f'; class Shape {}
    (function scope() { let n = 0; setTimeout(() => { n = 1; total = 1; n = 2; total = 2; n++; total++ }, 1); setTimeout(() => { console.log(n, total, fixed, Shape.name); done = true }, 20) })()</script>`,
  );
  assert.deepEqual(values(lines, 'closure(scope)@1.n'), ['write 3', 'read 2', 'read 3']);
  assert.deepEqual(values(lines, 'Window.total'), ['write 0', 'write 3', 'read 2', 'read 3']);
  assert.deepEqual(values(lines, 'Window.fixed'), ['write "f"', 'read "f"']);
  assert.match(values(lines, 'Window.Shape')[1], /^read function Shape@\d+$/);
});

/** The labels and hints of the races of each location, in the report of a page with a button `b`. */
async function verdicts(script) {
  const { lines } = await record(`<button id="b">b</button><script>${script}</script>`, { act: click });
  const { races } = report(lines, '--show', 'same-value');
  const told = races.map(({ location, labels, hints }) => [location, [...labels, ...hints.map(({ kind }) => kind)]]);
  return Object.fromEntries(told);
}

/** The verdicts on `place`, which a timer writes and a click reads. */
async function initialised(before, place, location) {
  const found = await verdicts(`(function scope() {
    ${before}
    setTimeout(() => { ${place} = [2] }, 30);
    b.onclick = () => { console.log(${place}?.length); window.done = true };
  })()`);
  return found[location].filter((verdict) => /uninitialised|access-before-definition/.test(verdict));
}

const object = 'Object(created at index.html:2)@1';
const missing = ['uninitialised', 'access-before-definition'];
for (const [before, place, location, expected] of [
  ['const o = { known: [1] }', 'o.known', `${object}.known`, []],
  ['const o = { none: null }', 'o.none', `${object}.none`, missing],
  ['const o = {}', 'o.added', `${object}.added`, missing],
  ['let given = [1]', 'given', 'closure(scope)@1.given', []],
  ['var assigned; assigned = [1]', 'assigned', 'closure(scope)@1.assigned', []],
  ['let nothing', 'nothing', 'closure(scope)@1.nothing', missing],
])
  test(`written late, and read by a click: ${before}`, async () => {
    assert.deepEqual(await initialised(before, place, location), expected);
  });

test('the ready state has a value from the start', async () => {
  const found = await verdicts(
    'document.onreadystatechange = () => {}; b.onclick = () => { console.log(document.readyState); window.done = true }',
  );
  assert.deepEqual(found['document.readyState'] ?? ['unseen'], ['unseen']);
});

const long = "'x'.repeat(100)";
for (const [one, other, expected] of [
  [`${long} + 'a'`, `${long} + 'b'`, []],
  [long, `${long} + ''`, ['same-value']],
  ['[1]', '[1]', []],
  ['shared', 'shared', ['same-value']],
])
  test(`values are compared whole: ${one} and ${other}`, async () => {
    const found = await verdicts(`var v; const shared = [1];
      setTimeout(() => { v = ${one} }, 30);
      b.onclick = () => { v = ${other}; window.done = true };`);
    assert.deepEqual(found['Window.v'], expected);
  });

test('reports show the readable part of a value', async () => {
  const { lines } = await record(
    `<button id="b">b</button><script>setTimeout(() => { v = [1] }, 30); b.onclick = () => { v = 'y'.repeat(99); window.done = true }</script>`,
    { act: click },
  );
  const race = report(lines).races.find(({ location }) => location === 'Window.v');
  assert.deepEqual([race.first.value, race.second.value].toSorted(), [`"${'y'.repeat(62)}…`, 'Array(1)']);
});
