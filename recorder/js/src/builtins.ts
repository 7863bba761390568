/**
 * The accesses of built-in functions: the methods of arrays, maps and sets.
 *
 * Each method is replaced by one that records its accesses and then calls the original, and that has
 * the original's name, length and text. Iterators are not replaced, because the engine's fast paths
 * through arrays depend on them; rewritten code records an iteration where it happens. `toString` is
 * not replaced either, because typed arrays share it.
 */
import { apply, construct, define, describe, isArray, originals, proxies, RealProxy, toText } from './natives';
import { FALSE, UNDEFINED, valueOf } from './text';
import type { Stamps, AccessRecorder } from './recorder';
import type { Wire } from './wire';

export type Method = (this: any, ...args: any[]) => any;

/** Replaces a method. `make` takes the original and returns a function made by method syntax. */
export function replace(target: object, key: PropertyKey, make: (original: Method) => Method): void {
  const property = describe(target, key);
  const original = property?.value as Method | undefined;
  if (!property || typeof original !== 'function') return;
  define(target, key, { ...property, value: disguise(make(original), original) });
}

/** Gives a function of the recorder the name, length and text of the function that it replaces. */
export function disguise(ours: Function, original: Function): Function {
  for (const key of ['length', 'name']) define(ours, key, describe(original, key)!);
  originals.set(ours, original);
  return ours;
}

const arrayReaders = [
  'at',
  'concat',
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flat',
  'flatMap',
  'forEach',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'map',
  'reduce',
  'reduceRight',
  'slice',
  'some',
  'toReversed',
  'toSorted',
  'toSpliced',
  'with',
];
const arrayWriters = ['copyWithin', 'fill', 'reverse', 'shift', 'sort', 'splice', 'unshift'];

export function patchArrays(global: any, recorder: AccessRecorder, stamps: Stamps): void {
  const { prototype } = global.Array;
  const isOld = (array: unknown): array is unknown[] =>
    typeof array === 'object' && array !== null && !stamps.isYoung(array) && !proxies.has(array) && isArray(array);
  const elements = (array: unknown[], from: number, to: number, write: boolean): void => {
    for (let index = from; index < to; index++) recorder.access(array, index, recorder.lastSite, write, true);
  };
  const length = (array: unknown[], write: boolean): void =>
    recorder.access(array, 'length', recorder.lastSite, write, true);
  for (const name of arrayReaders)
    replace(
      prototype,
      name,
      (original) =>
        ({
          method(...args: unknown[]) {
            if (isOld(this)) recorder.sweep(this, recorder.lastSite);
            return apply(original, this, args);
          },
        }).method,
    );
  for (const name of arrayWriters)
    replace(
      prototype,
      name,
      (original) =>
        ({
          method(...args: unknown[]) {
            if (!isOld(this)) return apply(original, this, args);
            const before = this.length;
            recorder.sweep(this, recorder.lastSite);
            const result = apply(original, this, args);
            const after = this.length;
            elements(this, 0, before > after ? before : after, true);
            if (after !== before) length(this, true);
            return result;
          },
        }).method,
    );
  replace(
    prototype,
    'push',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (!isOld(this)) return apply(original, this, args);
          const before = this.length;
          length(this, false);
          const result = apply(original, this, args);
          elements(this, before, this.length, true);
          length(this, true);
          return result;
        },
      }).method,
  );
  replace(
    prototype,
    'pop',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (!isOld(this)) return apply(original, this, args);
          length(this, false);
          const last = this.length - 1;
          if (last >= 0) {
            elements(this, last, last + 1, false);
            elements(this, last, last + 1, true);
            length(this, true);
          }
          return apply(original, this, args);
        },
      }).method,
  );
}

