/**
 * The access hooks: what rewritten code calls (docs/web-rewriter.md).
 *
 * The fast ways are short enough to be inlined: an object made in the current event is known by one
 * private field, a variable or global that was told by one comparison in the rewritten code itself.
 * All else goes through `Teller`, once a location, event and kind, or twice through its tables.
 *
 * No hook runs code of the page: no getter, proxy, conversion or patched method.
 */
import {
  apply,
  create,
  define,
  describe,
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
import { patchArrays, patchCollections, patchProxies, patchToString } from './builtins';
import { isObject, learnPlatform } from './names';
import { stamper, type Hooks } from './stamp';
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
}

type Shape = 0 | Shape[] | { [key: string]: Shape };

/** Puts the hooks into a global, under a name that the code was rewritten for. */
export function install(global: any, wire: Wire, name = '__il'): Recording {
  const hooks: Hooks = { e: wire.epoch, t: undefined, g: [] };
  const teller = new Teller(hooks, wire, global);
  const stamp = stamper(hooks, (object, key, site, write) =>
    teller.property(object, key, site, write),
  );
  teller.stamps = stamp;
  for (const key of ownKeys(stamp)) {
    const value = describe(stamp, key)!.value;
    if (typeof value === 'function') hooks[key as string] = value;
  }
  addProperties(hooks, teller, stamp.isYoung);
  addVariables(hooks, teller);
  addPatterns(hooks, teller, stamp.isYoung);
  addScopes(hooks, teller, wire, name);
  learnPlatform(global);
  patchArrays(global, teller, stamp);
  patchCollections(global, teller, stamp);
  patchProxies(global);
  patchToString(global, wire, hooks, name);
  define(global, name, { value: hooks });
  return { turn: () => teller.turn(), flush: () => teller.flush() };
}

/** Properties by computed key, updates, logical assignments, and stores after a wait. */
function addProperties(hooks: Hooks, teller: Teller, isYoung: (object: object) => boolean): void {
  const isOld = (object: unknown): object is object => isObject(object) && !isYoung(object);
  const kept: Record<number, { object: unknown; key: unknown }> = create(null);

  /** Hands a key on. A key that is an object is told when the engine converts it, if it does. */
  const byKey = (tell: (object: unknown, key: unknown, site: number) => void) =>
    (object: unknown, key: unknown, site: number): unknown => {
      if (!isOld(object)) return key;
      if (isObject(key)) {
        return {
          [toPrimitive]: () => {
            const converted = ownKeys({ [key as unknown as string]: 0 })[0]!;
            tell(object, converted, site);
            return converted;
          },
        };
      }
      tell(object, key, site);
      return key;
    };
  const read = (object: unknown, key: unknown, site: number) =>
    teller.property(object, key, site, false);
  const write = (object: unknown, key: unknown, site: number) =>
    teller.property(object, key, site, true);
  const update = (object: unknown, key: unknown, site: number): void => {
    if (!isOld(object)) return;
    teller.lastSite = site;
    teller.access(object, canonical(key), site, false);
    teller.access(object, canonical(key), site, true);
  };
  const maybe = (object: unknown, key: unknown, site: number): void => {
    read(object, key, site);
    kept[site] = { object, key };
  };
  hooks.kr = byKey(read);
  hooks.kw = byKey(write);
  hooks.kx = byKey(update);
  hooks.kl = byKey(maybe);
  hooks.x = (object: unknown, key: unknown, site: number) => {
    update(object, key, site);
    return object;
  };
  hooks.l = (object: unknown, key: unknown, site: number) => {
    maybe(object, key, site);
    return object;
  };
  hooks.lw = (value: unknown, site: number) => {
    const target = kept[site];
    if (target && isOld(target.object))
      teller.access(target.object, canonical(target.key), site, true);
    return value;
  };
  const told = (object: unknown, key: unknown, site: number): unknown =>
    isObject(key) ? key : (write(object, key, site), key);
  hooks.sa = (object: any, key: any, value: unknown, site: number) => {
    if (object !== null && object !== undefined) told(object, key, site);
    return (object[key] = value);
  };
  hooks.so = (object: any, key: any, value: unknown, site: number) => {
    if (object === null || object === undefined) return (object[key] = value);
    told(object, key, site);
    reflectSet(Object(object), key, value, object);
    return value;
  };
  hooks.ha = (key: any, object: any, site: number) => {
    if (isOld(object) && !isObject(key)) read(object, key, site);
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
  const seen = (site: number): void => {
    teller.lastSite = site;
    while (hooks.g.length <= site) hooks.g[hooks.g.length] = 0;
    hooks.g[site] = hooks.e;
  };
  hooks.gr = (site: number, name: string) => {
    seen(site);
    teller.globalAccess(canonical(name), site, false);
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
    for (const key of ownKeys(shape) as string[]) {
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
      if (!proxies.has(object) && isArray(object)) {
        const { length } = object;
        teller.access(object, 'length', site, false);
        for (let index = 0; index < length; index++) teller.access(object, index, site, false);
      }
    }
    return object;
  };
  hooks.ds = (object: unknown, site: number) => {
    if (isObject(object) && !isYoung(object) && !proxies.has(object)) {
      for (const key of ownKeys(object))
        if (lookup(object, key)?.property.enumerable)
          teller.access(object, canonical(key), site, false);
    }
    return object;
  };
}

/** Scripts, `with`, and `eval`. */
function addScopes(hooks: Hooks, teller: Teller, wire: Wire, name: string): void {
  hooks.p = (_script: number, file: string, first: number, births: string): void =>
    teller.script(file, first, births);
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
