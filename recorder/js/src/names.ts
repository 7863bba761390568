/** Names of objects and texts of values. Finding them runs no code of the program. */
import {
  apply,
  create,
  describe,
  isArray,
  isData,
  isNative,
  lookup,
  newMap,
  newWeakMap,
  ownKeys,
  peek,
  imul,
  proxies,
  stringify,
  symbolText,
  unbind,
} from './natives';
import type { Shadow } from './stamp';

/** The length at which the text of a value is truncated. */
const LONGEST = 64;
const charCodeAt = unbind(String.prototype.charCodeAt);

const platformNames = newWeakMap<object, string>();
const platformKeys = newWeakMap<object, Map<PropertyKey, true>>();
const platformGlobals = newMap<PropertyKey, unknown>();
const counts = newMap<string, number>();

/** Stands for the value of a global that the program has not asked for yet. */
const LATER = create(null) as object;
let learned: object;

/** The globals that are not read until the program asks for them. A platform adds its own. */
export const quiet = newMap<PropertyKey, true>();

/**
 * Remembers the platform's constructors, prototypes and namespaces, and their properties. An object
 * that is already known is not examined again.
 */
export function learnPlatform(global: object): void {
  learned = global;
  for (const key of ownKeys(global)) {
    const value = quiet.has(key) ? LATER : describe(global, key)?.value;
    if (platformGlobals.has(key) && platformGlobals.get(key) === value) continue;
    platformGlobals.set(key, value);
    if (value === LATER || value === global || !isObject(value) || typeof key !== 'string') continue;
    learn(value, key, () => true);
    const prototype = describe(value, 'prototype')?.value;
    if (isObject(prototype)) learn(prototype, `${key}.prototype`, () => true);
  }
}

function learn(object: object, name: string, came: (key: PropertyKey) => boolean): Map<PropertyKey, true> {
  platformNames.set(object, name);
  const keys = newMap<PropertyKey, true>();
  const own = ownKeys(object);
  for (let at = 0; at < own.length; at++) if (came(own[at]!)) keys.set(own[at]!, true);
  platformKeys.set(object, keys);
  return keys;
}

/**
 * The properties of an object that came with the platform. It learns an interface, or its prototype, when the
 * program first uses it. The program may have added properties: only native functions, native accessors and
 * constants count as the platform's.
 */
export function platformProperties(object: object): Map<PropertyKey, true> {
  const before = platformKeys.get(object);
  if (before) return before;
  if (proxies.has(object)) return nothing;
  const isPrototype = typeof object !== 'function';
  const maker: unknown = isPrototype ? describe(object, 'constructor')?.value : object;
  if (typeof maker !== 'function') return nothing;
  const name = functionName(maker);
  const came = (key: PropertyKey): boolean => {
    const { value, get, set, writable } = describe(object, key)!;
    return isNative(value) || isNative(get) || isNative(set) || writable === false;
  };
  const known =
    platformGlobals.get(name) === LATER &&
    describe(learned, name)?.value === maker &&
    isNative(maker) &&
    (!isPrototype || describe(maker, 'prototype')?.value === object);
  if (known) return learn(object, isPrototype ? `${name}.prototype` : name, came);
  // A function or prototype of the program, which is not examined again.
  platformKeys.set(object, nothing);
  return nothing;
}

const nothing = newMap<PropertyKey, true>();

