// The accesses that rewritten code records. Each step is a script in an event of its own.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Realm } from './harness.mjs';
import { Rewriter } from './rewriter.mjs';

const rewriter = new Rewriter();
test.after(() => rewriter.close());

/** Runs scripts, each in an event of its own, and returns the accesses that each event recorded. */
async function events(...sources) {
  const realm = new Realm({ hooks: true, sources });
  return [...(await run(realm, sources))];
}

async function run(realm, sources, options) {
  const recorded = [];
  for (const [script, source] of sources.entries()) {
    const { code } = await rewriter.rewrite({ source, script, site: 1000 * script, url: `a/app${script}.js?v=1` });
    const outcome = realm.script(code);
    assert.match(outcome, /^value/);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const before = recorded.flat().length;
    recorded.push(realm.accesses(options).slice(before));
    realm.turn();
  }
  return recorded;
}

test('globals, by name and through the global object', async () => {
  const [first, second] = await events(
    'var cart = 1; function f() {} let lexical = 2; class C {}',
    'f; cart; cart; globalThis.cart = 5; lexical; typeof missing; "C" in globalThis; cart += 1',
  );
  assert.deepEqual(first, [
    'write Window.f function f',
    'write Window.cart 1',
    'write Window.lexical 2',
    'write Window.C function C',
  ]);
  assert.deepEqual(second, [
    'read Window.f function f',
    'read Window.cart 1',
    'write Window.cart 6',
    'read Window.lexical 2',
    'read Window.missing undefined',
    'read Window.C undefined',
  ]);
});

test('captured variables, by the function and the instance', async () => {
  const [, second, third] = await events(
    `function loadResults() { let latest = 0, never = 1; return { set(v) { latest = v; }, get: () => latest + never }; }
     var a = loadResults(), b = loadResults();`,
    'a.set(5); a.set(6); a.get(); b.get()',
    'a.get(); b.set("x")',
  );
  assert.deepEqual(
    second.filter((line) => line.includes('closure')),
    [
      'write closure(loadResults)@1.latest 6',
      'read closure(loadResults)@1.latest 6',
      'read closure(loadResults)@2.latest 0',
    ],
  );
  assert.deepEqual(
    third.filter((line) => line.includes('closure')),
    ['read closure(loadResults)@1.latest 6', 'write closure(loadResults)@2.latest "x"'],
  );
});

test('objects, by where they were made', async () => {
  const [first, second] = await events(
    `class Item { constructor() { this.n = 1; } }
     var o = { p: 1,
       q: [1, 2] };
     function make() { return { z: 0 }; } var y = make(), z = make(), it = new Item(); o.p = 2; z.z = 1;`,
    'o.p; o.q[1]; o.q[5] = 9; z.z = 3; y.z; it.n++; it.gone; delete o.p; o.new ||= 1; o.new ||= 2; o.q.length',
  );
  assert.deepEqual(
    first.filter((line) => line.includes('created')),
    [],
    'the event that makes an object records no access of it',
  );
  assert.deepEqual(
    second.filter((line) => !line.includes('Window')),
    [
      'read Object(created at app0.js:2)@1.p 2',
      'read Object(created at app0.js:2)@1.q Array(6)'.replace('(6)', '(2)'),
      'read Array(created at app0.js:3)@1[1] 2',
      'write Array(created at app0.js:3)@1.length 6',
      'write Array(created at app0.js:3)@1[5] 9',
      'write Object(created at app0.js:4)@1.z 3',
      'read Object(created at app0.js:4)@2.z 0',
      'read Item(created at app0.js:4)@1.n 1',
      'write Item(created at app0.js:4)@1.n 2',
      'read Item(created at app0.js:4)@1.gone undefined',
      'write Object(created at app0.js:2)@1.p undefined',
      'read Object(created at app0.js:2)@1.new undefined',
      'write Object(created at app0.js:2)@1.new 1',
      'read Array(created at app0.js:3)@1.length 6',
    ],
  );
});

