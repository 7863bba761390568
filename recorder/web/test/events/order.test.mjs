// What orders the events of a page, as the analysis of its recording finds: each page beside a near miss.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { close, open, visit } from './page.mjs';
import { report } from './report.mjs';

before(open);
after(close);

/** The locations of a page that race, sorted, of those whose names match. */
async function races(body, { files = {}, act, wanted = /^Window\.|handlers/ } = {}) {
  const page = `<!doctype html><html><head></head><body>${body}</body></html>`;
  const { lines } = await visit({ '/': page, ...files }, { act });
  const found = report(lines).races.map(({ location }) => location);
  return [...new Set(found)].filter((location) => wanted.test(location)).toSorted();
}

const slow = (path, delay) => ({ [path]: ['1', delay] });
const done = 'setTimeout(() => { window.done = true }, 300)';

test('a listener that was added late orders nothing that follows its call', async () => {
  const page = (listeners) =>
    `<button id="buy">Buy</button><script>setTimeout(() => { ${listeners} }, 20); ${done}</script>`;
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.click('#buy');
  };
  const buy = "buy.addEventListener('click', function order() {});";
  const move = "document.addEventListener('mousemove', function idle() {});";
  const late = ['button#buy.handlers(click)'];
  const wanted = /button#buy\.handlers\(click\)/;
  assert.deepEqual(await races(page(buy), { act, wanted }), late);
  assert.deepEqual(await races(page(move + buy), { act, wanted }), late);
});

test('a listener of focus that was added late does not order what the user types', async () => {
  const field = (script) => `<input id="q"><script>setTimeout(() => { ${script} }, 20); ${done}</script>`;
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.click('#q');
    await tab.keyboard.type('a');
  };
  const wanted = /^input#q\.value|^#q\.value/;
  const found = await races(field("q.addEventListener('focus', function mark() {}); q.value = 'x'"), { act, wanted });
  assert.equal(found.length, 1, found);
});

test('what a late listener does is a consequence of its lateness', async () => {
  const page = `<input id="q"><script>setTimeout(() => { q.onfocus = () => { window.seen = q.value } }, 20); ${done}</script>`;
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.click('#q');
    await tab.keyboard.type('a');
  };
  const { lines } = await visit({ '/': `<!doctype html><body>${page}` }, { act });
  const open = report(lines).races.filter(({ covered }) => !covered);
  assert.deepEqual(
    open.map(({ location }) => location),
    ['input#q.handlers(focus)'],
  );
});

test('an unrelated reaction does not hide a race', async () => {
  const page = (unrelated) =>
    `<script>
    const loading = fetch('/api/slow');
    fetch('/api/first').then(function first() { window.cart = 1; });
    fetch('/api/second').then(function second() { ${unrelated} window.other = window.cart; });
    loading.then(function loaded() { }); ${done}</script>`;
  const files = { ...slow('/api/slow', 0), ...slow('/api/first', 40), ...slow('/api/second', 120) };
  const wanted = /Window\.cart/;
  assert.deepEqual(await races(page(''), { files, wanted }), ['Window.cart']);
  assert.deepEqual(await races(page('loading.then(() => {});'), { files, wanted }), ['Window.cart']);
});

test('a reaction to a response that came before orders nothing that follows it', async () => {
  const page = (read) =>
    `<script>
    const answer = fetch('/api/answer');
    setTimeout(function ask() {
      answer.then(function shown() { window.shown = 1; });
      queueMicrotask(function next() { ${read} });
    }, 150); ${done}</script>`;
  const files = slow('/api/answer', 0);
  const wanted = /Window\.shown/;
  assert.deepEqual(await races(page('window.other = window.shown'), { files, wanted }), ['Window.shown']);
  const known = `<script>
    const answer = Promise.resolve(1);
    setTimeout(function ask() {
      answer.then(function shown() { window.shown = 1; });
      queueMicrotask(function next() { window.other = window.shown });
    }, 50); ${done}</script>`;
  assert.deepEqual(await races(known, { wanted }), []);
});

