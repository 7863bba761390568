/**
 * The access hooks: what rewritten code calls (docs/web-rewriter.md).
 *
 * The fast ways are short enough to be inlined: an object made in the current event is known by one
 * private field, a variable or global that was told by one comparison in the rewritten code itself.
 * All else goes through `Teller`, once a location, event and kind, or twice through its tables.
 *
 * No hook runs code of the program: no getter, proxy, conversion, patched method or iterator (so no
 * `for`-`of` and no array patterns once the program runs).
 */
import {
  apply,
  bareArray,
  define,
  isArray,
  lookup,
  newMap,
  ownKeys,
  parse,
  peek,
  proxies,
  RealProxy,
  realEval,
  RealInt32Array,
  reflectSet,
  toPrimitive,
} from './natives';
import { global as hooksName } from '../contract.json';
import type { Hooks } from './hooks';
import { patchArrays, patchCollections, patchProxies, patchToString } from './builtins';
import { isObject, learnPlatform } from './names';
import { stamper, type Slow } from './stamp';
import { canonical, Teller, type Scope } from './teller';
import type { Wire } from './wire';

export { MemoryWire } from './wire';
export type { Wire } from './wire';

/** The handle of a recorded global. */
export interface Recording {
  /** The wire is at another event: sends what waits, and begins that event. */
  turn(): void;
  /** Sends what waits. */
  flush(): void;
  readonly hooks: Hooks;
  readonly teller: Teller;
}

type Shape = 0 | Shape[] | { [key: string]: Shape };

/** Puts the hooks into a global, under a name that the code was rewritten for. */
export function install(global: any, wire: Wire, name = hooksName): Recording {
  // The others follow one by one, below.
  const hooks = { e: wire.epoch, t: undefined, g: new Int32Array(0) } as Hooks;
  const teller = new Teller(hooks, wire, global);
  const stamp = stamper(hooks, slowWays(teller));
  teller.stamps = stamp;
  const { n, m, b, groups } = stamp;
  const { r, w, x, kr, kw, kx, qr, qw, qx } = groups;
  hooks.n = n;
  hooks.m = m;
  hooks.b = b;
  hooks.r = r;
  hooks.w = w;
  hooks.x = x;
  hooks.kr = kr;
  hooks.kw = kw;
  hooks.kx = kx;
  hooks.qr = qr;
  hooks.qw = qw;
  hooks.qx = qx;
  addProperties(hooks, teller, stamp.isYoung);
  addVariables(hooks, teller);
  addPatterns(hooks, teller, stamp.isYoung);
  addScopes(hooks, teller, wire, name);
  learnPlatform(global);
  patchArrays(global, teller, stamp);
  patchCollections(global, teller, stamp);
  patchProxies(global);
  patchToString(global, wire, name);
  define(global, name, { value: hooks });
  return { turn: () => teller.turn(), flush: () => teller.flush(), hooks, teller };
}

type Tell = (object: unknown, key: unknown, site: number) => void;

/** Hands a key on. A key that is an object is told when the engine converts it, if it does. */
function byKey(tell: Tell): (object: unknown, key: unknown, site: number) => unknown {
  return (object, key, site) => {
    if (!isObject(key)) tell(object, key, site);
    else if (isObject(object))
      return {
        [toPrimitive]: () => {
          const converted = ownKeys({ [key as unknown as string]: 0 })[0]!;
          tell(object, converted, site);
          return converted;
        },
      };
    return key;
  };
}

/** What the property hooks do for objects that are not of this event. */
function slowWays(teller: Teller): Slow {
  const get: Tell = (object, key, site) => teller.property(object, key, site, false);
  const set: Tell = (object, key, site) => teller.property(object, key, site, true);
  const update: Tell = (object, key, site) => {
    if (!isObject(object)) return;
    teller.lastSite = site;
    teller.access(object, canonical(key), site, false);
    teller.access(object, canonical(key), site, true);
  };
  return { get, set, update, getKey: byKey(get), setKey: byKey(set), updateKey: byKey(update) };
}

/** Logical assignments, `in`, and stores after a wait. */
function addProperties(hooks: Hooks, teller: Teller, isYoung: (object: object) => boolean): void {
  const kept = bareArray<{ object: unknown; key: unknown } | undefined>();
  const maybe: Tell = (object, key, site) => {
    if (!isObject(object) || isYoung(object)) return;
    teller.property(object, key, site, false);
    while (kept.length <= site) kept[kept.length] = undefined;
    kept[site] = { object, key };
  };
  hooks.kl = byKey(maybe);
  hooks.l = (object: unknown, key: unknown, site: number) => {
    maybe(object, key, site);
    return object;
  };
  hooks.lw = (value: unknown, site: number) => {
    const target = kept[site];
    kept[site] = undefined;
    if (target && isObject(target.object)) teller.access(target.object, canonical(target.key), site, true);
    return value;
  };
  hooks.sa = (object: any, key: any, value: unknown, site: number) => {
    if (isObject(object) && !isYoung(object)) teller.property(object, key, site, true);
    return (object[key] = value);
  };
  hooks.so = (object: any, key: any, value: unknown, site: number) => {
    if (object === null || object === undefined) return (object[key] = value);
    if (isObject(object) && !isYoung(object)) teller.property(object, key, site, true);
    reflectSet(Object(object), key, value, object);
    return value;
  };
  hooks.ha = (key: any, object: any, site: number) => {
    if (isObject(object) && !isYoung(object)) teller.property(object, key, site, false);
    return key in object;
  };
}

