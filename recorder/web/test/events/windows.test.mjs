// Windows that reach each other: messages, variables and timers of frames.
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

test('messages between a window and its frame follow their sends, and name their source', async () => {
  const { list, find } = await record(
    `<script>
    var answer;
    function start(frame) {
      setTimeout(function first() { frame.contentWindow.postMessage('one', '*') }, 20);
      setTimeout(function second() { frame.contentWindow.postMessage('two', '*') }, 60);
    }
    addEventListener('message', function back(event) { console.log(event.data, event.source === frames[0], event.origin === origin); if (event.data === 're two') done = true });
    </script><iframe src="/inner.html" onload="start(this)"></iframe>`,
    {
      unordered: true,
      files: {
        '/inner.html':
          '<script>addEventListener("message", function heard(event) { console.log(event.data, event.source === parent); event.source.postMessage("re " + event.data, "*") })</script>',
      },
    },
  );
  const heard = list.filter(({ name }) => name === 'heard').map((event) => taskOf(list, event));
  const back = list.filter(({ name }) => name === 'back').map((event) => taskOf(list, event));
  const [first, second] = ['first', 'second'].map((name) => find('timer', name));
  assert.ok(follows(list, heard[0], first) && !follows(list, heard[0], second));
  assert.ok(follows(list, heard[1], second) && !follows(list, heard[1], first));
  const listeners = list.filter(({ name }) => name === 'heard');
  assert.ok(follows(list, back[0], listeners[0]) && follows(list, back[1], listeners[1]));
});

test("a frame's variable is one location, whichever window reaches it, and its timers are its own", async () => {
  const { list, find } = await record(
    `<iframe src="/inner.html"></iframe><script>
    function reach() { const inner = document.querySelector('iframe').contentWindow; inner.count = 5; console.log(frames[0].count, inner.late); inner.setTimeout(function theirs() { done = true }, 1) }
    const wait = setInterval(function poll() { if (window.ready) { clearInterval(wait); reach() } }, 10);
    </script>`,
    {
      files: {
        '/inner.html':
          '<script>var count = 1; setTimeout(function own() { console.log(count); parent.ready = true }, 1)</script>',
      },
    },
  );
  assert.ok(find('timer', 'own').accesses.includes('read inner.html/Window.count 1'));
  const reach = list.find(({ accesses }) => accesses.includes('write inner.html/Window.count 5'));
  assert.equal(reach?.name, 'poll');
  assert.ok(!reach.accesses.some((access) => /Window@/.test(access)), reach.accesses.join('\n'));
  assert.equal(find('timer', 'theirs').from.by, reach);
});

test('a port that a window sends to its frame keeps the order of its messages', async () => {
  const { list, find } = await record(
    `<script>
    function start(frame) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = function back(event) { console.log(event.data); done = true };
      frame.contentWindow.postMessage('port', '*', [port2]);
      setTimeout(function late() { port1.postMessage(1) }, 50);
    }
    </script><iframe src="/inner.html" onload="start(this)"></iframe>`,
    {
      files: {
        '/inner.html':
          '<script>onmessage = function take(event) { const port = event.ports[0]; port.onmessage = function heard(inner) { port.postMessage(inner.data + 1) } }</script>',
      },
    },
  );
  assert.ok(follows(list, task(list, 'heard'), find('timer', 'late')));
  assert.ok(follows(list, task(list, 'back'), find('listener', 'heard')));
});
