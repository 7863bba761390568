/**
 * Requests: `fetch` and the readers of bodies, whose promises the platform settles, and
 * XMLHttpRequest. The call is ordered before every callback, and the states and chunks of one request
 * follow each other. Two requests are not ordered.
 *
 * A request is a location: aborting it and opening it again write it, and its callbacks read it. An aborted
 * request cannot answer later.
 */
import { apply, List, newWeakMap, peek } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, numbered, shorten } from 'interloper-js-recorder/names';
import type { Deliveries } from './deliveries';
import type { Dispatches } from './dispatch';
import type { Promises } from 'interloper-js-recorder/promises';
import { inherits } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

const { slice, indexOf } = String.prototype;

/** Returns a function that removes the page's origin from an address. */
function local(realm: WindowRealm): (url: string) => string {
  const { origin } = realm.global.location;
  return (url) => {
    const own = apply(indexOf, url, [origin]) === 0;
    return shorten(own ? (apply(slice, url, [origin.length]) as string) : url);
  };
}

/** A request that was sent. */
class Sent {
  private name: string | undefined;
  /** The event that aborted it. */
  private aborted = '';

  constructor(
    private readonly realm: WindowRealm,
    private readonly url: string,
  ) {
    this.place = realm.place();
  }

  /** Where it was sent, if that is known. */
  private readonly place: string | undefined;

  private record(write: boolean, value: string, site?: number): void {
    // Queries often have numbers that differ from visit to visit.
    const end = apply(indexOf, this.url, ['?']) as number;
    const path = end < 0 ? this.url : (apply(slice, this.url, [0, end]) as string);
    this.name ??= numbered(`Request(${path}${this.place ? ` sent at ${this.place}` : ''})`);
    this.realm.record('request', this.name, write, value, site);
  }

  /** Records that the running event aborts the request. */
  abort(): void {
    const { agent } = this.realm;
    if (agent.event === '' || this.aborted !== '') return;
    this.aborted = agent.event;
    this.record(true, 'aborted');
  }

  /** Records that the running event is a callback of the request. */
  answered(event: string): void {
    this.realm.arc(this.aborted, event, 'network');
    this.record(false, this.aborted === '' ? 'sent' : 'aborted', -1);
  }
}

/** Requests that an `AbortController` aborts. */
class Aborts {
  private readonly sent = newWeakMap<object, List<Sent>>();

  constructor(realm: WindowRealm) {
    const aborts = this;
    const { prototype } = realm.global.AbortController;
    const signal = realm.getter(prototype, 'signal');
    replace(
      prototype,
      'abort',
      (original) =>
        ({
          method(...args: unknown[]) {
            const list = inherits(this, prototype) ? aborts.sent.get(signal(this)) : undefined;
            for (let at = 0; list && at < list.length; at++) list.at(at).abort();
            return apply(original, this, args);
          },
        }).method,
    );
  }

  /** Notes that a signal aborts a request. */
  watch(signal: object, sent: Sent): void {
    let list = this.sent.get(signal);
    if (!list) this.sent.set(signal, (list = new List()));
    list.add(sent);
  }
}

export function patchFetch(realm: WindowRealm, promises: Promises): void {
  const { global } = realm;
  const short = local(realm);
  const requested = realm.getter(global.Request?.prototype, 'url');
  const signalOf = realm.getter(global.Request?.prototype, 'signal');
  const ownSignal = (what: object): unknown => inherits(what, global.Request.prototype) && signalOf(what);
  const aborts = new Aborts(realm);
  const responded = realm.getter(global.Response?.prototype, 'url');
  replace(
    global,
    'fetch',
    (original) =>
      ({
        method(...args: any[]) {
          const what = args[0];
          const named =
            typeof what === 'string' ? what : inherits(what, global.Request.prototype) ? requested(what) : 'fetch';
          const sent = new Sent(realm, short(named));
          const signal = (isObject(args[1]) && peek(args[1], 'signal')) || (isObject(what) && ownSignal(what));
          if (isObject(signal)) aborts.watch(signal, sent);
          const result = apply(original, this, args);
          return promises.origin(result, 'response', short(named), 'network', (event) => sent.answered(event));
        },
      }).method,
  );

  const readers = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'];
  for (const key of ['Response', 'Request', 'Blob'])
    for (const name of readers) {
      const holder = global[key]?.prototype;
      if (!holder) continue;
      replace(
        holder,
        name,
        (original) =>
          ({
            method(...args: any[]) {
              const result = apply(original, this, args);
              const url = inherits(this, global.Response.prototype) ? responded(this) : '';
              return promises.origin(result, 'response', url === '' ? name : short(url), 'network');
            },
          }).method,
      );
    }

  const chunks = newWeakMap<object, string>();
  for (const key of ['ReadableStreamDefaultReader', 'ReadableStreamBYOBReader']) {
    const holder = global[key]?.prototype;
    if (!holder) continue;
    replace(
      holder,
      'read',
      (original) =>
        ({
          method(...args: any[]) {
            const result = apply(original, this, args);
            return promises.origin(result, 'response', 'chunk', 'network', (event) => {
              realm.arc(chunks.get(this) ?? '', event, 'network');
              chunks.set(this, event);
            });
          },
        }).method,
    );
  }
}

interface Request {
  url: string;
  /** The event of the next dispatch, posted by the call. */
  next: string;
  last: string;
  /** The request that was sent last. */
  sent: Sent | undefined;
}

/** The types of events of a request object. */
const STATES = ['readystatechange', 'loadstart', 'progress', 'load', 'error', 'abort', 'timeout', 'loadend'];

export function patchRequests(dispatches: Dispatches, deliveries: Deliveries): void {
  const { realm } = dispatches;
  const { global, agent } = realm;
  const short = local(realm);
  const { prototype } = global.XMLHttpRequest;
  const requests = newWeakMap<object, Request>();
  const upload = realm.getter(prototype, 'upload');

  replace(
    prototype,
    'open',
    (original) =>
      ({
        method(...args: any[]) {
          if (isObject(this)) {
            const url = typeof args[1] === 'string' ? short(args[1]) : 'request';
            requests.get(this)?.sent?.abort();
            requests.set(this, { url, next: '', last: '', sent: undefined });
          }
          return apply(original, this, args);
        },
      }).method,
  );

  replace(
    prototype,
    'send',
    (original) =>
      ({
        method(...args: any[]) {
          const request = isObject(this) ? requests.get(this) : undefined;
          if (request && agent.event !== '') {
            realm.enqueue((request.next = realm.id()), 'network');
            request.sent = new Sent(realm, request.url);
            requests.set(upload(this), request);
            deliveries.watch(this, STATES, () => ({ id: request.next, name: request.url }));
          }
          return apply(original, this, args);
        },
      }).method,
  );

  replace(
    prototype,
    'abort',
    (original) =>
      ({
        method(...args: any[]) {
          if (isObject(this)) requests.get(this)?.sent?.abort();
          return apply(original, this, args);
        },
      }).method,
  );

  dispatches.source((event, target, type) => {
    const request = requests.get(target);
    if (!request) return false;
    const id = request.next || realm.id();
    request.next = '';
    dispatches.begin(event, id, type, request.url);
    realm.arc(request.last, id, 'network');
    request.last = id;
    request.sent?.answered(id);
    agent.end();
    return true;
  });
}
