// The events, causes and locations that each source records in Chromium. Each test also checks that the
// page behaves as it does without a recorder.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, follows, record, taskOf } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

test('the parser inserts in document order, and scripts wait for what is before them', async () => {
  const { list, find } = await record(
    '<p id="a"></p><script>document.getElementById("b"); document.getElementById("a")</script><p id="b"></p>' +
      '<script>document.getElementById("b")</script>',
  );
  const [first, second] = list.filter(({ type }) => type === 'script');
  const a = find('parse', 'p#a');
  const b = find('parse', 'p#b');
  assert.ok(follows(list, first, a) && follows(list, b, first) && follows(list, second, b));
  assert.deepEqual(a.accesses, ['write document.getElementById(a) p#a']);
  assert.deepEqual(first.accesses, ['read document.getElementById(b) null', 'read document.getElementById(a) p#a']);
  assert.deepEqual(second.accesses, ['read document.getElementById(b) p#b']);
});

test('deferred scripts follow the parser; async and inserted ones only what inserted them', async () => {
  const { list, find } = await record(
    '<script src="defer.js" defer></script><script src="async.js" async></script>' +
      '<script>const s = document.createElement("script"); s.src = "free.js"; document.body.append(s);' +
      'addEventListener("load", function all() { console.log("all"); done = true })</script><p id="last"></p>',
    { files: { '/defer.js': 'var d = 1', '/async.js': ['var a = 1', 60], '/free.js': ['var f = 1', 90] } },
  );
  const last = find('parse', 'p#last');
  const ready = find('DOMContentLoaded');
  const load = find('load', 'load');
  const inserter = find('script', 'index.html');
  const [defer, async, free] = ['defer.js', 'async.js', 'free.js'].map((name) => find('script', name));
  assert.ok(follows(list, defer, last) && follows(list, ready, defer) && follows(list, load, ready));
  assert.ok(!follows(list, async, last) && follows(list, async, find('parse', 'body>script:2')));
  assert.ok(!follows(list, free, last) && follows(list, free, inserter));
  assert.ok(!follows(list, free, async) && !follows(list, async, free));
  assert.ok(follows(list, load, free) && follows(list, load, async));
  assert.ok(follows(list, find('listener', 'all'), load));
});

test('modules run deferred, each after what it imports', async () => {
  const { list, find } = await record('<script type="module" src="main.mjs"></script><p id="last"></p>', {
    files: {
      '/main.mjs': 'import { x } from "./dep.mjs"; console.log(x); done = true',
      '/dep.mjs': 'export const x = 7',
    },
  });
  assert.ok(follows(list, find('module', 'main.mjs'), find('script', 'dep.mjs')));
  assert.ok(follows(list, find('script', 'dep.mjs'), find('parse', 'p#last')));
  assert.ok(follows(list, find('DOMContentLoaded'), find('script', 'dep.mjs')));
});

test('timers: posted with their delay, cleared by a write, intervals tick in order', async () => {
  const { list, find, lines } = await record(
    `<script>
    let ticks = 0, called = false;
    const handle = setInterval(function tick() { console.log('tick', this === window); if (++ticks === 3) { clearInterval(handle); done = called } }, 5);
    setTimeout(function once(a, b) { console.log(a, b); called = true; done = ticks === 3 }, 1.9, 'a', 'b');
    clearTimeout(setTimeout(function never() {}, 1));
    console.log(setTimeout.name, setTimeout.length, String(setTimeout));
    try { setTimeout() } catch (error) { console.log(error.name) }
  </script>`,
    { unordered: true },
  );
  const ticks = list.filter(({ name }) => name === 'tick');
  assert.equal(ticks.length, 3);
  assert.deepEqual(causes(ticks[1]), ['interval timer tick']);
  assert.equal(find('timer', 'once').from.delay, '1');
  assert.equal(find('timer', 'once').from.by.type, 'script');
  assert.ok(find('timer', 'once').accesses.includes('read Timer(created at index.html:4)@1 set'));
  assert.ok(ticks[2].accesses.includes('write Timer(created at index.html:3)@1 cleared'));
  assert.ok(lines.some((line) => line === 'attach r1.timers'));
  assert.ok(!list.some(({ name }) => name === 'never'));
});

test('a raised delay has a queue of its own', async () => {
  const { list } = await record(`<script>
    function nest(depth) { if (depth < 8) setTimeout(nest, 0, depth + 1); else done = true }
    nest(0);
  </script>`);
  const queues = list.filter(({ name }) => name === 'nest').map(({ from }) => from.queue);
  assert.deepEqual(queues, [...Array(5).fill('r1.timers'), ...Array(3).fill('r1.timers(clamped)')]);
});

