/**
 * The platform's own functions, taken before the program can change them.
 *
 * The hooks never call a method through a prototype: the program, and the recorder itself, may have
 * patched it.
 */
export const apply = Reflect.apply;
export const construct = Reflect.construct;
export const reflectSet = Reflect.set;
export const ownKeys = Reflect.ownKeys;
export const getPrototypeOf = Reflect.getPrototypeOf;
// Faster than the function of `Reflect`, which is the same for objects.
export const describe = Object.getOwnPropertyDescriptor as typeof Reflect.getOwnPropertyDescriptor;
export const define = Reflect.defineProperty;
export const isArray = Array.isArray;
export const isView = ArrayBuffer.isView;
export const parse = JSON.parse;
export const stringify = JSON.stringify;
export const toText = Function.prototype.toString;
export const RealProxy = Proxy;
export const RealInt32Array = Int32Array;
export const RealUint8Array = Uint8Array;
export const realEval: unknown = eval;
export const symbolText = Symbol.prototype.toString;
export const create = Object.create;
const setPrototypeOf = Object.setPrototypeOf;
export const toPrimitive: typeof Symbol.toPrimitive = Symbol.toPrimitive;

export const hasOwn = Object.hasOwn;
export const imul = Math.imul;

/** A method as a function of its object. */
export const unbind = Function.prototype.bind.bind(Function.prototype.call) as <This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
) => (object: This, ...args: Args) => Result;

/** A subclass whose own prototype has the native methods. */
function bare<T extends new (...args: never[]) => object>(base: T, methods: string[]): T {
  const ours = class extends (base as new () => object) {
    // An implicit constructor spreads its arguments, and some engines do that by iteration.
    constructor() {
      super();
    }
  };
  for (const method of methods) define(ours.prototype, method, describe(base.prototype, method)!);
  return ours as unknown as T;
}

const BareMap = bare(Map, ['get', 'set', 'has', 'delete']);
const BareWeakMap = bare(WeakMap, ['get', 'set', 'has', 'delete']);
const BareWeakSet = bare(WeakSet, ['add', 'has']);

export const newMap = <K, V>(): Map<K, V> => new BareMap<K, V>();
export const newWeakMap = <K extends object, V>(): WeakMap<K, V> => new BareWeakMap<K, V>();
export const newWeakSet = <K extends object>(): WeakSet<K> => new BareWeakSet<K>();

/** An array that no prototype of the program affects. It is indexed, never pushed to. */
export function bareArray<T>(): T[] {
  return setPrototypeOf([], null) as T[];
}

/** The length up to which a list keeps its array when it is cleared. */
const MOST_KEPT = 1024;

/** A growing list. */
export class List<T> {
  private items = bareArray<T>();
  length = 0;

  add(item: T): void {
    this.items[this.length++] = item;
  }

  put(index: number, item: T): void {
    this.items[index] = item;
  }

  at(index: number): T {
    return this.items[index]!;
  }

  clear(): void {
    if (this.length > MOST_KEPT) this.items = bareArray();
    else for (let at = 0; at < this.length; at++) this.items[at] = undefined as T;
    this.length = 0;
  }
}

/** The native function that each function of the recorder replaces. */
export const originals = newWeakMap<object, Function>();

/** The end of the text of every native function. No other function's text ends so: it is not valid code. */
const NATIVE = '{ [native code] }';

/** Whether a function is the platform's, or replaces one of the platform's. */
export function isNative(value: unknown): boolean {
  if (typeof value !== 'function' || proxies.has(value)) return false;
  if (originals.has(value)) return true;
  const text: string = apply(toText, value, []);
  const from = text.length - NATIVE.length;
  for (let at = 0; at < NATIVE.length; at++) if (text[from + at] !== NATIVE[at]) return false;
  return true;
}

const madeProxies = newWeakSet<object>();
let hasProxies = false;

/** The proxies that the program made. A lookup in them would run their traps. Most programs make none. */
export const proxies = {
  add(proxy: object): void {
    hasProxies = true;
    madeProxies.add(proxy);
  },
  has: (object: object): boolean => hasProxies && madeProxies.has(object),
};

/** A property, and the object that has it. */
export interface Found {
  holder: object;
  property: PropertyDescriptor;
}

/**
 * The data property that a lookup of `key` ends at, and the object that has it. No code of the program
 * runs. `undefined` if there is no such property, or if finding it would run code.
 */
export function lookup(object: object, key: PropertyKey): Found | undefined {
  try {
    for (let holder: object | null = object; holder; holder = getPrototypeOf(holder)) {
      if (proxies.has(holder)) return undefined;
      const property = describe(holder, key);
      if (property) return { holder, property };
    }
  } catch {
    // An object of another origin, or a module's binding before its initialization.
  }
  return undefined;
}

/** Whether a descriptor is that of a data property. The program may have added names to its prototype. */
export const isData = (property: PropertyDescriptor): boolean => hasOwn(property, 'value');

/** The value of a data property, own or inherited. */
export function peek(object: object, key: PropertyKey): unknown {
  const property = lookup(object, key)?.property;
  return property && isData(property) ? property.value : undefined;
}