/** Whether a global is the platform's and unchanged: an accessor, or a value that was not replaced. */
export function isUntouched(global: object, key: PropertyKey): boolean {
  if (!platformGlobals.has(key)) return false;
  const property = describe(global, key);
  if (!property) return false;
  if (!isData(property)) return true;
  const first = platformGlobals.get(key);
  return first === LATER ? isNative(property.value) : property.value === first;
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The prefix of all names of this global: empty in the first realm, such as the frame's name in others. */
let frame = '';

export function nameFrame(name: string): void {
  frame = name;
}

/** The name of something that belongs to this global. */
export const framed = (name: string): string => frame + name;

/** `name@n`, where n counts the objects of that name. */
export function numbered(name: string): string {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return `${frame}${name}@${count}`;
}

/** Returns the position of a site that makes objects, as `file:line`. */
export type Place = (site: number) => string | undefined;

export function nameOf(object: object, shadow: Shadow, place: Place): string {
  return (shadow.name ??= freshName(object, shadow.site, place));
}

function freshName(object: object, site: number, place: Place): string {
  platformProperties(object);
  const known = platformNames.get(object);
  if (known) return known;
  const kind = kindOf(object);
  const at = site < 0 ? undefined : place(site);
  if (at) return numbered(`${kind}(created at ${at})`);
  const constructor = proxies.has(object) ? undefined : describe(object, 'constructor')?.value;
  if (typeof constructor === 'function' && describe(constructor, 'prototype')?.value === object)
    return `${functionName(constructor)}.prototype`;
  return numbered(kind);
}

/** The name of an object's constructor, as far as it can be found without running code. */
export function kindOf(object: object): string {
  if (proxies.has(object)) return 'Proxy';
  if (typeof object === 'function') {
    const name = functionName(object);
    return name ? `function ${name}` : 'function';
  }
  if (isArray(object)) return 'Array';
  const constructor = peek(object, 'constructor');
  return (typeof constructor === 'function' && functionName(constructor)) || 'Object';
}

function functionName(object: Function): string {
  const name = proxies.has(object) ? undefined : describe(object, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

/** The text of a key in a location's name: `.key` or `[3]`. */
export function keyName(key: unknown): string {
  if (typeof key === 'symbol') return `[${apply(symbolText, key, [])}]`;
  if (typeof key === 'number') return `[${key}]`;
  return `.${key as string}`;
}

export function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  let cut = '';
  for (let at = 0; at < LONGEST - 1; at++) cut += text[at];
  return `${cut}…`;
}

/** A hash of a text, as 13 hexadecimal digits (cyrb53, which mixes two 32-bit hashes). */
function hash(text: string): string {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = charCodeAt(text, at);
    one = imul(one ^ code, 2654435761);
    two = imul(two ^ code, 1597334677);
  }
  one = imul(one ^ (one >>> 16), 2246822507) ^ imul(two ^ (two >>> 13), 3266489909);
  two = imul(two ^ (two >>> 16), 2246822507) ^ imul(one ^ (one >>> 13), 3266489909);
  const digits = '0123456789abcdef';
  let out = '';
  for (let at = 16; at >= 0; at -= 4) out += digits[(two >>> at) & 15];
  for (let at = 28; at >= 0; at -= 4) out += digits[(one >>> at) & 15];
  return out;
}

/** Truncates the text of a value, and adds a hash of the whole, so that two values are compared whole. */
export function cut(text: string, whole = text): string {
  return text.length <= LONGEST && whole === text ? text : `${shorten(text)}#${hash(whole)}`;
}

function stringText(value: string): string {
  if (value.length > LONGEST) return `${shorten(stringify(shorten(value)))}#${hash(value)}`;
  const text = stringify(value);
  return text.length <= LONGEST ? text : `${shorten(text)}#${hash(value)}`;
}

/**
 * The text of a value. The texts of two values are equal only if the values are: the text of an object
 * ends in a number for its identity (`Array(1)@7`), and a truncated text in a hash of the whole.
 */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return stringText(value);
    case 'bigint':
      return cut(`${value}n`);
    case 'symbol':
      return cut(apply(symbolText, value, []));
    case 'object':
    case 'function':
      return value === null ? 'null' : objectText(value);
    default:
      return `${value as number}`;
  }
}

function objectText(object: object): string {
  const shadow = identify(object);
  const kind = (shadow.kind ??= kindOf(object));
  // A window may be of another origin, and the documents in it change.
  if (kind === 'Window') return kind;
  shadow.id ||= ++objects;
  const length = kind === 'Array' ? `(${lookup(object, 'length')?.property.value as number})` : '';
  return `${shorten(kind)}${length}@${realmPrefix}${shadow.id}`;
}

/** The shadow of an object, which numbers it by its identity. */
export let identify: (object: object) => Shadow;
let objects = 0;
let realmPrefix = '';

/** Sets the function that finds the shadow of an object. */
export function identifyBy(find: (object: object) => Shadow): void {
  identify = find;
}

/** Makes the numbers of objects in this realm distinct from those in the other realms of a recording. */
export function numberRealm(number: number): void {
  realmPrefix = number === 1 ? '' : `${number}.`;
}