test('pass-through reactions keep the cause', async () => {
  for (const through of [
    '.catch(() => {})',
    '.then()',
    '.finally(() => {})',
    '.catch(() => {}).then().finally(() => {})',
  ]) {
    const page = `<script>
      let response;
      async function load() {
        window.asked = 1;
        await fetch('/api/x')${through};
        window.other = window.asked;
        window.answered = 1;
        await fetch('/api/y')${through};
        window.last = window.answered;
      }
      load(); ${done}</script>`;
    const { lines } = await visit(
      { '/': `<!doctype html><body>${page}</body>`, '/api/x': ['1', 10], '/api/y': ['1', 10] },
      {},
    );
    assert.deepEqual(
      report(lines).races.map(({ location }) => location),
      [],
      through,
    );
    assert.ok(!lines.some((line) => /type=(unknown|settled)/.test(line)), `${through}: ${lines.join('\n')}`);
  }
});

test('the code after a call of an async function follows all of its code', async () => {
  const page = `<script>
    async function load() {
      await fetch('/api/x');
      for (let i = 0; i < 5; i++) await null;
      window.state = 1;
    }
    async function main() { await load(); window.other = window.state; }
    main(); load().then(() => { window.third = window.state }); ${done}</script>`;
  assert.deepEqual(await races(page, { files: slow('/api/x', 10), wanted: /Window\.(other|third)/ }), []);
});

test('a mutation observer is called after the changes that it reports', async () => {
  const page = `<p id="p"></p><script>
    new MutationObserver(function seen() { window.other = window.changed; }).observe(p, { attributes: true });
    Promise.resolve().then(function change() { window.changed = 1; p.title = 'x'; }); ${done}</script>`;
  assert.deepEqual(await races(page), []);
});

test('the modules of a graph are one task: nothing comes between them', async () => {
  const page = `<script type="module" src="main.mjs"></script>`;
  const main = 'import "./dep.mjs"; window.ready = 1; setTimeout(() => { window.done = true }, 100)';
  const files = { '/main.mjs': main, '/dep.mjs': 'setTimeout(function early() { window.seen = window.ready }, 0)' };
  assert.deepEqual(await races(page, { files }), []);
  const ready = `<script>addEventListener('DOMContentLoaded', function start() { window.seen = window.ready })</script>`;
  assert.deepEqual(await races(ready + page, { files: { ...files, '/dep.mjs': '' } }), []);
  // Two graphs are two tasks.
  const two = `<script type="module" src="dep.mjs" async></script><script type="module" src="main.mjs" async></script>`;
  const apart = { ...files, '/main.mjs': [main.replace('import "./dep.mjs";', ''), 50] };
  assert.deepEqual(await races(two, { files: apart }), ['Window.ready']);
});

test('import() comes before the evaluation of its modules, and its result after that', async () => {
  const page = `<script type="module">
    window.options = 1;
    setTimeout(async function start() {
      window.theme = 1;
      const { value } = await import('./first.mjs');
      window.copy = window.first;
      await import('./second.mjs?v=2');
      window.last = window.first + window.second;
      window.done = true;
    }, 10);
    </script>`;
  const files = {
    '/first.mjs': ['import "./inner.mjs"; window.first = window.theme; export const value = 1;', 20],
    '/inner.mjs': 'window.inner = window.theme;',
    '/second.mjs?v=2': ['window.second = window.first; const hidden = 1;', 20],
  };
  assert.deepEqual(await races(page, { files }), []);
  const apart = `<script type="module">
    import('./first.mjs'); import('./second.mjs?v=2'); setTimeout(() => { window.done = true }, 200)</script>`;
  assert.deepEqual(await races(apart, { files }), ['Window.first']);
});

test('a module comes after what it imports, also if another graph has evaluated that', async () => {
  const two = `<script type="module" src="one.mjs" async></script><script type="module" src="two.mjs" async></script>`;
  const files = {
    '/one.mjs': 'import "./shared.mjs"; window.one = 1;',
    '/shared.mjs': 'window.shared = 1;',
    '/two.mjs': [
      'import "./shared.mjs"; window.copy = window.shared; setTimeout(() => { window.done = true }, 50)',
      60,
    ],
  };
  assert.deepEqual(await races(two, { files }), []);
  // What the other graph evaluates besides is not ordered.
  const besides = { ...files, '/two.mjs': [files['/two.mjs'][0].replace('window.shared', 'window.one'), 60] };
  assert.deepEqual(await races(two, { files: besides }), ['Window.one']);
});

