/** Names of objects and texts of values. Nothing of the page's runs to find them. */
import {
  apply,
  describe,
  isArray,
  isData,
  lookup,
  newMap,
  newWeakMap,
  ownKeys,
  peek,
  proxies,
  stringify,
  symbolText,
} from './natives';
import type { Shadow } from './stamp';

/** Longest text of a value. */
const LONGEST = 64;

const platformNames = newWeakMap<object, string>();
const platformKeys = newWeakMap<object, Map<PropertyKey, true>>();
const platformGlobals = newMap<PropertyKey, unknown>();
const counts = newMap<string, number>();

/** Remembers the platform's constructors, prototypes and namespaces, and what they have. */
export function learnPlatform(global: object): void {
  for (const key of ownKeys(global)) {
    const value = describe(global, key)?.value;
    platformGlobals.set(key, value);
    if (value === global || !isObject(value) || typeof key !== 'string') continue;
    learn(value, key);
    const prototype = describe(value, 'prototype')?.value;
    if (isObject(prototype)) learn(prototype, `${key}.prototype`);
  }
}

function learn(object: object, name: string): void {
  platformNames.set(object, name);
  const keys = newMap<PropertyKey, true>();
  for (const key of ownKeys(object)) keys.set(key, true);
  platformKeys.set(object, keys);
}

/** Whether a property came with the platform. */
export function isPlatform(holder: object, key: PropertyKey): boolean {
  return platformKeys.get(holder)?.has(key) ?? false;
}

/** Whether a global is the platform's and as it came: an accessor, or a value nobody has replaced. */
export function isUntouched(global: object, key: PropertyKey): boolean {
  if (!platformGlobals.has(key)) return false;
  const property = describe(global, key);
  return !!property && (!isData(property) || property.value === platformGlobals.get(key));
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** What all names of this global begin with: nothing in the outermost window, the frame in others. */
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

/** Where a site that makes objects is, as `file:line`. */
export type Place = (site: number) => string | undefined;

export function nameOf(object: object, shadow: Shadow, place: Place): string {
  return (shadow.name ??= freshName(object, shadow.site, place));
}

function freshName(object: object, site: number, place: Place): string {
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

/** What an object is: its constructor's name, as far as it is plain to see. */
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

/** `.key` or `[3]`. */
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

export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return shorten(stringify(value.length > LONGEST ? shorten(value) : value));
    case 'bigint':
      return shorten(`${value}n`);
    case 'symbol':
      return shorten(apply(symbolText, value, []));
    case 'object':
    case 'function':
      return value === null ? 'null' : shorten(objectText(value));
    default:
      return `${value as number}`;
  }
}

function objectText(object: object): string {
  const kind = kindOf(object);
  if (kind !== 'Array') return kind;
  return `Array(${lookup(object, 'length')?.property.value as number})`;
}