export function patchCollections(global: any, recorder: AccessRecorder, stamps: Stamps): void {
  for (const name of ['Map', 'Set']) {
    const { prototype } = global[name];
    const sizeProperty = describe(prototype, 'size')!;
    const size = sizeProperty.get as Method;
    const has = prototype.has as Method;
    const each = prototype.forEach as Method;
    /** The size of a collection that the current event did not make; undefined for other values. */
    const oldSize = (collection: unknown): number | undefined => {
      if (typeof collection !== 'object' || collection === null || stamps.isYoung(collection)) return undefined;
      try {
        return apply(size, collection, []);
      } catch {
        return undefined;
      }
    };
    const reader = (original: Method): Method =>
      ({
        method(...args: unknown[]) {
          const result = apply(original, this, args);
          if (oldSize(this) !== undefined) recorder.entry(this, args[0], false, valueOf(result));
          return result;
        },
      }).method;
    const writer = (original: Method): Method =>
      ({
        method(...args: unknown[]) {
          const before = oldSize(this);
          if (before === undefined) return apply(original, this, args);
          const had = apply(has, this, [args[0]]) as boolean;
          const result = apply(original, this, args);
          const present = apply(has, this, [args[0]]);
          const value = name === 'Set' ? present : present ? args[1] : undefined;
          recorder.entry(this, args[0], true, valueOf(value), had);
          const after = apply(size, this, []) as number;
          if (after !== before) recorder.size(this, true, after);
          return result;
        },
      }).method;
    const cleared = name === 'Set' ? FALSE : UNDEFINED;
    const clear = (original: Method): Method =>
      ({
        method(...args: unknown[]) {
          if (oldSize(this)) {
            apply(each, this, [(_: unknown, key: unknown) => recorder.entry(this, key, true, cleared, true)]);
            recorder.size(this, true, 0);
          }
          return apply(original, this, args);
        },
      }).method;
    const forEach = (original: Method): Method =>
      ({
        method(...args: unknown[]) {
          const count = oldSize(this);
          if (count !== undefined) {
            recorder.size(this, false, count);
            apply(each, this, [(value: unknown, key: unknown) => recorder.entry(this, key, false, valueOf(value))]);
          }
          return apply(original, this, args);
        },
      }).method;
    for (const key of ['get', 'has']) replace(prototype, key, reader);
    for (const key of ['set', 'add', 'delete']) replace(prototype, key, writer);
    replace(prototype, 'clear', clear);
    replace(prototype, 'forEach', forEach);
    const getter = Object.getOwnPropertyDescriptor(
      {
        get size() {
          const count = oldSize(this);
          if (count !== undefined) recorder.size(this, false, count);
          return apply(size, this, []);
        },
      },
      'size',
    )!.get!;
    define(prototype, 'size', { ...sizeProperty, get: disguise(getter, size) as () => number });
  }
}

/** Remembers the proxies that the program makes, because a lookup in them would run their traps. */
export function patchProxies(global: any): void {
  const property = describe(global, 'Proxy')!;
  replace(
    RealProxy,
    'revocable',
    (original) =>
      ({
        method(...args: unknown[]) {
          const result = apply(original, this, args);
          proxies.add(result.proxy);
          return result;
        },
      }).method,
  );
  const counted: object = new RealProxy(RealProxy, {
    construct(target, args, newTarget) {
      const proxy = construct(target, args, newTarget === counted ? target : newTarget);
      proxies.add(proxy);
      return proxy;
    },
  });
  originals.set(counted, RealProxy);
  define(global, 'Proxy', { ...property, value: counted });
}

/** Makes `Function.prototype.toString` return the original source. */
export function patchToString(global: any, wire: Wire, name: string): void {
  const mark = new RegExp(`/\\*${name.replace(/\$/g, '\\$')}:(\\d+):(\\d+):(\\d+)\\*/`, 'g');
  const exec = RegExp.prototype.exec;
  const slice = String.prototype.slice;
  const original = (text: string): string => {
    let best: { script: number; start: number; end: number } | undefined;
    mark.lastIndex = 0;
    for (let found; (found = apply(exec, mark, [text]) as RegExpExecArray | null); ) {
      const start = +found[2]!;
      if (!best || start < best.start) best = { script: +found[1]!, start, end: +found[3]! };
    }
    const source = best && wire.source?.(best.script);
    return source === undefined ? text : apply(slice, source, [best!.start, best!.end]);
  };
  replace(
    global.Function.prototype,
    'toString',
    (native) =>
      ({
        method(...args: unknown[]) {
          const known = typeof this === 'function' ? originals.get(this) : undefined;
          return known ? apply(toText, known, []) : original(apply(native, this, args));
        },
      }).method,
  );
}
