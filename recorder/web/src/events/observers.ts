/**
 * Observers, and functions that are passed to the platform once.
 *
 * A mutation observer's call is a microtask after the mutations that it reports. A call of another
 * observer is a task. It comes after the `observe` of each target that it reports, and after the
 * observer's call before it. An observer of things that have no target, such as measurements, is called
 * after its first `observe`.
 *
 * The browser calls observers of sizes and intersections when it draws a frame, after the callbacks of
 * `requestAnimationFrame` that were requested before. So `observe` posts the first call that reports its
 * target to the queue of those callbacks. Not so while the browser draws a frame: then the observer may be
 * called in that frame, and what is requested now comes in the next one.
 */
import { apply, construct, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import { functionName } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';
import { framesOf } from './frames';
import { standFor } from './messages';

/** The interfaces of observers, and of the entries that name their targets. */
const OBSERVERS: [string, string?][] = [
  ['MutationObserver', 'MutationRecord'],
  ['ResizeObserver', 'ResizeObserverEntry'],
  ['IntersectionObserver', 'IntersectionObserverEntry'],
  ['PerformanceObserver'],
  ['ReportingObserver'],
  ['PressureObserver'],
];
/** The observers that are called when the browser draws a frame. */
const DRAWN = ['ResizeObserver', 'IntersectionObserver'];
/** The types of the tasks in which the browser draws a frame. */
const DRAWING = ['frame', 'observer'];
/** How many entries are searched for their targets. */
const MOST = 64;

/** An observer of the page. */
interface Watch {
  /** The last `observe` of each target. */
  targets: WeakMap<object, Start>;
  first: Start | undefined;
  /** The last call. */
  last: string;
}

/** A call of `observe`. */
interface Start {
  /** The callback that the call registered, or the event that it posted. */
  callback: string;
  event: string;
  /** How many calls of `observe` came before this one. */
  number: number;
  /** Whether the event that the call posted has not begun. */
  waits: boolean;
}

export function patchObservers(dispatches: Dispatches): void {
  const watches = newWeakMap<object, Watch>();
  for (const [name, entry] of OBSERVERS) new Observer(dispatches, watches, name, entry).patch();
  for (const [path, key, places, queue] of CALLERS) patchCaller(dispatches, path, key, places, queue);
  patchFinalization(dispatches);
}

class Observer {
  private readonly target: (entry: any) => unknown;
  private readonly native: any;
  private readonly isDrawn: boolean;
  private starts = 0;

  constructor(
    private readonly dispatches: Dispatches,
    private readonly watches: WeakMap<object, Watch>,
    private readonly name: string,
    private readonly entry: string | undefined,
  ) {
    const { realm } = dispatches;
    this.native = realm.global[name];
    this.isDrawn = isOne(DRAWN, name);
    this.target = entry ? realm.getter(realm.global[entry]?.prototype, 'target') : () => undefined;
  }

  patch(): void {
    const observer = this;
    const { realm } = this.dispatches;
    if (typeof this.native !== 'function') return;
    standFor(realm.global, this.name, (target, args, newTarget) => {
      const callback = args[0];
      if (typeof callback !== 'function') return construct(target, args, newTarget);
      const watch: Watch = { targets: newWeakMap(), first: undefined, last: '' };
      args[0] = function (this: unknown, ...inner: unknown[]) {
        return observer.called(watch, callback as Method, this, inner);
      };
      const made = construct(target, args, newTarget) as object;
      this.watches.set(made, watch);
      return made;
    });
    replace(
      this.native.prototype,
      'observe',
      (original) =>
        ({
          method(...args: unknown[]) {
            const watch = isObject(this) && observer.watches.get(this);
            if (watch && realm.agent.event !== '') observer.observes(watch, args[0]);
            return apply(original, this, args);
          },
        }).method,
    );
  }

  private observes(watch: Watch, target: unknown): void {
    const { realm } = this.dispatches;
    const { agent } = realm;
    const start = { callback: realm.id(), event: agent.event, number: this.starts++, waits: this.isDrawn };
    const site = realm.site();
    if (!this.isDrawn) agent.line(`register ${start.callback}${site}`);
    else if (isOne(DRAWING, agent.task)) realm.enqueue(start.callback, 'observers');
    // At the end of the event, because the frames that it still requests come before the observer, too.
    else agent.atEnd(() => realm.enqueue(start.callback, framesOf(realm), ' display', site));
    watch.first ??= start;
    if (this.entry && isObject(target)) watch.targets.set(target, start);
  }

  private called(watch: Watch, callback: Method, self: unknown, args: unknown[]): unknown {
    const { realm } = this.dispatches;
    const { agent } = realm;
    if (agent.event !== '' && !agent.isOpen) return apply(callback, self, args);
    const isMicrotask = this.name === 'MutationObserver';
    const last = this.isDrawn ? this.lastStart(watch, args[0]) : undefined;
    const id = last?.waits ? last.callback : realm.id();
    agent.begin(id, isMicrotask && agent.isAlive ? 'microtask' : 'observer', functionName(callback));
    this.follow(watch, id, args[0]);
    if (last) last.waits = false;
    if (isMicrotask) for (let at = 0; at < agent.changes.length; at++) realm.arc(agent.changes.at(at), id);
    else {
      realm.arc(watch.last, id, 'object');
      watch.last = id;
    }
    try {
      return apply(callback, self, args);
    } finally {
      agent.end();
    }
  }

  /** Orders a call after the calls of `observe` that asked for its entries. */
  private follow(watch: Watch, id: string, entries: any): void {
    const { realm } = this.dispatches;
    const seen = newMap<string, true>();
    const follow = (start: Start | undefined): void => {
      if (!start || seen.has(start.event)) return;
      // The first is the registration of the call; the others are arcs, because a call has one registration.
      if (seen.size === 0 && !this.isDrawn) realm.agent.line(`invoke ${start.callback}`);
      else if (start.callback !== id) realm.arc(start.event, id, 'object');
      seen.set(start.event, true);
    };
    if (!this.entry) return follow(watch.first);
    for (let at = 0; at < entries.length && at < MOST; at++) follow(this.start(watch, this.target(entries[at])));
  }

  /** The last `observe` of a target that a call reports. */
  private lastStart(watch: Watch, entries: any): Start | undefined {
    let last: Start | undefined;
    for (let at = 0; at < entries.length && at < MOST; at++) {
      const start = this.start(watch, this.target(entries[at]));
      if (start && (!last || start.number > last.number)) last = start;
    }
    return last;
  }

  /** The `observe` of a target or, for mutations, of the nearest node around it. */
  private start(watch: Watch, target: any): Start | undefined {
    const { elements } = this.dispatches;
    if (this.name !== 'MutationObserver') return isObject(target) ? watch.targets.get(target) : undefined;
    for (let at = target; at; at = elements.parent(at)) {
      const found = watch.targets.get(at);
      if (found) return found;
    }
    return undefined;
  }
}

function isOne(list: string[], name: string): boolean {
  for (let at = 0; at < list.length; at++) if (list[at] === name) return true;
  return false;
}

/**
 * Functions that take callbacks, the positions of the callbacks among their arguments, and whether the
 * calls keep the order of the requests.
 */
const CALLERS: [string[], string, number[], string?][] = [
  [['Geolocation', 'prototype'], 'getCurrentPosition', [0, 1]],
  [['Geolocation', 'prototype'], 'watchPosition', [0, 1]],
  [['HTMLCanvasElement', 'prototype'], 'toBlob', [0]],
  [['HTMLVideoElement', 'prototype'], 'requestVideoFrameCallback', [0]],
  [['DataTransferItem', 'prototype'], 'getAsString', [0]],
  [['LockManager', 'prototype'], 'request', [1, 2]],
  [['Scheduler', 'prototype'], 'postTask', [0]],
  [['Document', 'prototype'], 'startViewTransition', [0]],
  [['BaseAudioContext', 'prototype'], 'decodeAudioData', [1, 2]],
  [['MediaSession', 'prototype'], 'setActionHandler', [1]],
  [['Notification'], 'requestPermission', [0]],
];

/** Records the calls of a function that was passed to the platform: each after the request and the call before. */
function patchCaller({ realm }: Dispatches, path: string[], key: string, places: number[], queue = 'callbacks'): void {
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
            let next = realm.id();
            let last = '';
            realm.enqueue(next, queue);
            args[places[at]!] = function (this: unknown, ...inner: unknown[]) {
              if (realm.agent.event !== '') return apply(callback as Method, this, inner);
              const event = next || realm.id();
              realm.arc(last, event, 'object');
              next = '';
              last = event;
              return realm.run(event, 'callback', functionName(callback), callback as Method, this, inner);
            };
          }
          return apply(original, this, args);
        },
      }).method,
  );
}

/** Records the calls of a finalization registry, each after the `register` of its object. */
function patchFinalization({ realm }: Dispatches): void {
  const { agent, global } = realm;
  const registered = newWeakMap<object, string>();
  standFor(global, 'FinalizationRegistry', (target, args, newTarget) => {
    const callback = args[0];
    if (typeof callback !== 'function') return construct(target, args, newTarget);
    let made: object | undefined;
    args[0] = function (this: unknown, ...inner: unknown[]) {
      if (agent.event !== '') return apply(callback as Method, this, inner);
      const id = realm.id();
      agent.begin(id, 'callback', functionName(callback));
      realm.arc((made && registered.get(made)) || '', id, 'object');
      try {
        return apply(callback as Method, this, inner);
      } finally {
        agent.end();
      }
    };
    return (made = construct(target, args, newTarget) as object);
  });
  replace(
    global.FinalizationRegistry.prototype,
    'register',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (isObject(this) && agent.event !== '' && !registered.has(this)) registered.set(this, agent.event);
          return apply(original, this, args);
        },
      }).method,
  );
}