test('a module that awaits is evaluated before those that import it', async () => {
  const page = `<script type="module" src="main.mjs"></script><script type="module" src="next.mjs"></script>`;
  const files = {
    '/main.mjs': 'import "./wait.mjs"; window.copy = window.ready; setTimeout(() => { window.done = true }, 50)',
    '/wait.mjs': 'window.begun = 1; await new Promise((go) => setTimeout(go, 40)); window.ready = 1 // the end',
    '/next.mjs': 'window.seen = window.begun;',
  };
  assert.deepEqual(await races(page, { files }), []);
  const next = { ...files, '/next.mjs': 'window.seen = window.ready;' };
  assert.deepEqual(await races(page, { files: next }), ['Window.ready']);
});

test('a movement inside the document comes after what moved', async () => {
  const page = (move) => `<a id="go" href="#there">go</a><script>
    addEventListener('hashchange', function moved() { window.seen = window.chosen });
    addEventListener('popstate', function popped() { window.state = window.chosen });
    ${move} setTimeout(() => { window.done = true }, 400)</script>`;
  const assign = `setTimeout(function choose() { window.chosen = 1; location.hash = 'there' }, 20);`;
  assert.deepEqual(await races(page(assign)), []);
  const back = `location.hash = 'a'; location.hash = 'b';
    setTimeout(function choose() { window.chosen = 1; history.back() }, 50);`;
  assert.deepEqual(await races(page(back), { wanted: /state/ }), []);
  const click = `go.onclick = function choose() { window.chosen = 1 };`;
  const act = (tab) => tab.click('#go');
  assert.deepEqual(await races(page(click), { act, wanted: /^Window\.(seen|chosen)/ }), []);
  const other = `setTimeout(function choose() { window.chosen = 1 }, 20); setTimeout(() => { location.hash = 'x' }, 60);`;
  assert.deepEqual(await races(page(other.replace('20', '100').replace('60', '20'))), ['Window.chosen']);
});

test('a scroll event comes after the script that scrolled, or from the user', async () => {
  const page = (
    scroll,
  ) => `<div id="box" style="height: 50px; overflow: auto"><p id="p" style="height: 900px"></p></div><script>
    box.onscroll = function moved() { window.seen = window.chosen };
    setTimeout(function choose() { window.chosen = 1; ${scroll} }, 20); ${done}</script>`;
  for (const scroll of ['box.scrollTop = 100', 'box.scrollTo(0, 70)', 'p.scrollIntoView({ block: "end" })'])
    assert.deepEqual(await races(page(scroll)), [], scroll);
  const act = async (tab) => {
    await tab.waitForTimeout(100);
    await tab.mouse.move(20, 20);
    await tab.mouse.wheel(0, 50);
  };
  const byUser = await races(page('box.scrollTop = 0'), { act, wanted: /^Window/ });
  assert.deepEqual(byUser, ['Window.chosen']);
});

test("a stream's next pull comes after what settled the promise of the pull before", async () => {
  const page = (settle) => `<script>
    let go;
    const { port1, port2 } = new MessageChannel();
    const pull = () => { window.seen = window.mark; return new Promise((resolve) => { go = resolve; }); };
    const reader = new ReadableStream({ pull }, { highWaterMark: 0 }).getReader();
    reader.read();
    setTimeout(() => reader.read(), 10);
    port1.addEventListener('message', function settle() { ${settle} });
    port1.addEventListener('message', function last() { go(); setTimeout(() => { window.done = true }, 50) });
    port1.start();
    setTimeout(() => port2.postMessage(1), 40);</script>`;
  assert.deepEqual(await races(page('window.mark = 1; go()'), { wanted: /mark/ }), []);
  const late = page('go()').replace('let go;', 'let go; requestAnimationFrame(function other() { window.mark = 1 });');
  assert.deepEqual(await races(late, { wanted: /mark/ }), ['Window.mark']);
});

