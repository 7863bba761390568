// Events of the platform's own objects: connections, readers, media and the window.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, follows, record, taskOf } from './follow.mjs';
import { close, open } from './page.mjs';
import { serveSockets } from './socket.mjs';

let sockets;
before(async () => {
  await open();
  sockets = await serveSockets((send, end, url) => {
    setTimeout(() => send('one'), 10);
    setTimeout(() => send('two'), 30);
    if (url === '/short') setTimeout(end, 50);
  });
});
after(async () => {
  sockets.close();
  await close();
});

/** Fails if an event has no known source. */
const allKnown = (list) =>
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );

test('a WebSocket: open after its construction, then its messages and its close in order', async () => {
  const { list, find } = await record(
    `<script>
    let got = [], left = 2;
    function see(socket) { console.log(socket); done = !--left }
    setTimeout(function connect() {
      const socket = new WebSocket('ws://127.0.0.1:${sockets.port}/short');
      socket.onopen = function opened() { got = []; };
      socket.addEventListener('message', function message(event) { got.push(event.data); });
      socket.onclose = function closed() { see(got.join() + socket.constructor.name + (socket instanceof WebSocket) + WebSocket.OPEN) };
    }, 1);
    setTimeout(function other() {
      const second = new WebSocket('ws://127.0.0.1:${sockets.port}/long');
      second.onmessage = function theirs(event) { if (event.data === 'two') see('other') };
    }, 1);
  </script>`,
    { unordered: true },
  );
  allKnown(list);
  const tasks = (name) => list.filter((event) => event.name === name).map((event) => taskOf(list, event));
  const [opened] = tasks('opened');
  const [one, two] = tasks('message');
  const [closed] = tasks('closed');
  assert.ok(follows(list, opened, find('timer', 'connect')));
  assert.ok(follows(list, one, opened) && follows(list, two, one) && follows(list, closed, two));
  const theirs = tasks('theirs');
  assert.ok(follows(list, theirs[0], find('timer', 'other')));
  for (const ours of [one, two])
    for (const other of theirs) assert.ok(!follows(list, other, ours) && !follows(list, ours, other));
  const message = list.find(({ type }) => type === 'message');
  assert.ok(causes(message).some((cause) => cause.startsWith('network open WebSocket')));
});

test('an EventSource: its events in order, after its construction', async () => {
  const { list, find } = await record(
    `<script>
    setTimeout(function listen() {
      const source = new EventSource('/feed.es');
      source.onmessage = function message(event) { console.log(event.data) };
      source.addEventListener('named', function named(event) { console.log('named', event.data) });
      source.onerror = function failed() { source.close(); console.log('failed'); done = true };
    }, 1);
  </script>`,
    { files: { '/feed.es': 'data: 1\n\ndata: 2\n\nevent: named\ndata: 3\n\n' } },
  );
  allKnown(list);
  const tasks = (name) => list.filter((event) => event.name === name).map((event) => taskOf(list, event));
  const [one, two] = tasks('message');
  const [[named], [failed]] = [tasks('named'), tasks('failed')];
  assert.ok(follows(list, one, find('timer', 'listen')) && follows(list, two, one));
  assert.ok(follows(list, named, two) && follows(list, failed, named));
});

test('a FileReader follows the call that reads, not only its construction; two readers have no order', async () => {
  const { list, find } = await record(
    `<script>
    let left = 2;
    function see(what) { console.log(what); done = !--left }
    const reader = new FileReader();
    reader.onload = function loaded() { see(reader.result) };
    setTimeout(function read() { reader.readAsText(new Blob(['text'])) }, 5);
    setTimeout(function again() { const other = new FileReader(); other.onload = function second() { see('second') }; other.readAsDataURL(new Blob(['x'])) }, 5);
  </script>`,
    { unordered: true },
  );
  allKnown(list);
  const [loaded, second] = [find('listener', 'loaded'), find('listener', 'second')];
  assert.ok(follows(list, loaded, find('timer', 'read')) && !follows(list, loaded, find('timer', 'again')));
  assert.ok(follows(list, second, find('timer', 'again')) && !follows(list, second, loaded));
});

test('media events follow each other, after what set the source', async () => {
  // A wave file of eight samples.
  const header = Buffer.alloc(44);
  header.write('RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 0, 'latin1');
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(8, 40);
  const url = `data:audio/wav;base64,${Buffer.concat([header, Buffer.alloc(8, 128)]).toString('base64')}`;
  const { list, find } = await record(
    `<audio id="a"></audio><script>
    const audio = document.getElementById('a');
    let changed = 0;
    audio.addEventListener('loadstart', function began() { console.log('began') });
    audio.onloadeddata = function loaded() { console.log('loaded'); done = changed };
    audio.onvolumechange = function louder() { changed = true };
    setTimeout(function set() { audio.src = '${url}'; audio.load() }, 5);
    setTimeout(function turn() { audio.volume = 0.5 }, 5);
  </script>`,
  );
  allKnown(list);
  const loaded = find('listener', 'loaded');
  assert.ok(follows(list, loaded, find('timer', 'set')) && follows(list, loaded, find('parse', 'audio#a')));
  assert.ok(follows(list, taskOf(list, loaded), find('loadstart')));
  assert.ok(follows(list, find('listener', 'louder'), find('timer', 'turn')));
});

test('events of the window and of objects that the page did not make are known by their type', async () => {
  const { list, find } = await record(
    `<script>
    let left = 2;
    function see(what) { console.log(what); done = !--left }
    setTimeout(function ask() { const query = matchMedia('(max-width: 500px)'); query.onchange = function narrow(event) { see('narrow ' + event.matches) } }, 1);
    addEventListener('offline', function offline() { see('offline') });
  </script>`,
    {
      unordered: true,
      act: async (page) => {
        await page.waitForTimeout(50);
        await page.setViewportSize({ width: 400, height: 300 });
        await page.context().setOffline(true);
      },
    },
  );
  allKnown(list);
  assert.ok(follows(list, find('listener', 'narrow'), find('timer', 'ask')));
  assert.equal(find('offline').name, 'window');
  assert.ok(!follows(list, find('offline'), find('timer', 'ask')));
});
