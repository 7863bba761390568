/** `addEventListener`, `removeEventListener`, and handlers set through properties. */
import {
  apply,
  define,
  describe,
  isData,
  lookup,
  newMap,
  newWeakMap,
  originals as natives,
  ownKeys,
} from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject, quiet, shorten } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';

interface Entry {
  ours: Method;
  callback: string;
}

type Entries = Map<unknown, Entry>;

export function patchListeners(dispatches: Dispatches): void {
  const { realm } = dispatches;
  const { global, agent } = realm;
  const known = newWeakMap<object, Map<string, Entries>>();

  const entries = (target: object, type: string, capture: boolean): Entries => {
    let types = known.get(target);
    if (!types) known.set(target, (types = newMap()));
    const key = `${capture ? 'c' : 'b'}${type}`;
    let found = types.get(key);
    if (!found) types.set(key, (found = newMap()));
    return found;
  };

  /** The value of an option that is a data property. Only the platform may run an accessor. */
  const option = (options: unknown, name: string): unknown => {
    if (!isObject(options)) return undefined;
    const property = lookup(options, name)?.property;
    return property && isData(property) ? property.value : undefined;
  };
  const isCapture = (options: unknown): boolean => (isObject(options) ? !!option(options, 'capture') : !!options);

  const wrap = (listener: any, type: string, callback: string, forget: () => void): Method =>
    function (this: unknown, ...args: any[]) {
      forget();
      const name = dispatches.nameOf(listener, type);
      if (typeof listener === 'function') return dispatches.call(callback, listener, this, args, name);
      return dispatches.call(callback, handle, listener, args, name);
    };
  const handle = function (this: any, ...args: any[]): unknown {
    return apply(this.handleEvent, this, args);
  };

  /** Whether the arguments name a listener of a target. The platform rejects or converts other arguments. */
  const names = (target: unknown, args: any[]): target is object =>
    isObject(args[1]) && typeof args[0] === 'string' && isObject(target);

  replace(
    global.EventTarget.prototype,
    'addEventListener',
    (original) =>
      ({
        method(...args: any[]) {
          const target: unknown = this ?? global;
          if (!names(target, args)) return apply(original, this, args);
          const type = args[0];
          const listener = args[1];
          const list = entries(target, type, isCapture(args[2]));
          let entry = list.get(listener);
          if (!entry) {
            const callback = realm.id();
            const forget = option(args[2], 'once') ? () => void list.delete(listener) : () => {};
            entry = { ours: wrap(listener, type, callback, forget), callback };
            list.set(listener, entry);
            if (agent.event !== '') agent.line(`register ${callback}${realm.site()}`);
            dispatches.listed(target, type, dispatches.nameOf(listener, type), '');
          }
          args[1] = entry.ours;
          return apply(original, this, args);
        },
      }).method,
  );

  replace(
    global.EventTarget.prototype,
    'removeEventListener',
    (original) =>
      ({
        method(...args: any[]) {
          const target: unknown = this ?? global;
          if (!names(target, args)) return apply(original, this, args);
          const listener = args[1];
          const list = entries(target, args[0], isCapture(args[2]));
          const entry = list.get(listener);
          if (entry) {
            args[1] = entry.ours;
            list.delete(listener);
            dispatches.listed(target, args[0], '', dispatches.nameOf(listener, args[0]));
          }
          return apply(original, this, args);
        },
      }).method,
  );

  replace(
    global.EventTarget.prototype,
    'dispatchEvent',
    (original) =>
      ({
        method(...args: any[]) {
          const target: unknown = this ?? global;
          if (agent.event !== '' && isObject(target) && isObject(args[0])) dispatches.announce(target, args[0]);
          return apply(original, this, args);
        },
      }).method,
  );

  patchHandlers(dispatches);
}

/** Patches `onclick` and the like: accessors of the platform's prototypes and of the window. */
function patchHandlers(dispatches: Dispatches): void {
  const { realm } = dispatches;
  const { global, agent } = realm;
  const originals = newWeakMap<object, object>();

  const accessor = (holder: object, key: string): void => {
    const property = describe(holder, key);
    if (!property?.configurable || !property.get || !property.set) return;
    const type = shorten(eventType(key));
    const { get, set } = property as { get: Method; set: Method };
    const ours = Object.getOwnPropertyDescriptor(
      {
        get [key]() {
          const found = apply(get, this, []);
          return (isObject(found) && originals.get(found)) || found;
        },
        set [key](handler: any) {
          const target: object = this ?? global;
          const old = apply(get, this, []);
          const before = old ? dispatches.nameOf(originals.get(old) ?? old, type) : '';
          if (!isObject(handler)) {
            apply(set, this, [handler]);
            dispatches.listed(target, type, '', before);
            return;
          }
          // The same handler again is no other registration.
          if (isObject(old) && originals.get(old) === handler) return;
          const callback = realm.id();
          const name = dispatches.nameOf(handler, type);
          const wrapped = function (this: unknown, ...args: unknown[]): unknown {
            if (typeof handler !== 'function') return undefined;
            return dispatches.call(callback, handler as Method, this, args, name);
          };
          originals.set(wrapped, handler);
          apply(set, this, [wrapped]);
          if (agent.event !== '') agent.line(`register ${callback}${realm.site()}`);
          dispatches.listed(target, type, name, before);
        },
      },
      key,
    )!;
    // Accessors made by this syntax have the names and lengths of the platform's.
    define(holder, key, { ...property, get: ours.get!, set: ours.set! });
    natives.set(ours.get!, get);
    natives.set(ours.set!, set);
  };

  const scan = (holder: object): void => {
    for (const key of ownKeys(holder)) if (typeof key === 'string' && /^on[a-z]+$/.test(key)) accessor(holder, key);
  };
  scan(global);
  for (const key of ownKeys(global)) {
    if (quiet.has(key)) continue;
    const value = describe(global, key)?.value;
    const prototype = typeof value === 'function' && describe(value, 'prototype')?.value;
    if (isObject(prototype)) scan(prototype);
  }
}

function eventType(key: string): string {
  let type = '';
  for (let at = 2; at < key.length; at++) type += key[at];
  return type;
}
