// Messages, observers, storage, and sources that the runtime does not know.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { follows, record } from './follow.mjs';
import { close, open, visit } from './page.mjs';

before(open);
after(close);

test('messages: each receiver has a queue, a delivery follows its send', async () => {
  const { list } = await record(
    `<script>
    let left = 5;
    function see(...what) { console.log(...what); done = !--left }
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = function port(event) { see('port', event.data) };
    addEventListener('message', function own(event) { see('window', event.data, event.source === window) });
    const [one, two] = [new BroadcastChannel('c'), new BroadcastChannel('c')];
    two.onmessage = function channel(event) { see('channel', event.data) };
    setTimeout(function first() { port1.postMessage(1); postMessage(1, '*'); postMessage(0, 'http://other.test') }, 1);
    setTimeout(function second() { port1.postMessage(2); postMessage(2) }, 50);
    setTimeout(function third() { one.postMessage(3) }, 100);
    console.log(one.constructor === BroadcastChannel, one instanceof BroadcastChannel, BroadcastChannel.name, String(BroadcastChannel));
  </script>`,
    { unordered: true },
  );
  const timer = (name) => list.find((event) => event.type === 'timer' && event.name === name);
  const parts = (name) => list.filter((event) => event.type === 'listener' && event.name === name);
  for (const name of ['port', 'own']) {
    assert.equal(parts(name).length, 2);
    assert.ok(follows(list, parts(name)[0], timer('first')) && !follows(list, parts(name)[0], timer('second')));
    assert.ok(follows(list, parts(name)[1], timer('second')) && !follows(list, parts(name)[1], timer('first')));
  }
  assert.ok(follows(list, parts('channel')[0], timer('third')));
  const queues = new Set(list.filter(({ type }) => type === 'message').map(({ from }) => from.queue));
  assert.equal(queues.size, 3);
});

test('a mutation observer is called in a microtask of the mutating task', async () => {
  const { list, find } = await record(`<p id="p"></p><script>
    const observer = new MutationObserver(function seen(records, self) { console.log(records.length, self === observer, this === observer); done = true });
    observer.observe(document.getElementById('p'), { childList: true });
    setTimeout(function change() { document.getElementById('p').append('x') }, 5);
    console.log(observer.constructor === MutationObserver, MutationObserver.length);
  </script>`);
  assert.ok(follows(list, find('microtask', 'seen'), find('timer', 'change')));
});

test('storage and cookies: a location for each key', async () => {
  const { find } = await record(`<script>
    setTimeout(function act() {
      localStorage.setItem('a', 1); localStorage.b = 'two'; console.log(localStorage.getItem('a'), localStorage.b, localStorage.c, sessionStorage.length);
      document.cookie = 'sid=5; path=/'; console.log(document.cookie); localStorage.clear(); done = true;
    }, 1);
  </script>`);
  const recorded = find('timer', 'act').accesses.filter((access) => /Storage|cookie/.test(access));
  assert.deepEqual(recorded.toSorted(), [
    'read cookie[sid] "5"',
    'read localStorage[a] "1"',
    'read localStorage[b] "two"',
    'read localStorage[c] null',
    'write cookie[sid] "5"',
    'write localStorage[a] null',
    'write localStorage[b] null',
  ]);
});

test('an unknown source is an event of its own, with one diagnostic', async () => {
  // A function of Chromium that has been replaced by others, which the runtime does not wrap.
  const { list, lines } = await record(
    `<script>
    var asked = 0;
    const answer = function answer() { asked++; console.log('answer'); done = true };
    webkitRequestFileSystem(0, 9, answer, answer);
  </script>`,
  );
  const unknown = list.filter(({ type }) => type === 'unknown');
  assert.equal(unknown.length, 1);
  assert.ok(unknown[0].accesses.includes('write Window.asked 1'));
  assert.equal(lines.filter((line) => line.startsWith('# diagnostic unknown-source')).length, 1);
});

