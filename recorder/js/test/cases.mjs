// Programs that must do the same when rewritten. Each prints the values that a wrong rewrite would change.
export const scripts = {
  'getters and setters run once': `
    let log = []; const o = { get a() { log.push('get'); return { b: 1 }; }, set a(v) { log.push('set ' + v); } };
    o.a; o.a.b; o.a = 1; o['a']; o['a'] = 2; o.a += 1; o.a++; o.a ||= 5; o?.a?.b; const { a } = o; delete o.a; log.join()`,
  'rest parameters and arguments': `
    function rest(a, ...r) { return [a, r.length, Array.isArray(r), Object.keys(r)].join(':'); }
    const short = (...r) => ({ n: r.length }), nested = (...r) => (...q) => r.concat(q), pattern = (...[x, y]) => x + y;
    function hidden(...r) { function r() {} return typeof r; }
    function over(...r) { var r; return r.length; }
    function own() { arguments[0] = 'new'; const a = arguments; a[1] = 2; return [a.length, a === arguments, typeof arguments, a.callee === own].join(); }
    function mapped(x) { const a = arguments; a[0] = 'changed'; return x; }
    function strict() { 'use strict'; const a = arguments; try { return a.callee; } catch (e) { return e.name; } }
    function passes() { return own.apply(this, arguments) + own.call(this, arguments) + [].slice.call(arguments, 1) + Math.max(...arguments); }
    function frozen() { return Object.isFrozen(Object.freeze(arguments)) + [...arguments].join('') + (() => arguments.length)(); }
    function* made(...r) { yield r.length; yield* r; } class K { constructor(...r) { this.r = r; } m(...r) { return r; } }
    const chosen = (...arguments) => arguments.length;
    [rest(1, 2, 3), short(1).n, nested(1)(2).join(), pattern(1, 2), hidden(1), over(1, 2), own(1, 2), mapped(1), strict(), passes(1, 2),
      frozen(1, 2), [...made(4, 5)].join(), new K(1, 2).r.length, new K().m(3)[0], Array(3).length, Array('a')[0], chosen(1, 2)].join()`,
  'this in calls': `
    const o = { n: 3, f() { return this === o; }, g: { h() { return this === o.g; } } };
    function loose() { return typeof this; }
    [o.f(), o['f'](), o?.f(), o.f?.(), (o.f)(), (o?.f)(), (o?.g.h)(), o.g.h(), (0, o.f)(), o['g']['h'](), loose(), o.f\`x\`].join()`,
  'order of evaluation': `
    const log = []; const t = (n, v) => (log.push(n), v);
    t('o', { x: { } })[t('k', 'x')][t('k2', 'y')] = t('v', 1);
    try { t('n', null)[t('nk', { toString() { log.push('no'); return 'a'; } })] = t('nv', 1); } catch (e) { log.push(e.name); }
    try { t('u', undefined).x(t('arg', 1)); } catch (e) { log.push(e.name); }
    t('f', (...a) => a)(t('a', 1), ...t('s', [1, 2]), t('b', 2)); log.join()`,
  'keys convert once, and late': `
    const log = []; const k = n => ({ toString() { log.push(n); return n; } }); const o = { a: 1 };
    o[k('a')]; o[k('a')] = (log.push('rhs'), 1); o[k('a')]++; o[k('a')] += 2; o[k('a')] ||= 3; k('a') in o; delete o[k('b')];
    ({ [k('a')]: log.x } = o); [o[k('c')]] = [1]; log.join()`,
  'optional chains': `
    const o = { a: { b: { c() { return this.d; }, d: 7 } }, n: null }; let u, count = 0; const key = () => (count++, 'b');
    const r = [u?.a.b.c.d, o?.a?.b?.c(), o.a?.[key()].d, u?.[key()].x.y(key()), o.n?.x.y.z, o.x?.(key()).y.z, o?.a.b.c?.(), delete u?.a.b, delete o?.a.b.q, count];
    try { o?.n.x; } catch (e) { r.push(e.name, e.message); }
    try { o?.a.x.y; } catch (e) { r.push(e.message); }
    r.push((o?.a).b.d, (u?.a)?.b, o?.["a"]["b"].d, o /* c */ ?. /* ?. */ a . b . d, new (o?.a.constructor)() instanceof Object);
    r.join()`,
  'compound, logical and update': `
    var g = 1; let n = 10n; let cap = 5; const read = () => cap; const o = { x: 1, b: 2n, s: 'a' };
    const r = [g += 2, g++, ++g, g ||= 9, g &&= 7, g ??= 1, n++, ++n, n **= 2n, cap++, ++cap, cap -= 2, cap ||= 1, cap &&= 4, read()];
    r.push(o.x++, ++o.x, o.x += 5, o.b++, ++o.b, o.s += 'z', o.q ??= 'new', o.q ??= 'not', o.x &&= 0, o.x ||= 8, o['x']--, o[String('b')]--, o.b);
    r.map(String).join()`,
  destructuring: `
    var a, b, rest, x = { y: 0 }; let c; const see = () => c; const src = { p: 1, q: { r: [1, , 3, 4] }, s: undefined, t: null };
    ({ p: a, q: { r: [b, , ...rest] }, s: c = 5, ['t']: x.y = 3, ...x.rest } = src);
    const { p, q: { r: [first = 9, second = 8] = [] } = {}, nope = () => 1, ...others } = src;
    [a, b] = [b, a]; for ([x.z, c] of [[1, 2], [3, 4]]); for (x.key in { m: 1 }); for (const { p } of [src]) x.w = p;
    const f = ({ a = 1, b: { c } = { c: 2 } } = {}, [d, e = d] = [4]) => [a, c, d, e];
    JSON.stringify([a, b, rest, c, x, p, first, second, nope.name, others, f(), see(), (function ([q], { w }) { return q + w; })([1], { w: 2 })])`,
  'names of functions': `
    var v = function () {}; let l = () => {}; const c = class {}; var o = { m: function () {}, ['k']: () => {}, n() {}, get g() { return 1; }, s: class {} };
    a = function () {}; o.x = function () {}; let d; const see = () => d; d = () => {}; let e; e ||= function () {}; (() => e)(); gl ??= 1;
    var gl; gl2 = class {}; const { z = () => {} } = {}; [v2 = function () {}] = []; var v2; let lg; lg ??= () => {}; const seen = () => lg; ng ||= function () {};
    var ng; class K { f = () => {}; static #p = () => {}; static q() { return this.#p.name; } }
    [v, l, c, o.m, o.k, o.n, o.s, a, o.x, d, e, gl2, z, v2, lg, ng, new K().f].map(f => f.name).join() + K.q() + (function () {}).name + see().name`,
  'typeof, delete and undeclared': `
    var dv = 1; ig = 2; const r = [typeof nothing, typeof dv, typeof ig, delete ig, typeof ig, delete globalThis.dv, (() => { try { nothing; } catch (e) { return e.message; } })()];
    (function () { 'use strict'; try { undeclaredStrict = 1; } catch (e) { r.push(e.message); } })();
    try { nothing++; } catch (e) { r.push(e.name); } try { nothing += 1; } catch (e) { r.push(e.name); } try { typeof (nothing.x); } catch (e) { r.push(e.name); } r.push(typeof (nothing)); r.join()`,
  'temporal dead zone': `
    const r = []; const t = f => { try { r.push(f()); } catch (e) { r.push(e.name + ' ' + e.message); } };
    t(() => lx); t(() => typeof lx); t(() => lx = 1); t(() => lx++); t(() => new Cx); t(() => cx.y); t(() => lx ||= 1);
    t(() => { { f(); let inner = 1; function f() { return inner; } } }); t(() => { { let g = () => inner2; g(); let inner2; inner2 = 1; } });
    t((a = b, b) => a); t(() => { for (let q of [q]) ; }); t(() => { const k = 1; const z = () => k; k = 2; }); t(() => { const k = 1; (() => k++)(); });
    let lx = 1; lx = 2; class Cx {} const cx = {}; r.join('|')`,
  'strict and sloppy': `
    "use strict"
    const r = []; (function () { r.push(this); })(); try { Object.freeze([1]).x = 1; } catch (e) { r.push(e.name); }
    try { (function () { delete Object.prototype; })(); } catch (e) { r.push(e.message.slice(0, 13)); } r.join()`,
  sloppy: `
    function f() { 'not a directive' + 1; return this === globalThis; } function s() { "use strict"; return this; }
    Object.freeze(f).x = 1; undeclared = 5; var arr = [f(), s(), undeclared, f.x, 010, "\\01"]; function dup(a, a) { arguments[0] = 9; return a + arguments[0]; } arr.push(dup(1, 2)); arr.join()`,
  'direct eval': `
    var r = []; function f() { var local = 1; let c = 2; eval('var made = local + c; local = 7; c++'); return [made, local, c, (0, eval)('typeof local'), eval?.('typeof made')]; }
    r.push(f()); function g(eval) { return eval('1+1'); } r.push(g(x => 'mine ' + x)); eval('var fromEval = 1'); r.push(fromEval, eval('1;var q=2'), eval('({a:1}).a'), eval());
    (function () { 'use strict'; eval('var hidden = 1'); r.push(typeof hidden); })(); r.push(eval('(function(){ return new.target })()'), (eval)('3'), eval(...['4'])); r.join()`,
  'completion values': `
    var out = []; for (const c of ['1;var a=function(){}', 'var a=1', 'let b=1', '2;class C{}', '3;function f(){}', 'x9=4', 'if(0){}', '5;if(1){var z=()=>1}', 'do{6;break}while(0)', 'l:{7;break l}', '8;{}', 'a1=1;a1++', '"str"', '({})', '9;let{q}={q:1}', '10;try{11}finally{12}'])
      out.push((0, eval)(c)); out.map(String).join()`,
  with: `
    var outer = 1; var o = { x: 2, f() { return this === o; } }; var r = []; var logged = [];
    with (0, o) { x = 3; outer = x; r.push(f(), typeof x, typeof nope); var w = x; (function () { x++; r.push(o.x, outer); })(); }
    with (new Proxy({ v: 1 }, { has(t, k) { logged.push(String(k)); return k in t; } })) { r.push(v, typeof zz); o.y = v; }
    r.push(o.x, w, o.y, logged.join('+')); r.join()`,
  'labels and control': `
    const r = []; a: for (let i = 0; i < 3; i++) { b: for (const j of [0, 1, 2]) { if (j === 1) continue a; if (i === 2) break a; r.push(i, j); } }
    l: { r.push('in'); if (r.length) break l; r.push('never'); } switch (r.length) { case 5: let q = 1; const f = () => q; q = 2; r.push(f()); default: r.push('d'); }
    f: try { break f; } finally { r.push('fin'); } do r.push('do'); while (r.length < 9)
    r.push((() => { try { return 1; } finally { r.push('f2'); } })()); r.join()`,
  'automatic semicolons': `
    var a = 1
    var b = a
    a
    b
    var c = function () { return 1 }
    c
    a = b
    a++
    b
    ;[a].length
    let x = 1
    const see = () => x
    x
    x = 2
    a = see
    x
    if (a) b
    else c
    do x
    while (x = 0)
    b; var t = typeof(a).b, v = void[1].length, i = 'a'in{a:1}, n = new(class{})().x, y = (()=>{return(a).b})()
    [t, v, i, n, y, x, b].join`.replace('[t, v, i, n, y, x, b].join', ';[t, v, i, n, y, x, b].join()'),
  classes: `
    const r = []; class A { #p = 1; static s = 2; pub = this.#p + 1; static #sp = 3; get p() { return this.#p; } set p(v) { this.#p = v; } has(o) { return #p in o; } static { r.push(this.s, A.#sp); A.#sp++; r.push(A.#sp); } #m() { return this.#p; } m() { return this.#m(); } inc() { return this.#p++ + ++this.#p; } opt(o) { return o?.#p; } lg() { this.#p &&= 4; return this.#p ??= 1; } des() { [this.#p] = [8]; return this.#p; } }
    class B extends A { constructor() { const f = () => super(); f(); this.x = super.m(); super.y = 4; } get m2() { return super.m; } over() { return super['m'](); } static st() { return super.s; } }
    const b = new B(); r.push(b.p, b.x, b.y, b.over(), B.st(), b.has(b), b.has({}), b.inc(), b.opt(null), b.opt(b), b.lg(), b.des(), (b.p = 5), b.p, b.m2 === A.prototype.m);
    try { A.prototype.inc.call({}); } catch (e) { r.push(e.name); } try { new (class extends A { constructor() { this.x; } }); } catch (e) { r.push(e.name + e.message); }
    function F() { this.v = new.target === F; if (!new.target) return 1; } class G extends F { } r.push(new F().v, new G().v, F.call({}), new (class { a = [1]; b = { c: this.a }; })().b.c[0]);
    class N extends null { static x = 1; } r.push(N.x, class { static name = 'n'; }.name); r.join()`,
  generators: `
    function* g(a) { let n = a; const f = () => n; try { const got = yield n++; n = yield got + f(); } finally { yield 'fin'; } return n; }
    const it = g(1); const o = { v: 0, *m() { this.v = yield this; o.w = yield* [1, 2]; } }; const m = o.m(); m.next(); m.next(5);
    const r = [it.next().value, it.next(10).value, it.return(3).value, it.next().value, o.v, [...m].join(), [...(function* () { yield* 'ab'; })()].join()]; r.join()`,
  'tagged templates':
    '(() => { const seen = []; const tag = (s, ...v) => { seen.push(s); return s.raw.join("|") + v.join(); }; const o = { tag }; const f = x => tag`a${x.y}\\n${x}b`; const r = [f({ y: 1 }), f({ y: 2 }), o.tag`\\u{41}${o.q}`, seen[0] === seen[1], Object.isFrozen(seen[0]), `${o.q}${`${1}`}`]; return r.join(); })()',
  toString: `
    function f(a, b = a.x) { /* keep me */ return a.b + b.c; } const arrow = x => x.y; const o = { m(a) { return a.b; }, get ['g' + 1]() { return this.x; }, async *ag() { yield this.a; } };
    class K extends Array { static  /* c */ sm(a) { return a.é; } f = (q) => q.r; constructor(a) { super(a.b); } }
    const self = function me() { return me.toString(); };
    [f, arrow, o.m, Object.getOwnPropertyDescriptor(o, 'g1').get, o.ag, K, K.sm, new K({ b: 1 }).f, Array.prototype.push, Map.prototype.get, Function.prototype.toString, Proxy, function(){}, x=>({a:x.b})].map(String).join('\\n') + self() + Object.getOwnPropertyDescriptor(Map.prototype, 'size').get`,
  'built-ins look untouched': `
    const d = (o, k) => { const p = Object.getOwnPropertyDescriptor(o, k); const f = p.value ?? p.get; return [f.name, f.length, p.enumerable, p.writable, p.configurable, 'prototype' in f, Object.getOwnPropertyNames(f).sort().join('+')].join(); };
    const r = ['push', 'pop', 'splice', 'map', 'forEach', 'sort', 'at', 'indexOf'].map(k => d(Array.prototype, k)); r.push(d(Map.prototype, 'get'), d(Map.prototype, 'size'), d(Set.prototype, 'add'), d(Function.prototype, 'toString'), Object.getOwnPropertyNames(Proxy).join(), 'prototype' in Proxy, Proxy.length, Proxy.name);
    for (const f of [() => Map.prototype.get.call({}), () => Proxy({}, {}), () => Array.prototype.map.call(null), () => new Proxy(1, {}), () => Map.prototype.size]) { try { f(); } catch (e) { r.push(e.name + e.message); } } r.push(Array.prototype.push.call({ length: 1 }, 2)); r.join('|')`,
  'proxies hear nothing more': `
    const log = []; const h = new Proxy({}, { get(_, trap) { return (...a) => { log.push(trap + ' ' + String(typeof a[1] === 'object' ? '' : a[1])); return Reflect[trap](...a); }; } });
    const p = new Proxy({ a: 1, b: { c: 2 } }, h); p.a; p.b.c; p.x = 1; p.a++; delete p.x; 'a' in p; p?.a; const { a, ...rest } = p; ({ ...p }); p.m?.(); p['a'] ||= 2; const o = Object.create(p); o.a; o.z = 1;
    const ap = new Proxy([1, 2], h); for (const x of ap); [...ap]; ap.push(3); ap.map(x => x); const [q] = ap; const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); try { proxy.x; } catch (e) { log.push(e.name); } log.join()`,
  'frozen, sealed and odd objects': `
    const o = Object.freeze({ a: 1, f() { return this.a; } }); const n = Object.create(null); n.x = 1; o.b; const s = Object.seal([1]); s[0]++; const d = Object.preventExtensions({}); d.x?.y;
    [o.f(), n.x, s[0], Reflect.ownKeys(o).join('+'), Object.getOwnPropertySymbols(o).length, JSON.stringify(o), Object.isFrozen(o), 'x'.length, 'abc'[1], (5).constructor.name, Symbol.iterator.description, (1n).constructor.name, /a/g.flags, \`t\`.length].join()`,
  arguments: `
    function f() { arguments[0] = 5; arguments.length; const g = () => arguments[1]; return [arguments.length, arguments[0], g(), typeof arguments.callee].join(); } function s(a) { 'use strict'; arguments[0] = 2; return a; } f(1, 2) + s(1)`,
  'shadows and shorthand': `
    var __proto__x = 1, sh = 2; let cap = 3; const bump = () => cap++; bump(); const o = { sh, cap, undefined, bump }; let __proto__ = { p: 1 }; const q = { __proto__ }; const see = () => __proto__; __proto__ = 5;
    [Object.keys(o).join('+'), o.sh, o.cap, Object.getPrototypeOf(q) === Object.prototype, Object.hasOwn(q, '__proto__'), ({ __proto__: null }) instanceof Object, see()].join()`,
  'closures in loops': `
    const fs = []; for (let i = 0; i < 3; i++) { fs.push(() => i++); } for (let i = 0, inc = () => i++; i < 3; inc()) { if (fs.length > 9) break; fs.push(() => i); i++; } for (const k in { a: 1, b: 2 }) { let n = k; fs.push(() => n += '!'); }
    fs.map(f => f() + ':' + f()).join()`,
  'errors keep their lines': `
    function thrower(o) {
      return o
        .a
        .b
        .c;
    }
    try { thrower({ a: {} }); } catch (e) { const own = e.stack.split('\\n').find(l => l.includes('thrower')); own.replace(/.*app.js:(\\d+).*/, '$1') + e.message }`,
  'html comments and hashbang': `#!/usr/bin/env node
<!-- a comment
var html = 1
--> another
html.x; html`,
  hoisting: `
    const r = [typeof h, typeof hv, h()]; function h() { return hv; } var hv = 1; { function inBlock() { return 2; } } r.push(inBlock()); r.push((function () { if (true) { function q() { return 3; } } return q(); })()); var h2 = h2 || 4; r.push(h2); r.join()`,
  async: `
    const log = []; const o = { n: 1, get slow() { return Promise.resolve(this.n); } }; const wait = v => Promise.resolve(v);
    async function f() { o.n = await wait(2); o.n += await o.slow; o['k' + 1] = await wait(3); o.q ??= await wait(4); for await (const x of [wait(5), 6]) log.push(x); let c = 1; const g = () => c; c = await wait(7); log.push(g(), o.n, o.k1, o.q); try { null.x = await wait(0); } catch (e) { log.push(e.name); } return (await wait(o)).n; }
    async function* ag() { let i = 0; const up = () => i++; while (i < 3) { up(); yield await wait(i); } } const arrow = async x => (await x).n;
    f().then(v => log.push('f' + v)).then(() => arrow(o)).then(v => log.push(v)).then(async () => { for await (const v of ag()) log.push(v); }).then(() => print(log.join()))`,
  'sparse and typed arrays': `
    const a = [1, , 3]; a.length = 5; a[10] = 1; const t = new Uint8Array(4); t[0] = 300; t[9] = 1; a['-1'] = 'n'; a['01'] = 'z'; a[1.5] = 'f'; [a.length, 1 in a, a.indexOf(3), t.join(), t.length, t[9], Object.keys(a).join('+'), [...a].length, Math.max(...t), a.at(-1), [3, 1, 2].sort((x, y) => x - y).join('')].join()`,
  'maps and sets': `
    const k = {}; const m = new Map([[k, 1], ['a', 2], [NaN, 3]]); const s = new Set([1, 1, 2]); m.set('b', 4).delete('a'); s.add(3).add(1); const r = [m.size, m.get(k), m.has('a'), m.get(NaN), [...m.keys()].length, s.size, s.delete(9), s.has(2)]; m.forEach((v) => r.push(v)); m.clear(); for (const x of s) r.push(x); class Sub extends Map { get(q) { return super.get(q) ?? 'none'; } } r.push(m.size, new Sub([[1, 2]]).get(5), new Sub().size); r.join()`,
  'comma and in': `
    const o = { a: 1 }; let i = 0; for (var k = ('a' in o) ? 1 : 2, z = 0; z < 1; z++); const r = [o[(i++, 'a')], 'a' in o, ('b', 'a') in o, i, k, !('q' in o), (() => { try { return 'x' in 'str'; } catch (e) { return e.message; } })(), (() => { try { return i in 5; } catch (e) { return e.message; } })()]; r.join()`,
  'new': `
    const ns = { C: class { constructor(...a) { this.a = a; } static make() { return new this(1); } }, get() { return ns.C; } }; function F() { return ns; } const key = 'C';
    [new ns.C(1, 2).a.length, new ns[key], new (ns.get())(3).a[0], new ns.C, new new ns.get().make, new F().C === ns.C, new (class { x = new.target; })().x, new ns.C(...[1, 2, 3]).a.length, typeof new Function('return 1'), new Array(3).length, new Date(0).getTime()].map(x => typeof x === 'object' ? JSON.stringify(x) : typeof x === 'function' ? 'fn' : x).join()`.replace(
    'new new ns.get().make, ',
    '',
  ),
};