test('what the maker of a port sends comes before what others send', async () => {
  const page = (first) => `<script>
    let port;
    setTimeout(function make() {
      const channel = new MessageChannel();
      port = channel.port2;
      channel.port1.onmessage = function got({ data }) { if (data === 'init') window.state = 1; else window.copy = window.state };
      ${first}
    }, 20);
    setTimeout(() => { window.done = true }, 500);
    requestAnimationFrame(function wait() { if (port) port.postMessage('use'); else requestAnimationFrame(wait) });</script>`;
  assert.deepEqual(await races(page("port.postMessage('init')"), { wanted: /state/ }), []);
  const later = page("setTimeout(() => port.postMessage('init'), 0)");
  assert.deepEqual(await races(later, { wanted: /state/ }), ['Window.state']);
});

test('a script that document.write adds blocks the parser', async () => {
  const page = `<script>document.write('<script src="written.js"><' + '/script>')</script>
    <script>window.copy = window.written; ${done}</script>`;
  assert.deepEqual(await races(page, { files: { '/written.js': ['window.written = 1', 30] } }), []);
  const inserted = `<script>const s = document.createElement('script'); s.src = 'written.js'; document.head.append(s)</script>
    <script>window.copy = window.written; ${done}</script>`;
  assert.deepEqual(await races(inserted, { files: { '/written.js': ['window.written = 1', 30] } }), ['Window.written']);
});

test('a javascript: address runs after the click on its link', async () => {
  const page = `<script>window.theme = 1</script><a id="go" href="javascript:__CODE__">go</a><script>${done}</script>`;
  const { lines } = await visit(
    {
      '/': `<!doctype html><body>${page.replace('__CODE__', '__il.p(0,%22link%22,0,0,%22%22,%22s%22);void(window.x=1)')}`,
    },
    { act: (tab) => tab.click('#go') },
  );
  const script = /begin (\S+) type=script name=link/.exec(lines.join('\n'))?.[1];
  const click = /begin (\S+) type=click/.exec(lines.join('\n'))?.[1];
  assert.ok(script && click && lines.includes(`arc ${click} ${script} by=target`), lines.join('\n'));
});

test('a request is a location that aborting it writes', async () => {
  const later = 'setTimeout(() => { window.done = true }, 600)';
  const wanted = /^Request|^Window\.(shown|result)/;
  const fetched = `<script>
    const controller = new AbortController();
    fetch('/api/x', { signal: controller.signal }).then(function answer() { window.shown = 1 }, function failed() {});
    setTimeout(function stop() { controller.abort(); window.shown = 0 }, 400); ${later}</script>`;
  const found = await races(fetched, { files: slow('/api/x', 10), wanted });
  assert.match(found[0], /^Request\(\/api\/x(?: sent at index.html:\d+)?\)@\d+$/);
  const sent = `<script>
    const x = new XMLHttpRequest();
    x.onload = function answer() { window.result = 1 };
    x.open('GET', '/api/x'); x.send();
    setTimeout(function again() { x.open('GET', '/api/y'); x.send() }, 400); ${later}</script>`;
  const files = { ...slow('/api/x', 10), ...slow('/api/y', 10) };
  const reopened = await races(sent, { files, wanted });
  assert.match(reopened[0], /^Request\(\/api\/x(?: sent at index.html:\d+)?\)@\d+$/);
  // Another request is not touched.
  const other = sent.replace("x.open('GET', '/api/y'); x.send()", 'fetch("/api/y")');
  assert.deepEqual(await races(other, { files, wanted }), []);
});

test('no arc leads to a tick of an interval that never came', async () => {
  const page = `<script>let n = 0; const i = setInterval(function tick() { if (++n === 3) clearInterval(i) }, 5); ${done}</script>`;
  const { lines } = await visit({ '/': `<!doctype html><body>${page}` }, {});
  const begun = new Set(lines.map((line) => /^begin (\S+)/.exec(line)?.[1]));
  const arcs = lines.map((line) => /^arc (\S+) (\S+) by=interval/.exec(line)).filter(Boolean);
  assert.equal(arcs.length, 2);
  for (const [line, from, to] of arcs) assert.ok(begun.has(from) && begun.has(to), line);
});

