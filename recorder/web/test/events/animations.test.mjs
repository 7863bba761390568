// Events of animations and transitions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { follows, record, taskOf } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

const task = (list, name) =>
  taskOf(
    list,
    list.find((event) => event.name === name),
  );

test('a transition: run, start and end in order, after the change of class that began it', async () => {
  const { list, find } = await record(
    `<style>#a { transition: width 30ms; width: 10px } .wide { width: 90px !important }</style><p id="a"></p><p id="b"></p><script>
    const a = document.getElementById('a');
    for (const type of ['run', 'start', 'end']) a.addEventListener('transition' + type, { ['on' + type]() {}, handleEvent: { ['t' + type]() { console.log(type); if (type === 'end') done = true } }['t' + type] });
    a.ontransitionrun = function ran() {}; a.ontransitionstart = function started() {}; a.ontransitionend = function ended() {};
    setTimeout(function widen() { a.className = 'wide' }, 100);
    setTimeout(function unrelated() { document.getElementById('b').className = 'x' }, 100);
  </script>`,
  );
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );
  const [ran, started, ended] = ['ran', 'started', 'ended'].map((name) => task(list, name));
  assert.ok(follows(list, ran, find('timer', 'widen')) && follows(list, ran, find('parse', 'p#a')));
  assert.ok(follows(list, started, ran) && follows(list, ended, started));
  assert.ok(!follows(list, ended, find('timer', 'unrelated')));
});

test('an animation that an insertion began does not follow older changes around it', async () => {
  const { list, find } = await record(
    `<style>@keyframes k { from { opacity: 0 } } .on { animation: k 20ms }</style><div id="box"></div><script>
    const box = document.getElementById('box');
    box.addEventListener('animationstart', function started() { console.log('start') });
    box.addEventListener('animationend', function ended() { console.log('end'); done = true });
    setTimeout(function before() { box.className = 'dark' }, 10);
    setTimeout(function insert() { const p = document.createElement('p'); p.id = 'p'; p.className = 'on'; box.append(p) }, 60);
  </script>`,
  );
  const [started, ended] = ['started', 'ended'].map((name) => task(list, name));
  assert.ok(follows(list, started, find('timer', 'insert')) && follows(list, ended, started));
  assert.ok(!follows(list, started, find('timer', 'before')));
});

test('the transitions that one change of an element began are in order; those of two elements or changes are not', async () => {
  const { list } = await record(
    `<style>p { transition: width 40ms, height 40ms, margin-left 90ms; width: 10px; height: 10px; margin-left: 0 }
      .wide { width: 90px; height: 90px; margin-left: 9px } .tall { height: 190px }</style>
    <p id="a"></p><p id="b"></p><p id="c"></p><script>
    const { a, b, c } = Object.fromEntries(Array.from('abc', (id) => [id, document.getElementById(id)]));
    const names = {};
    for (const p of [a, b, c])
      p.ontransitionend = function ended({ propertyName }) { names[p.id + propertyName] = true; if (names['cmargin-left']) done = true };
    setTimeout(function both() { a.className = 'wide'; b.className = 'wide' }, 50);
    setTimeout(function late() { b.style.height = '300px' }, 400);
    setTimeout(function last() { c.className = 'wide' }, 600);
  </script>`,
  );
  const ends = (id) => list.filter(({ type, name }) => type === 'transitionend' && name === `p#${id}`);
  const [a, b] = [ends('a'), ends('b')];
  assert.deepEqual([a.length, b.length], [3, 4]);
  assert.ok(follows(list, a[1], a[0]) && follows(list, a[2], a[1]), 'one change');
  assert.ok(!a.some((one) => b.some((two) => follows(list, two, one) || follows(list, one, two))), 'two elements');
  assert.ok(!follows(list, b[3], b[0]), 'two changes');
});