test('a hostile page cannot break the runtime, nor hear of it', async () => {
  const { list } = await record(`<script>
    let heard = 0;
    const hear = (object, key) => { const { value } = Object.getOwnPropertyDescriptor(object, key); object[key] = function (...args) { heard++; return value.apply(this, args) } };
    hear(Array.prototype, 'push'); hear(Map.prototype, 'get'); hear(WeakMap.prototype, 'get'); hear(RegExp.prototype, 'exec'); hear(String.prototype, 'charCodeAt');
    hear(EventTarget.prototype, 'addEventListener'); hear(Element.prototype, 'getAttribute'); hear(Node.prototype, 'appendChild');
    Array.prototype[Symbol.iterator] = function* () { heard++ };
    Object.defineProperty(Object.prototype, 'get', { get() { heard++ }, configurable: true });
    Object.freeze(Promise.prototype); Object.freeze(EventTarget.prototype);
    setTimeout(function later() { document.getElementById('x'); Promise.resolve(1).then(() => {}); console.log(heard); done = true }, 1);
  </script>`);
  assert.ok(list.some(({ name }) => name === 'later'));
});

test('patched functions keep their descriptors', async () => {
  const describe = `const shape = (holder, key) => { const p = Object.getOwnPropertyDescriptor(holder, key) ?? {}; const f = p.value ?? p.get ?? p.set;
      return [key, p.writable, p.enumerable, p.configurable, typeof f === 'function' && [f.name, f.length, String(f), 'prototype' in f].join('|'), p.set && p.set.name].join(' ') };`;
  await record(`<script>${describe}
    for (const key of ['setTimeout', 'clearTimeout', 'fetch', 'queueMicrotask', 'requestAnimationFrame', 'postMessage', 'onclick', 'localStorage', 'MutationObserver']) console.log(shape(window, key));
    for (const [holder, keys] of [[EventTarget.prototype, ['addEventListener', 'removeEventListener']], [Promise.prototype, ['then', 'constructor']], [Promise, ['all', 'resolve']], [Element.prototype, ['innerHTML', 'getAttribute', 'className']],
      [HTMLInputElement.prototype, ['value']], [Document.prototype, ['cookie', 'getElementById', 'readyState']], [HTMLElement.prototype, ['onclick']], [Node.prototype, ['appendChild', 'textContent']]])
      for (const key of keys) console.log(shape(holder, key));
    for (const call of [() => EventTarget.prototype.addEventListener.call(1, 'x', () => {}), () => new setTimeout(), () => Promise.prototype.then.call({}), () => document.getElementById(), () => new MutationObserver(), () => MutationObserver(() => {})])
      try { console.log(call()) } catch (error) { console.log(error.name, error.message) }
    done = true;
  </script>`);
});

test('code made at run time is recorded, and looks as it did', async () => {
  const { list, find } = await record(`<div id="d"></div><script>
    var x = 1, y = 2;
    setTimeout("x = 5; console.log('string timer')", 1);
    setTimeout(function made() {
      const f = new Function('a', 'b', 'x = a + b; return x');
      console.log(f(1, 2), f.name, f.length, String(f), f.constructor === Function, Function('return this')() === window);
      console.log(eval('y = 7; x + y'), String(made).length > 100, String(eval('(function  g () {})')));
    }, 30);
    setTimeout(function insert() {
      const s = document.createElement('script'); s.textContent = 'var inserted = x; console.log("inserted")'; document.body.append(s);
      const d = document.getElementById('d'); d.innerHTML = '<button id="in" onclick="console.log(typeof x)">in</button>';
      d.setAttribute('onclick', 'y = 8; console.log("outer")'); document.getElementById('in').click(); setTimeout(() => { done = true }, 60);
    }, 60);
    setTimeout(function indirectly() { const local = 1; (0, eval)('var made = typeof local; y = 9'); window.eval('y = 10'); console.log(made, y, (0, eval)('this') === window, window.eval(5)) }, 90);
  </script>`);
  assert.ok(find('timer', 'indirectly').accesses.includes('write Window.y 10'));
  const writes = (name, access) => find('timer', name).accesses.includes(access);
  assert.equal(
    find('timer', 'text').from.by,
    list.find(({ type }) => type === 'script'),
  );
  assert.ok(writes('text', 'write Window.x 5'));
  assert.ok(writes('made', 'write Window.x 3'));
  assert.ok(writes('insert', 'write Window.inserted 3') && writes('insert', 'write Window.y 8'));
});

