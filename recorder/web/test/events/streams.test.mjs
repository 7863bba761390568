// Streams that the page makes, observers, and functions that are passed once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { follows, record, taskOf } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

const allKnown = (list) =>
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );
const orderless = (list, a, b) => !follows(list, a, b) && !follows(list, b, a);

test('a source: start, pull, pull and cancel in order; a read follows the event that enqueued its chunk', async () => {
  const { list, find } = await record(
    `<script>
    var pulled = 0, fed;
    setTimeout(function make() {
      const stream = new ReadableStream({
        start(controller) { console.log('start', this.mark) },
        pull(controller) { pulled++; setTimeout(function feed() { controller.enqueue(pulled); if (pulled === 3) controller.close() }, 5) },
        cancel() { console.log('cancel') }, mark: 7,
      }, { highWaterMark: 0 });
      const reader = stream.getReader();
      (async function consume() {
        for (let n = 0; n < 3; n++) { const { value } = await reader.read(); fed = value; console.log(value) }
        done = (await reader.read()).done;
      })();
    }, 1);
  </script>`,
  );
  allKnown(list);
  const feeds = list.filter(({ name }) => name === 'feed');
  assert.equal(feeds.length, 3);
  for (const [at, feed] of feeds.entries()) {
    const reader = list.find(({ accesses }) => accesses.includes(`write Window.fed ${at + 1}`));
    assert.ok(follows(list, reader, feed), `read ${at}`);
    assert.ok(follows(list, feed, find('timer', 'make')));
  }
  assert.ok(follows(list, feeds[1], feeds[0]) && follows(list, feeds[2], feeds[1]));
});

test('a transform follows the write; the chunks of two streams have no order', async () => {
  const { list, find } = await record(
    `<script>
    let left = 2;
    function see(what) { console.log(what); done = !--left }
    var wrote, other;
    const pipe = new TransformStream({ transform(chunk, controller) { wrote = chunk; controller.enqueue(chunk * 2) }, flush() { console.log('flush') } });
    const writer = pipe.writable.getWriter();
    pipe.readable.getReader().read().then(function got({ value }) { see(value) });
    const sink = new WritableStream({ write(chunk) { other = chunk; see('sink') } }).getWriter();
    setTimeout(function first() { writer.write(4) }, 20);
    setTimeout(function second() { sink.write(5) }, 20);
  </script>`,
    { unordered: true },
  );
  allKnown(list);
  const transform = list.find(({ accesses }) => accesses.includes('write Window.wrote 4'));
  const write = list.find(({ accesses }) => accesses.includes('write Window.other 5'));
  const got = list.find(({ name }) => name === 'got');
  assert.ok(follows(list, transform, find('timer', 'first')) && follows(list, got, transform));
  assert.ok(follows(list, write, find('timer', 'second')));
  assert.ok(orderless(list, transform, write));
});

test('a stream that the browser reads: its source is called in tasks that follow each other', async () => {
  const { list } = await record(
    `<script>
    let n = 0;
    const stream = new ReadableStream(Object.freeze({ pull(controller) { if (n++ === 3) controller.close(); else controller.enqueue(new TextEncoder().encode('x')) } }));
    new Response(stream).text().then(function text(all) { console.log(all); done = true });
  </script>`,
  );
  allKnown(list);
  const calls = list.filter(({ name }) => name === 'pull');
  for (let at = 1; at < calls.length; at++) assert.ok(follows(list, calls[at], calls[at - 1]));
});