test('listeners: a dispatch reads the handler list, each call is a part, adding comes first', async () => {
  const { list, find } = await record(
    `<button id="b">b</button><script>
    const button = document.getElementById('b');
    function first(event) { console.log('first', this === button, event.type); queueMicrotask(function between() { console.log('between') }) }
    button.addEventListener('click', first);
    button.addEventListener('click', first);
    button.addEventListener('click', { handleEvent(event) { console.log('object', this !== button) } }, { once: true });
    button.onclick = function property() { console.log('property', button.onclick === property) };
    function removed() { console.log('removed') }
    button.addEventListener('click', removed);
    button.removeEventListener('click', removed);
    document.addEventListener('click', function last() { console.log('last'); done = true });
  </script>`,
    { act: (page) => page.click('#b') },
  );
  const click = find('click');
  const parts = list.slice(list.indexOf(click) + 1, list.indexOf(click) + 6);
  assert.deepEqual(
    parts.map(({ type, name }) => `${type} ${name}`),
    ['listener first', 'microtask between', 'listener on click', 'listener property', 'listener last'],
  );
  assert.ok(parts.filter(({ type }) => type === 'listener').every(({ registrar }) => registrar.type === 'script'));
  assert.ok(click.accesses.some((access) => access.startsWith('read button#b.handlers(click) first,')));
  assert.ok(click.accesses.includes('read document.handlers(click) last'));
  assert.ok(causes(click).includes('target parse button#b'));
  assert.ok(!follows(list, click, parts[0].registrar), 'a dispatch does not wait for its handlers');
});

test('a late handler: the dispatch reads the list that nobody has written yet', async () => {
  const { list, find } = await record(
    '<button id="b">b</button><script>const wait = setInterval(function attach() { if (!window.go) return; clearInterval(wait);' +
      'document.getElementById("b").addEventListener("click", () => {}); done = true }, 10)</script>',
    {
      act: async (page, evaluate) => {
        await page.click('#b');
        await evaluate('go = true');
      },
    },
  );
  const attach = list.find(({ accesses }) => accesses.includes('write button#b.handlers(click) on click'));
  assert.ok(find('click').accesses.includes('read button#b.handlers(click) none'));
  assert.equal(attach.type, 'timer');
  assert.ok(!follows(list, attach, find('click')) && !follows(list, find('click'), attach));
});

test('handler attributes run in the dispatch, after the element', async () => {
  const { list, find } = await record(
    '<button id="b" onclick="console.log(typeof f, this.id, event.type); done = true">b</button><script>function f() {}</script>',
    { act: (page) => page.click('#b') },
  );
  assert.deepEqual(find('parse', 'button#b').accesses.slice(0, 1), ['write button#b.handlers(click) onclick']);
  assert.ok(find('listener').accesses.includes('read Window.f function f'));
  assert.ok(follows(list, find('listener'), find('parse', 'button#b')));
  assert.ok(!follows(list, find('listener'), find('script')));
});

test('a synthetic event stays inside its dispatcher', async () => {
  const { list, find } = await record(`<button id="b">b</button><script>
    const button = document.getElementById('b');
    let seen = 0;
    button.addEventListener('click', () => { seen++; console.log('in') });
    setTimeout(function poke() { button.click(); console.log('out'); button.focus(); button.dispatchEvent(new Event('click')); done = true }, 1);
  </script>`);
  assert.ok(!list.some(({ type }) => type === 'listener' || type === 'click' || type === 'focus'));
  assert.ok(
    find('timer', 'poke').accesses.includes('write Window.seen 2') || find('timer', 'poke').accesses.length > 0,
  );
});

test('promises: reactions are parts of the task that settles, and follow their then', async () => {
  const { list, find } = await record(`<script>
    let open;
    const gate = new Promise(function (resolve) { open = resolve });
    gate.then(function early(value) { console.log('early', value); return value + 1 })
      .then(function next(value) { console.log('next', value) });
    setTimeout(function settle() { open(1); console.log('opened') }, 5);
    setTimeout(function later() { gate.then(function late(value) { console.log('late', value); done = true }) }, 40);
  </script>`);
  assert.ok(follows(list, find('microtask', 'early'), find('timer', 'settle')));
  assert.ok(follows(list, find('microtask', 'next'), find('microtask', 'early')));
  assert.ok(follows(list, find('microtask', 'late'), find('timer', 'later')));
  assert.ok(follows(list, find('microtask', 'late'), find('timer', 'settle')), 'settled in another task');
});

test('await: what follows is a reaction, normally and by a throw', async () => {
  const { list, find } = await record(`<script>
    const after = (milliseconds, act) => new Promise((resolve, reject) => setTimeout(act === 'no' ? function no() { reject(new Error('no')) } : function yes() { resolve('yes') }, milliseconds));
    let state = 'none';
    (async function run() {
      console.log(await after(5)); state = 'first';
      try { await after(5, 'no') } catch (error) { console.log(error.message); state = 'second' }
      console.log(await 3, await { then(resolve) { resolve('thenable') } });
      state = 'third'; done = true;
    })();
    Promise.resolve().then(() => console.log('one')).then(() => console.log('two'));
    (async () => { await null; console.log('uno'); await null; console.log('due') })();
  </script>`);
  const writer = (value) => list.find(({ accesses }) => accesses.includes(`write Window.state "${value}"`));
  assert.ok(follows(list, writer('first'), find('timer', 'yes')));
  assert.ok(follows(list, writer('second'), find('timer', 'no')));
  assert.equal(writer('third').type, 'microtask');
});

