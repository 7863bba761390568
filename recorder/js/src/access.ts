/**
 * The access hooks, which rewritten code calls (docs/web-rewriter.md).
 *
 * The fast paths are short enough to be inlined. One private field shows that the current event made
 * an object; one comparison in the rewritten code shows that the current event has already recorded a
 * variable or global. All other accesses go through `AccessRecorder`: its tables keep the first access
 * of each location, event and kind.
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
  reflectSet,
  toPrimitive,
} from './natives';
import { global as hooksName } from '../contract.json';
import type { Hooks } from './hooks';
import { patchArrays, patchCollections, patchProxies, patchToString } from './builtins';
import { identifyBy, isObject, learnPlatform } from './names';
import { stamper, type Slow } from './stamp';
import { canonical, AccessRecorder, type Scope } from './recorder';
import type { Wire } from './wire';

export { MemoryWire } from './wire';
export type { Wire } from './wire';

/** The handle of a recorded global. */
export interface Recording {
  /** Sends the pending accesses and begins the event that the wire is at. */
  turn(): void;
  /** Sends the pending accesses. */
  flush(): void;
  readonly hooks: Hooks;
  readonly recorder: AccessRecorder;
}

type Shape = 0 | Shape[] | { [key: string]: Shape };

/** Installs the hooks in a global, under the name that the code was rewritten for. */
export function install(global: any, wire: Wire, name = hooksName): Recording {
  // The functions called below add the other members.
  const hooks = { e: wire.epoch, t: undefined, g: new Int32Array(0), at: 0 } as Hooks;
  const recorder = new AccessRecorder(hooks, wire, global);
  const stamp = stamper(hooks, slowWays(recorder));
  recorder.stamps = stamp;
  identifyBy(stamp.shadowOf);
  const { groups } = stamp;
  // One by one: a loop would make the engine keep the hooks in a dictionary.
  hooks.o = groups.o;
  hooks.n = groups.n;
  hooks.m = groups.m;
  hooks.b = groups.b;
  hooks.r = groups.r;
  hooks.w = groups.w;
  hooks.x = groups.x;
  hooks.er = groups.er;
  hooks.ew = groups.ew;
  hooks.ex = groups.ex;
  hooks.kr = groups.kr;
  hooks.kw = groups.kw;
  hooks.kx = groups.kx;
  hooks.qr = groups.qr;
  hooks.qw = groups.qw;
  hooks.qx = groups.qx;
  hooks.qer = groups.qer;
  hooks.qew = groups.qew;
  hooks.qex = groups.qex;
  addProperties(hooks, recorder, stamp.isYoung);
  addVariables(hooks, recorder);
  addPatterns(hooks, recorder, stamp.isYoung);
  addScopes(hooks, recorder, wire, name);
  learnPlatform(global);
  patchArrays(global, recorder, stamp);
  patchCollections(global, recorder, stamp);
  patchProxies(global);
  patchToString(global, wire, name);
  define(global, name, { value: hooks });
  return { turn: () => recorder.turn(), flush: () => recorder.flush(), hooks, recorder };
}

type RecordAccess = (object: unknown, key: unknown, site: number) => void;

/** Makes a hook that returns the key. An access whose key is an object is recorded when the engine converts the key. */
function byKey(record: RecordAccess): (object: unknown, key: unknown, site: number) => unknown {
  return (object, key, site) => {
    if (!isObject(key)) record(object, key, site);
    else if (isObject(object))
      return {
        [toPrimitive]: () => {
          const converted = ownKeys({ [key as unknown as string]: 0 })[0]!;
          record(object, converted, site);
          return converted;
        },
      };
    return key;
  };
}

/** The slow paths of the property hooks, for objects that the current event did not make. */
function slowWays(recorder: AccessRecorder): Slow {
  const get: RecordAccess = (object, key, site) => recorder.property(object, key, site, true, false);
  const set: RecordAccess = (object, key, site) => recorder.property(object, key, site, false, true);
  const update: RecordAccess = (object, key, site) => recorder.property(object, key, site, true, true);
  const { objects, keys } = recorder;
  return { objects, keys, get, set, update, getKey: byKey(get), setKey: byKey(set), updateKey: byKey(update) };
}

/** Adds the hooks of logical assignments, of `in`, and of assignments after an `await` or a `yield`. */
function addProperties(hooks: Hooks, recorder: AccessRecorder, isYoung: (object: object) => boolean): void {
  const kept = bareArray<{ object: unknown; key: unknown } | undefined>();
  const maybe: RecordAccess = (object, key, site) => {
    if (!isObject(object) || isYoung(object)) return;
    recorder.property(object, key, site, true, false);
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
    if (target && isObject(target.object)) recorder.access(target.object, canonical(target.key), site, true);
    return value;
  };
  hooks.sa = (object: any, key: any, value: unknown, site: number) => {
    if (isObject(object) && !isYoung(object)) recorder.property(object, key, site, false, true);
    return (object[key] = value);
  };
  hooks.so = (object: any, key: any, value: unknown, site: number) => {
    if (object === null || object === undefined) return (object[key] = value);
    if (isObject(object) && !isYoung(object)) recorder.property(object, key, site, false, true);
    reflectSet(Object(object), key, value, object);
    return value;
  };
  hooks.ha = (key: any, object: any, site: number) => {
    if (isObject(object) && !isYoung(object)) recorder.property(object, key, site, true, false);
    return key in object;
  };
}

