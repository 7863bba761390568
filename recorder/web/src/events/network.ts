/**
 * Requests: `fetch` and the readers of bodies, whose promises the platform settles, and
 * XMLHttpRequest. The call is ordered before every callback, and the states and chunks of one request
 * follow each other. Two requests are not ordered.
 */
import { apply, newWeakMap } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, shorten } from 'interloper-js-recorder/names';
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

export function patchFetch(realm: WindowRealm, promises: Promises): void {
  const { global } = realm;
  const short = local(realm);
  const requested = realm.getter(global.Request?.prototype, 'url');
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
          const result = apply(original, this, args);
          promises.origin(result, 'response', short(named), 'network');
          return result;
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
              promises.origin(result, 'response', url === '' ? name : short(url), 'network');
              return result;
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
            promises.origin(result, 'response', 'chunk', 'network', (event) => {
              realm.arc(chunks.get(this) ?? '', event, 'network');
              chunks.set(this, event);
            });
            return result;
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
}

export function patchRequests(dispatches: Dispatches): void {
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
            requests.set(this, { url, next: '', last: '' });
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
            requests.set(upload(this), request);
          }
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
    agent.end();
    return true;
  });
}