test('observers are called after the observe of what they report, and one call after the other', async () => {
  const { list, find } = await record(
    `<p id="a">a</p><p id="b" style="width: 50px">b</p><script>
    const [a, b] = ['a', 'b'].map((id) => document.getElementById(id));
    let calls = 0;
    const size = new ResizeObserver(function sized(entries) { calls++; console.log(entries.map(({ target }) => target.id).join()); done = calls === 3 });
    setTimeout(function first() { size.observe(a) }, 1);
    setTimeout(function second() { size.observe(b) }, 100);
    setTimeout(function third() { a.style.width = '10px' }, 200);
    new IntersectionObserver(function seen() {}).observe(a);
    new PerformanceObserver(function measured() {}).observe({ type: 'mark' });
    performance.mark('x');
  </script>`,
  );
  allKnown(list);
  const sized = list.filter(({ name }) => name === 'sized');
  assert.equal(sized.length, 3);
  const [first, second] = ['first', 'second'].map((name) => find('timer', name));
  assert.ok(follows(list, sized[0], first) && !follows(list, sized[0], second));
  assert.ok(follows(list, sized[1], second) && follows(list, sized[1], sized[0]) && follows(list, sized[2], sized[1]));
  const script = list.find(({ type }) => type === 'script');
  for (const name of ['seen', 'measured']) {
    assert.ok(follows(list, find('observer', name), script));
    assert.ok(orderless(list, find('observer', name), first));
  }
});

test('observers are called after the frames that were requested before, unless a frame is being drawn', async () => {
  const { list, find, lines } = await record(
    `<p id="a">a</p><p id="b">b</p><script>
    const seen = new IntersectionObserver(function seen() {});
    setTimeout(function start() {
      requestAnimationFrame(function early() { console.log('early') });
      new ResizeObserver(function sized() { console.log('sized') }).observe(a);
      seen.observe(a);
      requestAnimationFrame(function after() { console.log('after') });
    }, 1);
    setTimeout(function later() {
      requestAnimationFrame(function drawing() {
        requestAnimationFrame(function next() { console.log('next'); done = true });
        new ResizeObserver(function resized() { console.log('resized') }).observe(b);
      });
    }, 150);
  </script>`,
  );
  const post = (type, name) => {
    const { queue, display } = find(type, name).from;
    return { queue, display };
  };
  assert.ok(post('frame', 'early').display);
  const posted = (type, name) => lines.findIndex((line) => line.startsWith(`enqueue ${find(type, name).id} `));
  assert.ok(posted('frame', 'after') < posted('observer', 'sized'));
  assert.deepEqual(post('observer', 'sized'), post('frame', 'early'));
  assert.deepEqual(post('observer', 'seen'), post('frame', 'early'));
  assert.ok(!post('observer', 'resized').display);
  assert.notEqual(post('observer', 'resized').queue, post('frame', 'next').queue);
  assert.ok(follows(list, find('observer', 'resized'), find('frame', 'drawing')));
});

test('a mutation observer follows the observe of the node that changed, and no other', async () => {
  const { list, find } = await record(
    `<p id="a"></p><p id="b"></p><script>
    const observer = new MutationObserver(function seen(records) { console.log(records.length) });
    setTimeout(function one() { observer.observe(document.getElementById('a'), { childList: true, subtree: true }) }, 1);
    setTimeout(function two() { observer.observe(document.getElementById('b'), { childList: true }) }, 20);
    setTimeout(function change() { document.getElementById('a').append('x'); done = true }, 60);
  </script>`,
  );
  const seen = find('microtask', 'seen');
  assert.ok(follows(list, seen, find('timer', 'one')) && !follows(list, seen, find('timer', 'two')));
  assert.equal(taskOf(list, seen), find('timer', 'change'));
});

test('functions that are passed once follow the call; promises of the platform follow their then', async () => {
  const { list, find } = await record(
    `<canvas id="c"></canvas><script>
    let left = 4;
    function see(what) { console.log(what); done = !--left }
    setTimeout(function start() {
      document.getElementById('c').toBlob(function blob(result) { see(result.type) });
      scheduler.postTask(function posted() { see('posted') });
      document.fonts.ready.then(function fonts() { see('fonts') });
      createImageBitmap(new ImageData(9, 1)).then(function bitmap(image) { see(image.width) });
    }, 1);
    setTimeout(function unrelated() {}, 1);
  </script>`,
    { unordered: true },
  );
  allKnown(list);
  for (const name of ['blob', 'posted', 'fonts', 'bitmap']) {
    const event = list.find((event) => event.name === name);
    assert.ok(follows(list, event, find('timer', 'start')), name);
    assert.ok(orderless(list, event, find('timer', 'unrelated')), name);
  }
});
