// The hooks record what the obvious accounting (obvious.mjs) records, on random programs of many events.
import test from 'node:test';
import assert from 'node:assert/strict';
import vm from 'node:vm';
import { obvious } from './obvious.mjs';
import { Realm } from './harness.mjs';
import { Rewriter } from './rewriter.mjs';

const PROGRAMS = 150;
const EVENTS = 6;
const rewriter = new Rewriter();

/** Random numbers below a bound (mulberry32). */
function generator(seed) {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

/** A program whose functions `step0`, `step1`, … are its events. Every object is a node: it has all the fields. */
function program(seed) {
  const below = generator(seed);
  const one = (...choices) => choices[below(choices.length)];
  let depth = 0;
  let locals = 0;
  const node = () => one('g0', 'g1', 'l0', 'p', 'q', 'table[1]', '(p.next || q)', 'cell.get()', fresh(), 'q.pick(p)');
  const fresh = () =>
    one('new Node(1)', '({ __proto__: shared, a: 1, b: 2, next: null, list: [1] })', 'new Derived(2)');
  const field = () => one('a', 'b');
  const index = () => one('0', '1', '2', '"1"', 'q.a & 3', 'i', 'l1 & 3', 'i - 2', 'i / 2');
  const number = () =>
    one(
      '7',
      'l1',
      'g2',
      'cell.count()',
      `${node()}.${field()}`,
      `${node()}.list[${index()}]`,
      `${node()}.list.length`,
      `${node()}.sum()`,
      'Node.made',
      'p.missing',
    );
  const block = () => {
    depth++;
    const text = Array.from({ length: 1 + below(3) }, statement).join(' ');
    depth--;
    return `{ ${text} }`;
  };
  const simple = () => {
    switch (below(14)) {
      case 0:
        return `${node()}.${field()} = ${number()} | 0;`;
      case 1:
        return `${node()}.${field()} += 1;`;
      case 2:
        return `${node()}.${field()}++;`;
      case 3:
        return `${node()}.list[${index()}] = ${number()} | 0;`;
      case 4:
        return `${node()}.next = ${node()};`;
      case 5:
        return `q = ${node()};`;
      case 6:
        return `${one('g0', 'g1', 'l0')} = ${node()};`;
      case 7:
        return `${one('g2', 'l1')} = ${number()} | 0;`;
      case 8:
        return `cell.put(${node()});`;
      case 9:
        return `delete ${node()}.extra;`;
      case 10:
        return `table[${below(4)}] = ${node()};`;
      case 11:
        return `{ const { a, next: n${++locals} } = ${node()}; i = a & 3; }`;
      case 12:
        return `Node.made = ${number()} | 0;`;
      default:
        return `i = (${number()} + ${number()}) & 3;`;
    }
  };
  function statement() {
    const kind = depth > 2 ? 9 : below(10);
    if (kind === 0) return `for (let j = 0; j < 3; j++) ${block()}`;
    if (kind === 1) return `if (${number()} > ${number()}) ${block()} else ${block()}`;
    if (kind === 2) return `(function (p) ${block()})(${node()});`;
    if (kind === 3) return `p.change(${node()});`;
    return simple();
  }
  const body = (size) => Array.from({ length: size }, statement).join('\n  ');
  const method = (name) => `${name}(p) { let q = this, i = 0; if (++calls > 40) return p;\n  ${body(3)}\n  return p; }`;
  const steps = Array.from(
    { length: EVENTS },
    (_, at) => `function step${at}() { let p = g0, q = ${fresh()}, i = 1; calls = 0;\n  ${body(8)}\n}`,
  );
  return `var calls = 0;
class Node {
  constructor(a) { this.a = a; this.b = 2; this.next = null; this.list = [1, 2]; this.b = this.a + 1; }
  sum() { return this.a + this.b; }
  pick(other) { return this.a > other.a ? this : other; }
  ${method('change')}
}
class Derived extends Node { constructor(a) { super(a); this.b = 3; } sum() { return this.a; } }
Node.made = 0;
var shared = Node.prototype;
var g0 = new Node(1), g1 = new Derived(2), g2 = 3;
let l0 = new Node(4), l1 = 5;
var table = [new Node(1), new Node(2), g1, l0];
var cell = (function makeCell() {
  let count = 0, kept = new Node(6);
  return { get() { return kept; }, put(node) { kept = node; count++; }, count() { return count; } };
})();
${steps.join('\n')}`;
}

for (let seed = 1; seed <= PROGRAMS; seed++)
  test(`program ${seed}`, async () => {
    const source = program(seed);
    const sources = [source, ...Array.from({ length: EVENTS }, (_, at) => `step${at}()`)];
    const sites = [];
    const codes = [];
    for (const [script, text] of sources.entries()) {
      const answer = await rewriter.rewrite({
        source: text,
        kind: 'script',
        script,
        site: sites.length,
        url: 'app.js',
      });
      assert.equal(answer.unparsable, undefined, source);
      sites.push(...answer.sites);
      codes.push(answer.code);
    }
    const realm = new Realm({ hooks: true });
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
    const expected = vm.runInContext(`(${obvious})`, context)(context, sites);
    Object.defineProperty(context, '__il', { value: expected.hooks });
    for (const code of codes) {
      const outcome = realm.script(code);
      assert.match(outcome, /^value/, `${outcome}\n${source}`);
      vm.runInContext(code, context, { timeout: 10000 });
      realm.turn();
      expected.turn();
    }
    const found = realm.accesses();
    const at = found.findIndex((access, at) => access !== expected.log[at]);
    if (at >= 0) assert.fail(`access ${at}: ${found[at]}, not ${expected.log[at]}\n${source}`);
    assert.equal(
      found.length,
      expected.log.length,
      `${found.length} of ${expected.log.length}, next ${expected.log[found.length]}\n${source}`,
    );
  });

test.after(() => rewriter.close());