/** Modules: [files, entry]. They print. */
export const modules = {
  'imports, exports and meta': {
    'entry.js': `import def, { live, bump, obj as renamed } from 'dep.js'; import * as ns from 'dep.js';
      let top = 1; export const get = () => top; top = 2; export default class { } export { top as alias };
      bump(); print(live, renamed.x, def(), ns.live, typeof import.meta, this, Object.keys(ns).join(), get());
      ns.obj.x++; print(renamed.x); const late = await import('dep.js'); print(late === ns, late.live); try { ns.live = 1; } catch (e) { print(e.name); } try { live++; } catch (e) { print(e.name); }`,
    'dep.js': `export let live = 1; export function bump() { live++; } export const obj = { x: 5 }; export default () => 'def';`,
  },
  cycles: {
    'entry.js': `import { b, readA } from 'b.js'; export let a = 1; a = 2; export function hoisted() { return typeof counter + counter++; } var counter = 5; export const keep = () => counter; print(b, readA(), keep());`,
    'b.js': `import { a, hoisted } from 'entry.js'; export let b = 'b' + hoisted(); export const readA = () => a; try { a; } catch (e) { print(e.name, e.message); }`,
  },
  'top-level await': {
    'entry.js': `const seen = []; let state = 'before'; const f = () => state; seen.push(f()); state = await Promise.resolve('after'); seen.push(f()); export const o = {}; o.x = await 5; print(seen.join(), o.x);`,
  },
};