test('functions made from text that wait or yield are recorded, and look as they did', async () => {
  const { list } = await record(
    `<script>
    var seen = '';
    const made = (example, ...args) => new (Object.getPrototypeOf(example).constructor)(...args);
    const load = made(async () => {}, 'scope', 'with (scope) { const r = await fetch(address); window.seen = await r.text() } return seen');
    const pair = made(function* () {}, ['a', 'b'], 'yield a; yield b');
    const slow = made(async function* () {}, 'yield await Promise.resolve(7)');
    for (const f of [load, pair, slow]) console.log(f.name, f.length, String(f), f.constructor.name, f instanceof f.constructor, 'prototype' in f);
    for (const text of ['}, function* () {', 'await 1 +', 'return'])
      try { console.log(typeof made(async () => {}, text)) } catch (error) { console.log(error.name, error.message) }
    class Sub extends Object.getPrototypeOf(async () => {}).constructor {}
    console.log(new Sub('return 3') instanceof Sub, [...pair(1, 2)].join());
    load({ address: '/data' }).then(async (text) => {
      for await (const value of slow()) console.log(text, value);
      done = true;
    });
  </script>`,
    { files: { '/data': 'found' } },
  );
  assert.ok(list.some(({ accesses, type }) => accesses.includes('write Window.seen "found"') && type !== 'unknown'));
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );
});

test('frames of the same origin share one order of events', async () => {
  const { list, find } = await record(
    `<script>var shared = 0; function bump() { shared++ } let left = 2; function see(what) { console.log(what); done = !--left }</script><iframe src="/inner.html"></iframe>
    <script>document.querySelector('iframe').onload = function framed() { see('framed') }</script>`,
    {
      unordered: true,
      files: {
        '/inner.html':
          '<script>parent.bump(); setTimeout(function inner() { parent.bump(); parent.see("inner") }, 1)</script>',
      },
    },
  );
  assert.ok(find('timer', 'inner').accesses.includes('read Window.shared 1'));
  const load = list.find(({ type, name }) => type === 'load' && /iframe/.test(name));
  assert.ok(follows(list, find('listener', 'framed'), load));
  const script = list.filter(({ type }) => type === 'script')[2];
  assert.ok(list.some(({ accesses }) => accesses.includes('write inner.html/document.readyState "complete"')));
  assert.ok(follows(list, load, script), 'the scripts of a frame come before its load');
});

test('interfaces that are left alone have no handlers', async () => {
  const [, listed] = /`\n([^`]*)\n`/.exec(readFileSync(new URL('../../src/quiet.ts', import.meta.url), 'utf8'));
  const { log } = await visit(
    {
      '/': `<script>
        const isHandler = (key) => typeof key === 'string' && /^on[a-z]+$/.test(key);
        const names = ${JSON.stringify(listed.split(/\s+/))};
        console.log(names.filter((name) => name in window).length > 500);
        console.log(names.filter((name) => Reflect.ownKeys(window[name]?.prototype ?? {}).some(isHandler)).join());
        done = true;
      </script>`,
    },
    { recorded: false },
  );
  assert.deepEqual(log, ['true', '']);
});

test("a page's additions to such an interface are recorded, the platform's own properties are not", async () => {
  const { list } = await record(`<script>
    Range.prototype.mine = 1;
    Blob = class Mine {};
    setTimeout(() => {
      const range = document.createRange();
      setTimeout(() => { range.mine; range.collapsed; range.detach; range.START_TO_END; Blob; Text; done = true });
    });
  </script>`);
  const accesses = list.flatMap((event) => event.accesses);
  const recorded = accesses.filter((access) => /Range|Window\.(Blob|Text)/.test(access));
  assert.deepEqual(recorded, [
    'write Range.prototype.mine 1',
    'write Window.Blob function Mine',
    'read Range.prototype.mine 1',
    'read Window.Blob function Mine',
  ]);
});
