/**
 * Custom elements and shadow trees.
 *
 * The reactions of a custom element belong to the event that causes them. The parser causes them
 * outside of any event: then the first of them begins an event of the parser. The platform reads the
 * reactions from the prototype of a class when the class is defined, and the class calls the platform's
 * constructor through its own prototype; both are replaced during or at the definition.
 */
import {
  apply,
  construct,
  define,
  describe,
  getPrototypeOf,
  isNative,
  newWeakMap,
  RealProxy,
} from 'interloper-js-recorder/natives';
import { disguise, replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import { functionName } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';
import type { Documents } from './documents';
import type { Loading } from './loading';

const REACTIONS = [
  'connectedCallback',
  'disconnectedCallback',
  'connectedMoveCallback',
  'adoptedCallback',
  'attributeChangedCallback',
  'formAssociatedCallback',
  'formDisabledCallback',
  'formResetCallback',
  'formStateRestoreCallback',
];
const { setPrototypeOf, isExtensible } = Object;

export function patchCustomElements(dispatches: Dispatches, loading: Loading, documents: Documents): void {
  const { realm } = dispatches;
  const { global, agent } = realm;
  const stands = newWeakMap<object, object>();

  /** Begins an event of the parser, if no event is running while the document is parsed. */
  const parse = (name: string): void => {
    if (agent.event !== '' || !loading.parsing) return;
    // What the parser has inserted before is recorded first.
    documents.drain();
    const id = realm.id();
    agent.begin(id, 'parse', name);
    loading.follow(id, 'parser');
    agent.endLater();
  };

  /** A stand-in for a constructor of the platform. */
  const standIn = (native: any): object => {
    const known = stands.get(native);
    if (known) return known;
    const made = new RealProxy(native, {
      construct: (target, args, newTarget) => {
        parse(functionName(newTarget));
        return construct(target, args, newTarget) as object;
      },
    });
    disguise(made, native);
    stands.set(native, made);
    // A class that extends a class that was defined before finds the stand-in.
    stands.set(made, made);
    return made;
  };

  /** Puts a stand-in before the platform's constructor that a class extends. */
  const extend = (made: unknown): void => {
    let last: any = made;
    for (let above: any = last; typeof above === 'function'; above = getPrototypeOf(last)) {
      if (isNative(above)) {
        if (last !== above && isExtensible(last)) setPrototypeOf(last, standIn(above));
        return;
      }
      last = above;
    }
  };

  /** Replaces the reactions of a prototype while `act` runs. */
  const replaced = (prototype: object, name: string, act: () => unknown): unknown => {
    const before: [string, PropertyDescriptor | undefined][] = [];
    for (let at = 0; at < REACTIONS.length; at++) {
      const key = REACTIONS[at]!;
      let holder: object | null = prototype;
      while (holder && !describe(holder, key)) holder = getPrototypeOf(holder);
      const reaction = holder && describe(holder, key)?.value;
      const own = describe(prototype, key);
      if (typeof reaction !== 'function' || (own ? !own.configurable : !isExtensible(prototype))) continue;
      before[before.length] = [key, own];
      const value = function (this: unknown, ...args: unknown[]): unknown {
        parse(name);
        return apply(reaction as Method, this, args);
      };
      define(prototype, key, { value, configurable: true, writable: true, enumerable: own?.enumerable ?? false });
    }
    try {
      return act();
    } finally {
      for (let at = 0; at < before.length; at++) {
        const own = before[at]![1];
        if (own) define(prototype, before[at]![0], own);
        else delete (prototype as any)[before[at]![0]];
      }
    }
  };

  replace(
    global.CustomElementRegistry.prototype,
    'define',
    (original) =>
      ({
        method(...args: unknown[]) {
          const made = args[1];
          const prototype = typeof made === 'function' && describe(made, 'prototype')?.value;
          if (!isObject(prototype) || typeof args[0] !== 'string') return apply(original, this, args);
          const result = replaced(prototype, args[0], () => apply(original, this, args));
          extend(made);
          return result;
        },
      }).method,
  );
  replace(
    global.Element.prototype,
    'attachShadow',
    (original) =>
      ({
        method(...args: unknown[]) {
          const root = apply(original, this, args) as object;
          documents.shadow(root);
          return root;
        },
      }).method,
  );
}
