// Requests, frames and idle callbacks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, follows, record } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

test('fetch: the response begins a task, which follows the call and nothing else', async () => {
  const { list, find } = await record(
    `<script>
    let first, second, left = 2;
    function see(what) { console.log(what); done = !--left }
    setTimeout(function ask() { fetch('/a.json').then(function got(response) { console.log(response.status); return response.json() }).then(function show(data) { first = data.x; see(first) }) }, 1);
    setTimeout(async function wait() { const response = await fetch('/b.json'); const data = await response.json(); second = data.x; see(second) }, 100);
  </script>`,
    { unordered: true, files: { '/a.json': '{"x":1}', '/b.json': '{"x":2}' } },
  );
  const shown = list.find(({ accesses }) => accesses.includes('write Window.first 1'));
  const second = list.find(({ accesses }) => accesses.includes('write Window.second 2'));
  assert.equal(shown.type, 'microtask');
  assert.ok(follows(list, shown, find('timer', 'ask')) && !follows(list, shown, find('timer', 'wait')));
  assert.equal(second.type, 'response');
  assert.equal(second.name, '/b.json');
  assert.ok(follows(list, second, find('timer', 'wait')) && !follows(list, second, find('timer', 'ask')));
});

test('two responses have no order', async () => {
  const { list } = await record(
    `<script>
    let shown, left = 2;
    for (const name of ['slow', 'fast'])
      fetch('/' + name + '.txt').then((response) => response.text()).then((text) => { shown = text; console.log(text); if (!--left) done = true });
  </script>`,
    { unordered: true, files: { '/slow.txt': ['slow', 120], '/fast.txt': 'fast' } },
  );
  const writers = ['fast', 'slow'].map((text) =>
    list.find(({ accesses }) => accesses.includes(`write Window.shown "${text}"`)),
  );
  assert.ok(!follows(list, writers[0], writers[1]) && !follows(list, writers[1], writers[0]));
});

test('a failed request rejects as it did', async () => {
  await record(
    `<script>
    let left = 2;
    function see(what) { console.log(what); done = !--left }
    fetch('/missing.txt').then((response) => see(response.status));
    fetch('http://').catch((error) => see(error.name));
  </script>`,
    { unordered: true },
  );
});

test('XMLHttpRequest: states in order, after send', async () => {
  const { list, find } = await record(
    `<script>
    let states = '';
    setTimeout(function send() {
      const request = new XMLHttpRequest();
      request.onreadystatechange = function state() { states += request.readyState };
      request.onload = function loaded() { console.log(states, request.responseText, this === request); done = true };
      request.open('GET', '/a.txt'); request.send();
    }, 1);
  </script>`,
    { files: { '/a.txt': 'text' } },
  );
  const states = list.filter(({ type }) => type === 'readystatechange');
  assert.equal(states.length, 3);
  assert.equal(states[0].from.by, find('timer', 'send'));
  assert.deepEqual(causes(states[1]), ['network readystatechange /a.txt']);
  assert.ok(follows(list, find('listener', 'loaded'), states[2]));
  assert.ok(find('timer', 'send').accesses.includes('write Window.states "1"'), 'open() dispatches inside');
});

test('animation frames and idle callbacks', async () => {
  const { find } = await record(`<script>
    requestAnimationFrame(function frame(time) { console.log(typeof time); requestIdleCallback(function idle(deadline) { console.log(typeof deadline.timeRemaining()); done = true }) });
    requestIdleCallback(function hurried() {}, { timeout: 1000 });
  </script>`);
  assert.equal(find('frame', 'frame').from.queue, 'r1.frames');
  assert.equal(find('idle', 'idle').from.by, find('frame', 'frame'));
  assert.equal(find('idle', 'hurried').from.queue, 'hurried');
});