test('built-in functions', async () => {
  const [, second] = await events(
    'var list = [1, 2], map = new Map([["k", 1]]), set = new Set();',
    'list.push(3); list.indexOf(2); map.get("k"); map.get("none"); map.set("j", {}); map.delete("k"); set.has(map); set.add(1); set.size; [...list]; list.pop()',
  );
  const recorded = second
    .filter((line) => !line.includes('Window'))
    .map((line) => line.replaceAll('(created at app0.js:1)@1', ''));
  assert.deepEqual(recorded, [
    'read Array.length 2',
    'write Array[2] undefined',
    'write Array.length 2',
    'read Array[0] 1',
    'read Array[1] 2',
    'read Array[2] 3',
    'read Map["k"] 1',
    'read Map["none"] undefined',
    'write Map["j"] Object',
    'write Map.size 1',
    'write Map["k"] undefined',
    'read Set[Map] false',
    'write Set[1] true',
    'write Set.size 1',
    'read Set.size 1',
  ]);
});

test('prototypes and accessors', async () => {
  const [, second] = await events(
    'function F() {} F.prototype.m = function () { return 1; }; var f = new F(), acc = { get g() { globalThis.ran = (globalThis.ran || 0) + 1; return 1; } };',
    'f.m(); acc.g; F.prototype.m = 2; Array.prototype.extra = 1; [].concat; list2 = [1]; "x".length',
  );
  const recorded = second.filter((line) => !line.includes('Window'));
  assert.deepEqual(recorded, [
    'read F.prototype.m function',
    'read Object(created at app0.js:1)@1.g accessor',
    'read function F@1.prototype F',
    'write F.prototype.m 2',
    'write Array.prototype.extra 1',
  ]);
});

test('a write after a wait belongs to the event after it', async () => {
  const source =
    'var o = {}; var go; const later = new Promise((resolve) => (go = resolve)); (async () => { o.x = await later; })()';
  const [first, second] = await events(source, 'go(7)');
  assert.ok(!first.some((line) => line.includes('.x')));
  assert.ok(second.includes('write Object(created at app0.js:1)@1.x 7'), second.join('\n'));
});

test('values are short, and nothing runs for them', async () => {
  const [, second] = await events(
    'var s = "x".repeat(1000), o = { get a() { throw 1; }, toString() { throw 2; } }, p = new Proxy({}, { get() { throw 3; }, getOwnPropertyDescriptor() { throw 4; } }), n = 12n, y = Symbol("s"), d = Object.create(null);',
    's; o; p; n; y; d',
  );
  assert.deepEqual(second, [
    `read Window.s "${'x'.repeat(62)}…`,
    'read Window.o Object',
    'read Window.p Proxy',
    'read Window.n 12n',
    'read Window.y Symbol(s)',
    'read Window.d Object',
  ]);
  assert.ok(second.every((line) => line.slice(line.indexOf(' ', 5) + 1).length <= 64));
});

test('destructuring and spreading', async () => {
  const [, second] = await events(
    'var o = { a: { b: [1, 2] }, c: 3, d: 4 };',
    'const { a: { b: [first] }, c = 5, none } = o; ({ ...o });',
  );
  const recorded = second
    .filter((line) => !line.includes('Window'))
    .map((line) => line.replace(/\(created at app0.js:1\)/, ''));
  assert.deepEqual(recorded, [
    'read Object@1.a Object',
    'read Object@2.b Array(2)',
    'read Array@1[0] 1',
    'read Array@1.length 2',
    'read Object@1.c 3',
    'read Object@1.none undefined',
    'read Object@1.d 4',
  ]);
});

test('sites say where', async () => {
  const source = 'var o = {};\nfunction f() {\n  return o.é.x;\n}';
  const { code, sites } = await rewriter.rewrite({ source, site: 10 });
  const realm = new Realm({ hooks: true, sources: [source] });
  realm.script(code);
  realm.turn();
  realm.context.o.é = {};
  realm.script('f()');
  realm.accesses();
  const places = Array.from(realm.wire.accesses, ({ name, site }) => [name, ...(sites[site - 10] ?? [])].join(' '));
  assert.ok(places.includes('Window.o 3 10 f read'), places.join('\n'));
  assert.ok(places.includes('Object(created at app.js:1)@1.é 3 12 f get'), places.join('\n'));
});

test('a write has the value that the event leaves behind', async () => {
  const [, second] = await events(
    `let top = 1; const fixed = {}; class C {}
     function f() { let inner = 0; return (v) => { inner = v; top = v; map.set('k', v); inner = inner + 1; top += 2; map.set('k', v + 3); }; }
     var map = new Map(), go = f();`,
    'go(5)',
  );
  assert.deepEqual(
    second.filter((line) => line.startsWith('write')),
    [
      'write closure(f)@1.inner 6',
      'write Window.top 7',
      'write Map(created at app0.js:3)@1["k"] 8',
      'write Map(created at app0.js:3)@1.size 1',
    ],
  );
});

