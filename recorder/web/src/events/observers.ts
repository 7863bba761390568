/**
 * Observers and other callbacks that are passed once. A mutation observer's call is a microtask after
 * the mutations that it reports. The runtime does not know the cause of the other calls: their events
 * have the type `unknown`, are ordered after the event that passed the callback, and have one diagnostic
 * each.
 */
import { apply, construct, newWeakMap } from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import { standFor } from './messages';
import { functionName } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

const OBSERVERS = [
  'MutationObserver',
  'ResizeObserver',
  'IntersectionObserver',
  'PerformanceObserver',
  'ReportingObserver',
];
/** Functions that take callbacks, and the positions of the callbacks among their arguments. */
const CALLERS: [string[], string, number[]][] = [
  [['Geolocation', 'prototype'], 'getCurrentPosition', [0, 1]],
  [['Geolocation', 'prototype'], 'watchPosition', [0, 1]],
  [['HTMLCanvasElement', 'prototype'], 'toBlob', [0]],
  [['HTMLVideoElement', 'prototype'], 'requestVideoFrameCallback', [0]],
  [['DataTransferItem', 'prototype'], 'getAsString', [0]],
  [['LockManager', 'prototype'], 'request', [1, 2]],
  [['Scheduler', 'prototype'], 'postTask', [0]],
  [['Document', 'prototype'], 'startViewTransition', [0]],
  [['BaseAudioContext', 'prototype'], 'decodeAudioData', [1, 2]],
  [['Notification'], 'requestPermission', [0]],
];

export function patchObservers(realm: WindowRealm): void {
  const { global, agent } = realm;
  const callbacks = newWeakMap<object, string>();
  for (const name of OBSERVERS) {
    const native = global[name];
    if (typeof native !== 'function') continue;
    standFor(global, name, (target, args, newTarget) => {
      const callback = args[0];
      if (typeof callback !== 'function') return construct(target, args, newTarget);
      let made: object | undefined;
      args[0] = function (this: unknown, ...inner: unknown[]) {
        if (agent.event !== '' && !agent.isOpen) return apply(callback as Method, this, inner);
        const type = name === 'MutationObserver' && agent.isAlive ? 'microtask' : 'unknown';
        if (type === 'unknown') agent.diagnostic('unknown-source', name);
        agent.begin(realm.id(), type, functionName(callback));
        const registered = made && callbacks.get(made);
        if (registered) agent.line(`invoke ${registered}`);
        try {
          return apply(callback as Method, this, inner);
        } finally {
          agent.end();
        }
      };
      return (made = construct(target, args, newTarget) as object);
    });
    replace(
      native.prototype,
      'observe',
      (original) =>
        ({
          method(...args: unknown[]) {
            if (isObject(this) && agent.event !== '') {
              const id = realm.id();
              callbacks.set(this, id);
              agent.line(`register ${id}${realm.site()}`);
            }
            return apply(original, this, args);
          },
        }).method,
    );
  }
  for (let at = 0; at < CALLERS.length; at++) patchCaller(realm, CALLERS[at]!);
}

function patchCaller(realm: WindowRealm, [path, key, places]: [string[], string, number[]]): void {
  let holder = realm.global;
  for (const step of path) holder = holder?.[step];
  if (!holder) return;
  replace(
    holder,
    key,
    (original) =>
      ({
        method(...args: unknown[]) {
          for (let at = 0; at < places.length; at++) {
            const callback = args[places[at]!];
            if (typeof callback !== 'function') continue;
            const id = realm.id();
            realm.enqueue(id, 'unknown');
            let first = true;
            args[places[at]!] = function (this: unknown, ...inner: unknown[]) {
              if (realm.agent.event === '') realm.agent.diagnostic('unknown-source', key);
              const event = first ? id : realm.id();
              if (!first) realm.arc(id, event);
              first = false;
              return realm.run(event, 'unknown', functionName(callback), callback as Method, this, inner);
            };
          }
          return apply(original, this, args);
        },
      }).method,
  );
}