/** Adds the hooks of captured and global variables. */
function addVariables(hooks: Hooks, recorder: AccessRecorder): void {
  hooks.u = (value: unknown) => value;
  hooks.s = (label: string): Scope => ({ label, name: undefined, accessed: undefined });
  hooks.vr = (scope, name, site, value) => {
    recorder.variableRead(scope, name, site, value);
    return hooks.e;
  };
  hooks.vw = (scope, name, site, current, before) => {
    recorder.variableWrite(scope, name, site, current, before > 0);
    return hooks.e;
  };
  const seen = (site: number): void => {
    hooks.at = site;
    hooks.g[site] = hooks.e;
  };
  hooks.gr = (site: number, name: string) => {
    seen(site);
    recorder.named(name, site, false);
  };
  hooks.gl = (name, current) => recorder.lexical(name, current);
  hooks.gc = (site: number, name: string) => {
    if (hooks.g[site] === hooks.e) hooks.at = site;
    else hooks.gr(site, name);
  };
  hooks.gd = (site: number, name: string) => {
    seen(site);
    recorder.named(name, site, true);
  };
  hooks.gw = (value: unknown, site: number, name: string) => {
    if (hooks.g[site] === hooks.e) return value;
    seen(site);
    recorder.globalWrite(name, site, value);
    return value;
  };
}

/** Adds the hooks of destructuring, spreading and iteration. */
function addPatterns(hooks: Hooks, recorder: AccessRecorder, isYoung: (object: object) => boolean): void {
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
        if (old) recorder.access(object, 'length', site, false);
        continue;
      }
      if (old) recorder.access(object, canonical(key), site, false);
      if (inner !== 0) walk(peek(object, key), inner, site);
    }
  };
  hooks.d = (object: unknown, site: number, text: string) => {
    hooks.at = site;
    let shape = shapes.get(text);
    if (shape === undefined) shapes.set(text, (shape = parse(text) as Shape));
    walk(object, shape, site);
    return object;
  };
  hooks.i = (object: unknown, site: number) => {
    if (typeof object === 'object' && object !== null && !isYoung(object)) {
      hooks.at = site;
      if (!proxies.has(object) && isArray(object)) recorder.sweep(object, site);
    }
    return object;
  };
  hooks.ds = (object: unknown, site: number) => {
    if (isObject(object) && !isYoung(object) && !proxies.has(object)) {
      const keys = ownKeys(object);
      for (let at = 0; at < keys.length; at++)
        if (lookup(object, keys[at]!)?.property.enumerable) recorder.access(object, canonical(keys[at]), site, false);
    }
    return object;
  };
}

/** Adds the hooks of scripts, `with`, `eval` and `await`. An event runtime replaces those of `await`. */
function addScopes(hooks: Hooks, recorder: AccessRecorder, wire: Wire, name: string): void {
  hooks.p = (_script, file, first, sites, births, kind, address, resolve, specifiers) => {
    hooks.began(file, kind, address, resolve && specifiers && { resolve, specifiers });
    recorder.script(file, first, sites, births);
  };
  hooks.began = () => {};
  hooks.pe = () => {};
  hooks.fa = (object: unknown, site: number) => hooks.i(object, site);
  hooks.uf = () => {};
  hooks.aw = (value: unknown) => value;
  hooks.ar = (value: unknown) => value;
  hooks.px = (_constructor: unknown, executor: unknown) => executor;
  hooks.pn = (promise: unknown) => promise;
  hooks.pm = (message: unknown) => message;
  hooks.is = (specifier: unknown) => specifier;
  hooks.im = (promise: unknown) => promise;
  /** Wraps the object of a `with`, so that a proxy is not asked for the name of the hooks. */
  hooks.wi = (object: unknown) =>
    isObject(object) && proxies.has(object)
      ? new RealProxy(object, {
          has: (target, key) => key !== name && key in target,
          get: (target, key) => Reflect.get(target, key, target),
          set: (target, key, value) => reflectSet(target, key, value, target),
        })
      : object;
  hooks.ev = (callee, code, mode) =>
    callee === realEval && typeof code === 'string' && wire.rewrite
      ? apply(wire.rewrite, wire, [code, mode === 1, mode === 2])
      : code;
}