test('an object that inherits from promises without being one can be awaited', async () => {
  const page = `<script>
    function P() {}
    P.prototype = Object.create(Promise.prototype, { then: { value(f) { f(7) } } });
    (async () => { console.log('awaited', await new P()); window.done = true })();</script>`;
  const { log } = await visit({ '/': `<!doctype html><body>${page}` }, {});
  assert.deepEqual(log, ['awaited 7']);
});

test('messages of a port come after its start', async () => {
  const page = `<script>
    const { port1, port2 } = new MessageChannel();
    port2.addEventListener('message', function heard() { window.copy = window.ready; window.done = true });
    port1.postMessage(1);
    setTimeout(function begin() { window.ready = 1; port2.start() }, 30);</script>`;
  assert.deepEqual(await races(page), []);
});

test('the result of an async function follows what it returns, and no other code of its task', async () => {
  const page = (code) => `<script>setTimeout(function start() { ${code} }); ${done}</script>`;
  const returned = `async function f() {
      await 0;
      return new Promise((r) => { Promise.resolve().then(() => 0).then(() => { window.y = 1; r() }) });
    }
    f().then(() => { window.y = 2 })`;
  assert.deepEqual(await races(page(returned)), []);
  assert.deepEqual(await races(page(returned.replace('await 0;', ''))), []);
  const other = `let go; const gate = new Promise((r) => { go = r });
    async function f() { await gate; window.y = 1 }
    async function g() { await 0; await 0; await 0; window.z = 1 }
    f().then(() => { window.copy = window.y }); g(); go();`;
  assert.deepEqual(await races(page(other)), []);
  // The reaction to one does not follow what the other does in the same task.
  const apart = `const a = fetch('/api/a'), b = fetch('/api/b');
    async function f() { await a; window.first = 1; }
    async function g() { await b; window.first = 2; }
    f(); setTimeout(function late() { g() }, 150)`;
  const files = { ...slow('/api/a', 10), ...slow('/api/b', 10) };
  assert.deepEqual(await races(page(apart), { files }), ['Window.first']);
});

test("the call of a thenable's own then is a microtask of whoever resolves with it", async () => {
  const page = `<script>
    function P() {}
    P.prototype = Object.create(Promise.prototype, { then: { value(f) { window.z = window.made; f(1) } } });
    setTimeout(async function start() {
      window.made = 1;
      await { then(f) { window.z = window.made; f() } };
      await new P();
      await Promise.resolve(new P());
      await Promise.all([new P(), 2]);
      const own = Promise.resolve(1);
      own.then = function () { return Promise.prototype.then.apply(this, arguments) };
      await Promise.resolve(own);
      Promise.resolve({ then(f) { window.z = window.made; f() } }).then(() => { window.copy = window.z });
      await (async () => ({ then(f) { window.z = window.made; f() } }))();
      new Promise((r) => r({ then(f) { window.z = window.made; f(); window.done = true } }));
    });</script>`;
  const { lines } = await visit({ '/': `<!doctype html><body>${page}` }, {});
  assert.ok(!lines.some((line) => line.includes('type=unknown')), lines.join('\n'));
  const open = report(lines).races.map(({ location }) => location);
  assert.ok(!open.includes('Window.made'), open.join());
});

test('what the user focuses, step by step, is in order', async () => {
  const page = `<input id="q"><p id="p">text</p><input id="r">
    <script>onclick = () => { window.seen = document.activeElement }; ${done}</script>`;
  const act = async (tab) => {
    await tab.click('#q');
    await tab.keyboard.type('a');
    await tab.click('#p');
    await tab.click('#r');
  };
  const { lines } = await visit({ '/': `<!doctype html><body>${page}` }, { act });
  const open = report(lines).races.filter(({ covered, location }) => !covered && /activeElement/.test(location));
  assert.deepEqual(open, [], lines.filter((line) => /type=focus|type=blur|type=change/.test(line)).join('\n'));
});