/** Captured and global variables. */
function addVariables(hooks: Hooks, teller: Teller): void {
  hooks.u = (value: unknown) => value;
  hooks.s = (label: string): Scope => ({ label, name: undefined });
  hooks.vr = (scope: Scope, name: string, site: number, value: unknown) => {
    teller.variable(scope, name, site, value, false);
    return hooks.e;
  };
  hooks.vw = (scope: Scope, name: string, site: number, value: unknown) => {
    teller.variable(scope, name, site, value, true);
    return hooks.e;
  };
  // Kept here: the length of a typed array is a getter, which the program may have replaced.
  let length = 0;
  const seen = (site: number): void => {
    teller.lastSite = site;
    if (length <= site) {
      const longer = new RealInt32Array(site * 2 + 1024);
      for (let at = 0; at < length; at++) longer[at] = hooks.g[at]!;
      hooks.g = longer;
      length = site * 2 + 1024;
    }
    hooks.g[site] = hooks.e;
  };
  hooks.gr = (site: number, name: string) => {
    seen(site);
    teller.globalAccess(canonical(name), site, false);
  };
  hooks.gc = (site: number, name: string) => {
    if (hooks.g[site] === hooks.e) teller.lastSite = site;
    else hooks.gr(site, name);
  };
  hooks.gd = (site: number, name: string) => {
    seen(site);
    teller.globalAccess(canonical(name), site, true);
  };
  hooks.gw = (value: unknown, site: number, name: string) => {
    if (hooks.g[site] === hooks.e) return value;
    seen(site);
    teller.globalWrite(name, site, value);
    return value;
  };
}

/** Destructuring, spreading and iteration. */
function addPatterns(hooks: Hooks, teller: Teller, isYoung: (object: object) => boolean): void {
  const shapes = newMap<string, Shape>();
  const walk = (object: unknown, shape: Shape, site: number): void => {
    if (shape === 0 || !isObject(object)) return;
    const old = !isYoung(object);
    const list = isArray(shape);
    if (list && (proxies.has(object) || !isArray(object))) return;
    const keys = ownKeys(shape) as string[];
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      const inner = (shape as { [key: string]: Shape })[key] as Shape;
      if (list && key === 'length') {
        if (old) teller.access(object, 'length', site, false);
        continue;
      }
      if (old) teller.access(object, canonical(key), site, false);
      if (inner !== 0) walk(peek(object, key), inner, site);
    }
  };
  hooks.d = (object: unknown, site: number, text: string) => {
    teller.lastSite = site;
    let shape = shapes.get(text);
    if (shape === undefined) shapes.set(text, (shape = parse(text) as Shape));
    walk(object, shape, site);
    return object;
  };
  hooks.i = (object: unknown, site: number) => {
    if (typeof object === 'object' && object !== null && !isYoung(object)) {
      teller.lastSite = site;
      if (!proxies.has(object) && isArray(object)) teller.sweep(object, site);
    }
    return object;
  };
  hooks.ds = (object: unknown, site: number) => {
    if (isObject(object) && !isYoung(object) && !proxies.has(object)) {
      const keys = ownKeys(object);
      for (let at = 0; at < keys.length; at++)
        if (lookup(object, keys[at]!)?.property.enumerable) teller.access(object, canonical(keys[at]), site, false);
    }
    return object;
  };
}

/** Scripts, `with`, `eval`, and waits: what is said of waits is for an event runtime to hear. */
function addScopes(hooks: Hooks, teller: Teller, wire: Wire, name: string): void {
  hooks.p = (_script, file, first, births, kind) => {
    hooks.began(file, kind);
    teller.script(file, first, births);
  };
  hooks.began = () => {};
  hooks.aw = (value: unknown) => value;
  hooks.px = (_constructor: unknown, executor: unknown) => executor;
  hooks.pn = (promise: unknown) => promise;
  hooks.im = (promise: unknown) => promise;
  /** The object of a `with`: a proxy must not hear the hooks' own name. */
  hooks.wi = (object: unknown) =>
    isObject(object) && proxies.has(object)
      ? new RealProxy(object, {
          has: (target, key) => key !== name && key in target,
          get: (target, key) => Reflect.get(target, key, target),
          set: (target, key, value) => reflectSet(target, key, value, target),
        })
      : object;
  hooks.ev = (callee: unknown, code: unknown, strict: 0 | 1) =>
    callee === realEval && typeof code === 'string' && wire.rewrite
      ? apply(wire.rewrite, wire, [code, strict === 1])
      : code;
}