test('a declaration shadows a property of the global object', async () => {
  const [, second] = await events('globalThis.shown = 1; let parseFloat = 3;', 'parseFloat = 4; parseFloat');
  assert.deepEqual(second, ['write Window.parseFloat 4', 'read Window.parseFloat 4']);
});

test('values are compared whole: by identity, or by a hash of what is cut', async () => {
  const sources = [
    'var list = [1], same = list, other = [1], long = "x".repeat(100), longer = long + "y", again = "x".repeat(100), f = () => 1, g = () => 1',
    'list; same; other; long; longer; again; f; g',
  ];
  const [, second] = await run(new Realm({ hooks: true, sources }), sources, { readable: false });
  const value = Object.fromEntries(
    second.map((line) => [line.split(' ')[1].slice(7), line.split(' ').slice(2).join(' ')]),
  );
  assert.match(value.list, /^Array\(1\)@\d+$/);
  assert.equal(value.list, value.same);
  assert.notEqual(value.list, value.other);
  assert.match(value.long, /^"x+…"?#[0-9a-f]{13}$/);
  assert.equal(value.long, value.again);
  assert.notEqual(value.long, value.longer);
  assert.notEqual(value.f, value.g);
});

test('what the maker has initialised is known', async () => {
  const realm = new Realm({ hooks: true });
  await run(realm, [
    `var o = { a: 1, b: null }, map = new Map([['k', 1]]), list = [1];
     function make(given, missing) {
       let made = 1, empty, late, nothing = null;
       late = {};
       return () => { given = made = empty = late = nothing = missing = 2; };
     }
     var set = make({});`,
    'o.a = 2; o.b = 3; o.c = 4; map.set("k", 2); map.set("j", 3); list[0] = 4; list.push(5); set();',
    'o.a = 3; set();',
  ]);
  assert.deepEqual(Array.from(realm.wire.initial), [
    'Object(created at app0.js:1)@1.a',
    'Map(created at app0.js:1)@1["k"]',
    'Array(created at app0.js:1)@1[0]',
    'closure(make)@1.late',
    'closure(make)@1.made',
    'closure(make)@1.given',
  ]);
});

test('variables that a direct eval declares', async () => {
  const realm = new Realm({ hooks: true, evals: true });
  const [first, second] = await run(realm, [
    `eval('var made = 1; function f() {} let own = 2; made++'); eval('"use strict"; var hidden = 3');
     function outer() { eval('var n = 0; var go = () => { n = 5; n++; }; globalThis.go = go'); }
     outer();`,
    'made = 7; f; typeof hidden; go()',
  ]);
  assert.deepEqual(
    first.filter((line) => /Window\.(made|f|own|hidden) /.test(line)),
    ['write Window.f function f', 'write Window.made 2', 'read Window.made 1'],
  );
  assert.deepEqual(second, [
    'write Window.made 7',
    'read Window.f function f',
    'read Window.hidden undefined',
    'read Window.go function go',
    'write eval(app.js)@1.n 6',
    'read eval(app.js)@1.n 5',
  ]);
});

test('what a call makes belongs to its event', async () => {
  const [, second, third] = await events(
    `var kept = [], shared = function () { return arguments; };
     function rest(first, ...others) { kept.push(others); return others[0] + others.length; }
     const brief = (...all) => kept.push(all) + all[1];
     async function later(...all) { return all[0]; }
     function passed() { const own = arguments; kept.push(own); return own.length + own[0] + shared(...own).length; }
     function renamed(...inner) { function inner() {} return typeof inner; }`,
    `rest(1, 2, 3); brief(4, 5); later(6); passed(7, 8); renamed(9);
     const numbers = Array(3); numbers[0] = numbers.length;
     const bytes = new Uint8Array(4); const part = bytes.subarray(1); part[0] = part[1];`,
    'kept[0][0]; kept[1].length; kept[2][1]',
  );
  assert.deepEqual(
    second.filter((line) => !line.includes('Window.') && !line.includes('app0.js:1)@1')),
    [],
  );
  assert.deepEqual(
    third.filter((line) => !line.includes('Window.') && !line.includes('app0.js:1)@1')),
    [
      'read Array(created at app0.js:2)@1[0] 2',
      'read Array(created at app0.js:3)@1.length 2',
      'read Object(created at app0.js:5)@1[1] 8',
    ],
  );
});