test('all waits for every input, race and any for the winner', async () => {
  const { list, find } = await record(`<script>
    const wait = (milliseconds, name) => new Promise((resolve) => setTimeout({ [name]() { resolve(name) } }[name], milliseconds));
    const inputs = [wait(5, 'a'), wait(25, 'b'), wait(45, 'c')];
    Promise.all(inputs).then(function all(values) { console.log(values.join()) });
    Promise.race(inputs).then(function race(value) { console.log(value) });
    Promise.any(inputs).then(function any(value) { console.log(value) });
    Promise.allSettled(inputs).then(function settled(values) { console.log(values.length); done = true });
  </script>`);
  for (const name of ['a', 'b', 'c']) {
    assert.ok(follows(list, find('microtask', 'all'), find('timer', name)));
    assert.ok(follows(list, find('microtask', 'settled'), find('timer', name)));
    assert.equal(follows(list, find('microtask', 'race'), find('timer', name)), name === 'a');
    assert.equal(follows(list, find('microtask', 'any'), find('timer', name)), name === 'a');
  }
});

test('an unhandled rejection is still one', async () => {
  await record(`<script>
    addEventListener('unhandledrejection', (event) => { console.log('unhandled', event.reason); event.preventDefault(); done = true });
    (async () => { throw 'lost' })();
    (async () => { try { await Promise.reject('kept') } catch (error) { console.log(error) } })();
  </script>`);
});

test('import(): the module runs first, then what waits for it', async () => {
  const { list, find } = await record(
    '<script>setTimeout(function ask() { import("/dep.mjs").then(function got(module) { console.log(module.x); done = true }) }, 1)</script>',
    { files: { '/dep.mjs': 'export const x = 7' } },
  );
  const got = find('import', 'dep.mjs');
  assert.ok(follows(list, got, find('script', 'dep.mjs')) && follows(list, got, find('timer', 'ask')));
});

test('a handler attribute that a script sets comes before its calls', async () => {
  const { list, find } = await record(
    '<button id="b">b</button><script>setTimeout(function set() { document.getElementById("b").setAttribute("onclick", "console.log(this.id)") }, 1)</script>',
    {
      act: async (page) => {
        await page.waitForTimeout(60);
        await page.click('#b');
      },
    },
  );
  assert.ok(follows(list, find('listener', 'on click'), find('timer', 'set')));
  assert.ok(!follows(list, find('click'), find('timer', 'set')));
});

test('an image loads after what gave it its address, not after what inserted it; a click does not wait for it', async () => {
  const files = { '/a.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>' };
  const { list, find } = await record(
    `<img id="still" width="20" height="20"><script>
    let image;
    setTimeout(function set() {
      image = document.createElement('img');
      image.addEventListener('load', function loaded() { console.log('loaded') });
      image.setAttribute('srcset', '/a.svg 1x');
    }, 50);
    setTimeout(function insert() { document.body.append(image) }, 250);
    document.querySelector('#still').onclick = function clicked() { console.log('clicked'); done = true };
    setTimeout(function swap() { document.querySelector('#still').src = '/a.svg' }, 100);
  </script>`,
    { files, act: async (tab) => (await tab.waitForTimeout(400), await tab.click('#still')) },
  );
  const load = taskOf(
    list,
    list.find(({ name }) => name === 'loaded'),
  );
  assert.ok(follows(list, load, find('timer', 'set')) && !follows(list, load, find('timer', 'insert')));
  const click = list.find(({ type }) => type === 'click');
  assert.ok(!follows(list, click, find('timer', 'swap')));
});

test('an image loads after what set its source, and reading readyState reads', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const { list, find } = await record(
    `<script>const image = new Image();
    image.onload = function loaded() { console.log('loaded', document.readyState); done = true };
    setTimeout(function set() { image.src = '/a.svg' }, 100)</script>`,
    { files: { '/a.svg': svg } },
  );
  assert.ok(follows(list, find('listener', 'loaded'), find('timer', 'set')));
  assert.ok(find('listener', 'loaded').accesses.includes('read document.readyState "complete"'));
});

test('an uncaught error is reported inside its task', async () => {
  const { list, find } = await record(`<script>
    addEventListener('error', function failed(event) { console.log(event.message); event.preventDefault(); done = true });
    setTimeout(function fail() { throw new Error('oh') }, 1);
  </script>`);
  assert.ok(follows(list, find('listener', 'failed'), find('timer', 'fail')));
});
